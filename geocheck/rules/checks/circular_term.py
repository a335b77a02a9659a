"""A term that is defined by itself, straight or by way of others."""

from __future__ import annotations

from geocheck.rules.checks import Check
from geocheck.rules.units import problems_of_conditions

CHECK = Check(
    "circular-term",
    "A term is defined by itself, straight or by way of other terms.",
    lambda ordinance: (p for p in problems_of_conditions(ordinance) if p.code == "circular-term"),
)
