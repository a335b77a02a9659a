"""Runs the cases of an ordinance: what each expects, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from geocheck.model.determination import Determination
from geocheck.model.ordinance import EVERYTHING, Case, Ordinance
from geocheck.rules.asking import judge

__all__ = ["BESIDE_TRUTHS", "Disagreement", "disagreements", "judge_case", "name_of_case"]

#: What a case may expect besides truths and outcomes: the law that takes over, and what a waiver leaves standing.
BESIDE_TRUTHS = ("instead", "still_binds")
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
        if what in outcomes:
            found = outcomes[what]
        elif what == "instead":
            found = "; ".join(determination.instead) or "nothing"
        elif what == "still_binds":
            found = "; ".join(_still_binding(determination, ordinance)) or "nothing"
        else:
            found = str(determination.trace[ordinance.clause(what).label].truth)
        if found != _WORDS.get(expected, expected):
            yield Disagreement(case, what, expected, found)


def _still_binding(determination: Determination, ordinance: Ordinance) -> tuple[str, ...]:
    """Return what the waivers leave standing, in the order of the obligations and the text."""
    waived = [name for name, outcome in determination.outcomes.items() if outcome == "waived"]
    binding = [pair for clause in ordinance.every_clause for pair in clause.still_binds]
    return tuple(dict.fromkeys(what for name in waived for bound, what in binding if bound in (name, EVERYTHING)))
