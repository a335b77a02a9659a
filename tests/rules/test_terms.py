"""Terms: thresholds by place and size, whichever is less or greater, rounding where the text has a rule."""

from __future__ import annotations

from fractions import Fraction

import pytest

from geocheck.model.facts import Fact
from tests.conditions import fact, reasons, truth

TERMS = """
facts:
  district: {kind: stated, asks: Is it in the district?}
  ruled: {kind: decided, asks: Has it been ruled?}
terms:
  limit:
    cite: (1)
    table: [{where: district, is: 50 yd3}, {where: parcel_area >= 1 acre, is: 200 yd3}, {otherwise: 100 yd3}]
  exempt:
    cite: (1)
    table: [{where: district, is: grows_crops}, {where: parcel_area >= 1 acre, is: ruled}, {otherwise: builds_road}]
  less: {cite: (1), less_of: [10 % * parcel_area, 40_000 ft2]}
  more: {cite: (1), greater_of: [10 % * parcel_area, 40_000 ft2]}
  nearest: {cite: (1), means: disturbed_area, rounded: {to: 0.01 acre}}
  up: {cite: (1), means: disturbed_area, rounded: {to: 100 ft2, how: up}}
  down: {cite: (1), means: disturbed_area, rounded: {to: 100 ft2, how: down}}
clauses:
- {at: (1), when: excavated_volume > limit or exempt or disturbed_area > less or disturbed_area > more, imposes: [permit, fee]}
- {at: (2), when: nearest > 1 acre or up > 1 ft2 or down > 1 ft2, imposes: [permit]}
"""


@pytest.fixture
def terms(law):
    return law(TERMS)


@pytest.mark.parametrize(
    "cut, district, lot, said",
    [
        (50, True, None, "no"), (51, True, None, "yes"), (100, False, 1, "no"), (101, False, 1, "yes"),
        (200, False, 43560, "no"), (201, False, 43560, "yes"), (201, None, None, "yes"), (50, None, None, "no"),
        (100, None, 1, "unknown"), (150, False, None, "unknown"), (60, None, 43560, "unknown"),
    ],
)  # fmt: skip
def test_a_threshold_by_place_and_size(terms, cut, district, lot, said):
    facts = [fact("excavated_volume", cut, unit="yd3"), Fact("district", "stated", district), fact("parcel_area", lot)]
    found = truth("excavated_volume > limit", facts, ordinance=terms)
    assert str(found) == said
    if said == "unknown":
        assert {gap.fact for gap in found.gaps} <= {"district", "parcel_area"}


def test_a_table_whose_choice_is_too_near_to_call_is_within_tolerance(terms):
    facts = [
        fact("excavated_volume", 150, unit="yd3"), Fact("district", "stated", False), fact("parcel_area", 43560, 43000, 44000)
    ]  # fmt: skip
    assert reasons(truth("excavated_volume > limit", facts, ordinance=terms)) == [("parcel_area", "within tolerance")]


@pytest.mark.parametrize(
    "district, lot, crops, road, said",
    [
        (True, None, True, None, "yes"), (True, None, None, None, "unknown"), (False, 43560, True, True, "no"),
        (False, 1, None, True, "yes"), (None, 1, True, True, "yes"), (None, 1, False, True, "unknown"),
        (None, None, False, False, "no"),
    ],
)  # fmt: skip
def test_a_condition_by_place(terms, district, lot, crops, road, said):
    facts = [
        Fact("district", "stated", district), fact("parcel_area", lot), Fact("grows_crops", "stated", crops),
        Fact("builds_road", "stated", road),
    ]  # fmt: skip
    assert str(truth("exempt", facts, ordinance=terms)) == said


def test_whichever_is_less_or_greater(terms):
    for lot, less, more in ((100_000, 10_000, 40_000), (900_000, 40_000, 90_000)):
        facts = [fact("parcel_area", lot)]
        assert str(truth(f"less == {less} ft2 and more == {more} ft2", facts, ordinance=terms)) == "yes"
    assert str(truth("less <= 40_000 ft2", ordinance=terms)) == "yes"
    assert str(truth("more >= 40_000 ft2", ordinance=terms)) == "yes"
    assert reasons(truth("more > 40_000 ft2", ordinance=terms)) == [("parcel_area", "missing")]


@pytest.mark.parametrize(
    "area, nearest, up, down",
    [
        ("0", 0, 0, 0),
        ("108702.2", "2.50", 108800, 108700),
        ("108682.2", "2.50", 108700, 108600),
        ("108682", "2.49", 108700, 108600),
        ("100", 0, 100, 100),
    ],
)
def test_rounding_where_the_text_has_a_rule(terms, area, nearest, up, down):
    # Santa Clara County 1.20.030: 2.495 acres round to 2.50.
    facts = [fact("disturbed_area", Fraction(area))]
    assert (
        str(truth(f"nearest == {nearest} acre and up == {up} ft2 and down == {down} ft2", facts, ordinance=terms))
        == "yes"
    )


def test_rounding_an_unknown_is_unknown(terms):
    assert reasons(truth("nearest > 1 acre", ordinance=terms)) == [("disturbed_area", "missing")]
