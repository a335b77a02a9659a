"""Overlays that GEOS gets wrong without a word: found by the sum over pairs of edges, and mended."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from geocheck.engines.working.overlay import overlay

#: A sliver of a lot, and its own part in a zone: one edge of the part lies on the lot's but for rounding.
LOT = shapely.Polygon(
    [(6.236081804414006, 41.32662661060624), (-4.931844447111413, 55.05497830992185), (1.763918195585994, 38.67337338939376),
     (29.227589858322023, -2.522103959330721)]
)  # fmt: skip
PART = shapely.Polygon(
    [(-0.3738976871525991, 43.90367455935061), (-4.931844447111413, 55.05497830992185), (3.705074155371768, 44.4379081840285)]
)  # fmt: skip


def areas(function, first, second):
    failures = {}
    done = overlay(function, np.array([first]), np.array([second]), np.array([0]), failures)
    assert failures == {}
    return shapely.area(done)[0]


@pytest.mark.parametrize("turned", [False, True])
def test_a_part_along_its_lots_edge_is_found(turned):
    part = shapely.reverse(PART) if turned else PART
    assert areas(shapely.intersection, LOT, part) == pytest.approx(PART.area, rel=1e-7)
    assert areas(shapely.intersection, part, LOT) == pytest.approx(PART.area, rel=1e-7)
    assert areas(shapely.difference, LOT, part) == pytest.approx(LOT.area - PART.area, rel=1e-7)


def test_shapes_that_only_touch_have_nothing_in_common():
    assert areas(shapely.intersection, shapely.box(0, 0, 10, 10), shapely.box(10, 0, 20, 10)) == 0
    assert areas(shapely.difference, shapely.box(0, 0, 10, 10), shapely.box(10, 0, 20, 10)) == 100
