"""Whether any facts can meet a condition, as far as comparisons of one fact with one number tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from geocheck.model.condition import All, Any, Comparison, Name, Node, Not, Number
from geocheck.model.ordinance import Ordinance
from geocheck.rules.amounts import in_feet

__all__ = ["possible"]

#: Alternatives looked at before a condition is taken to be possible.
MOST = 2_000
_CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class _Atom:
    """A fact that is yes or no, or stands to a number."""

    name: str
    operator: str
    bound: Fraction = Fraction(0)


def possible(node: Node, ordinance: Ordinance) -> bool:
    """Tell whether a condition may hold; False only where it cannot.

    Examples
    --------
    >>> from geocheck.rules.expr import parse_condition
    >>> law = Ordinance("x", "§ 1", "", None, (), ())
    >>> possible(parse_condition("disturbed_area > 1 acre and disturbed_area < 4_000 ft2").node, law)
    False
    """
    for count, alternative in enumerate(_alternatives(node, True, ordinance)):
        if count > MOST or _consistent(alternative, ordinance):
            return True
    return False


def _alternatives(node: Node, wanted: bool, ordinance: Ordinance) -> Iterator[tuple[_Atom, ...]]:
    """Yield the ways in which a condition can be as wanted, each as atoms that hold together."""
    match node:
        case Not():
            yield from _alternatives(node.operand, not wanted, ordinance)
        case All() | Any():
            if isinstance(node, All) == wanted:
                yield from _together(node.operands, wanted, ordinance)
            else:
                for operand in node.operands:
                    yield from _alternatives(operand, wanted, ordinance)
        case Name() if node.name in ordinance.term_by_name:
            yield from _alternatives(ordinance.term_by_name[node.name].expression.node, wanted, ordinance)
        case Name():
            yield (_Atom(node.name, "yes" if wanted else "no"),)
        case Comparison():
            atom = _atom(node, wanted)
            yield (atom,) if atom is not None else ()
        case _:
            yield ()


def _together(operands: tuple[Node, ...], wanted: bool, ordinance: Ordinance) -> Iterator[tuple[_Atom, ...]]:
    if not operands:
        yield ()
        return
    for first in _alternatives(operands[0], wanted, ordinance):
        for rest in _together(operands[1:], wanted, ordinance):
            yield first + rest


def _atom(node: Comparison, wanted: bool) -> _Atom | None:
    operator = node.operator if wanted else _CONTRARY[node.operator]
    left, right = node.left, node.right
    if isinstance(left, Number):
        left, right, operator = right, left, _TURNED[operator]
    if isinstance(left, Name) and isinstance(right, Number):
        return _Atom(left.name, operator, in_feet(right.quantity)[1])
    return None


def _consistent(atoms: tuple[_Atom, ...], ordinance: Ordinance) -> bool:
    for name in {atom.name for atom in atoms}:
        own = [atom for atom in atoms if atom.name == name]
        if {"yes", "no"} <= {atom.operator for atom in own}:
            return False
        declared = ordinance.declaration(name)
        least = [(Fraction(0), False)] if declared is not None and declared.unit and not declared.signed else []
        lows = least + [(a.bound, a.operator == ">") for a in own if a.operator in (">", ">=", "==")]
        highs = [(a.bound, a.operator == "<") for a in own if a.operator in ("<", "<=", "==")]
        if any(low > high or (low == high and (strict or tight)) for low, strict in lows for high, tight in highs):
            return False
    return True
