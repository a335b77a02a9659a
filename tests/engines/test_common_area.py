"""The area of two polygons' common ground by sums over their edges, against overlay."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import MultiPolygon, Point, Polygon, box

from geocheck.engines.working import common_area
from geocheck.engines.working.common_area import EdgeTable, common_areas
from geocheck.engines.working.covers import Cells
from geocheck.engines.working.overlaps import counted_twice
from geocheck.engines.working.prepared import Pieces


def summed(first, second):
    first, second = np.array([first], dtype=object), np.array([second], dtype=object)
    pair = np.zeros(1, dtype=int)
    return common_areas(EdgeTable.of(first), pair, EdgeTable.of(second), pair)[0]


RING = Point(50, 50).buffer(40) - Point(50, 50).buffer(20)
SHAPES = {
    "box": box(0, 0, 60, 60),
    "ring": RING,
    "parts": MultiPolygon([box(0, 0, 20, 20), box(40, 40, 90, 90), box(60, 0, 61, 90) - box(60, 40, 61, 90)]),
    "triangle": Polygon([(10, 10), (90, 20), (50, 80)]),
    "hole on the shell": box(0, 0, 100, 100) - Polygon([(0, 25), (50, 25), (50, 75), (0, 75)]),
    "far": box(500, 500, 600, 600),
    "touching": box(60, 0, 90, 60),
    "clockwise": Polygon([(0, 0), (0, 60), (60, 60), (60, 0)]),
    "empty": Polygon(),
}


@pytest.mark.parametrize("one", SHAPES)
@pytest.mark.parametrize("other", SHAPES)
def test_sums_over_edges_are_the_area_in_common(one, other):
    expected = SHAPES[one].intersection(SHAPES[other]).area
    assert summed(SHAPES[one], SHAPES[other]) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_state_plane_coordinates_cost_no_digits_that_matter():
    for shift in ((2_400_000, 480_000), (-13_000_000, 5_000_000)):
        one, other = (shapely.affinity.translate(SHAPES[name], *shift) for name in ("ring", "triangle"))
        assert summed(one, other) == pytest.approx(SHAPES["ring"].intersection(SHAPES["triangle"]).area, abs=1e-5)


@st.composite
def stars(draw):
    x, y = draw(st.integers(0, 60)), draw(st.integers(0, 60))
    radii = np.array(
        draw(st.lists(st.sampled_from([5.0, 10.0, 17.5, 40.0]) | st.floats(1, 50), min_size=3, max_size=20))
    )
    angles = np.linspace(0, 2 * np.pi, len(radii), endpoint=False)
    return Polygon(np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)]))


@settings(deadline=None, max_examples=300)
@given(stars(), stars())
def test_sums_agree_with_overlay(one, other):
    assert summed(one, other) == pytest.approx(one.intersection(other).area, rel=1e-9, abs=1e-7)
    assert summed(one, one) == pytest.approx(one.area, rel=1e-9)


@settings(deadline=None, max_examples=150)
@given(st.lists(stars(), min_size=1, max_size=7), stars())
def test_overlapping_pieces_count_once_whatever_their_number(records, cell):
    cells = Cells(np.array([cell, shapely.affinity.translate(cell, 30, 0)]), np.arange(2), 2)
    cover = Pieces.of(np.array(records, dtype=object)).cover(cells)
    expected = shapely.area(shapely.intersection(cells.shapes, shapely.union_all(records)))
    np.testing.assert_allclose(cover.areas, expected, rtol=1e-8, atol=2e-5)
    # The same with every piece made ground first.
    cover.ground(np.arange(len(cover.parts)))
    excess = counted_twice(cover.parts, cells.bounds, cells.owners, {})
    held = np.where(cover.whole, cells.areas, np.bincount(cover.parts.index, cover.parts.areas, 2) - excess)
    np.testing.assert_allclose(held, expected, rtol=1e-8, atol=2e-5)


def test_the_size_of_a_block_changes_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    shapes = np.array([Point(*xy).buffer(r) for *xy, r in rng.uniform(10, 60, (80, 3))], dtype=object)
    table, (a, b) = EdgeTable.of(shapes), np.triu_indices(80)
    whole = common_areas(table, a, table, b)
    monkeypatch.setattr(common_area, "AT_A_TIME", 5000)
    np.testing.assert_allclose(common_areas(table, a, table, b), whole, rtol=1e-12)
    np.testing.assert_allclose(whole, shapely.area(shapely.intersection(shapes[a], shapes[b])), rtol=1e-9, atol=1e-9)
