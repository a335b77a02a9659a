"""Runs the cases of an ordinance: what each expects, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from geocheck.model.determination import Determination
from geocheck.model.ordinance import Case, Ordinance
from geocheck.rules.asking import judge

__all__ = ["Disagreement", "disagreements", "judge_case", "name_of_case"]

_WORDS = {"true": "yes", "false": "no"}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing that a case expects and that does not come of it."""

    case: Case
    what: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.what} is {self.found}; the case expects {self.expected}"


def name_of_case(case: Case) -> str:
    """Return a case's name for a list of tests: the clause and what it shows."""
    return f"{case.at or 'case'}: {case.shows}" if case.shows else case.at or "case"


def judge_case(ordinance: Ordinance, case: Case) -> Determination:
    """Judge the facts of a case."""
    facts: dict[str, object] = dict(case.facts)
    return judge(facts, ordinance, waivers=case.waivers, settings=dict(case.settings))


def disagreements(ordinance: Ordinance, case: Case) -> Iterator[Disagreement]:
    """Yield what a case expects and does not come of it.

    Raises
    ------
    geocheck.model.problem.GeocheckError
        If the case's facts, settings or waivers do not fit the ordinance.
    """
    determination = judge_case(ordinance, case)
    outcomes = determination.outcomes
    for what, expected in case.expect:
        found = outcomes[what] if what in outcomes else str(determination.trace[ordinance.clause(what).label].truth)
        if found != _WORDS.get(expected, expected):
            yield Disagreement(case, what, expected, found)
