"""Every engine opens the same interval around a number, for the same reasons."""

from __future__ import annotations

import math

import pytest
from shapely import box

from geocheck.measures.language import (
    Area,
    Both,
)
from geocheck.measures.language import Layer as Leaf
from geocheck.model.quantity import US_SURVEY_FOOT
from tests.worlds import ask, engines, ground, layer, subjects


def interval(engine, parcels, zone, accuracy=None, own=0.0, doubt=0.0, shift=0.0, doubts=()):
    where = ground(layer("floodplain", tuple(zone), accuracy, None, shift, doubts), doubt=doubt)
    who = subjects(parcels, accuracy=own)
    answers = ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), who, where)
    return list(zip(answers.lows, answers.values, answers.highs, strict=True))


@engines
def test_the_basis_widens_in_proportion(engine):
    turned = box(0, 0, 80, 50)
    answers = ask(engine, Area(Leaf("parcels")), subjects([turned]), ground(doubt=0.0003))
    assert (answers.lows[0], answers.highs[0]) == pytest.approx((3998.8, 4001.2))


@engines
def test_a_zone_line_opens_by_its_length_times_its_accuracy(engine):
    [(low, value, high)] = interval(engine, [box(0, 0, 100, 100)], [box(-500, -500, 50, 500)], 5)
    assert (low, value, high) == pytest.approx((4500, 5000, 5500))


@engines
def test_a_line_that_only_passes_near_opens_too(engine):
    parcels = [box(0, 0, 100, 100)]
    assert interval(engine, parcels, [box(103, -500, 500, 500)], 5) == [pytest.approx((0, 0, 200))]
    assert interval(engine, parcels, [box(106, -500, 500, 500)], 5) == [(0, 0, 0)]
    assert interval(engine, parcels, [box(-3, -500, 500, 500)], 5) == [pytest.approx((9800, 10_000, 10_000))]
    assert interval(engine, parcels, [box(-500, -500, 500, 500)], 5) == [(10_000, 10_000, 10_000)]


@engines
def test_the_subjects_own_outline_opens_by_the_published_formula(engine):
    answers = ask(engine, Area(Leaf("parcels")), subjects([box(0, 0, 100, 100)], accuracy=5.0), ground())
    sigma = 5 / 2.4477
    half = 1.96 * math.sqrt(sigma**2 / 4 * 4 * (100**2 + 100**2) + 4 / 2 * sigma**4)
    assert (answers.lows[0], answers.highs[0]) == pytest.approx((10_000 - half, 10_000 + half))


@engines
def test_only_the_outline_that_bounds_the_region_counts(engine):
    inner = box(40, 40, 60, 60)
    assert interval(engine, [box(0, 0, 100, 100)], [inner], None, own=5.0) == [(400, 400, 400)]
    [(low, value, high)] = interval(engine, [box(0, 0, 100, 100)], [box(50, -9, 200, 109)], None, own=5.0)
    sigma = 5 / 2.4477
    # Pulls of the corners on the right half: the right edge whole, the right halves of top and bottom.
    first = sigma**2 * (2 * 50**2 + 2 * 37.5**2 + 2 * 12.5**2)
    second = sigma**4 / 2 * (1 + 0.5**2 + 0.5**2)
    assert high - value == pytest.approx(value - low) == pytest.approx(1.96 * math.sqrt(first + second))


@engines
def test_an_interval_never_leaves_what_is_possible(engine):
    parcels = [box(0, 0, 100, 100), box(0, 0, 2, 2)]
    for low, value, high in interval(engine, parcels, [box(-1, -1, 50, 101)], 80, own=30.0, doubt=0.001):
        assert 0 <= low <= value <= high
    own = ask(engine, Area(Leaf("parcels")), subjects(parcels, accuracy=30.0), ground(doubt=0.001)).highs
    opened = interval(engine, parcels, [box(-1, -1, 50, 101)], 80, own=30.0, doubt=0.001)
    assert all(high <= most for (_, _, high), most in zip(opened, own, strict=True))


@engines
def test_nothing_near_stays_exactly_zero(engine):
    zone = [box(5000, 5000, 6000, 6000)]
    assert interval(engine, [box(0, 0, 100, 100)], zone, 40, own=5.0, doubt=0.0003, shift=3) == [(0, 0, 0)]


@engines
def test_doubt_of_a_datum_operation_opens_like_an_accuracy(engine):
    shift = 5 * float(US_SURVEY_FOOT)
    [(low, value, high)] = interval(engine, [box(0, 0, 100, 100)], [box(-500, -500, 50, 500)], None, shift=shift)
    assert (low, value, high) == pytest.approx((4500, 5000, 5500))


@engines
def test_doubt_of_a_repair_opens_where_the_repaired_ground_is(engine):
    zone = [box(0, 0, 50, 50), box(300, 0, 350, 50)]
    parcels = [box(0, 0, 100, 100), box(300, 0, 400, 100), box(150, 0, 200, 50)]
    found = interval(engine, parcels, zone, doubts=((0, 44.0),))
    assert found == [pytest.approx((2456, 2500, 2544)), (2500, 2500, 2500), (0, 0, 0)]


@engines
def test_doubt_of_the_subjects_own_repair_opens(engine):
    answers = ask(
        engine, Area(Leaf("parcels")), subjects([box(0, 0, 10, 10), box(0, 0, 9, 9)], doubts=[16.0, None]), ground()
    )
    assert list(answers.lows) == [84, 81] and list(answers.highs) == [116, 81]


@engines
def test_without_intervals_the_ends_are_the_value(engine):
    where = ground(layer("floodplain", (box(-9, -9, 50, 109),), 5))
    answers = ask(
        engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), subjects([box(0, 0, 100, 100)]), where, intervals=False
    )
    assert list(answers.lows) == list(answers.values) == list(answers.highs) == [5000]
