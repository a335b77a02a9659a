"""Sums over edges as compiled loops, against the same in arrays and against overlay; and when the fast engine is chosen."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import MultiPolygon, Point, Polygon, box

from geocheck.engines import ENGINES, MANY, choose
from geocheck.engines.working.common_area import EdgeTable
from geocheck.model.problem import EngineError

pytest.importorskip("numba", reason="the fast engine needs numba: pip install 'geocheck[fast]'")

from geocheck.engines.working.compiled import MOST, CompiledSums

SUMS = CompiledSums()
SHAPES = {
    "box": box(0, 0, 60, 60),
    "ring": Point(50, 50).buffer(40) - Point(50, 50).buffer(20),
    "parts": MultiPolygon([box(0, 0, 20, 20), box(40, 40, 90, 90), box(60, 0, 61, 90) - box(60, 40, 61, 90)]),
    "triangle": Polygon([(10, 10), (90, 20), (50, 80)]),
    "bay": box(0, 0, 100, 100) - Polygon([(0, 25), (50, 25), (50, 75), (0, 75)]),
    "far": box(500, 500, 600, 600),
    "touching": box(60, 0, 90, 60),
    "island in the ring": box(45, 45, 55, 55),
    "deep in the box": box(20, 20, 30, 30),
    "clockwise": Polygon([(0, 0), (0, 60), (60, 60), (60, 0)]),
    "empty": Polygon(),
}
ALL = np.array(list(SHAPES.values()), dtype=object)
PAIRS = np.indices((len(ALL), len(ALL))).reshape(2, -1)


@st.composite
def stars(draw, most=60):
    x, y = draw(st.integers(0, most)), draw(st.integers(0, most))
    radii = np.array(
        draw(st.lists(st.sampled_from([5.0, 10.0, 17.5, 40.0]) | st.floats(1, 50), min_size=3, max_size=12))
    )
    angles = np.linspace(0, 2 * np.pi, len(radii), endpoint=False)
    return Polygon(np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)]))


blocks = st.builds(
    lambda x, y, width, height: box(x, y, x + width, y + height),
    *(st.integers(0, 60),) * 2, *(st.integers(1, 60),) * 2,
)  # fmt: skip


def united(pieces, cell):
    """Return the area in one cell of what some pieces hold together, and whether that was too much to sweep."""
    shapes = np.array(pieces, dtype=object)
    cells = SUMS.table(np.array([cell], dtype=object))
    areas, too_many = SUMS.united(
        SUMS.table(shapes), np.arange(len(shapes)), np.array([0, len(shapes)]), cells, np.zeros(1, dtype=int)
    )
    return areas[0], too_many[0]


def test_the_table_is_the_one_that_arrays_make():
    mine, theirs = SUMS.table(ALL), EdgeTable.of(ALL)
    assert list(mine.counts) == list(theirs.counts)
    for name in ("left", "right", "height", "slope", "sign"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), name)


@pytest.mark.parametrize("shift", [(0, 0), (2_400_000, 480_000), (-13_000_000, 5_000_000)])
def test_common_areas_are_those_of_overlay(shift):
    shapes = np.array([shapely.affinity.translate(shape, *shift) for shape in ALL], dtype=object)
    table = SUMS.table(shapes)
    areas, _ = SUMS.common(table, PAIRS[0], table, PAIRS[1])
    expected = shapely.area(shapely.intersection(ALL[PAIRS[0]], ALL[PAIRS[1]]))
    np.testing.assert_allclose(areas, expected, rtol=1e-12, atol=1e-9 if shift == (0, 0) else 1e-5)


@settings(max_examples=200)
@given(one=stars() | blocks, other=stars() | blocks)
def test_where_no_edges_come_near_the_area_tells_apart_from_inside(one, other):
    table = SUMS.table(np.array([one, other], dtype=object))
    areas, near = SUMS.common(table, np.array([0]), table, np.array([1]))
    assert areas[0] == pytest.approx(one.intersection(other).area, rel=1e-9, abs=1e-7)
    if not near[0]:
        assert (areas[0] < 1e-7) == one.disjoint(other)
        for each, around in ((one, other), (other, one)):
            assert (areas[0] >= each.area * (1 - 1e-11)) == around.contains_properly(each)


def test_a_shape_that_touches_the_upright_wall_of_a_hole_is_near():
    holed = box(-10, -10, 30, 30) - box(0, 0, 20, 20)
    for shape in (box(0, 5, 10, 10), box(10, 5, 20, 10)):
        table = SUMS.table(np.array([holed, shape], dtype=object))
        areas, near = SUMS.common(table, np.array([0]), table, np.array([1]))
        assert areas[0] == 0 and near[0]


@pytest.mark.parametrize("gap", [0.0, 1e-9, -1e-9])
@pytest.mark.parametrize("turned", [False, True])
def test_shapes_that_meet_or_nearly_meet_are_near(gap, turned):
    one, other = box(0, 0, 10, 10), box(10 + gap, 2, 20, 8)
    if turned:
        one, other = (shapely.affinity.rotate(shape, 90, origin=(0, 0)) for shape in (one, other))
    table = SUMS.table(np.array([one, other], dtype=object))
    assert SUMS.common(table, np.array([0]), table, np.array([1]))[1][0]


@settings(max_examples=300)
@given(pieces=st.lists(stars() | blocks, min_size=1, max_size=6), cell=stars() | blocks)
def test_ground_under_several_pieces_is_counted_once(pieces, cell):
    area, too_many = united(pieces, cell)
    assert not too_many
    assert area == pytest.approx(shapely.union_all(pieces).intersection(cell).area, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("wall", [10, 30, 50])
def test_a_piece_below_the_cell_whose_wall_rises_into_it_is_seen(wall):
    # The floor of the second piece lies far below the cell, and its side, being upright, is an edge of no table.
    pieces = [box(0, 50, 100, 60), box(wall, -50, 200, 55)]
    cell = box(0, 0, 60, 100)
    assert united(pieces, cell)[0] == pytest.approx(shapely.union_all(pieces).intersection(cell).area, rel=1e-12)


def test_pieces_with_holes_and_several_parts_are_united():
    pieces = [SHAPES["ring"], SHAPES["parts"], SHAPES["bay"]]
    for cell in (SHAPES["box"], SHAPES["triangle"], SHAPES["ring"], box(-10, -10, 200, 200)):
        expected = shapely.union_all(pieces).intersection(cell).area
        assert united(pieces, cell)[0] == pytest.approx(expected, rel=1e-12)


def test_cells_of_too_many_edges_are_left_to_others():
    fine = Point(0, 0).buffer(50, quad_segs=MOST // 4)
    assert not united([box(0, 0, 1, 1)], Point(0, 0).buffer(50))[1]
    assert united([box(-60, -60, 60, 60)], Point(0, 0).buffer(50, quad_segs=MOST))[1]
    assert united([fine, shapely.affinity.translate(fine, 1, 0)], box(-60, -60, 60, 60))[1]


def test_nothing_to_sum_is_no_trouble():
    none = SUMS.table(np.array([], dtype=object))
    nobody = np.zeros(0, dtype=int)
    areas, near = SUMS.common(none, nobody, none, nobody)
    assert len(areas) == len(near) == 0


class TestChoice:
    def test_few_subjects_are_measured_without_loading_compiled_loops(self):
        assert choose("auto", MANY - 1).name == "local"
        assert choose("auto", MANY).name == "edges"

    def test_an_engine_that_is_named_is_taken_whatever_there_is_to_measure(self):
        assert {name: choose(name, 0).name for name in ENGINES.names()} == {name: name for name in ENGINES.names()}

    def test_without_numba_the_local_engine_measures_and_the_fast_one_says_what_to_install(self, monkeypatch, world):
        find = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name, *rest: None if name == "numba" else find(name, *rest)
        )
        assert choose("auto", MANY).name == "local"
        with pytest.raises(EngineError, match=r"geocheck\[fast\]"):
            choose("edges", MANY).measure([], world.subjects([box(0, 0, 1, 1)]), world.ground())

    def test_an_engine_that_nobody_has_is_named_with_those_there_are(self):
        with pytest.raises(EngineError, match="no engine is called 'warp'; there are auto, edges, local, reference"):
            choose("warp", 1)
