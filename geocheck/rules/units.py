"""What each part of a condition is, before any fact is known: a truth, or a number of some dimension.

Says what does not go together: area with volume, a share with a bare number, a name that nobody declared.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from geocheck.model.condition import (
    All,
    Always,
    Any,
    Arithmetic,
    Children,
    Comparison,
    Extreme,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Rounded,
    Table,
    children_of,
    names_in,
)
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.model.quantity import dimension_of
from geocheck.model.vocabulary import VOCABULARY

__all__ = ["TRUTH", "kind_of", "nearest_name", "problems_of_conditions", "product_of", "quotient_of"]

TRUTH = "truth"
_POWER = {"length": 1, "area": 2, "volume": 3}
_NAMED = {power: dimension for dimension, power in _POWER.items()}

Say = Callable[[Problem], object]


def product_of(left: str, right: str) -> str | None:
    """Return the dimension of a product, or None where it has no meaning here.

    Examples
    --------
    >>> product_of("length", "length"), product_of("percent", "area"), product_of("area", "area")
    ('area', 'area', None)
    """
    if left in ("percent", "count"):
        return right
    if right in ("percent", "count"):
        return left
    return _NAMED.get(_POWER[left] + _POWER[right])


def quotient_of(left: str, right: str) -> str | None:
    """Return the dimension of a quotient, or None where it has no meaning here; of like by like, a percentage.

    Examples
    --------
    >>> quotient_of("area", "area"), quotient_of("volume", "area"), quotient_of("percent", "area")
    ('percent', 'length', None)
    """
    if left == right:
        return "percent"
    if right in ("percent", "count"):
        return left
    return _NAMED.get(_POWER.get(left, 0) - _POWER[right])


def nearest_name(name: str, known: list[str] | tuple[str, ...]) -> str:
    """Return a sentence that suggests the nearest known name, or nothing where none is near."""
    near = get_close_matches(name, known, 1, 0.7)
    return f"Did you mean {near[0]}?" if near else ""


def kind_of(node: Node, ordinance: Ordinance, say: Say | None = None, *, seen: tuple[str, ...] = ()) -> str | None:
    """Return what a node is: `TRUTH`, a dimension, or None where that cannot be told.

    Parameters
    ----------
    node : Node
        The tree.
    ordinance : Ordinance
        Whose facts and terms its names are.
    say : callable or None
        Takes each problem found.
    seen : tuple of str
        Terms being resolved, against circles.
    """
    return _Kinds(ordinance, say, seen).of(node)


class _Kinds:
    def __init__(self, ordinance: Ordinance, say: Say | None, seen: tuple[str, ...]) -> None:
        self.ordinance, self.say, self.seen = ordinance, say, seen

    def of(self, node: Node) -> str | None:
        match node:
            case Number():
                return dimension_of(node.quantity.unit)
            case Always() | Children():
                return TRUTH
            case Name():
                return self.of_name(node)
            case Not() | All() | Any():
                return self.of_logic(node)
            case Comparison():
                return self.of_comparison(node)
            case Negative():
                return self.number(node.operand)
            case Arithmetic():
                return self.of_arithmetic(node)
            case Extreme():
                return self.alike(node, node.operands)
            case Rounded():
                return self.of_rounded(node)
        return self.of_table(node)

    def wrong(self, code: str, node: Node, message: str, remedy: str = "") -> None:
        if self.say is not None:
            self.say(Problem(code, message, node.place, remedy))

    def of_name(self, node: Name) -> str | None:
        term = self.ordinance.term_by_name.get(node.name)
        if term is not None:
            if node.name in self.seen:
                return None
            return kind_of(term.expression.node, self.ordinance, seen=(*self.seen, node.name))
        declared = self.ordinance.declaration(node.name)
        if declared is not None:
            return dimension_of(declared.unit) if declared.unit else TRUTH
        own = [*self.ordinance.facts, *self.ordinance.term_by_name]
        remedy = nearest_name(node.name, [*own, *VOCABULARY])
        self.wrong(
            "unknown-name", node, f"{node.name} is neither a shared fact nor one of this ordinance's facts or terms",
            remedy or "Declare it under facts: (kind, unit, asks) or define it under terms:.",
        )  # fmt: skip
        return None

    def number(self, node: Node) -> str | None:
        kind = self.of(node)
        if kind == TRUTH:
            self.wrong("not-a-number", node, "this is yes or no, and a number is wanted here")
            return None
        return kind

    def of_logic(self, node: Not | All | Any) -> str:
        for operand in children_of(node):
            kind = self.of(operand)
            if kind is not None and kind != TRUTH:
                self.wrong(
                    "not-a-condition", operand, f"this is a number ({kind}), and yes or no is wanted here",
                    "Compare it with something, such as > 0.",
                )  # fmt: skip
            if isinstance(operand, Children):
                self.wrong("not-a-condition", operand, f"{operand.which} stands alone: when: {operand.which}")
        return TRUTH

    def of_comparison(self, node: Comparison) -> str:
        left, right = self.number(node.left), self.number(node.right)
        if left is not None and right is not None and left != right:
            remedy = "A quotient of two areas is a percentage." if "percent" in (left, right) else ""
            self.wrong("incompatible-units", node, f"{left} is compared with {right}", remedy)
        return TRUTH

    def of_arithmetic(self, node: Arithmetic) -> str | None:
        left, right = self.number(node.left), self.number(node.right)
        if left is None or right is None:
            return None
        if node.operator in "+-":
            if left != right:
                verb = "added to" if node.operator == "+" else "taken from"
                self.wrong("incompatible-units", node, f"{right} is {verb} {left}")
                return None
            return left
        found = product_of(left, right) if node.operator == "*" else quotient_of(left, right)
        if found is None:
            verb = "multiplied by" if node.operator == "*" else "divided by"
            self.wrong("incompatible-units", node, f"{left} {verb} {right} is nothing that an ordinance measures")
        return found

    def alike(self, node: Node, operands: tuple[Node, ...]) -> str | None:
        kinds = [self.of(operand) for operand in operands]
        known = [kind for kind in kinds if kind is not None]
        if len(set(known)) > 1:
            self.wrong("incompatible-units", node, f"these do not go together: {', '.join(dict.fromkeys(known))}")
            return None
        if isinstance(node, Extreme) and known and known[0] == TRUTH:
            self.wrong("not-a-number", node, f"whichever is {node.which} takes numbers, not yes or no")
            return None
        return known[0] if known else None

    def of_rounded(self, node: Rounded) -> str | None:
        kind = self.number(node.operand)
        step = node.step.dimension
        if kind is not None and kind != step:
            self.wrong("incompatible-units", node, f"{kind} is rounded to a {step}")
        return kind

    def of_table(self, node: Table) -> str | None:
        for row in node.rows:
            kind = self.of(row.condition)
            if kind is not None and kind != TRUTH:
                self.wrong("not-a-condition", row.condition, f"this is a number ({kind}), and yes or no is wanted here")
        return self.alike(node, (*(row.value for row in node.rows), node.otherwise))


def problems_of_conditions(ordinance: Ordinance) -> list[Problem]:
    """Return all that does not go together in the ordinance's conditions and terms."""
    found: list[Problem] = []
    for term in ordinance.terms:
        if term.name in _terms_under(term.name, ordinance):
            found.append(Problem("circular-term", f"the term {term.name} is defined by itself", term.place))
        kind_of(term.expression.node, ordinance, found.append, seen=(term.name,))
    for clause in ordinance.every_clause:
        for condition in clause.conditions:
            kind = kind_of(condition.node, ordinance, found.append)
            if kind is not None and kind != TRUTH:
                message = f"this is a number ({kind}), and yes or no is wanted here"
                found.append(Problem("not-a-condition", message, condition.place, "Compare it with something."))
    return found


def _terms_under(name: str, ordinance: Ordinance) -> set[str]:
    """Return the terms on which a term rests."""
    found: set[str] = set()
    pending = [name]
    while pending:
        below = set(names_in(ordinance.term_by_name[pending.pop()].expression.node)) & ordinance.term_by_name.keys()
        pending += below - found
        found |= below
    return found
