"""Static checks on ordinances: a shelf, one file a check, each defining CHECK."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.model.shelf import Shelf

__all__ = ["CHECKS", "Check", "check_ordinance"]

CHECKS = Shelf("geocheck.rules.checks", "CHECK")


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of mistake that an ordinance file may hold.

    Parameters
    ----------
    code : str
        Stable, hyphenated name of the check.
    finds : str
        What it finds and why that is a mistake: the user documentation.
    look : callable
        Yields the problems of an ordinance.
    severity : str
        ``error`` where judging by the file could mislead: it is refused. ``warning`` where `geocheck rules lint` says it
        and the file can still be judged.
    whole : bool
        Whether it needs a file that has no errors otherwise: it judges the file's cases.
    """

    code: str
    finds: str
    look: Callable[[Ordinance], Iterable[Problem]]
    severity: str = "error"
    whole: bool = False


def check_ordinance(ordinance: Ordinance, *, thorough: bool = True, broken: bool = False) -> Iterator[Problem]:
    """Yield what the checks find.

    Parameters
    ----------
    ordinance : Ordinance
        What to check.
    thorough : bool
        Whether to run all checks, as lint does; else only those that find errors.
    broken : bool
        Whether reading already found errors; checks that judge the cases are then left out.
    """
    checks: list[Check] = list(CHECKS)
    for check in sorted(checks, key=lambda c: c.whole):
        if (check.whole and broken) or (check.severity != "error" and not thorough):
            continue
        for problem in check.look(ordinance):
            found = replace(problem, severity=check.severity)
            broken = broken or found.severity == "error"
            yield found
