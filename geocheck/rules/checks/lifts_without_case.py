"""A clause that lifts clauses where lifting their obligations would do otherwise, or the reverse, and no case shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from geocheck.model.ordinance import EVERYTHING, Case, Clause, Ordinance, same_label
from geocheck.model.problem import GeocheckError, Problem
from geocheck.rules.checks import Check


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    for clause in ordinance.every_clause:
        if EVERYTHING in clause.lifts or not clause.lifts or clause.under:
            continue
        other = _said_otherwise(ordinance, clause)
        if other is None or set(other) == set(clause.lifts):
            continue
        changed = replace(
            ordinance,
            clauses=_with(ordinance.clauses, clause, other),
            fingerprint=f"{ordinance.fingerprint} lifts {clause.label}",
        )
        if not any(_tells(ordinance, changed, case) for case in ordinance.cases):
            words, others = ", ".join(clause.lifts), ", ".join(other)
            kind = "clauses" if any(_is_clause(ordinance, name) for name in clause.lifts) else "obligations"
            message = f"{clause.label} lifts {kind} ({words}); lifting {others} would differ, and no case shows where"
            remedy = (
                "A clause lifted leaves what other clauses impose; an obligation lifted is gone whoever imposes it. "
                "Add a case where the two part."
            )
            yield Problem("lifts-without-case", message, clause.place_of("lifts"), remedy)


def _is_clause(ordinance: Ordinance, name: str) -> bool:
    return name not in {o.name for o in ordinance.obligations} and same_label(name) in ordinance.by_label


def _imposed(clauses: tuple[Clause, ...]) -> dict[str, None]:
    return {name: None for top in clauses for c in top.walk() for form in (c, *c.forms()) for name in form.imposes}


def _said_otherwise(ordinance: Ordinance, clause: Clause) -> tuple[str, ...] | None:
    """Return the lifts in the other words, where that could make a difference: obligations for clauses, or the reverse."""
    targets = [ordinance.clause(name) for name in clause.lifts if _is_clause(ordinance, name)]
    obligations = [name for name in clause.lifts if not _is_clause(ordinance, name)]
    if targets and obligations:
        return None
    if targets:
        named = _imposed(tuple(targets))
        inside = {id(c) for top in targets for c in top.walk()}
        outside = [c for c in ordinance.every_clause if id(c) not in inside]
        elsewhere = {name for c in outside for form in (c, *c.forms()) for name in form.imposes}
        return tuple(named) if elsewhere & named.keys() else None
    imposing = [c for c in ordinance.every_clause if any(set(f.imposes) & set(obligations) for f in (c, *c.forms()))]
    beyond = _imposed(tuple(imposing)).keys() - set(obligations)
    return tuple(c.label for c in imposing) if beyond and imposing else None


def _with(clauses: tuple[Clause, ...], old: Clause, lifts: tuple[str, ...]) -> tuple[Clause, ...]:
    return tuple(
        replace(c, lifts=lifts) if c is old else replace(c, clauses=_with(c.clauses, old, lifts)) for c in clauses
    )


def _tells(ordinance: Ordinance, changed: Ordinance, case: Case) -> bool:
    from geocheck.rules.cases import disagreements

    try:
        return not any(True for _ in disagreements(ordinance, case)) and any(True for _ in disagreements(changed, case))
    except GeocheckError:
        # A circle, or something else that the cases would see.
        return True


CHECK = Check(
    "lifts-without-case",
    "Lifting a clause and lifting its obligations differ here, and no case shows which is meant.",
    _look,
    severity="warning",
    whole=True,
)
