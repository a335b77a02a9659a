"""How far a site's numbers are from the thresholds that clauses compare them with: for showing, never for judging."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from geocheck.model.condition import Arithmetic, Comparison, Condition, Name, Negative, Node, Number, walk
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.quantity import SAME, US_SURVEY_FOOT, Quantity

__all__ = ["Compared", "Margin", "comparisons", "margins"]

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
    met : str
        Whether the comparison holds over the whole interval: yes, no or unknown.
    reading : str
        The choice of a setting under which the clause compares so; empty where it does in any case.
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
    met: str = "unknown"
    reading: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of an ordinance with a fixed number, and the facts that it rests on."""

    clause: str
    words: str
    node: Node
    sign: str
    threshold: Quantity
    names: tuple[str, ...]
    operator: str
    reading: str = ""


def comparisons(ordinance: Ordinance, settings: Mapping[str, str]) -> list[Compared]:
    """Return each comparison of the ordinance with a fixed number, in the order of its clauses.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    settings : mapping of str to str
        Settings in force: a clause that stands under a chosen reading is shown as it stands there.
    """
    found: dict[tuple[str, str, Quantity], Compared] = {}
    for clause in ordinance.every_clause:
        for reading, form in _forms(clause, settings):
            for condition in filter(None, (form.when, form.unless)):
                for node in walk(condition.node):
                    if (
                        isinstance(node, Comparison)
                        and isinstance(node.right, Number)
                        and not isinstance(node.left, Number)
                    ):
                        threshold, words = node.right.quantity, _words(node.left)
                        names = ordinance.names_of(Condition("", node.left))
                        sign = _SIGNS[node.operator]
                        compared = Compared(
                            clause.label, words, node.left, sign, threshold, names, node.operator, reading
                        )
                        found.setdefault((clause.label + reading, words, threshold), compared)
    return list(found.values())


def _forms(clause: Clause, settings: Mapping[str, str]) -> list[tuple[str, Clause]]:
    chosen = [("", form) for setting, choice, form in clause.under if settings.get(setting) == choice]
    return chosen or [(choice, form) for _, choice, form in clause.under] or [("", clause)]


def margins(
    compared: Iterable[Compared], ordinance: Ordinance, facts: Mapping[str, Fact], foot: Fraction = US_SURVEY_FOOT
) -> Iterator[Margin]:
    """Yield how far one site is from each threshold; what is more than a bar can show is left out.

    Parameters
    ----------
    compared : iterable of Compared
        From `comparisons`.
    ordinance : Ordinance
        The ordinance, for its terms.
    facts : mapping of str to Fact
        Facts of the site.
    foot : Fraction
        Metres in a foot, where a threshold is in the other system.
    """
    for one in compared:
        limit = float(one.threshold.value)
        lacking = next((name for name in one.names if name not in facts or facts[name].value is None), None)
        if lacking is not None:
            status = facts[lacking].status if lacking in facts else "missing"
            unit = one.threshold.unit
            yield Margin(one.clause, one.words, one.sign, limit, unit, None, None, None, status, reading=one.reading)
            continue
        spread = _spread(one.node, one.threshold, ordinance, facts, foot)
        if spread is not None:
            low, value, high = spread
            ends = {_holds(one.operator, end, limit) for end in (low, high)}
            met = "unknown" if len(ends) > 1 else "yes" if ends == {True} else "no"
            yield Margin(
                one.clause, one.words, one.sign, limit, one.threshold.unit, value, low, high, "", met, one.reading
            )


def _holds(operator: str, number: float, limit: float) -> bool:
    """Whether one number meets a threshold; as near to it as `SAME` says, it is the threshold."""
    side = 0 if abs(number - limit) <= float(SAME) * abs(limit) else 1 if number > limit else -1
    return {">=": side >= 0, ">": side > 0, "<": side < 0, "<=": side <= 0, "==": side == 0, "!=": side != 0}[operator]


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
