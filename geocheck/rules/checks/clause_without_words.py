"""A clause that does not say in words what it says: a reader sees a label and nothing else."""

from __future__ import annotations

from geocheck.model.problem import Problem
from geocheck.rules.checks import Check

CHECK = Check(
    "clause-without-words",
    "A clause has no says: ; the trace, the report and the attorney have nothing to read.",
    lambda ordinance: (
        Problem("clause-without-words", f"{clause.label} says nothing", clause.place, "Add says: in your own words.")
        for clause in ordinance.every_clause
        if not clause.says
    ),
    severity="warning",
)
