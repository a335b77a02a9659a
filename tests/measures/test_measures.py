"""What each measure of the shelf reads, on worlds small enough to check by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import geopandas as gpd
import pyproj
import pytest
from shapely import LineString, box

from geocheck.engines import ENGINES
from geocheck.measures import MEASURES
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity

CRS = pyproj.CRS(2289)
SITE = box(0, 0, 100, 100)

engines = pytest.mark.parametrize("engine", [ENGINES.load(name) for name in ENGINES.names()], ids=ENGINES.names())


def layer(role, shapes, accuracy=None, **columns):
    columns.setdefault("id", [str(i) for i in range(len(shapes))])
    frame = gpd.GeoDataFrame(
        {"record": range(1, len(shapes) + 1), "status": "ok", **columns}, geometry=gpd.GeoSeries(shapes, crs=CRS)
    )
    source = LayerSource(role, accuracy=None if accuracy is None else Quantity(Fraction(accuracy), "ft"))
    return Layer(role, source, frame, CRS)


def read(engine, name, *layers, site=SITE, doubt=0.0, **grounds):
    where = Ground({x.role: x for x in layers}, CRS, US_SURVEY_FOOT, "grid", US_SURVEY_FOOT, 1.0, doubt)
    own = {"disturbance": [site], "impervious_within": [site]} | {role: [shape] for role, shape in grounds.items()}
    answers = engine.measure([MEASURES.load(name)], Subjects("site", ["S-1"], own), where)[name]
    return float(answers.lows[0]), float(answers.values[0]), float(answers.highs[0])


def value(engine, name, *layers, **keywords):
    return read(engine, name, *layers, **keywords)[1]


# A lot of 100 by 100: a house, a drive that will go, a shed whose status is unknown, and a new hall over half the house.
SURFACES = layer(
    "impervious",
    [box(0, 0, 20, 20), box(40, 0, 50, 20), box(60, 0, 70, 10), box(10, 0, 30, 20), box(90, 0, 200, 10)],
    surface=["existing", "removed", None, "proposed", "proposed"],
    connected=[True, True, None, None, False],
)


@engines
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("impervious_area_existing", 400 + 200 + 100),
        ("impervious_area_proposed", 400 + 100),
        ("impervious_area", 400 + 100 + 200 + 100),
        ("impervious_area_added", (400 + 100 + 200 + 100) - (400 + 200 + 100)),
    ],
)
def test_impervious_ground_before_and_after(engine, name, expected):
    assert value(engine, name, SURFACES) == pytest.approx(expected)


@engines
def test_removal_counts_against_the_gain(engine):
    surfaces = layer(
        "impervious", [box(0, 0, 50, 10), box(0, 0, 50, 10), box(0, 50, 10, 60)],
        surface=["existing", "removed", "proposed"],
    )  # fmt: skip
    assert value(engine, "impervious_area_added", surfaces) == pytest.approx(100 - 500)
    assert value(engine, "impervious_area", surfaces) == pytest.approx(100)


@engines
def test_the_same_surface_existing_and_proposed_adds_nothing(engine):
    surfaces = layer("impervious", [box(0, 0, 33, 10)] * 2, surface=["existing", "proposed"])
    assert read(engine, "impervious_area_added", surfaces, doubt=0.0003) == (0, 0, 0)


@engines
def test_accuracy_of_a_surface_that_stays_is_no_doubt_of_the_gain(engine):
    stays = layer("impervious", [box(10, 10, 60, 60)], 2, surface=["existing"])
    assert read(engine, "impervious_area_added", stays) == (0, 0, 0)
    grows = layer("impervious", [box(10, 10, 60, 60), box(70, 10, 80, 20)], 1, surface=["existing", "proposed"])
    low, best, high = read(engine, "impervious_area_added", grows)
    assert (low, best) == pytest.approx((64, 100)) and high == pytest.approx(140 + math.pi, rel=1e-2)


@engines
def test_unknown_connection_makes_the_high_end(engine):
    low, best, high = read(engine, "connected_impervious_area", SURFACES)
    assert (low, best) == pytest.approx((400, 400))
    assert high == pytest.approx(400 + 100 + 200)  # house, shed, and the half of the hall that is not house


@engines
def test_a_layer_without_the_columns_is_existing_and_of_unknown_connection(engine):
    plain = layer("impervious", [box(0, 0, 20, 20)])
    assert value(engine, "impervious_area_existing", plain) == 400
    assert value(engine, "impervious_area_proposed", plain) == 0
    assert read(engine, "connected_impervious_area", plain) == (0, 0, 400)


@engines
def test_impervious_ground_in_protective_areas(engine):
    protective = layer("protective_area", [box(0, 0, 15, 100), box(5, 0, 15, 50)])
    assert value(engine, "impervious_area_in_protective_area", SURFACES, protective) == pytest.approx(15 * 20)


@engines
def test_channels_within_the_disturbance_count_once(engine):
    channels = layer(
        "channels",
        [LineString([(-50, 10), (150, 10)]), LineString([(20, 10), (60, 10)]), LineString([(0, 200), (9, 200)])],
    )
    assert value(engine, "disturbed_channel_length", channels) == pytest.approx(100)


@engines
def test_a_channel_within_its_accuracy_of_the_disturbance_opens_the_length(engine):
    channels = layer("channels", [LineString([(0, 103), (100, 103)]), LineString([(50, -50), (50, 150)])], 5)
    low, best, high = read(engine, "disturbed_channel_length", channels)
    assert (low, best) == pytest.approx((90, 100)) and high == pytest.approx(110 + 100, abs=0.1)


@engines
def test_channels_given_as_areas_are_no_length(engine):
    where = Ground({"channels": layer("channels", [box(0, 0, 10, 2)])}, CRS, US_SURVEY_FOOT, "grid")
    name = "disturbed_channel_length"
    answers = engine.measure([MEASURES.load(name)], Subjects("site", ["S"], {"disturbance": [SITE]}), where)[name]
    assert math.isnan(answers.values[0]) and "needs lines" in answers.failures[0]


@engines
@pytest.mark.parametrize(("surface", "expected"), [(["existing", "proposed", None], 40 + 70), (None, 30 + 40 + 70)])
def test_new_roads_are_those_not_said_to_exist(engine, surface, expected):
    lines = [LineString([(0, y), (length, y)]) for y, length in ((10, 30), (20, 40), (30, 70))]
    roads = layer("roads", lines) if surface is None else layer("roads", lines, surface=surface)
    assert value(engine, "new_road_length", roads) == pytest.approx(expected)


@engines
def test_the_share_in_the_jurisdiction_is_exact_where_nothing_is_near(engine):
    village = layer("municipality", [box(-900, -900, 900, 900)], 2)
    assert read(engine, "share_in_jurisdiction", village, doubt=0.0003) == (100, 100, 100)
    half = layer("municipality", [box(-900, -900, 50, 900)])
    assert read(engine, "share_in_jurisdiction", half, doubt=0.0003) == pytest.approx((50, 50, 50))
    low, best, high = read(engine, "share_in_jurisdiction", layer("municipality", [box(-900, -900, 50, 900)], 2))
    assert (low, best, high) == pytest.approx((48, 50, 52))


@engines
def test_parcels_met_are_the_ground_of_the_parcel_area(engine):
    assert value(engine, "parcel_area", parcels=box(0, 0, 300, 100)) == 30_000


@engines
def test_units_of_a_metric_system_become_the_answers_feet(engine):
    where = Ground({}, pyproj.CRS(3071), Fraction(1), "grid", US_SURVEY_FOOT, 1.0, 0.0)
    subjects = Subjects("site", ["S"], {"disturbance": [box(0, 0, 80, 50)]})
    answers = engine.measure([MEASURES.load("disturbed_area")], subjects, where)["disturbed_area"]
    assert answers.values[0] == pytest.approx(43_055.5, abs=0.1)


# --- division of parcels --------------------------------------------------------------------------------------------

ACRE = 208.71


def lots(widths, height=ACRE, start=0.0):
    shapes = []
    for width in widths:
        shapes.append(box(start * ACRE, 0, (start + width) * ACRE, height))
        start += width
    return shapes


@engines
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (lots([20]), lots([20]), 0),
        (lots([20]), lots([1] * 20), 20),
        (lots([20]), lots([1, 1, 1, 1, 1, 15]), 5),
        (lots([20]), lots([1, 19]), 1),
        (lots([20]), lots([10, 10]), 0),
        (lots([5]), lots([5 - 0.001, 0.001]), 0),
        (lots([4, 4]), lots([8]), 0),
        (lots([4, 4]), lots([4.2, 3.8]), 0),
        (lots([4, 4]), [box(0.02, 0.01, 4 * ACRE + 0.02, ACRE), box(4 * ACRE + 0.02, 0.01, 8 * ACRE, ACRE)], 0),
        (lots([1]), lots([1]) * 9, 0),
        (lots([12]), lots([6, 6]) + lots([6], start=6), 0),
    ],
    ids=[
        "unchanged", "twenty lots", "five and a remainder", "one lot off", "too large", "a sliver and the rest", "merged",
        "a line moved", "redrawn by 0.02 ft", "nine units on one outline", "stacked but too large",
    ],
)  # fmt: skip
def test_parcels_created_from_one_parent(engine, before, after, expected):
    layers = layer("parcels_before", before), layer("parcels", after)
    assert value(engine, "small_parcels_created", *layers) == expected


@engines
def test_the_most_divided_parent_counts_and_only_those_the_site_meets(engine):
    before = lots([6, 6, 6])
    after = lots([2, 4]) + lots([1, 1, 4], start=6) + lots([1] * 6, start=12)
    layers = layer("parcels_before", before), layer("parcels", after)
    assert value(engine, "small_parcels_created", *layers, site=box(0, 0, 7 * ACRE, 50)) == 3
    assert value(engine, "small_parcels_created", *layers, site=box(0, 300, 50, 400)) == 0


@engines
def test_records_of_one_identifier_are_one_parcel(engine):
    after = layer("parcels", lots([1, 1, 1, 1]), id=["A", "A", "B", "B"])
    assert value(engine, "small_parcels_created", layer("parcels_before", lots([4])), after) == 2


@engines
def test_a_lot_of_just_five_acres_counts_and_its_doubt_is_said(engine):
    side = 5 * 43560 / 100
    after = [box(0, 0, side, 100), box(side, 0, 2 * side, 100)]
    layers = layer("parcels_before", [box(0, 0, 2 * side, 100)]), layer("parcels", after)
    assert read(engine, "small_parcels_created", *layers, doubt=0.0) == (2, 2, 2)
    assert read(engine, "small_parcels_created", *layers, doubt=0.0003) == (0, 2, 2)
