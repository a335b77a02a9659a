"""A threshold without a case exactly at it, just under and just over: where "or more" and "more than" part."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from geocheck.model.condition import Comparison, Name, Number, names_in, text_of, walk
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.model.quantity import Quantity
from geocheck.rules.checks import Check
from geocheck.rules.given import facts_given
from geocheck.rules.values import Values

#: How far from a threshold still is just under or just over it: a twentieth of it; of a count, one.
NEAR = 0.05


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    tried = list(_values(ordinance))
    conditions = [c for clause in ordinance.every_clause for c in clause.conditions]
    for condition in [*conditions, *(term.expression for term in ordinance.terms)]:
        for node in walk(condition.node):
            if isinstance(node, Comparison) and (names_in(node.left) == ()) != (names_in(node.right) == ()):
                yield from _missing(node, tried, ordinance)


def _values(ordinance: Ordinance) -> Iterator[Values]:
    # Facts that do not fit are an error of another check, after which this one does not look.
    for case in ordinance.cases:
        yield Values(ordinance, facts_given(dict(case.facts), ordinance))


def _missing(node: Comparison, tried: list[Values], ordinance: Ordinance) -> Iterator[Problem]:
    threshold = next(side for side in (node.right, node.left) if not names_in(side))
    zero = isinstance(threshold, Number) and threshold.quantity.value == 0
    near = NEAR
    if isinstance(threshold, Number) and threshold.quantity.unit == "each" and not zero:
        near = max(near, float(1 / threshold.quantity.value))
    found = dict.fromkeys((-1, 0, 1), False)
    turned = 1 if threshold is node.right else -1
    for values in tried:
        stands = values.sharply(node)
        if stands is not None and (zero or stands[1] <= near):
            found[stands[0] * turned] = True
    words = {0: "exactly at", -1: "just under", 1: "just over"}
    needed: tuple[int, ...] = (0, 1) if zero and not _may_be_negative(node, ordinance) else (0, -1, 1)
    if isinstance(threshold, Number) and _is_whole(threshold, node):
        # Nothing is more than all of it.
        needed = (0, -1)
    missing = [words[way] for way in needed if not found[way]]
    if missing:
        message = f"no case is {', '.join(missing)} the threshold {text_of(threshold)}"
        yield Problem("threshold-without-case", message, node.place, "Add one: there the words of the text decide.")


def _is_whole(threshold: Number, node: Comparison) -> bool:
    """Tell whether a share, as one fact gives it, is compared with all of it."""
    alone = isinstance(node.left, Name) or isinstance(node.right, Name)
    return alone and threshold.quantity == Quantity(Fraction(100), "%")


def _may_be_negative(node: Comparison, ordinance: Ordinance) -> bool:
    names = (*names_in(node.left), *names_in(node.right))
    declared = [ordinance.declaration(name) for name in names]
    return any(d is None or d.signed for d in declared) or any(getattr(n, "operator", "") == "-" for n in walk(node))


CHECK = Check(
    "threshold-without-case",
    "A number that a condition compares with has no case exactly at it, just under it, or just over it.",
    _look,
    severity="warning",
    whole=True,
)
