"""An obligation that no clause imposes."""

from __future__ import annotations

from geocheck.model.problem import Problem
from geocheck.rules.checks import Check

CHECK = Check(
    "never-imposed",
    "An obligation is listed and no clause imposes it.",
    lambda ordinance: (
        Problem("never-imposed", f"no clause imposes {o.name}", o.place, "Name it in imposes: , or leave it out.")
        for o in ordinance.obligations
        if not any(o.name in form.imposes for clause in ordinance.every_clause for form in clause.forms())
    ),
    severity="warning",
)
