"""Intervals through arithmetic: held to sampled numbers; truth out of comparisons; what is missing, and why."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from geocheck.model.facts import Fact
from geocheck.model.problem import UnitError
from geocheck.model.quantity import Quantity
from geocheck.rules.amounts import Amount, in_feet, order, times
from geocheck.rules.expr import parse_condition
from geocheck.rules.values import Values
from tests.conditions import BLANK, fact, reasons, truth


@pytest.mark.parametrize(
    "operator, at, under, over",
    [
        (">=", "yes", "no", "yes"), (">", "no", "no", "yes"), ("<=", "yes", "yes", "no"), ("<", "no", "yes", "no"),
        ("==", "yes", "no", "no"), ("!=", "no", "yes", "yes"),
    ],
)  # fmt: skip
def test_sharp_numbers_at_under_over(operator, at, under, over):
    for value, said in (
        (4000, at), (Fraction("4000.004"), at), (Fraction("3999.996"), at), (Fraction("3999.9959"), under),
        (Fraction("4000.0041"), over), (3000, under), (5000, over),
    ):  # fmt: skip
        found = truth(f"disturbed_area {operator} 4_000 ft2", [fact("disturbed_area", value)])
        assert str(found) == said, value
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
        assert truth(f"4_000 ft2 {turned} disturbed_area", [fact("disturbed_area", value)]) == found


@pytest.mark.parametrize(
    "operator, below, above, touching_low, touching_high, straddling",
    [
        (">=", "no", "yes", "yes", "unknown", "unknown"),
        (">", "no", "yes", "unknown", "no", "unknown"),
        ("<=", "yes", "no", "unknown", "yes", "unknown"),
        ("<", "yes", "no", "no", "unknown", "unknown"),
        ("==", "no", "no", "unknown", "unknown", "unknown"),
        ("!=", "yes", "yes", "unknown", "unknown", "unknown"),
    ],
)
def test_intervals(operator, below, above, touching_low, touching_high, straddling):
    told = [
        str(truth(f"disturbed_area {operator} 4_000 ft2", [fact("disturbed_area", (low + high) / 2, low, high)]))
        for low, high in ((3000, 3500), (4500, 5000), (4000, 4500), (3500, 4000), (3990, 4010))
    ]
    assert told == [below, above, touching_low, touching_high, straddling]


def test_a_threshold_of_zero_is_exact():
    for value, said in ((0, "no"), (Fraction(1, 10**12), "yes")):
        assert str(truth("new_road_length > 0 ft", [fact("new_road_length", value, unit="ft")])) == said


def test_a_straddling_interval_says_which_fact_and_how():
    found = truth("disturbed_area >= 1 acre", [fact("disturbed_area", 43556.6, 43543.6, 43569.7)])
    (gap,) = found.gaps
    assert (gap.fact, gap.reason) == ("disturbed_area", "within tolerance")
    assert gap.note == "disturbed_area is 0.999624 to 1.00022 acre; compared with 1 acre"
    found = truth("excavated_volume + filled_volume > 400 yd3", [
        fact("excavated_volume", 300, 290, 310, "yd3"), fact("filled_volume", 100, unit="yd3")])  # fmt: skip
    assert reasons(found) == [("excavated_volume", "within tolerance")]
    assert "excavated_volume + filled_volume is 390 to 410 yd3; compared with 400 yd3" in str(found.gaps)


def test_the_best_value_decides_alone():
    facts = [fact("disturbed_area", 43556.6, 43543.6, 43569.7)]
    assert str(truth("disturbed_area >= 1 acre", facts, "best")) == "no"


def test_what_cannot_be_below_zero_is_known_that_far():
    cut = fact("excavated_volume", 500, unit="yd3")
    assert str(truth("excavated_volume + filled_volume > 400 yd3", [cut])) == "yes"
    assert reasons(truth("excavated_volume + filled_volume > 600 yd3", [cut])) == [("filled_volume", "missing")]
    assert str(truth("excavated_volume - filled_volume > 600 yd3", [cut])) == "no"
    assert str(truth("disturbed_area < 0 ft2")) == "no"
    assert str(truth("impervious_area_added < 0 ft2")) == "unknown"


@pytest.mark.parametrize("status", ["outside coverage", "failed", "missing"])
def test_why_a_number_is_missing(status):
    found = truth("disturbed_area > 1 ft2", [fact("disturbed_area", None, status=status, note="because")])
    (gap,) = found.gaps
    assert (gap.reason, gap.note) == (status, "because")
    found = truth("grows_crops", [Fact("grows_crops", "stated", None, status=status)])
    assert reasons(found) == [("grows_crops", status)]


def test_a_number_below_zero_that_cannot_be_is_not_a_number():
    found = truth("disturbed_area > 1 ft2", [fact("disturbed_area", -5, -9, -1)])
    assert reasons(found) == [("disturbed_area", "failed")]
    assert str(truth("disturbed_area > 1 ft2", [fact("disturbed_area", -1, -5, Fraction(1, 2))])) == "no"
    assert str(truth("disturbed_area >= 0 ft2", [fact("disturbed_area", -1, -5, 1)], "best")) == "yes"


def test_decisions_absent_unknown_and_open():
    assert str(truth("special_exception_granted")) == "no"
    assert str(truth("special_exception_granted", [Fact("special_exception_granted", "decided", None)])) == "no"
    said = Fact("special_exception_granted", "stated", None)
    assert reasons(truth("special_exception_granted", [said])) == [("special_exception_granted", "missing")]
    failed = Fact("special_exception_granted", "decided", None, status="failed")
    assert reasons(truth("special_exception_granted", [failed])) == [("special_exception_granted", "failed")]
    assert reasons(truth("special_exception_granted", mode="open")) == [
        ("special_exception_granted", "needs a decision")
    ]
    assert (
        str(truth("special_exception_granted", [Fact("special_exception_granted", "decided", False)], "open")) == "no"
    )


def test_division_by_what_may_be_zero_is_undefined():
    text = "connected_impervious_area / disturbed_area < 10 %"
    connected = fact("connected_impervious_area", 5)
    for low, value, high in ((0, 0, 0), (0, 5, 9)):
        found = truth(text, [connected, fact("disturbed_area", value, low, high)])
        assert reasons(found) == [("disturbed_area", "undefined")]
    assert reasons(truth(text, [connected])) == [("disturbed_area", "missing")]
    assert str(truth(text, [connected, fact("disturbed_area", 51)])) == "yes"
    assert str(truth(text, [connected, fact("disturbed_area", 50)])) == "no"
    assert (
        str(truth("100 ft2 / impervious_area_added > -1 %", [fact("impervious_area_added", -20000, -20001, -19999)]))
        == "yes"
    )


def test_each_of_like_is_a_percentage_and_a_percentage_scales():
    half = [fact("disturbed_area", 50), fact("parcel_area", 100), fact("small_parcels_created", 4, unit="each")]
    for text in (
        "disturbed_area / parcel_area == 50 %", "50 % * parcel_area == disturbed_area", "parcel_area * 50 % == disturbed_area",
        "disturbed_area / 50 % == parcel_area", "parcel_area / small_parcels_created == 25 ft2",
        "small_parcels_created * 25 ft2 == parcel_area", "50 % * 50 % == 25 %", "50 % / 25 % == 200 %",
        "small_parcels_created / small_parcels_created == 100 %", "disturbed_area / parcel_area * parcel_area == 50 ft2",
        "10 ft * 10 ft == parcel_area", "1_000 ft3 / 10 ft == parcel_area", "1 yd3 == 27 ft3", "1 acre == 43_560 ft2",
    ):  # fmt: skip
        assert str(truth(text, half)) == "yes", text


def test_metres_meet_feet_through_either_foot():
    low, best, high = in_feet(Quantity(Fraction(1000), "m2"))
    assert low < high and best == low
    assert float(high / low) == pytest.approx(1 + 4e-6, rel=1e-3)
    edge = fact("disturbed_area", float((low + high) / 2), unit="ft2")
    assert reasons(truth("disturbed_area > 1_000 m2", [edge])) == [("disturbed_area", "within tolerance")]
    assert str(truth("disturbed_area > 1_000 m2", [edge], "best")) == "yes"
    wide = fact("disturbed_area", 1000, 990, 1010, "m2")
    assert str(truth("disturbed_area > 1 ft2", [wide])) == "yes"


def test_a_fact_of_the_wrong_kind_is_refused():
    for text, given_fact in (
        ("disturbed_area > 1 ft2", fact("disturbed_area", 1, unit="yd3")),
        ("disturbed_area > 1 ft2", Fact("disturbed_area", "measured", True)),
        ("grows_crops", fact("grows_crops", 1)),
    ):
        with pytest.raises(UnitError):
            truth(text, [given_fact])
    for text in ("nobody_declared", "nobody_declared > 1 ft2"):
        with pytest.raises(UnitError, match="is not a fact of"):
            truth(text)
    values = Values(BLANK, {})
    with pytest.raises(UnitError, match="is not a condition"):
        values.truth(parse_condition("1 ft2").node)
    with pytest.raises(UnitError, match="is not a number"):
        values.amount(parse_condition("always").node)


def test_ends_are_ordered_and_multiplied():
    assert order(Fraction(1), math.inf, None) == -1 and order(math.inf, -math.inf, None) == 1
    assert order(Fraction(0), Fraction(0), None) == 0
    assert order(Fraction(1), Fraction(1) + Fraction(1, 10**7), None) == 0
    assert order(Fraction(1), Fraction(1) + Fraction(1, 10**5), Fraction(100)) == 0
    assert times(Fraction(0), math.inf) == 0 and times(Fraction(2), -math.inf) == -math.inf


def test_an_amount_compares_by_value():
    assert Amount(Fraction(1), Fraction(2)) == Amount(Fraction(1), Fraction(2))


def test_how_sharp_numbers_stand_to_a_threshold():
    def stands(text, *facts):
        return Values(BLANK, {f.name: f for f in facts}).sharply(parse_condition(text).node)

    assert stands("disturbed_area > 4_000 ft2", fact("disturbed_area", 3990)) == (-1, 0.0025)
    assert stands("4_000 ft2 > disturbed_area", fact("disturbed_area", 3990)) == (1, 0.0025)
    assert stands("disturbed_area > 0 ft2", fact("disturbed_area", 7)) == (1, 7.0)
    assert stands("disturbed_area > 4_000 ft2", fact("disturbed_area", 4000, 3999, 4001)) is None
    assert stands("disturbed_area > 4_000 ft2") is None


def test_a_divisor_may_be_unbounded_above_or_below():
    part = fact("connected_impervious_area", 5)
    found = Values(BLANK, {part.name: part}).amount(
        parse_condition("connected_impervious_area / (disturbed_area + 1 ft2)").node
    )
    assert (found.low, found.high) == (0, 500)
    found = Values(BLANK, {part.name: part}).amount(
        parse_condition("connected_impervious_area / (-disturbed_area - 1 ft2)").node
    )
    assert (found.low, found.high) == (-500, 0)
