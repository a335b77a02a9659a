"""Derived layers: shoreland by distance, the floodplain of streams, protective areas by class of water."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pyproj import CRS

from geocheck.model.ground import Ground, Layer, LayerSource
from geocheck.model.problem import GroundError
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.sources.derived import derive_layers, width_of


def layer(role, shapes, classes=None, **keys):
    columns = {
        "record": np.arange(1, len(shapes) + 1),
        "id": [f"{role}-{i}" for i in range(len(shapes))],
        "status": "ok",
    }
    if classes is not None:
        columns["class"] = classes
    frame = gpd.GeoDataFrame(columns, geometry=gpd.GeoSeries(shapes, crs=8104))
    source = keys.pop("source", LayerSource(role))
    return Layer(role, source, frame, CRS.from_epsg(8104), records=len(shapes), used=len(shapes), **keys)


def ground(*layers, metres_per_unit=US_SURVEY_FOOT):
    return Ground({x.role: x for x in layers}, CRS.from_epsg(8104), metres_per_unit=metres_per_unit)


def union(found, role):
    return shapely.union_all(found.layers[role].frame.geometry.to_numpy())


LAKE = shapely.box(0, 0, 2000, 1000)
STREAM = shapely.LineString([(5000, 0), (5000, 4000)])
SHORELAND = {"near": {"lakes": "1000 ft", "streams": "300 ft"}, "or": "floodplain of streams"}


def derived(rule, *layers, **keys):
    return derive_layers(ground(*layers, **keys), {"shoreland": LayerSource("shoreland", derive=rule)})


def test_shoreland_of_a_lake_and_a_stream():
    flood = [shapely.box(4000, 0, 6000, 1000), shapely.box(9000, 0, 9500, 500)]
    found = derived(SHORELAND, layer("lakes", [LAKE]), layer("streams", [STREAM]), layer("floodplain", flood))
    lake = LAKE.area + LAKE.length * 1000 + math.pi * 1000**2
    stream = 600 * 4000 + math.pi * 300**2
    beyond = (2000 - 600) * 1000 - 0  # the floodplain on both sides, where it is wider than 300 ft
    shape = union(found, "shoreland")
    below = shapely.box(4700, -300, 5300, 0).area
    assert shape.area == pytest.approx(lake + stream + beyond, rel=1e-3)
    assert below > 0
    assert not shape.intersects(shapely.box(9000, 0, 9500, 500))


@pytest.mark.parametrize("radius", [30, 100, 300, 1000])
def test_distances_keep_a_tenth_of_a_percent(radius):
    found = derived({"near": {"lakes": f"{radius} ft"}}, layer("lakes", [shapely.Point(0, 0).buffer(1e-6)]))
    assert union(found, "shoreland").area == pytest.approx(math.pi * radius**2, rel=1e-3)


def test_distances_are_in_feet_whatever_the_unit():
    found = derived({"near": {"streams": "300 ft"}}, layer("streams", [STREAM]), metres_per_unit=Fraction(1))
    assert union(found, "shoreland").bounds[2] - 5000 == pytest.approx(300 * float(US_SURVEY_FOOT))
    metric = derived({"near": {"streams": "100 m"}}, layer("streams", [STREAM]))
    assert union(metric, "shoreland").bounds[2] - 5000 == pytest.approx(100 / float(US_SURVEY_FOOT))


@pytest.mark.parametrize(
    ("rule", "layers"),
    [
        pytest.param(SHORELAND, ("lakes", "streams"), id="no floodplain"),
        pytest.param(SHORELAND, ("streams", "floodplain"), id="no lakes"),
        pytest.param({"near": {"lakes": "1000 acre"}}, ("lakes",), id="an area as distance"),
        pytest.param({"near": {"lakes": "1000"}}, ("lakes",), id="no unit"),
        pytest.param({"near": {"lakes": "100 rods"}}, ("lakes",), id="unknown unit"),
        pytest.param({"near": {"lakes": "-10 ft"}}, ("lakes",), id="less than nothing"),
        pytest.param({"near": {"lakes": "0 ft"}}, ("lakes",), id="nothing"),
        pytest.param({"near": {"lakes": "wide"}}, ("lakes",), id="a word"),
        pytest.param({"within": {"lakes": "1000 ft"}}, ("lakes",), id="unknown rule"),
        pytest.param({"near": {"lakes": "1000 ft"}, "or": "floodplain by streams"}, ("lakes", "streams", "floodplain"), id="unknown or"),
        pytest.param({"near": {}}, ("lakes",), id="empty rule"),
    ],
)  # fmt: skip
def test_what_cannot_be_derived_is_refused(rule, layers):
    shapes = {"lakes": [LAKE], "streams": [STREAM], "floodplain": [LAKE]}
    with pytest.raises(GroundError, match=r"layer shoreland: error: .*\[derive\]"):
        derived(rule, *(layer(role, shapes[role]) for role in layers))


def test_accuracy_dates_and_doubt_come_from_the_worst_input():
    lakes = layer("lakes", [LAKE], source=LayerSource("lakes", accuracy=Quantity(Fraction(40), "ft"), date="2019-05-01"), shift_doubt=2.0)  # fmt: skip
    streams = layer("streams", [STREAM], source=LayerSource("streams", accuracy=Quantity(Fraction(10), "m"), date="2021-01-01"))  # fmt: skip
    got = derived({"near": {"lakes": "1000 ft", "streams": "300 ft"}}, lakes, streams).layers["shoreland"]
    assert got.source.accuracy == Quantity(Fraction(40), "ft")
    assert (got.source.date, got.shift_doubt, got.crs_from) == ("2019-05-01", 2.0, "derived")
    assert any("high-water mark" in n for n in got.notes)


def test_unseen_water_may_lie_beyond_a_stated_coverage():
    area = shapely.box(-5000, -5000, 5000, 5000)
    stated = layer(
        "lakes", [LAKE], source=LayerSource("lakes", coverage="panel.shp"), coverage=area, coverage_note="panel.shp"
    )
    assumed = dataclasses.replace(stated, source=LayerSource("lakes"))
    assert derived({"near": {"lakes": "1000 ft"}}, stated).layers["shoreland"].coverage.area == 8000**2
    assert derived({"near": {"lakes": "1000 ft"}}, assumed).layers["shoreland"].coverage.area == 10000**2


@pytest.mark.parametrize(
    ("word", "width"),
    [
        ("Outstanding resource water", 75), ("ERW", 75), ("perennial stream", 50), ("Intermittent", 50), ("Lake", 50),
        ("sedge meadow", 75), ("highly susceptible wetland", 75), ("less susceptible", None), ("Degraded wetland", None),
        ("concentrated flow channel", 10), ("piped stream", 0), ("wetland", 50),
    ],
)  # fmt: skip
def test_widths_by_class(word, width):
    assert width_of(word) == width


@pytest.mark.parametrize("word", [None, "", "508", "zzz"])
def test_a_word_that_is_no_class(word):
    with pytest.raises(KeyError):
        width_of(word)


def test_the_greatest_protective_area_governs():
    stream = layer("streams", [shapely.LineString([(0, 0), (1000, 0)])] * 2, ["perennial stream", "exceptional"])
    got = union(derive_layers(ground(stream)), "protective_area")
    assert got.bounds[3] == pytest.approx(75)


@pytest.mark.parametrize(("side", "width"), [(50, 10), (200, 20), (1000, 30)])
def test_a_less_susceptible_wetland_has_a_tenth_of_its_width(side, width):
    wetland = layer("wetland", [shapely.box(0, 0, 5000, side)], ["less susceptible"])
    got = union(derive_layers(ground(wetland)), "protective_area")
    assert got.bounds[3] == pytest.approx(side + width)


def test_waters_without_a_class_have_the_general_width_and_say_so():
    found = derive_layers(ground(layer("lakes", [LAKE]))).layers["protective_area"]
    assert any("no class stated" in n for n in found.notes)
    assert shapely.union_all(found.frame.geometry.to_numpy()).area == pytest.approx(
        2.1e3 * 1.1e3 - (4 - math.pi) * 2500, rel=1e-4
    )


def test_without_waters_nothing_is_derived():
    found = derive_layers(ground(layer("parcels", [LAKE])), {"parcels": LayerSource("parcels")})
    assert list(found.layers) == ["parcels"]
