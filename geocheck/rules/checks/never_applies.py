"""A clause whose condition no facts can meet, or an exemption that no trigger which it lifts can meet with it."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.condition import All, Any, Children, Node, Not
from geocheck.model.ordinance import EVERYTHING, Clause, Ordinance, same_label
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check
from geocheck.rules.possible import possible


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    above = _above(ordinance.clauses, ())
    for clause in ordinance.every_clause:
        for form in clause.forms():
            own = _own(form)
            if own is None:
                continue
            place = (form.when or form.unless or own).place
            if not possible(own, ordinance):
                message = f"{clause.label} can never apply: its condition contradicts itself"
                yield Problem("never-applies", message, place, "Look at the comparisons.")
                continue
            targets = _lifted(ordinance, above[id(clause)], form)
            triggers = [t for t in targets if possible(t, ordinance)]
            if targets and not any(possible(All((own, trigger)), ordinance) for trigger in triggers):
                message = f"{clause.label} can never matter: where it holds, nothing holds that it lifts"
                yield Problem("never-applies", message, place, "Look at the comparisons here and in what it lifts.")


def _own(form: Clause) -> Node | None:
    """Return when and not unless, of a clause with a condition of its own."""
    if form.when is None or isinstance(form.when.node, Children):
        return None
    return form.when.node if form.unless is None else All((form.when.node, Not(form.unless.node)))


def _above(clauses: tuple[Clause, ...], over: tuple[Clause, ...]) -> dict[int, tuple[Clause, ...]]:
    """Return each clause with those above it, by the identity of the clause."""
    found = {}
    for clause in clauses:
        found[id(clause)] = (*over, clause)
        found.update(_above(clause.clauses, (*over, clause)))
    return found


def _lifted(ordinance: Ordinance, above: tuple[Clause, ...], form: Clause) -> list[Node]:
    """Return the conditions of the triggers that a clause takes away, itself or through the clauses above it."""
    lifts = dict.fromkeys([*form.lifts, *(name for c in above for name in c.lifts)])
    found: list[Node] = []
    if not lifts:
        return found
    for imposing in ordinance.every_clause:
        if imposing.imposes and (EVERYTHING in lifts or lifts.keys() & set(imposing.imposes)):
            found.append(_whole(imposing))
    for name in lifts:
        if same_label(name) in ordinance.by_label:
            found.append(_whole(ordinance.clause(name)))
    return found


def _whole(clause: Clause) -> Node:
    """Return the condition of a clause with those below it."""
    parts: list[Node] = []
    for form in clause.forms():
        own = _own(form)
        if own is not None:
            parts.append(own)
        elif clause.clauses:
            below = tuple(_whole(child) for child in clause.clauses)
            every = form.when is not None and form.when.text == "all"
            parts.append(All(below) if every else Any(below))
    return Any(tuple(parts)) if parts else All(())


CHECK = Check(
    "never-applies",
    "No facts meet the condition, or none that also meet a trigger which the exemption lifts.",
    _look,
    whole=True,
)
