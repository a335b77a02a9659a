"""A fact, and what a condition comes to with some of them."""

from __future__ import annotations

from fractions import Fraction

from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.quantity import Quantity
from geocheck.rules.expr import parse_condition
from geocheck.rules.values import Values

BLANK = Ordinance("x", "§ 1", "", None, (), ())


def fact(name, value, low=None, high=None, unit="ft2", kind="measured", status="", note=""):
    def quantity(number):
        return None if number is None else Quantity(Fraction(number), unit)

    return Fact(name, kind, quantity(value), quantity(low), quantity(high), status, note=note)


def truth(text, facts=(), mode="known", ordinance=BLANK):
    return Values(ordinance, {f.name: f for f in facts}, mode).truth(parse_condition(text).node)


def reasons(found):
    return sorted((gap.fact, gap.reason) for gap in found.gaps)
