"""A fact, term or setting of the ordinance's own that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.condition import names_in
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    conditions = [c for clause in ordinance.every_clause for c in clause.conditions]
    conditions += [term.expression for term in ordinance.terms]
    named = {name for condition in conditions for name in names_in(condition.node)}
    used = {name for clause in ordinance.every_clause for name, _, _ in clause.under}
    for fact in ordinance.facts:
        if fact not in named:
            yield Problem(
                "never-used", f"no condition asks for {fact}", ordinance.place_of(f"facts.{fact}"), "Leave it out."
            )
    for term in ordinance.terms:
        if term.name not in named:
            yield Problem("never-used", f"no condition uses the term {term.name}", term.place, "Leave it out.")
    for setting in ordinance.settings:
        if setting.name not in used:
            message = f"no clause stands under the setting {setting.name}"
            yield Problem("never-used", message, setting.place, "Add under: to the clause, or leave it out.")


CHECK = Check("never-used", "A fact, term or setting is declared and nothing uses it.", _look, severity="warning")
