"""A number that is not known may be known to lie between two ends: what they settle is settled, row by row and in a table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from geocheck.model.facts import Fact, FactColumn, FactTable
from geocheck.model.quantity import Quantity
from geocheck.rules.array_values import ArrayValues
from geocheck.rules.expr import parse_condition
from geocheck.rules.tracing import shown
from geocheck.rules.values import Values

FT2 = "ft2"


@pytest.mark.parametrize(
    "condition, low, high, truth",
    [
        ("disturbed_area >= 4_000 ft2", 4000, None, "yes"),
        ("disturbed_area >= 4_000 ft2", 3999, None, "unknown"),
        ("disturbed_area >= 4_000 ft2", None, 3999, "no"),
        ("disturbed_area >= 4_000 ft2", None, 4000, "unknown"),
        ("disturbed_area > 4_000 ft2", None, 4000, "no"),
        ("disturbed_area == 4_000 ft2", 4000, 4000, "yes"),
        ("disturbed_area != 4_000 ft2", 4001, 5000, "yes"),
        ("disturbed_area / parcel_area < 50 %", 0, 4999, "yes"),
        ("disturbed_area + parcel_area > 3 acre", 3 * 43_560, None, "yes"),
        ("disturbed_area >= 4_000 ft2", 5000, 4000, "unknown"),
        ("disturbed_area >= 4_000 ft2", 5000, -1, "unknown"),
        ("disturbed_area >= 0 ft2", None, None, "yes"),
    ],
)
@pytest.mark.parametrize("mode", ["known", "best"])
@pytest.mark.parametrize("status", ["missing", "failed", "outside coverage"])
def test_the_bounds_of_a_number_that_is_not_known_settle_what_they_can(
    village, condition, low, high, truth, mode, status
):
    ends = [None if end is None else Quantity(Fraction(end), FT2) for end in (low, high)]
    facts = {
        "disturbed_area": Fact("disturbed_area", "measured", None, *ends, status=status),
        "parcel_area": Fact("parcel_area", "measured", Quantity(Fraction(10_000), FT2)),
    }
    node = parse_condition(condition).node
    found = Values(village, facts, mode).truth(node)
    assert str(found) == truth
    assert {(gap.fact, gap.reason) for gap in found.gaps} == (
        {("disturbed_area", status)} if truth == "unknown" else set()
    )
    columns = {
        name: FactColumn(
            name, "measured", FT2, *([end and end.value] for end in (fact.value, fact.low, fact.high)), [fact.status]
        )
        for name, fact in facts.items()
    }
    state = ArrayValues(village, FactTable("site", ["S"], columns), mode=mode).truth(node).state
    assert ("no", "unknown", "yes")[int(np.ravel(state)[0])] == truth


def test_bounds_in_another_dimension_are_none(village):
    yards = Quantity(Fraction(9_999), "yd3")
    facts = {"disturbed_area": Fact("disturbed_area", "measured", None, yards, yards)}
    assert Values(village, facts).truth(parse_condition("disturbed_area > 1 ft2").node).is_unknown


@pytest.mark.parametrize(
    "low, high, words",
    [
        (3000, 5000, "disturbed_area missing (3,000 to 5,000 ft2)"),
        (3000, None, "disturbed_area missing (at least 3,000 ft2)"),
        (None, 5000, "disturbed_area missing (at most 5,000 ft2)"),
        (None, None, "disturbed_area missing"),
    ],
)
def test_what_is_known_of_it_is_shown(low, high, words):
    ends = [None if end is None else Quantity(Fraction(end), FT2) for end in (low, high)]
    assert shown("disturbed_area", Fact("disturbed_area", "measured", None, *ends)) == words
