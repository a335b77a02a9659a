"""A clause that is neither modelled nor declared not to be: silence about law is a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.condition import Children
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check

_REMEDY = "Add when: , or not_modelled: with the reason, or carried_by: with the clauses that carry its meaning."


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    grounds = set(ordinance.waiver_grounds)
    for clause in ordinance.every_clause:
        silent = clause.not_modelled or clause.carried_by or clause.still_binds or clause.label in grounds
        forms = clause.forms()
        if clause.not_modelled and any(form.when is not None for form in forms):
            message = f"{clause.label} has a condition and is declared not to be modelled"
            yield Problem("unmodelled-clause", message, clause.place_of("not_modelled"), "Keep one.")
        for form in forms:
            alone = form.when is not None and isinstance(form.when.node, Children) and not clause.clauses
            if alone and form.when is not None:
                message = f"{clause.label} holds when {form.when.text} of the clauses below it do, and there are none"
                yield Problem("unmodelled-clause", message, form.when.place, _REMEDY)
            # What cannot be read, and what is no clause at all, reading has said.
            unread = not (clause.at or clause.says) or _is_unread(clause) or _is_unread(form)
            if not (silent or unread or _says_when(form) or (clause.clauses and not _does(form))):
                message = f"{clause.label} does not say when it holds"
                yield Problem("unmodelled-clause", message, clause.place, _REMEDY)


def _says_when(form: Clause) -> bool:
    return form.when is not None or form.incorporates is not None


def _is_unread(form: Clause) -> bool:
    """Tell whether a condition is written that could not be read."""
    written = {key for key, _ in form.places}
    return ("when" in written and form.when is None) or ("incorporates" in written and form.incorporates is None)


def _does(form: Clause) -> bool:
    return bool(form.imposes or form.lifts or form.limits or form.unless)


CHECK = Check(
    "unmodelled-clause",
    "A clause has neither a condition nor clauses below it, and is not declared not_modelled or carried by another.",
    _look,
)
