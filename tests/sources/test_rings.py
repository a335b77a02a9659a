"""Rings into ground: the cases, an independent count of covered ground, and laws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geocheck.sources.rings import Ring, build, fill, footprint, rings_of, signed_area


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]


WKT_CASES = [
    pytest.param("POLYGON((0 0,1 1,0 1,1 0,0 0))", 0.5, 0, "crosses itself", id="bow-tie"),
    pytest.param("POLYGON((0 0,4 0,4 4,2 -2,0 4,0 0))", 20 / 3, 0, "crosses itself", id="spike through the base"),
    pytest.param("POLYGON((0 0,2 2,2 0,0 2,0 0))", 2.0, 0, "crosses itself", id="bow-tie upright"),
    pytest.param("POLYGON((0 0,8 0,8 6,2 6,2 2,6 2,6 8,0 8,0 0))", 60, 16, "covers ground twice", id="loop over itself"),
    pytest.param("POLYGON((0 0,9 0,9 9,3 9,3 3,6 3,6 12,0 12,0 0))", 99, 18, "covers ground twice", id="larger loop"),
    pytest.param("POLYGON((0 0,100 0,100 100,0 100,0 0),(0 25,50 25,50 75,0 75,0 25))", 7500, 0, "", id="hole on the shell"),
    pytest.param("POLYGON((0 0,10 0,10 10,0 10,0 0),(10 2,10 8,5 8,5 2,10 2))", 70, 0, "", id="hole on the right side"),
    pytest.param("POLYGON((0 0,10 0,10 10,0 10,0 0),(0 0,10 0,10 4,0 4,0 0))", 60, 0, "", id="hole on three sides"),
    pytest.param("MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0)),((5 0,15 0,15 10,5 10,5 0)))", 150, 0, "overlap", id="parts overlap"),
    pytest.param("MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0)),((0 0,10 0,10 10,0 10,0 0)))", 100, 0, "repeated", id="part repeated"),
    pytest.param("MULTIPOLYGON(((0 0,100 0,100 100,0 100,0 0)),((25 25,75 25,75 75,25 75,25 25)))", 10000, 2500, "inside another", id="part in part"),
    pytest.param("POLYGON((25 25,75 25,75 75,25 75,25 25),(0 0,100 0,100 100,0 100,0 0))", 7500, 0, "exchanged", id="roles exchanged"),
    pytest.param("POLYGON((0 0,10 0,10 10,0 10,0 0),(20 20,30 20,30 30,20 30,20 20))", 200, 100, "outside its shell", id="hole outside"),
    pytest.param("POLYGON((0 0,10 0,10 10,0 10,0 0),(5 -5,15 -5,15 5,5 5,5 -5))", 75, 75, "crosses its shell", id="hole crosses"),
    pytest.param("POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,6 2,6 6,2 6,2 2),(4 4,8 4,8 8,4 8,4 4))", 72, 4, "holes overlap", id="holes overlap"),
    pytest.param("POLYGON((0 0,10 0,10 10,5 10,5 20,5 10,0 10,0 0))", 100, 0, "itself", id="spike"),
    pytest.param("POLYGON((0 0,10 0,10 10,5 5,5 10,5 5,0 10,0 0))", 75, 0, "itself", id="spike at a notch"),
    pytest.param("POLYGON((0 0,10 0,10 10,6 10,6 4,4 4,4 10,6 10,0 10,0 0))", 88, 0, "itself", id="hole drawn into the ring"),
]  # fmt: skip


@pytest.mark.parametrize(("wkt", "area", "doubt", "problem"), WKT_CASES)
def test_ground_of_broken_polygons(wkt, area, doubt, problem):
    built = build(rings_of(shapely.from_wkt(wkt)))
    assert built.ground.is_valid
    assert built.ground.area == pytest.approx(area, rel=1e-12)
    assert built.doubt == pytest.approx(doubt, abs=1e-9)
    assert problem in "; ".join(built.problems)


WOUND_CASES = [
    pytest.param([box(0, 0, 100, 100), box(25, 25, 75, 75)[::-1]], 7500, 0, "against the format's rule", id="all reversed"),
    pytest.param([box(0, 0, 100, 100)[::-1], box(25, 25, 75, 75)], 7500, 0, "", id="as the rule says"),
    pytest.param([box(25, 25, 75, 75), box(0, 0, 100, 100)[::-1]], 7500, 0, "", id="hole first"),
    pytest.param([box(0, 0, 100, 100), box(25, 25, 75, 75)], 7500, 2500, "wound like its shell", id="one direction"),
    pytest.param([box(0, 0, 90, 90)[::-1], box(10, 10, 80, 80), box(20, 20, 70, 70)[::-1]], 8100 - 4900 + 2500, 0, "", id="island in a hole"),
    pytest.param([box(0, 0, 90, 90), box(10, 10, 80, 80)[::-1], box(20, 20, 70, 70)], 8100 - 4900 + 2500, 0, "rule", id="island reversed"),
    pytest.param([box(0, 0, 10, 10)[::-1], box(5, 0, 15, 10)[::-1]], 150, 0, "cross", id="parts overlap"),
    pytest.param([box(0, 0, 10, 10), box(5, 0, 15, 10)], 150, 0, "cross", id="parts overlap, reversed"),
    pytest.param([box(0, 0, 10, 10), box(20, 0, 30, 10)], 200, 0, "", id="two parts, reversed"),
    pytest.param([box(0, 0, 10, 10)[::-1], box(0, 0, 10, 10)[::-1]], 100, 0, "repeated", id="ring repeated"),
    pytest.param([box(0, 0, 10, 10)[::-1][:-1]], 100, 0, "not closed", id="unclosed"),
    pytest.param([box(0, 0, 10, 10)[:-1], box(2, 2, 4, 4)[:-1]], 96, 4, "not closed", id="unclosed with a hole"),
    pytest.param([box(0, 0, 100, 100)[::-1], box(0, 25, 50, 75)], 7500, 0, "", id="hole on the shell"),
    pytest.param([[*box(0, 0, 10, 10)[:2], (np.nan, 4), *box(0, 0, 10, 10)[2:]]], 100, 0, "without coordinates", id="nan vertex"),
]  # fmt: skip


@pytest.mark.parametrize(("rings", "area", "doubt", "problem"), WOUND_CASES)
def test_ground_of_rings_known_by_direction(rings, area, doubt, problem):
    built = build([Ring(r) for r in rings])
    assert built.ground.is_valid
    assert built.ground.area == pytest.approx(area)
    assert built.doubt == pytest.approx(doubt, abs=1e-9)
    assert problem in "; ".join(built.problems)


@pytest.mark.parametrize(
    "ring",
    [
        pytest.param([(0, 0), (1, 1), (0, 0)], id="there and back"),
        pytest.param([(0, 0), (0, 0), (0, 0), (0, 0)], id="one point"),
        pytest.param([], id="nothing"),
        pytest.param([(0, 0), (1, 0), (2, 0), (3, 0), (0, 0)], id="a line"),
    ],
)
def test_rings_without_area_leave_no_ground(ring):
    built = build([Ring(np.array(ring, dtype=float).reshape(-1, 2))])
    assert built.ground is None
    assert built.doubt == 0


def test_before_is_the_area_as_written():
    assert build([Ring(box(0, 0, 100, 100)), Ring(box(25, 25, 75, 75)[::-1])]).before == -7500
    assert build(rings_of(shapely.from_wkt("POLYGON((0 0, 8 0, 8 6, 2 6, 2 2, 6 2, 6 8, 0 8, 0 0))"))).before == 76


vertices = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=3, max_size=9)


def covered(ring, cells=12):
    """Ground that a ring winds around, and that it winds around an even number of times, counted on a fine grid by the
    angle that it turns: another way to the same areas."""
    step = 0.1
    centres = np.arange(step / 2, cells, step) + 1e-4
    px, py = np.meshgrid(centres, centres)
    points = np.column_stack([px.ravel(), py.ravel()])
    ends = np.array([*ring, ring[0]], dtype=float)
    turned = np.zeros(len(points))
    for a, b in itertools.pairwise(ends):
        u, v = a - points, b - points
        turned += np.arctan2(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], (u * v).sum(axis=1))
    number = np.rint(turned / (2 * np.pi)).astype(int)
    return (number != 0).sum() * step * step, ((number != 0) & (number % 2 == 0)).sum() * step * step


@settings(max_examples=40, deadline=None)
@given(vertices)
def test_a_ring_covers_what_it_winds_around(ring):
    ground, doubt = fill(np.array([*ring, ring[0]], dtype=float), {})
    area = 0.0 if ground is None else ground.area
    length = shapely.LineString([*ring, ring[0]]).length
    once, twice = covered(ring)
    assert area == pytest.approx(once, abs=0.1 * length + 0.2)
    assert doubt == pytest.approx(twice, abs=0.1 * length + 0.2)
    assert ground is None or ground.is_valid


@settings(max_examples=100, deadline=None)
@given(vertices, st.integers(0, 8), st.booleans())
def test_start_and_direction_change_nothing(ring, start, backwards):
    turned = [*ring[start % len(ring) :], *ring[: start % len(ring)]]
    turned = turned[::-1] if backwards else turned
    areas = []
    for each in (ring, turned):
        built = build([Ring(np.array([*each, each[0]], dtype=float))])
        areas.append((0.0 if built.ground is None else built.ground.area, built.doubt))
    assert areas[0] == pytest.approx(areas[1], abs=1e-6)


holes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, max_size=6)


@settings(max_examples=100, deadline=None)
@given(holes, st.lists(st.booleans(), min_size=7, max_size=7), st.permutations(range(7)))
def test_nesting_ignores_order_and_direction(cells, reversed_, order):
    """A square with square holes: whatever the order and direction of its rings, the ground is the same."""
    rings = [box(0, 0, 40, 40), *(box(10 * x + 2, 10 * y + 2, 10 * x + 8, 10 * y + 8) for x, y in cells)]
    turned = [r[::-1] if back else r for r, back in zip(rings, reversed_, strict=False)]
    shuffled = [turned[i] for i in order if i < len(turned)]
    built = build([Ring(r) for r in shuffled])
    assert built.ground.area == 1600 - 36 * len(cells)
    same_way = sum(reversed_[i + 1] == reversed_[0] for i in range(len(cells)))
    assert built.doubt == 36 * same_way


def test_footprint_is_the_union_of_faces():
    wall = [(0, 0), (10, 0), (10, 0), (0, 0)]
    assert footprint([Ring(box(0, 0, 10, 10)), Ring(box(5, 5, 15, 15)), Ring(wall)]).area == 175
    assert footprint([Ring(wall)]) is None


def test_signed_area_far_from_the_origin_keeps_its_digits():
    ring = [(x + 2e6, y + 5e5) for x, y in box(0, 0, 80, 50)]
    assert signed_area(ring) == 4000
