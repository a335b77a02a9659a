"""A name in a condition that nobody declared: a typo must be an error, never an unknown."""

from __future__ import annotations

from geocheck.rules.checks import Check
from geocheck.rules.units import problems_of_conditions

CHECK = Check(
    "unknown-name",
    "A condition names something that is neither a shared fact nor one of the ordinance's own facts or terms.",
    lambda ordinance: (p for p in problems_of_conditions(ordinance) if p.code == "unknown-name"),
)
