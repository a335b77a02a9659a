"""What is the local engine's own: batches, what it keeps, bad pairs, and one very large polygon."""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest
import shapely
from shapely import Polygon, box
from shapely.errors import GEOSException

from geocheck.engines.local import LocalEngine
from geocheck.engines.working import overlay as overlaying
from geocheck.engines.working.subdividing import subdivide
from geocheck.measures.language import Area, Both, Layer, Measure, Member, Outside

OVERLAP = Measure("overlap", "ft2", Area(Both(Layer("parcels"), Layer("floodplain"))), "?")
OUTSIDE = Measure("outside", "ft2", Area(Outside(Layer("parcels"), Layer("floodplain"))), "?")
MEMBER = Measure("member", "", Member(Layer("parcels"), Layer("floodplain")), "?")


def county(step=500.0, count=200, size=100_000):
    rng = np.random.default_rng(7)
    theta = np.linspace(0, 2 * np.pi, 200_000, endpoint=False)
    r = 40_000 + 1500 * np.sin(37 * theta) + 300 * np.sin(911 * theta) + rng.normal(0, 5, len(theta))
    ring = np.column_stack([size / 2 + r * np.cos(theta), size / 2 + r * np.sin(theta)])
    flood = shapely.affinity.translate(Polygon(ring), 2_400_000, 480_000)
    x, y = np.meshgrid(np.arange(count) * step + 2_400_000, np.arange(count) * step + 480_000)
    return flood, shapely.box(x.ravel(), y.ravel(), x.ravel() + step, y.ravel() + step)


@pytest.mark.slow
def test_one_very_large_polygon_is_cut_once(world):
    flood, parcels = county()
    where = world.ground(world.layer("floodplain", [flood]))
    start = time.perf_counter()
    answers = LocalEngine().measure([OVERLAP, MEMBER], world.subjects(parcels), where, intervals=False)
    took = time.perf_counter() - start
    # All parcels lie within the ring's box, side by side: their overlaps add up to the polygon.
    assert answers["overlap"].values.sum() == pytest.approx(flood.area, rel=1e-9)
    assert took < 10
    some = np.random.default_rng(1).choice(len(parcels), 40, replace=False)
    plain = shapely.area(shapely.intersection(parcels[some], flood))
    np.testing.assert_allclose(answers["overlap"].values[some], plain, rtol=1e-9, atol=1e-6)


def test_batches_change_nothing_and_keep_the_order(world):
    rng = np.random.default_rng(3)
    corners = rng.uniform(0, 1000, (300, 2))
    parcels = shapely.box(*corners.T, *(corners + rng.uniform(1, 60, (300, 2))).T)
    where = world.ground(world.layer("floodplain", [box(100, 100, 500, 800), box(450, 0, 700, 300)], 5))
    whole = LocalEngine().measure([OVERLAP, MEMBER], world.subjects(parcels, accuracy=2.0), where)
    parts = LocalEngine(batch=17).measure([OVERLAP, MEMBER], world.subjects(parcels, accuracy=2.0), where)
    np.testing.assert_allclose(parts["overlap"].values, shapely.area(shapely.intersection(
        parcels, box(100, 100, 500, 800) | box(450, 0, 700, 300))), rtol=1e-9, atol=1e-9)  # fmt: skip
    for series in ("values", "lows", "highs"):
        np.testing.assert_allclose(getattr(whole["overlap"], series), getattr(parts["overlap"], series), rtol=1e-9)
    assert list(whole["member"].values) == list(parts["member"].values)


def test_failures_and_notes_keep_their_rows_over_batches(world):
    parcels = [box(i, 0, i + 1, 1) for i in range(9)]
    parcels[4] = None
    where = world.ground(world.layer("floodplain", [box(0, 0, 3, 1)]))
    answers = LocalEngine(batch=2).measure([OVERLAP], world.subjects(parcels), where)["overlap"]
    assert dict(answers.failures) == {4: "no ground"}
    assert np.isnan(answers.values).nonzero()[0].tolist() == [4]


def test_a_bad_pair_fails_alone(world, monkeypatch):
    cursed = box(40, 0, 50, 10)

    def stumbling(first, second, **keywords):
        if any(shapely.equals(shape, cursed) for shape in np.atleast_1d(first)):
            raise GEOSException("TopologyException: side location conflict")
        return shapely.set_operations.difference(first, second, **keywords)

    monkeypatch.setattr(shapely, "difference", stumbling)
    parcels = [box(x, 0, x + 10, 10) for x in range(0, 100, 10)]
    where = world.ground(world.layer("floodplain", [box(-5, 5, 200, 50)]))
    answers = LocalEngine().measure([OUTSIDE, OVERLAP], world.subjects(parcels), where, intervals=False)
    assert list(answers["outside"].failures) == [4] and "side location conflict" in answers["outside"].failures[4]
    assert np.isnan(answers["outside"].values[4])
    assert answers["outside"].values[[0, 3, 5]].tolist() == [50, 50, 50]
    # What needs no such overlay is measured all the same.
    assert not answers["overlap"].failures and answers["overlap"].values.tolist() == [50] * 10


def test_what_is_made_of_a_layer_goes_with_it(world):
    engine = LocalEngine()
    engine.measure(
        [OVERLAP], world.subjects([box(0, 0, 9, 9)]), world.ground(world.layer("floodplain", [box(0, 0, 5, 5)]))
    )
    gc.collect()
    assert len(engine._made) == 0


@pytest.mark.parametrize("most", [16, 100, 512])
def test_pieces_add_up_and_are_small(most):
    flood = county()[0].simplify(20)
    shapes = np.array([flood - box(2_450_000, 500_000, 2_460_000, 530_000), box(0, 0, 1, 1)])
    pieces, rows = subdivide(shapes, most)
    assert shapely.get_num_coordinates(pieces).max() <= most
    np.testing.assert_allclose(np.bincount(rows, shapely.area(pieces)), shapely.area(shapes), rtol=1e-12)


LOSSY = shapely.clip_by_rect


def _loses_ground(shape, left, bottom, right, top):
    return LOSSY(shape, left, bottom, right - (right - left) * 0.01, top)


def test_where_clipping_loses_ground_pieces_are_made_by_overlay(monkeypatch):
    monkeypatch.setattr(shapely, "clip_by_rect", _loses_ground)
    circle = shapely.Point(0, 0).buffer(10, quad_segs=1000)
    pieces, rows = subdivide(np.array([circle]))
    assert shapely.get_num_coordinates(pieces).max() <= 512 and not rows.any()
    assert shapely.area(pieces).sum() == pytest.approx(circle.area, rel=1e-12)


def test_pieces_that_do_not_add_up_are_not_used(monkeypatch):
    whole = shapely.intersection
    monkeypatch.setattr(shapely, "clip_by_rect", _loses_ground)
    monkeypatch.setattr(shapely, "intersection", lambda shape, cut: whole(shape, shapely.buffer(cut, -0.01)))
    circle = shapely.Point(0, 0).buffer(10, quad_segs=1000)
    pieces, _ = subdivide(np.array([circle]))
    assert list(pieces) == [circle]


def test_one_place_that_cannot_be_cut_does_not_leave_the_rest_whole(monkeypatch):
    def fails_at_the_left(shape, left, bottom, right, top):
        if left < -9:
            raise shapely.errors.GEOSException("here not")
        return LOSSY(shape, left, bottom, right, top)

    circle = shapely.Point(0, 0).buffer(10, quad_segs=2000)
    monkeypatch.setattr(shapely, "clip_by_rect", fails_at_the_left)
    monkeypatch.setattr(shapely, "intersection", lambda shape, cut: fails_at_the_left(shape, *cut.bounds))
    halves = np.array([LOSSY(circle, -10, -10, 0, 10), LOSSY(circle, 0, -10, 10, 10)])
    pieces, _ = subdivide(np.array([shapely.MultiPolygon(halves.tolist())]))
    counts = shapely.get_num_coordinates(pieces)
    assert (counts > 512).sum() == 1 and (counts <= 512).sum() > 3
    assert shapely.area(pieces).sum() == pytest.approx(circle.area, rel=1e-12)


def test_huge_subjects_are_cut_too(world):
    flood = county()[0].simplify(10)
    assert shapely.get_num_coordinates(flood) > 5000
    small = [
        box(x, y, x + 900, y + 900) for x in range(2_400_000, 2_500_000, 5000) for y in range(480_000, 580_000, 5000)
    ]
    where = world.ground(world.layer("floodplain", small))
    answers = LocalEngine().measure([OVERLAP, MEMBER], world.subjects([flood]), where, intervals=False)
    plain = shapely.area(shapely.intersection(small, flood)).sum()
    assert answers["overlap"].values[0] == pytest.approx(plain, rel=1e-9)
    assert answers["member"].values[0] == "partly"


def test_one_thread_gives_the_same(world, monkeypatch):
    parcels = [box(x, 0, x + 7, 10) for x in range(0, 10_000, 7)]
    where = world.ground(world.layer("floodplain", [box(-5, 5, 7000, 50), box(6000, 2, 9000, 20)]))
    many = LocalEngine().measure([OVERLAP], world.subjects(parcels), where)["overlap"].values
    monkeypatch.setattr(overlaying, "threads", lambda: 1)
    one = LocalEngine().measure([OVERLAP], world.subjects(parcels), where)["overlap"].values
    assert one.tolist() == many.tolist()
