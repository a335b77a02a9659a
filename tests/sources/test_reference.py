"""One system for all layers: areas on the ellipsoid against geodesic areas, grids, feet, datum routes and their doubt."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Geod, Transformer

from geocheck.model.ground import Layer, LayerSource
from geocheck.model.problem import GroundError
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT, Quantity
from geocheck.sources.datum import route
from geocheck.sources.reference import bring_together, equal_area, questions_in
from geocheck.sources.repair import make_sound

FOOT = float(US_SURVEY_FOOT)
REGION = (-88.42, 43.19, -88.03, 43.55)
SIDE = math.sqrt(43560)
ACRE = shapely.box(362356.0122531394, 184801.60097804462, 362356.0122531394 + SIDE, 184801.60097804462 + SIDE)
LL = shapely.Polygon([(-88.183, 43.425), (-88.182, 43.425), (-88.182, 43.426), (-88.183, 43.426)])
DAKOTA = shapely.Polygon(
    [(-97.59238135821987, 43.47456565304017), (-97.59244690469288, 43.47962599877412),
     (-97.59191951546768, 43.47962728271748), (-97.59185396090983, 43.47456565304017)]
)  # fmt: skip


def layer(shapes, crs, role="disturbance", **keys):
    shapes = np.array(shapes, dtype=object)
    crs = CRS.from_user_input(crs)
    frame = gpd.GeoDataFrame(
        {"record": np.arange(1, len(shapes) + 1), "id": [str(i) for i in range(len(shapes))], "status": "ok"},
        geometry=gpd.GeoSeries(shapes, crs=crs),
    )
    return Layer(role, LayerSource(role), frame, crs, records=len(shapes), used=len(shapes), **keys)


def square_feet(ground, role="disturbance"):
    return ground.layers[role].frame.area.to_numpy() * ground.feet**2


@pytest.mark.parametrize(
    ("shape", "crs", "square_metres"),
    [
        pytest.param(LL, 4326, 8996.52, id="degrees"),
        pytest.param(LL, 4269, 8996.52, id="degrees, NAD83"),
        pytest.param(DAKOTA, 4326, abs(Geod(ellps="WGS84").geometry_area_perimeter(DAKOTA)[0]), id="a far place"),
        pytest.param(ACRE, 8104, 0.999923 * 43560 * FOOT**2, id="an acre of the county grid"),
    ],
)
def test_auto_measures_on_the_ellipsoid(shape, crs, square_metres):
    ground = bring_together({"disturbance": layer([shape], crs)})
    assert square_feet(ground)[0] * FOOT**2 == pytest.approx(square_metres, rel=2e-6)
    assert ground.doubt == 0.0003


@pytest.mark.parametrize("crs", [3857, 32614, 5070, 4326, 4269, 3395])
def test_the_delivered_system_does_not_matter(crs):
    delivered = gpd.GeoSeries([DAKOTA], crs=4326).to_crs(crs)
    ground = bring_together({"disturbance": layer(delivered.to_numpy(), crs)})
    assert square_feet(ground)[0] * FOOT**2 == pytest.approx(23988.9, rel=5e-4)


@settings(max_examples=40, deadline=None)
@given(st.floats(-179, 179), st.floats(-70, 70), st.floats(0.0005, 0.01), st.floats(0.2, 3), st.integers(3, 12))
def test_plane_areas_of_the_run_are_geodesic_areas(lon, lat, size, stretch, corners):
    """Karney's geodesic areas are another way to the same numbers; edges of this size bend by less than 1e-6."""
    angle = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    polygon = shapely.Polygon(np.column_stack([lon + size * np.cos(angle), lat + stretch * size / 3 * np.sin(angle)]))
    geodesic = abs(Geod(ellps="WGS84").geometry_area_perimeter(polygon)[0])
    ground = bring_together({"disturbance": layer([polygon], 4326)})
    assert square_feet(ground)[0] * FOOT**2 == pytest.approx(geodesic, rel=2e-6)


@pytest.mark.parametrize(("crs", "acres"), [(8104, 1.0), (2289, 0.999789), (3071, 0.999655), (32616, 0.999349)])
def test_grid_measures_in_the_offices_system(crs, acres):
    ground = bring_together({"disturbance": layer([ACRE], 8104)}, basis="grid", measure_crs=f"EPSG:{crs}")
    assert square_feet(ground)[0] / 43560 == pytest.approx(acres, abs=2e-6)
    assert ground.doubt == 0


BOXES = [
    pytest.param(8104, (362356, 184801), US_SURVEY_FOOT, 4000.0, id="US survey feet"),
    pytest.param(2222, (700000, 700000), INTERNATIONAL_FOOT, 4000.0, id="international feet"),
    pytest.param(3071, (667000, 329600), US_SURVEY_FOOT, 4000 / FOOT**2, id="metres in US survey feet"),
    pytest.param(2256, (1_960_000, 400_000), INTERNATIONAL_FOOT, 4000.0, id="Montana, international feet"),
    pytest.param(2913, (8_300_000, 800_000), INTERNATIONAL_FOOT, 4000.0, id="Oregon, international feet"),
    pytest.param(2249, (760_000, 2_960_000), US_SURVEY_FOOT, 4000.0, id="Massachusetts, US survey feet"),
    pytest.param(32616, (404_000, 4_808_000), US_SURVEY_FOOT, 4000 / FOOT**2, id="UTM metres"),
]


@pytest.mark.parametrize(("crs", "corner", "foot", "area"), BOXES)
def test_the_foot_comes_from_the_axis(crs, corner, foot, area):
    x, y = corner
    ground = bring_together(
        {"disturbance": layer([shapely.box(x, y, x + 80, y + 50)], crs)}, basis="grid", measure_crs=f"EPSG:{crs}"
    )
    assert ground.foot == foot
    assert square_feet(ground)[0] == pytest.approx(area, rel=1e-12)


def test_the_foot_of_the_answers_may_be_stated():
    box = shapely.box(667000, 329600, 667080, 329650)
    ground = bring_together(
        {"disturbance": layer([box], 3071)}, basis="grid", measure_crs="EPSG:3071", foot=INTERNATIONAL_FOOT
    )
    assert square_feet(ground)[0] == pytest.approx(43055.6, abs=0.05)
    survey = bring_together({"disturbance": layer([box], 3071)})
    international = bring_together({"disturbance": layer([box], 3071)}, foot=INTERNATIONAL_FOOT)
    assert square_feet(international)[0] / square_feet(survey)[0] == pytest.approx(1.000004, abs=1e-7)


@pytest.mark.parametrize(
    "measure_crs", ["", "EPSG:4326", "EPSG:3857", "EPSG:3395", "ESRI:102100", "EPSG:4087", "EPSG:32633"]
)
def test_what_keeps_no_areas_is_no_grid(measure_crs):
    with pytest.raises(GroundError):
        bring_together({"disturbance": layer([ACRE], 8104)}, basis="grid", measure_crs=measure_crs)


def test_ground_scales_with_the_elevation():
    flat = bring_together({"disturbance": layer([ACRE], 8104)}, basis="ellipsoidal")
    high = bring_together({"disturbance": layer([ACRE], 8104)}, basis="ground", elevation=Quantity(Fraction(900), "ft"))
    assert flat.doubt == high.doubt == 0
    radius = 6_372_000  # mean radius of curvature at 43.4° north: M = 6,365,300 m, N = 6,388,200 m
    ratio = square_feet(high)[0] / square_feet(flat)[0]
    assert ratio == pytest.approx((1 + 900 * FOOT / radius) ** 2, rel=1e-6)
    with pytest.raises(GroundError, match="elevation"):
        bring_together({"disturbance": layer([ACRE], 8104)}, basis="ground")


@pytest.mark.parametrize("name", ["Washington_Co_local", "NAD_1983_HARN_WISCRS_Washington_County_Feet"])
def test_equal_systems_leave_coordinates_untouched(name):
    esri = CRS.from_epsg(8104).to_wkt("WKT1_ESRI").replace("NAD_1983_HARN_WISCRS_Washington_County_Feet", name)
    layers = {"disturbance": layer([ACRE], esri), "wetland": layer([ACRE], 8104, "wetland")}
    ground = bring_together(layers, basis="grid", measure_crs="EPSG:8104")
    for role in layers:
        got = ground.layers[role]
        assert np.array_equal(shapely.get_coordinates(got.frame.geometry.iloc[0]), shapely.get_coordinates(ACRE))
        assert (got.notes, got.datum_operation, got.shift_doubt) == ((), "", 0)


def test_one_edge_in_two_systems_moves_by_its_rounding():
    a, b = shapely.box(362000, 184000, 362500, 184500), shapely.box(362500, 184000, 363000, 184500)
    zone = gpd.GeoSeries([a], crs=8104).to_crs(3071)
    zone = shapely.transform(zone.to_numpy(), lambda c: np.round(c, 3))
    ground = bring_together({"parcels": layer([a, b], 8104, "parcels"), "floodplain": layer(zone, 3071, "floodplain")}, basis="grid", measure_crs="EPSG:8104")  # fmt: skip
    parcels, flood = (ground.layers[r].frame.geometry for r in ("parcels", "floodplain"))
    assert flood.iloc[0].intersection(parcels.iloc[0]).area == pytest.approx(250_000, rel=1e-5)
    assert flood.iloc[0].intersection(parcels.iloc[1]).area < 1


@pytest.mark.parametrize(
    ("source", "target", "bound"),
    [
        pytest.param(32054, 2289, (5, 100), id="NAD27 to NAD83"),
        pytest.param(2289, 8104, (0.5, 2), id="NAD83 to HARN"),
        pytest.param(8104, 7641, (0.1, 0.5), id="HARN to 2011"),
    ],
)
def test_a_ballpark_is_said_to_be_one(source, target, bound):
    way = route(CRS.from_epsg(source), CRS.from_epsg(target), REGION)
    assert way.ballpark
    assert way.accuracy_m is None
    assert bound[0] <= way.doubt_m <= bound[1]
    assert way.missing
    assert "ballpark" in way.describe()
    assert way.missing[0] in way.describe()


def test_no_datum_change_no_route():
    way = route(CRS.from_epsg(8104), CRS.from_epsg(3071), REGION)
    assert (way.name, way.doubt_m, way.transformer) == ("", 0, None)


def test_a_published_operation_is_named_with_its_accuracy():
    way = route(CRS.from_epsg(4326), CRS.from_epsg(8104), REGION)
    assert not way.ballpark
    assert "WGS 84" in way.name
    assert way.accuracy_m == way.doubt_m == 1


def nad27():
    parcel = shapely.box(2482677.07, 524619.81, 2482777.07, 524719.81)
    zone = shapely.box(2451000, 524000, 2452000, 525000)
    return {"parcels": layer([parcel], 32054, "parcels"), "floodplain": layer([zone], 2289, "floodplain")}


@pytest.mark.parametrize("keys", [{}, {"basis": "grid", "measure_crs": "EPSG:2289"}], ids=["auto", "grid"])
def test_a_datum_change_without_grids_is_on_record(keys):
    ground = bring_together(nad27(), **keys)
    changed = [x for x in ground.layers.values() if x.datum_operation]
    assert len(changed) == 1
    assert "NAD27" in changed[0].datum_operation
    assert "conus" in changed[0].datum_operation
    assert changed[0].datum_accuracy_m is None
    # the zones' doubt is against the parcels, whichever of the two was moved
    assert ground.layers["floodplain"].shift_doubt > 5
    assert ground.layers["parcels"].shift_doubt == 0
    assert any("ballpark" in n for n in changed[0].notes)


def test_strict_datums_refuse_a_ballpark():
    with pytest.raises(GroundError, match="inexact-datum"):
        bring_together(nad27(), strict_datum=True)
    bring_together({"disturbance": layer([ACRE], 8104)}, strict_datum=True)


def test_layers_of_one_datum_have_no_doubt_between_them():
    layers = {"disturbance": layer([LL], 4326), "wetland": layer([LL], 4326, "wetland")}
    ground = bring_together(layers, basis="grid", measure_crs="EPSG:2289")
    assert [x.shift_doubt for x in ground.layers.values()] == [0, 0]
    assert ground.layers["wetland"].datum_accuracy_m == 4


def test_a_wrong_label_shows_where_layers_do_not_meet():
    parcel = shapely.box(2482677.07, 524619.81, 2482777.07, 524719.81)
    town = shapely.box(2440000, 500000, 2460000, 540000)
    layers = {"parcels": layer([parcel], 2289, "parcels"), "municipality": layer([town], 2289, "municipality")}
    ground = bring_together(layers)
    assert any("reference system" in n for n in ground.layers["parcels"].notes)
    assert any(n.startswith("parcels: ") for n in questions_in(ground))
    assert ground.layers["municipality"].frame.geometry.iloc[0].area > 0


def test_doubts_and_coverage_come_along():
    zone = layer([LL], 4326, "wetland", doubts={0: LL.area / 4}, coverage=LL)
    ground = bring_together({"disturbance": layer([LL], 4326), "wetland": zone})
    wetland = ground.layers["wetland"]
    area = wetland.frame.geometry.iloc[0].area
    assert wetland.doubts[0] == pytest.approx(area / 4)
    assert wetland.coverage.area == pytest.approx(area)
    assert wetland.source_crs.to_epsg() == 4326


def test_a_run_without_any_ground_says_what_was_read():
    with pytest.raises(GroundError, match=r"parcels: 2 records, geometry lost: 1 of 2"):
        bring_together({"parcels": layer([None, None], 4326, "parcels", notes=("geometry lost: 1 of 2",))})


def test_rows_without_ground_stay_rows():
    got = bring_together({"disturbance": layer([LL, None], 4326)}).layers["disturbance"]
    assert got.frame.geometry.isna().tolist() == [False, True]


def test_a_vertex_without_a_place_costs_its_record():
    far = shapely.Polygon([(-88, 43), (-88, 44), (-87, np.inf)])
    got = bring_together({"disturbance": layer([LL, far], 4326)}).layers["disturbance"]
    assert got.frame["status"].tolist() == ["ok", "geometry lost"]
    assert (got.used, got.lost) == (1, 1)
    assert got.repairs[0].record == 2


EIGHT = [8104, 7641, 2289, 3071, 32616, 4326, 4269, 3857]


@pytest.mark.parametrize("crs", EIGHT)
def test_one_world_in_eight_systems(crs):
    rng = np.random.default_rng(3)
    corners = rng.uniform((360000, 180000), (370000, 190000), (60, 2))
    world = [
        shapely.Polygon(c + rng.uniform(20, 400) * np.array([(0, 0), (1, 0.1), (0.8, 1), (0.1, 0.7)])) for c in corners
    ]
    here = bring_together({"disturbance": layer(world, 8104)})
    there = gpd.GeoSeries(world, crs=8104).to_crs(crs).to_numpy()
    other = bring_together({"disturbance": layer(there, crs)})
    assert square_feet(other) == pytest.approx(square_feet(here), rel=5e-5)


def test_the_run_system_is_on_the_home_datum():
    crs = equal_area(CRS.from_epsg(8104), (-88.2, 43.4), US_SURVEY_FOOT)
    assert "HARN" in crs.geodetic_crs.name
    x, y = Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True).transform(-88.2, 43.4)
    assert (abs(x), abs(y)) == pytest.approx((0, 0), abs=1e-6)


def test_make_sound_keeps_what_is_valid_untouched():
    from geocheck.sources.format import Records

    shapes = np.array([ACRE, LL], dtype=object)
    sound = make_sound(Records(shapes, None, None), "wetland", ["1", "2"], ground=True)
    assert sound.shapes.tolist() == shapes.tolist()
    assert dataclasses.asdict(sound)["repairs"] == ()
