"""Exact numbers and their units."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geocheck.model.problem import UnitError
from geocheck.model.quantity import (
    INTERNATIONAL_FOOT,
    SAME,
    SPELLINGS,
    UNITS,
    US_SURVEY_FOOT,
    Interval,
    Quantity,
    dimension_of,
    format_number,
    parse_quantity,
)


@pytest.mark.parametrize("foot", [US_SURVEY_FOOT, INTERNATIONAL_FOOT])
def test_an_acre_is_43560_square_feet_of_the_same_foot(foot):
    assert Quantity(Fraction(43560), "ft2").to("acre", foot) == Quantity(Fraction(1), "acre")
    assert Quantity(Fraction(1), "acre").to("ft2", foot).value == 43560
    assert (
        Quantity(Fraction(27), "ft3").to("yd3", foot).value == 1
        and Quantity(Fraction(5280), "ft").to("mi", foot).value == 1
    )
    other = INTERNATIONAL_FOOT if foot == US_SURVEY_FOOT else US_SURVEY_FOOT
    through_metres = Quantity(Fraction(1), "acre").to("m2", foot).to("ft2", other).value
    assert through_metres == 43560 * (foot / other) ** 2 != 43560


def test_the_survey_acre_in_the_other_foot_is_for_notes_only():
    international = Quantity(Fraction(1), "acre").to("m2", US_SURVEY_FOOT).to("ft2", INTERNATIONAL_FOOT)
    assert float(international.value) == pytest.approx(43_560.174, abs=5e-4)


def test_feet_and_metres_meet_through_a_named_foot():
    assert Quantity(Fraction(1), "m").to("ft", INTERNATIONAL_FOOT).value == Fraction(10000, 3048)
    assert Quantity(Fraction(3937), "ft").to("m", US_SURVEY_FOOT).value == 1200
    assert float(Quantity(Fraction(4000), "m2").to("ft2", INTERNATIONAL_FOOT).value) == pytest.approx(43055.6, abs=0.05)
    assert float(Quantity(Fraction(1), "yd3").to("m3", INTERNATIONAL_FOOT).value) == pytest.approx(0.764555, abs=1e-6)
    assert Quantity(Fraction(1), "ha").to("m2").value == 10000
    assert Quantity(Fraction(1), "mi").to("ft").value == 5280


def test_area_never_becomes_volume():
    with pytest.raises(UnitError, match=r"ft2 \(area\) cannot be expressed in yd3 \(volume\)"):
        Quantity(Fraction(1), "ft2").to("yd3")
    assert not Quantity(Fraction(1), "ft2").comparable(Quantity(Fraction(1), "yd3"))
    assert Quantity(Fraction(1), "ft2").comparable(Quantity(Fraction(1), "m2"))
    with pytest.raises(UnitError, match="unknown unit 'furlong'"):
        Quantity(Fraction(1), "furlong")


@pytest.mark.parametrize(
    "text, value, low, high, unit",
    [
        ("4_000 ft2", "4000", "4000", "4000", "ft2"),
        ("4,000 sq ft", "4000", "4000", "4000", "ft2"),
        ("3_900ft2", "3900", "3900", "3900", "ft2"),
        ("4_010 ± 25 ft2", "4010", "3985", "4035", "ft2"),
        ("4010+/-25 ft²", "4010", "3985", "4035", "ft2"),
        ("4010 +- 25 ft2", "4010", "3985", "4035", "ft2"),
        ("2.5 acres", "2.5", "2.5", "2.5", "acre"),
        ("1e-3 acre", "0.001", "0.001", "0.001", "acre"),
        ("-5 ft", "-5", "-5", "-5", "ft"),
        (".5 %", "0.5", "0.5", "0.5", "%"),
        ("10 percent", "10", "10", "10", "%"),
        ("5 each", "5", "5", "5", "each"),
        ("400 CY", "400", "400", "400", "yd3"),
    ],
)
def test_a_quantity_as_a_person_writes_it(text, value, low, high, unit):
    read = parse_quantity(text)
    assert read == Interval(*(Quantity(Fraction(number), unit) for number in (value, low, high)))


@pytest.mark.parametrize(
    "text, said",
    [
        ("4000", "has no unit"), ("", "cannot read"), ("acre", "cannot read"), ("4 000 ft2", "unknown unit"),
        ("4 furlongs", "unknown unit"), ("4 ± -1 ft2", "spread in '4 ± -1 ft2' is negative"), ("1..2 ft", "unknown unit"),
    ],
)  # fmt: skip
def test_what_is_no_quantity(text, said):
    with pytest.raises(UnitError, match=said):
        parse_quantity(text)


def test_an_interval_has_one_unit_and_runs_upward():
    one, two = Quantity(Fraction(1), "ft"), Quantity(Fraction(2), "ft")
    with pytest.raises(UnitError, match="one unit"):
        Interval(one, one, Quantity(Fraction(1), "m"))
    with pytest.raises(UnitError, match="low, value, high"):
        Interval(one, two, two)


@given(st.sampled_from(list(UNITS)), st.sampled_from(list(UNITS)), st.fractions(-(10**6), 10**6))
def test_there_and_back_is_where_it_was(first, second, value):
    quantity = Quantity(value, first)
    if dimension_of(first) == dimension_of(second):
        assert quantity.to(second).to(first) == quantity
    else:
        with pytest.raises(UnitError):
            quantity.to(second)


def test_words():
    assert str(Quantity(Fraction(43560), "ft2")) == "43,560 ft2" and str(Quantity(Fraction(10), "%")) == "10%"
    assert repr(Quantity(Fraction(1, 2), "acre")) == "Quantity(0.5, 'acre')"
    assert Quantity(Fraction(1), "ft").to_dict() == {"value": 1.0, "unit": "ft"}
    assert [format_number(n) for n in (0, -0.0001, 0.5, Fraction(1, 3), 1234567.8)] == [
        "0",
        "0",
        "0.5",
        "0.333",
        "1,234,567.8",
    ]
    assert set(SPELLINGS.values()) <= set(UNITS) and Fraction(1, 10**6) == SAME
