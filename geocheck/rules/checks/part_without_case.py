"""A part of the file that could be wrong without a case noticing: an operator, a number, an effect, an exception."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Case, Ordinance, same_label
from geocheck.model.problem import GeocheckError, Problem
from geocheck.rules.altering import alterations
from geocheck.rules.checks import Check


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    from geocheck.rules.read import load_ordinance

    if any(form.incorporates is not None for clause in ordinance.every_clause for form in clause.forms()):
        try:
            ordinance = load_ordinance(ordinance.file)
        except GeocheckError:
            # What it takes in cannot be read; linting that file says why.
            return
    cases = [case for case in ordinance.cases if not _notices(case, ordinance)]
    # Of a clause that no case is about, another check says so, once.
    told = {same_label(name) for case in ordinance.cases for name in (case.at, *(what for what, _ in case.expect))}
    untold = {c.label for c in ordinance.every_clause if not any(at.startswith(same_label(c.label)) for at in told)}
    for change in alterations(ordinance):
        if change.clause in untold:
            continue
        near = sorted(cases, key=lambda case: not same_label(case.at).startswith(same_label(change.clause)))
        if not any(_notices(case, change.ordinance) for case in near):
            message = f"{change.clause}: no case shows {change.what}; were it otherwise, every case would hold"
            yield Problem(
                "part-without-case", message, change.place, change.remedy or "Add a case whose answer rests on it."
            )


def _notices(case: Case, ordinance: Ordinance) -> bool:
    from geocheck.rules.cases import disagreements

    try:
        return any(True for _ in disagreements(ordinance, case))
    except GeocheckError:
        return True


CHECK = Check(
    "part-without-case",
    "An operator, number, operand or effect could be changed or left out, and no case would come out otherwise.",
    _look,
    severity="warning",
    whole=True,
)
