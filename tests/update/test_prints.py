"""Fingerprints: the same for the same ground, another for any other, and of a rectangle only what lies there."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Point, box

from geocheck.assess.nightly.memory import Memory
from geocheck.assess.nightly.prints import TILE, prints_of, tiles_of
from geocheck.assess.nightly.remembering import _tiles_of_layer
from geocheck.model.ground import Layer, LayerSource

NONE = np.zeros((1, 2), dtype=np.uint64)


def words(count):
    return np.zeros((count, 2), dtype=np.uint64)


def test_shapes_that_differ_in_anything_differ():
    shapes = [None, shapely.Polygon(), box(0, 0, 1, 1), box(0, 0, 1, 1 + 1e-12), box(1, 0, 2, 1), Point(0, 0), Point(0, 1), LineString([(0, 0), (1, 1)]),
              shapely.union(box(0, 0, 1, 1), box(5, 5, 6, 6)), box(0, 0, 9, 9).difference(box(1, 1, 2, 2)), shapely.MultiPoint([(0, 0), (0, 1)]),
              shapely.GeometryCollection([box(0, 0, 1, 1), shapely.MultiLineString([[(0, 0), (1, 1)]])])]  # fmt: skip
    found = prints_of(np.array(shapes, dtype=object))
    assert len({tuple(row) for row in found.tolist()}) == len(shapes)
    assert (found == prints_of(np.array(shapes, dtype=object))).all()


def test_where_the_ring_begins_does_not_matter():
    one, other = box(0, 0, 1, 2), shapely.Polygon([(1, 2), (0, 2), (0, 0), (1, 0)])
    a, b = (
        prints_of(np.array([one, shapely.normalize(one)], dtype=object)),
        prints_of(np.array([shapely.reverse(one), other], dtype=object)),
    )
    assert a.shape == b.shape == (2, 2)


@pytest.mark.parametrize(
    "before, after, there, elsewhere",
    [
        # A huge polygon whose boundary moves, far from the rectangle.
        (box(0, 0, 40_000, 40_000), shapely.union(box(0, 0, 40_000, 40_000), box(40_000, 0, 40_100, 900)), (39_900, 100, 39_990, 300), (20_000, 20_000, 20_010, 20_010)),
        # A hole is cut into it: its edges are there.
        (box(0, 0, 40_000, 40_000), box(0, 0, 40_000, 40_000).difference(box(9_000, 9_000, 9_050, 9_050)), (9_010, 9_010, 9_020, 9_020), (20_000, 20_000, 20_010, 20_010)),
        # It is gone altogether; no edge is near.
        (box(0, 0, 40_000, 40_000), box(50_000, 0, 90_000, 40_000), (20_000, 20_000, 20_010, 20_010), (45_000, 45_000, 45_010, 45_010)),
    ],
    ids=["a-side-moves", "a-hole", "gone"],
)  # fmt: skip
def test_a_change_shows_where_it_lies_and_only_there(before, after, there, elsewhere):
    one, other = (tiles_of(np.array([shape], dtype=object), words(1)) for shape in (before, after))
    assert (one.within(np.array([there], dtype=float)) != other.within(np.array([there], dtype=float))).any()
    assert (one.within(np.array([elsewhere], dtype=float)) == other.within(np.array([elsewhere], dtype=float))).all()


def test_what_else_counts_of_a_record_shows():
    shapes = np.array([box(0, 0, 100, 100), box(0, 0, 20_000, 20_000)], dtype=object)
    rectangle = np.array([[10.0, 10, 20, 20], [15_000, 15_000, 15_010, 15_010]])
    plain, marked = words(2), words(2)
    marked[1, 0] = 5
    assert (tiles_of(shapes, plain).within(rectangle) != tiles_of(shapes, marked).within(rectangle)).any(axis=1).all()


def test_nothing_is_nowhere():
    empty = tiles_of(np.array([None, shapely.Polygon()], dtype=object), words(2))
    assert not empty.within(np.array([[0.0, 0, 1e6, 1e6], [np.nan] * 4])).any()


@settings(max_examples=80)
@given(
    st.lists(st.tuples(*[st.integers(-9_000, 9_000)] * 2, *[st.integers(1, 6_000)] * 2), min_size=1, max_size=8),
    st.integers(0, 7),
    st.integers(1, 60),
)
def test_a_rectangle_keeps_its_fingerprint_unless_its_surroundings_change(boxes, which, by):
    before = np.array([box(x, y, x + w, y + h) for x, y, w, h in boxes], dtype=object)
    after = before.copy()
    row = which % len(after)
    x0, y0, x1, y1 = after[row].bounds
    after[row] = box(x0, y0, x1 + by, y1)
    rng = np.random.default_rng(0)
    corner = rng.uniform(-10_000, 15_000, (300, 2))
    rectangles = np.hstack([corner, corner + rng.uniform(1, 900, (300, 2))])
    one, other = (tiles_of(shapes, words(len(shapes))).within(rectangles) for shapes in (before, after))
    same = (one == other).all(axis=1)
    changed = shapely.intersects(shapely.box(*rectangles.T), shapely.symmetric_difference(before[row], after[row]))
    assert not (same & changed).any(), "a change under a rectangle went unseen"
    far = shapely.distance(shapely.box(*rectangles.T), after[row]) > 5 * TILE
    assert same[far].all()


def layer(shapes, doubts=None, **columns):
    frame = gpd.GeoDataFrame(columns, geometry=list(shapes))
    return Layer("shoreland", LayerSource("shoreland", "s.gpkg"), frame, None, doubts=doubts or {})


LAKES = [box(0, 0, 900, 900), box(5_000, 0, 5_900, 900), None]


@pytest.mark.parametrize(
    "changed, known",
    [
        (lambda: layer(LAKES, plan=["a", "b", "c"]), True),
        (lambda: layer([box(0, 0, 900, 900.001), *LAKES[1:]], plan=["a", "b", "c"]), False),
        (lambda: layer(LAKES[::-1], plan=["a", "b", "c"]), False),
        (lambda: layer([None, *LAKES[:2]], plan=["a", "b", "c"]), False),
        (lambda: layer(LAKES, plan=["a", "b", "d"]), False),
        (lambda: layer(LAKES, {1: 4.0}, plan=["a", "b", "c"]), False),
        (lambda: layer(LAKES, plan=["a", "b", "c"], status=["label", "", ""]), False),
    ],
    ids=["same", "a-vertex", "another-order", "another-gap", "a-word", "a-doubt", "a-column"],
)
def test_tiles_are_remembered_of_the_same_content_and_of_no_other(tmp_path, monkeypatch, changed, known):
    first = Memory(tmp_path / "memory.npz")
    before = _tiles_of_layer(layer(LAKES, plan=["a", "b", "c"]), first, "build")
    first.save()
    made = []
    monkeypatch.setattr(
        "geocheck.assess.nightly.remembering.tiles_of", lambda *a, **k: made.append(1) or tiles_of(*a, **k)
    )
    again = _tiles_of_layer(changed(), Memory(first.path), "build")
    assert bool(made) is not known
    assert not known or (
        again.origin == before.origin and again.size == before.size and (again.sums == before.sums).all()
    )


def test_another_build_makes_the_tiles_again(tmp_path, monkeypatch):
    memory = Memory(tmp_path / "memory.npz")
    _tiles_of_layer(layer(LAKES), memory, "one")
    memory.save()
    made = []
    monkeypatch.setattr(
        "geocheck.assess.nightly.remembering.tiles_of", lambda *a, **k: made.append(1) or tiles_of(*a, **k)
    )
    _tiles_of_layer(layer(LAKES), Memory(memory.path), "other")
    assert made


def test_polygons_in_ragged_arrays_have_the_edges_of_their_rings():
    """Polygons alone are read as ragged arrays, beside a point as rings; both are the same edges."""
    holed = box(0, 0, 90, 90).difference(shapely.union(box(10, 10, 20, 20), box(30, 30, 50, 60)))
    several = shapely.union_all([holed, box(200, 0, 290, 90), box(400, 0, 490, 90).buffer(-3)])
    shapes = np.array([several, None, holed, shapely.Polygon(), box(0, 0, 1, 1), shapely.MultiPolygon()], dtype=object)
    alone, beside = prints_of(shapes), prints_of(np.append(shapes, Point(0, 0)))
    assert (alone == beside[:-1]).all()
    assert len({tuple(row) for row in alone[[0, 2, 4]].tolist()}) == 3
