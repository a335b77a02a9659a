"""How fast the local engine is beside plain shapely on the same county, how its time grows, and what memory it takes.

Ratios, not seconds: machines differ. Run with ``pytest tests/bench -m slow --benchmark-only``.
"""

from __future__ import annotations

import resource
import time

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import shapely
from shapely import LineString, Point, Polygon

from geocheck.engines.local import LocalEngine
from geocheck.measures.language import Area, Both, Either, Measure, Member
from geocheck.measures.language import Layer as Leaf
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.quantity import US_SURVEY_FOOT

pytestmark = pytest.mark.slow

CRS = pyproj.CRS(2289)
ORIGIN = np.array([2_400_000.0, 480_000.0])
ZONES = ("shoreland", "wetland", "floodplain")


def county(count, river_step=2.0):
    """Make a county of so many one-acre parcels: rivers, streams, wetlands that overlap, two surfaces a parcel."""
    rng = np.random.default_rng(7)
    side = round(count**0.5)
    extent = side * 208.0
    x, y = np.meshgrid(np.arange(side + 1) * 208.0, np.arange(side + 1) * 208.0)
    corners = np.stack([x, y], axis=-1) + rng.uniform(-25, 25, (side + 1, side + 1, 2)) + ORIGIN
    rings = np.stack([corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]], axis=2)
    parcels = shapely.polygons(rings.reshape(-1, 4, 2))

    def course(step, at, turns):
        t = np.arange(0, extent, step)
        bend = sum(a * np.sin(2 * np.pi * t / length + rng.uniform(0, 6)) for a, length in turns)
        return ORIGIN + np.column_stack([t, at * extent + bend])

    rivers = []
    for at in rng.uniform(0.1, 0.9, max(2, side // 80)):
        line = course(river_step, at, [(300, 9000), (60, 1500), (8, 200), (2, 30)])
        width = 300 + 80 * np.sin(np.arange(len(line)) / 300) + rng.uniform(0, 2, len(line))
        across = np.column_stack([np.zeros(len(line)), width])
        rivers.append(Polygon(np.vstack([line + across, (line - across)[::-1]])))
    streams = [
        LineString(course(25.0, at, [(500, 11_000), (90, 2100)])) for at in rng.uniform(0, 1, max(3, side // 20))
    ]
    centres = ORIGIN + rng.uniform(0, extent, (count // 5, 2))
    wetlands = [
        Point(*c).buffer(r, quad_segs=15) for c, r in zip(centres, rng.uniform(30, 220, count // 5), strict=True)
    ]
    middle = shapely.get_coordinates(shapely.centroid(parcels))
    size = rng.uniform(20, 45, (len(parcels), 2))
    houses = shapely.box(*(middle - size).T, *(middle + size).T)
    drives = shapely.box(middle[:, 0] - 8, middle[:, 1] - 125, middle[:, 0] + 8, middle[:, 1])
    return parcels, {
        "floodplain": np.array(rivers, dtype=object),
        "wetland": np.array(wetlands, dtype=object),
        "shoreland": shapely.get_parts(shapely.union_all(shapely.buffer(streams, 300))),
        "impervious": np.r_[houses, drives],
    }


def measure(parcels, layers):
    """Do the job: areas in four layers and in the union of three, and memberships."""
    frames = {
        role: Layer(role, LayerSource(role), gpd.GeoDataFrame(geometry=shapes, crs=CRS), CRS)
        for role, shapes in layers.items()
    }
    where = Ground(frames, CRS, US_SURVEY_FOOT, "grid", US_SURVEY_FOOT, 1.0, 0.0)
    own, zones = Leaf("parcels"), Either(tuple(Leaf(role) for role in ZONES))
    asked = [Measure(role, "ft2", Area(Both(own, Leaf(role))), "?") for role in layers]
    asked += [Measure(f"{role} member", "", Member(own, Leaf(role)), "?") for role in ZONES]
    asked += [
        Measure("zones", "ft2", Area(Both(own, zones)), "?"),
        Measure("zones member", "", Member(own, zones), "?"),
    ]
    who = Subjects("parcel", np.arange(len(parcels)).astype(str).tolist(), {"parcels": parcels})
    return LocalEngine().measure(asked, who, where, intervals=False)


def plainly(parcels, layers):
    """Do the part of the job that areas are in the way most people write it: union, tree, intersection."""
    areas = {}
    for role, shapes in layers.items():
        union = shapely.get_parts(shapely.union_all(shapes))
        shapely.prepare(union)
        zone, parcel = shapely.STRtree(parcels).query(union, predicate="intersects")
        areas[role] = np.bincount(
            parcel, shapely.area(shapely.intersection(union[zone], parcels[parcel])), minlength=len(parcels)
        )
    return areas


def seconds(work, *arguments):
    """Return processor time, which other work on the machine disturbs least, and the result."""
    start = time.process_time()
    found = work(*arguments)
    return time.process_time() - start, found


def test_parcels_of_a_county(benchmark):
    parcels, layers = county(10_000)
    found = benchmark.pedantic(measure, (parcels, layers), rounds=3, warmup_rounds=1)
    benchmark.extra_info["parcels"] = len(parcels)
    benchmark.extra_info["peak rss MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert len(found["zones"].values) == len(parcels)


def test_the_engine_is_right_and_several_times_as_fast_as_plain_shapely():
    parcels, layers = county(10_000)
    mine, found = seconds(measure, parcels, layers)
    theirs, plain = seconds(plainly, parcels, layers)
    for role, areas in plain.items():
        np.testing.assert_allclose(found[role].values, areas, rtol=1e-6, atol=1e-2)
    assert mine < theirs / 2


def test_time_grows_no_faster_than_the_county():
    small, large = county(5_000), county(20_000)
    measure(*county(500))  # imports and first calls are not the county's
    first, second = seconds(measure, *small)[0], seconds(measure, *large)[0]
    assert np.log(second / first) / np.log(len(large[0]) / len(small[0])) < 1.15


def test_time_grows_no_faster_than_the_vertices_of_the_floodplain():
    coarse, fine = county(5_000, 8.0), county(5_000, 0.5)
    for one in (coarse, fine):
        one[1].update({role: shapes[:1] for role, shapes in one[1].items() if role != "floodplain"})
    measure(*county(500))
    vertices = [shapely.get_num_coordinates(layers["floodplain"]).sum() for _, layers in (coarse, fine)]
    first, second = seconds(measure, *coarse)[0], seconds(measure, *fine)[0]
    assert np.log(second / first) / np.log(vertices[1] / vertices[0]) < 1.05
