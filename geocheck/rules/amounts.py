"""Intervals: exact numbers between two ends, in feet, and how they stand to one another."""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from geocheck.model.quantity import INTERNATIONAL_FOOT, SAME, UNITS, US_SURVEY_FOOT, Quantity
from geocheck.model.truth import Gap

__all__ = ["FEET", "INFINITE", "ZERO", "Amount", "End", "in_feet", "number", "order", "product", "times"]

#: dimension -> the unit in which amounts are carried.
FEET = {"length": "ft", "area": "ft2", "volume": "ft3", "percent": "%", "count": "each"}
_POWER = {"length": 1, "area": 2, "volume": 3}
INFINITE = math.inf
ZERO = Fraction(0)

#: An exact number, or infinite: the two do not share a type that arithmetic and order are declared on.
End = typing.Any


@dataclass(frozen=True, slots=True)
class Amount:
    """A number between two ends, in the unit that `FEET` gives for its dimension.

    Parameters
    ----------
    low, high : Fraction or float
        The ends; infinite where nothing bounds it.
    gaps : frozenset of Gap
        What is not known of it, beyond the width of an interval.
    wide : frozenset of str
        Facts whose intervals make it wide.
    """

    low: End
    high: End
    gaps: frozenset[Gap] = frozenset()
    wide: frozenset[str] = frozenset()


def in_feet(quantity: Quantity) -> tuple[Fraction, Fraction, Fraction]:
    """Return low, best and high of a quantity in feet, percent or each.

    Between metres and feet the two feet differ by 2 ppm of length, more than the tolerance of a comparison, so neither
    is assumed: low and high are those of the two feet, the best value is in US survey feet.

    Examples
    --------
    >>> in_feet(Quantity(Fraction(1), "acre"))[1]
    Fraction(43560, 1)
    """
    dimension, factor, system = UNITS[quantity.unit]
    value = quantity.value if factor == 1 else quantity.value * factor
    if system != "metre":
        return value, value, value
    power = _POWER[dimension]
    survey, international = value / US_SURVEY_FOOT**power, value / INTERNATIONAL_FOOT**power
    return min(survey, international), survey, max(survey, international)


def times(a: End, b: End) -> End:
    """Return the product of two ends; nothing times infinity is nothing."""
    return Fraction(0) if a == 0 or b == 0 else a * b


def order(a: End, b: End, scale: End | None) -> int:
    """Return -1, 0 or 1 as a stands to b; within `SAME` of the scale, or of the larger where None, they are the same."""
    rough_a, rough_b = float(a), float(b)
    # Exact numbers are slow to compare, and needed only near the tolerance: a hundred thousandth apart, floats do.
    if abs(rough_a - rough_b) > 1e-5 * max(abs(rough_a), abs(rough_b)) or math.isinf(rough_a) or math.isinf(rough_b):
        return (rough_a > rough_b) - (rough_a < rough_b)
    if abs(a - b) <= SAME * (max(abs(a), abs(b)) if scale is None else scale):
        return 0
    return 1 if a > b else -1


@lru_cache(maxsize=4096)
def number(quantity: Quantity, best: bool) -> Amount:
    """Return a plain number as an interval; between metres and feet it has a width."""
    low, value, high = in_feet(quantity)
    return Amount(value, value) if best else Amount(low, high)


def product(left: Amount, right: Amount, factor: Fraction, gaps: frozenset[Gap], wide: frozenset[str]) -> Amount:
    """Return the product of two intervals and a factor."""
    corners = [times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    return Amount(times(min(corners), factor), times(max(corners), factor), gaps, wide)
