"""Exact numbers with units: areas, lengths, volumes, percentages, counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from geocheck.model.problem import UnitError

__all__ = [
    "INTERNATIONAL_FOOT",
    "SAME",
    "SPELLINGS",
    "UNITS",
    "US_SURVEY_FOOT",
    "Interval",
    "Quantity",
    "dimension_of",
    "parse_quantity",
]

#: Length of the two feet in metres, exact. The US survey foot is 1200/3937 m; the international foot 0.3048 m.
US_SURVEY_FOOT = Fraction(1200, 3937)
INTERNATIONAL_FOOT = Fraction(3048, 10000)

#: A value this near to a threshold, relative to it, *is* the threshold: floating point must not decide a permit.
SAME = Fraction(1, 1_000_000)

# unit -> (dimension, factor to the dimension's own unit in its own system, system).
# Feet and metres are separate systems: which foot relates them is never assumed in silence.
UNITS: dict[str, tuple[str, Fraction, str]] = {
    "ft": ("length", Fraction(1), "foot"),
    "mi": ("length", Fraction(5280), "foot"),
    "m": ("length", Fraction(1), "metre"),
    "km": ("length", Fraction(1000), "metre"),
    "ft2": ("area", Fraction(1), "foot"),
    "acre": ("area", Fraction(43560), "foot"),
    "m2": ("area", Fraction(1), "metre"),
    "ha": ("area", Fraction(10000), "metre"),
    "ft3": ("volume", Fraction(1), "foot"),
    "yd3": ("volume", Fraction(27), "foot"),
    "m3": ("volume", Fraction(1), "metre"),
    "%": ("percent", Fraction(1), ""),
    "each": ("count", Fraction(1), ""),
}
_POWER = {"length": 1, "area": 2, "volume": 3}
#: Other ways to write a unit -> the unit.
SPELLINGS = {
    "acres": "acre", "ac": "acre", "sqft": "ft2", "sq ft": "ft2", "square feet": "ft2", "ft²": "ft2", "feet": "ft", "foot": "ft",
    "cy": "yd3", "cu yd": "yd3", "yd³": "yd3", "m²": "m2", "m³": "m3", "percent": "%",
}  # fmt: skip
_NUMBER = r"[-+]?(?:\d[\d_,]*)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+"
_TEXT = re.compile(rf"^\s*(?P<value>{_NUMBER})\s*(?:(?:±|\+/-|\+-)\s*(?P<spread>{_NUMBER})\s*)?(?P<unit>\S.*?)?\s*$")


def dimension_of(unit: str) -> str:
    """Return what a unit measures: length, area, volume, percent or count.

    Raises
    ------
    UnitError
        If the unit is not known; the message lists those that are.

    Examples
    --------
    >>> dimension_of("acre")
    'area'
    """
    try:
        return UNITS[unit][0]
    except KeyError:
        raise UnitError(f"unknown unit {unit!r}; known units are {', '.join(UNITS)}") from None


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact number and its unit.

    An acre is 43,560 square feet *of the same foot*, so acres and square feet convert without naming the foot; feet and
    metres do not, and ``to`` takes the foot in metres for that.

    Parameters
    ----------
    value : Fraction
        The exact number.
    unit : str
        One of `UNITS`.

    Examples
    --------
    >>> Quantity(Fraction(1), "acre").to("ft2")
    Quantity(43560, 'ft2')
    >>> Quantity(Fraction(400), "yd3").comparable(Quantity(Fraction(4000), "ft2"))
    False
    """

    value: Fraction
    unit: str

    def __post_init__(self) -> None:
        dimension_of(self.unit)

    def __repr__(self) -> str:
        return f"Quantity({_plain(self.value)}, {self.unit!r})"

    def __str__(self) -> str:
        return f"{format_number(self.value)}{'' if self.unit == '%' else ' '}{self.unit}"

    @property
    def dimension(self) -> str:
        """What is measured: length, area, volume, percent or count."""
        return dimension_of(self.unit)

    def comparable(self, other: Quantity) -> bool:
        """Tell whether both measure the same thing: area never compares with volume."""
        return self.dimension == other.dimension

    def to(self, unit: str, foot: Fraction = US_SURVEY_FOOT) -> Quantity:
        """Return the same amount in another unit of the same dimension.

        Parameters
        ----------
        unit : str
            The wanted unit.
        foot : Fraction
            Metres in one foot, used only between feet and metres.

        Raises
        ------
        UnitError
            If the dimensions differ.
        """
        if unit == self.unit:
            return self
        dimension, factor, system = UNITS[self.unit]
        if dimension_of(unit) != dimension:
            raise UnitError(f"{self.unit} ({dimension}) cannot be expressed in {unit} ({dimension_of(unit)})")
        _, wanted, wanted_system = UNITS[unit]
        value = self.value * factor
        if system != wanted_system:
            scale = foot ** _POWER[dimension]
            value = value * scale if system == "foot" else value / scale
        return Quantity(value / wanted, unit)

    def to_dict(self) -> dict[str, object]:
        """Return number and unit as plain values."""
        return {"value": float(self.value), "unit": self.unit}


@dataclass(frozen=True, slots=True)
class Interval:
    """A best value between a low and a high, all in one unit.

    Examples
    --------
    >>> parse_quantity("4_010 ± 25 ft2").low
    Quantity(3985, 'ft2')
    """

    value: Quantity
    low: Quantity
    high: Quantity

    def __post_init__(self) -> None:
        if not (self.low.unit == self.value.unit == self.high.unit):
            raise UnitError(f"an interval needs one unit, not {self.low.unit}, {self.value.unit}, {self.high.unit}")
        if not self.low.value <= self.value.value <= self.high.value:
            raise UnitError(f"an interval runs low, value, high; these do not: {self.low}, {self.value}, {self.high}")


def parse_quantity(text: str) -> Interval:
    """Read a quantity as a person writes it: ``4_000 ft2``, ``4,010 ± 25 ft2``, ``2.5 acre``.

    Parameters
    ----------
    text : str
        Number, optionally ``±`` and its spread, and a unit. Without ``±`` the number is exact.

    Raises
    ------
    UnitError
        If it is not a number with a known unit.
    """
    match = _TEXT.match(text)
    if match is None:
        raise UnitError(f"cannot read {text!r} as a quantity; write a number and a unit, such as 4_000 ft2")
    unit = (match["unit"] or "").strip()
    unit = SPELLINGS.get(unit.lower(), unit)
    if not unit:
        raise UnitError(
            f"{text!r} has no unit; write a number and a unit, such as 4_000 ft2 (units: {', '.join(UNITS)})"
        )
    value, spread = _exact(match["value"]), _exact(match["spread"] or "0")
    if spread < 0:
        raise UnitError(f"the spread in {text!r} is negative")
    return Interval(Quantity(value, unit), Quantity(value - spread, unit), Quantity(value + spread, unit))


def _exact(text: str) -> Fraction:
    return Fraction(Decimal(text.replace("_", "").replace(",", "")))


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))


def format_number(value: Fraction | float) -> str:
    """Write a number for a reader: thousands separated, at most three decimals, none that are zero.

    Examples
    --------
    >>> format_number(Fraction(43560))
    '43,560'
    >>> format_number(3999.69)
    '3,999.69'
    """
    text = f"{float(value):,.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
