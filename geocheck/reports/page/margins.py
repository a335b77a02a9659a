"""How far a site's numbers are from the thresholds that clauses compare them with: for showing, never for judging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from geocheck.model.condition import Arithmetic, Comparison, Name, Negative, Node, Number, walk
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity

__all__ = ["Margin", "margins"]

_SIGNS = {">=": "at least", ">": "more than", "<": "less than", "<=": "at most", "==": "exactly", "!=": "other than"}


@dataclass(frozen=True, slots=True)
class Margin:
    """One number of a site beside the threshold of one clause.

    Parameters
    ----------
    clause, compared : str
        Label of the clause, and what is compared, in words.
    sign : str
        How: ``at least``, ``more than``, ``less than``, ``at most``.
    threshold : float
        In ``unit``.
    unit : str
        Unit of all numbers here: the threshold's own.
    value, low, high : float or None
        Best value and interval; None where not known.
    status : str
        Why not, where it is not known.
    """

    clause: str
    compared: str
    sign: str
    threshold: float
    unit: str
    value: float | None
    low: float | None
    high: float | None
    status: str = ""


def margins(
    ordinance: Ordinance, facts: Mapping[str, Fact], settings: Mapping[str, str], foot: Fraction = US_SURVEY_FOOT
) -> Iterator[Margin]:
    """Yield each comparison of the ordinance with a fixed number, in the order of its clauses.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    facts : mapping of str to Fact
        Facts of one site.
    settings : mapping of str to str
        Settings in force: a clause that stands under a chosen reading is shown as it stands there.
    foot : Fraction
        Metres in a foot, where a threshold is in the other system.
    """
    seen: set[tuple[str, str, float]] = set()
    for clause in ordinance.every_clause:
        for form in _forms(clause, settings):
            for condition in filter(None, (form.when, form.unless)):
                for node in walk(condition.node):
                    margin = (
                        _margin(clause.label, node, ordinance, facts, foot) if isinstance(node, Comparison) else None
                    )
                    if margin is not None and (key := (margin.clause, margin.compared, margin.threshold)) not in seen:
                        seen.add(key)
                        yield margin


def _forms(clause: Clause, settings: Mapping[str, str]) -> tuple[Clause, ...]:
    chosen = tuple(form for setting, choice, form in clause.under if settings.get(setting) == choice)
    return chosen or clause.forms()


def _margin(
    label: str, node: Comparison, ordinance: Ordinance, facts: Mapping[str, Fact], foot: Fraction
) -> Margin | None:
    if not isinstance(node.right, Number) or isinstance(node.left, Number):
        return None
    threshold = node.right.quantity
    names = [part.name for part in walk(node.left) if isinstance(part, Name)]
    words = _words(node.left)
    sign = _SIGNS[node.operator]
    unknown = next((facts[name].status if name in facts else "missing" for name in _facts_in(names, ordinance) if
                    name not in facts or facts[name].value is None), "")  # fmt: skip
    spread = None if unknown else _spread(node.left, threshold, ordinance, facts, foot)
    if spread is None and not unknown:
        return None
    low, value, high = spread if spread is not None else (None, None, None)
    return Margin(label, words, sign, float(threshold.value), threshold.unit, value, low, high, unknown)


def _facts_in(names: list[str], ordinance: Ordinance) -> list[str]:
    found = []
    for name in names:
        term = ordinance.term_by_name.get(name)
        found += [name] if term is None else list(ordinance.names_of(term.expression))
    return found


Spread = tuple[float, float, float]


def _spread(
    node: Node, like: Quantity, ordinance: Ordinance, facts: Mapping[str, Fact], foot: Fraction
) -> Spread | None:
    """Low, best and high of an expression in the unit of ``like``; None where it is more than a bar can show."""
    match node:
        case Name() if node.name in ordinance.term_by_name:
            return _spread(ordinance.term_by_name[node.name].expression.node, like, ordinance, facts, foot)
        case Name():
            fact = facts[node.name]
            ends = [
                end for end in (fact.low, fact.value, fact.high) if isinstance(end, Quantity) and end.comparable(like)
            ]
            return tuple(float(end.to(like.unit, foot).value) for end in ends) if len(ends) == 3 else None  # type: ignore[return-value]
        case Number():
            if not node.quantity.comparable(like):
                return None
            return (float(node.quantity.to(like.unit, foot).value),) * 3
        case Negative():
            inner = _spread(node.operand, like, ordinance, facts, foot)
            return None if inner is None else (-inner[2], -inner[1], -inner[0])
        case Arithmetic(operator="+" | "-"):
            left = _spread(node.left, like, ordinance, facts, foot)
            right = _spread(node.right, like, ordinance, facts, foot)
            if left is None or right is None:
                return None
            if node.operator == "-":
                right = (-right[2], -right[1], -right[0])
            return left[0] + right[0], left[1] + right[1], left[2] + right[2]
        case Arithmetic(operator="/") if like.unit == "%":
            return _share(node, ordinance, facts, foot)
        case _:
            return None


def _share(node: Arithmetic, ordinance: Ordinance, facts: Mapping[str, Fact], foot: Fraction) -> Spread | None:
    """A part of a whole in percent; both must be areas, and the whole more than nothing."""
    like = Quantity(Fraction(1), "ft2")
    part, whole = (_spread(side, like, ordinance, facts, foot) for side in (node.left, node.right))
    if part is None or whole is None or whole[0] <= 0 or part[0] < 0:
        return None
    return 100 * part[0] / whole[2], 100 * part[1] / whole[1], 100 * part[2] / whole[0]


def _words(node: Node) -> str:
    match node:
        case Name():
            return node.name.replace("_", " ")
        case Number():
            return str(node.quantity)
        case Arithmetic():
            said = {"+": "and", "-": "less", "*": "times", "/": "as a share of"}[node.operator]
            return f"{_words(node.left)} {said} {_words(node.right)}"
        case Negative():
            return f"minus {_words(node.operand)}"
        case _:
            return "a value defined by the ordinance"
