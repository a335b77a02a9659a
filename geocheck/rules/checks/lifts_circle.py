"""A clause that takes itself away, straight or by way of others: its truth would rest on itself."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem, RuleFileError
from geocheck.rules.checks import Check
from geocheck.rules.scheme import Scheme, scheme_of


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    from geocheck.rules.choices import choices_under

    said: set[str] = set()
    try:
        combinations = choices_under(ordinance, {})
    except RuleFileError:
        # Too many settings to look at every combination: each choice is looked at with the first of the others.
        first = {setting.name: setting.names[0] for setting in ordinance.settings}
        combinations = [tuple({**first, s.name: choice}.items()) for s in ordinance.settings for choice in s.names]
    for choices in combinations:
        scheme = scheme_of(ordinance, choices)
        for n, clause in enumerate(scheme.clauses):
            if clause.label not in said and n in _rests_on(scheme, n):
                said.add(clause.label)
                key = "lifts" if clause.lifts else "limits"
                yield Problem(
                    "lifts-circle", f"{clause.label} takes itself away, through what it {key}", clause.place_of(key)
                )


def _rests_on(scheme: Scheme, n: int) -> set[int]:
    """Return the clauses on whose truth the standing of this one rests."""
    found: set[int] = set()
    pending = [n]
    while pending:
        m = pending.pop()
        for below in (*(lift.clause for lift in scheme.lifted_by[m]), *scheme.children[m]):
            if below not in found:
                found.add(below)
                pending.append(below)
    return found


CHECK = Check(
    "lifts-circle", "A clause lifts itself, a clause above it, or one that lifts it in turn.", _look, whole=True
)
