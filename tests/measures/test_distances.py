"""Measures of ground near water: a ring and buffers, on worlds whose areas can be worked out by hand."""

from __future__ import annotations

import math

import geopandas as gpd
import pyproj
import pytest
from shapely import LineString, Point, box

from geocheck.engines import ENGINES
from geocheck.measures import MEASURES
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.quantity import US_SURVEY_FOOT

CRS = pyproj.CRS(2289)
POND = box(-4_000, -400, 4_000, 0)  # its north shore is y = 0

engines = pytest.mark.parametrize("engine", [ENGINES.load(name) for name in ENGINES.names()], ids=ENGINES.names())


def layer(role, shapes):
    columns = {"record": range(1, len(shapes) + 1), "status": "ok", "id": [str(i) for i in range(len(shapes))]}
    frame = gpd.GeoDataFrame(columns, geometry=gpd.GeoSeries(shapes, crs=CRS))
    return Layer(role, LayerSource(role), frame, CRS)


def value(engine, name, site, **shapes):
    layers = {role: layer(role, found) for role, found in shapes.items()}
    where = Ground(layers, CRS, US_SURVEY_FOOT, "grid", US_SURVEY_FOOT, 1.0, 0.0)
    answers = engine.measure([MEASURES.load(name)], Subjects("site", ["S-1"], {"disturbance": [site]}), where)[name]
    return float(answers.values[0])


@engines
@pytest.mark.parametrize(
    ("site", "expected"),
    [
        (box(0, 0, 100, 300), 0),
        (box(0, 300, 100, 1_000), 70_000),
        (box(0, 0, 100, 1_500), 70_000),
        (box(0, 1_000, 100, 1_500), 0),
        (box(0, 250, 100, 350), 5_000),
    ],
    ids=["too near", "the ring", "across", "too far", "across the inner edge"],
)
def test_the_ring_round_a_lake(engine, site, expected):
    assert value(engine, "disturbed_area_in_lake_ring", site, lakes=[POND]) == pytest.approx(expected, abs=0.5)


@engines
def test_ground_near_another_lake_is_in_no_ring(engine):
    site = box(0, 500, 100, 600)
    assert value(engine, "disturbed_area_in_lake_ring", site, lakes=[POND]) == pytest.approx(10_000)
    assert value(engine, "disturbed_area_in_lake_ring", site, lakes=[POND, box(0, 700, 100, 900)]) == 0


@engines
def test_the_ring_round_a_small_round_lake_is_what_a_circle_says(engine):
    site = box(-2_000, -2_000, 2_000, 2_000)
    found = value(engine, "disturbed_area_in_lake_ring", site, lakes=[Point(0, 0).buffer(50, quad_segs=256)])
    assert found == pytest.approx(math.pi * (1_050**2 - 350**2), rel=1e-3)


@engines
def test_lakes_and_streams_count_once(engine):
    creek = box(-4_000, 100, 4_000, 110)
    site = box(0, 0, 100, 1_000)
    assert value(engine, "disturbed_area_near_water", site, lakes=[POND], streams=[creek]) == pytest.approx(41_000)


@engines
@pytest.mark.parametrize(
    ("name", "depth"), [("disturbed_area_within_25_ft_of_streams", 25), ("disturbed_area_within_50_ft_of_streams", 50)]
)
def test_distances_from_the_bank_of_a_stream(engine, name, depth):
    creek = box(-4_000, -10, 4_000, 0)
    assert value(engine, name, box(0, 0, 100, 200), streams=[creek]) == pytest.approx(100 * depth)


@engines
def test_a_wetland_and_75_feet_round_it(engine):
    marsh = box(-4_000, -40, 4_000, 20)
    assert value(engine, "disturbed_area_near_wetland", box(0, 0, 100, 200), wetland=[marsh]) == pytest.approx(9_500)


@engines
@pytest.mark.parametrize("name", ["disturbed_area_near_water", "disturbed_area_within_50_ft_of_streams"])
def test_a_stream_drawn_as_a_line_is_near_what_lies_beside_it(engine, name):
    line = LineString([(-4_000, 0), (4_000, 0)])
    near = {"disturbed_area_near_water": 300, "disturbed_area_within_50_ft_of_streams": 50}[name]
    layers = {"streams": [line]} | ({"lakes": [box(0, 90_000, 10, 90_010)]} if name.endswith("water") else {})
    assert value(engine, name, box(0, 0, 100, 1_000), **layers) == pytest.approx(100 * near)
