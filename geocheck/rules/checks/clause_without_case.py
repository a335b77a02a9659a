"""A clause that no case is about: nobody has said what it should do."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Ordinance, same_label
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    covered = {same_label(name) for case in ordinance.cases for name in (case.at, *(what for what, _ in case.expect))}
    for clause in ordinance.every_clause:
        if clause.not_modelled or (clause.clauses and clause.is_group):
            continue
        if same_label(clause.label) not in covered:
            message = f"no case is about {clause.label}"
            yield Problem("clause-without-case", message, clause.place, f"Add a case with at: {clause.label} .")


CHECK = Check("clause-without-case", "A modelled clause has no case that names it.", _look, severity="warning")
