"""Numbers that do not go together, or a number where yes or no belongs."""

from __future__ import annotations

from geocheck.rules.checks import Check
from geocheck.rules.units import problems_of_conditions

CHECK = Check(
    "incompatible-units",
    "Area never compares with volume, a percentage never with an area, and yes or no is not a number.",
    lambda ordinance: (
        p
        for p in problems_of_conditions(ordinance)
        if p.code in ("incompatible-units", "not-a-number", "not-a-condition")
    ),
)
