"""A clause that holds only where a neighbour with the same effect holds anyway: one of the two is miswritten, or idle."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.condition import All, Children, Node, Not
from geocheck.model.ordinance import Clause, Ordinance, same_label
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check
from geocheck.rules.possible import possible


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    named = {
        same_label(name)
        for clause in ordinance.every_clause
        for form in clause.forms()
        for name in (*form.lifts, *form.limits, *form.reaches, *clause.carried_by)
    }
    groups = [ordinance.clauses, *(clause.clauses for clause in ordinance.every_clause if not _needs_all(clause))]
    for group in groups:
        candidates = [(clause, own) for clause in group if (own := _own(clause)) is not None]
        said: set[str] = set()
        for clause, own in candidates:
            if same_label(clause.label) in named or clause.reading is not None or not possible(own, ordinance):
                continue
            for other, theirs in candidates:
                if other is clause or same_label(other.label) in named or other.label in said:
                    continue
                if _adds_nothing(clause, other) and not possible(All((own, Not(theirs))), ordinance):
                    said.add(clause.label)
                    message = f"{clause.label} adds nothing: wherever it holds, {other.label} holds"
                    place = clause.when.place if clause.when is not None else clause.place
                    yield Problem(
                        "implied-trigger",
                        message,
                        place,
                        "Look at the numbers; if the text is so, say it in reading: .",
                    )
                    break


def _needs_all(clause: Clause) -> bool:
    return clause.when is not None and isinstance(clause.when.node, Children) and clause.when.node.which == "all"


def _own(clause: Clause) -> Node | None:
    """Return the condition of a clause that stands alone: no clauses below, no setting, nothing taken in."""
    if (
        clause.when is None
        or clause.clauses
        or clause.under
        or clause.incorporates
        or isinstance(clause.when.node, Children)
    ):
        return None
    return clause.when.node if clause.unless is None else All((clause.when.node, Not(clause.unless.node)))


def _adds_nothing(clause: Clause, other: Clause) -> bool:
    """Tell whether all that a clause does, the other does too."""
    if not other.imposes and not other.lifts and (clause.imposes or clause.lifts):
        return False
    alike = (clause.limits, clause.reaches, clause.waives, clause.instead) == (
        other.limits,
        other.reaches,
        other.waives,
        other.instead,
    )
    return alike and not clause.limits and set(clause.imposes) <= set(other.imposes) and _lifts_within(clause, other)


def _lifts_within(clause: Clause, other: Clause) -> bool:
    return set(clause.lifts) <= set(other.lifts) or "all" in other.lifts


CHECK = Check(
    "implied-trigger",
    "A trigger or exemption holds only where a neighbour with the same effect holds: it changes nothing.",
    _look,
    severity="warning",
    whole=True,
)
