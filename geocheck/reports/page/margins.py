"""How far a site's numbers are from the thresholds that clauses compare them with: for showing, never for judging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geocheck.model.condition import Arithmetic, Comparison, Condition, Name, Negative, Node, Number, walk
from geocheck.model.facts import FactTable
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.quantity import SAME, US_SURVEY_FOOT, Quantity

__all__ = ["Compared", "Margin", "MarginColumns", "comparisons"]

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


class MarginColumns:
    """How far all sites are from each threshold, a comparison at a time; what is more than a bar can show is left out.

    Parameters
    ----------
    compared : sequence of Compared
        From `comparisons`.
    ordinance : Ordinance
        The ordinance, for its terms.
    facts : FactTable
        Facts of the sites.
    foot : Fraction
        Metres in a foot, where a threshold is in the other system.
    """

    def __init__(
        self, compared: Sequence[Compared], ordinance: Ordinance, facts: FactTable, foot: Fraction = US_SURVEY_FOOT
    ) -> None:
        self.compared = compared
        self._ordinance, self._facts, self._foot = ordinance, facts, foot
        self._read: dict[tuple[str, str], Spread | None] = {}
        self._columns = [self._column(one) for one in compared]

    def of(self, row: int | None) -> Iterator[tuple[int, Margin]]:
        """Yield one site's margins, each with the place of its comparison; of a site without facts all are missing."""
        for place, (one, column) in enumerate(zip(self.compared, self._columns, strict=True)):
            limit, unit = float(one.threshold.value), one.threshold.unit
            if row is None or column is None or column.lacking[row]:
                if row is None or column is not None:
                    status = "missing" if row is None or column is None else column.lacking[row]
                    yield (
                        place,
                        Margin(
                            one.clause, one.words, one.sign, limit, unit, None, None, None, status, reading=one.reading
                        ),
                    )
            elif column.shown[row]:
                low, value, high, met = column.low[row], column.value[row], column.high[row], column.met[row]
                yield (
                    place,
                    Margin(one.clause, one.words, one.sign, limit, unit, value, low, high, "", met, one.reading),
                )

    def _column(self, one: Compared) -> _Column | None:
        lacking = self._lacking(one.names)
        spread = self._spread(one.node, one.threshold)
        if spread is None:
            if not any(lacking):
                return None
            nothing = np.full(len(lacking), np.nan)
            spread = (nothing, nothing, nothing)
        low, value, high = spread
        limit = float(one.threshold.value)
        met = _met(one.operator, low, high, limit)
        return _Column(lacking, value.tolist(), low.tolist(), high.tolist(), met.tolist(), (~np.isnan(value)).tolist())

    def _lacking(self, names: tuple[str, ...]) -> list[str]:
        """Why the first fact that is not known is not, site by site; empty where all are known."""
        count = len(self._facts)
        found = [""] * count
        for name in names:
            column = self._facts.columns.get(name)
            if column is None:
                return [why or "missing" for why in found]
            for row, value in enumerate(column.values):
                if (value is None or value != value) and not found[row]:
                    statuses = column.statuses
                    found[row] = (statuses if isinstance(statuses, str) else statuses[row]) or "missing"
        return found

    def _spread(self, node: Node, like: Quantity) -> Spread | None:
        """Low, best and high of an expression in the unit of ``like``; None where it is more than a bar can show."""
        match node:
            case Name() if node.name in self._ordinance.term_by_name:
                return self._spread(self._ordinance.term_by_name[node.name].expression.node, like)
            case Name():
                if (node.name, like.unit) not in self._read:
                    self._read[node.name, like.unit] = self._fact(node.name, like)
                return self._read[node.name, like.unit]
            case Number():
                if not node.quantity.comparable(like):
                    return None
                fixed = np.full(len(self._facts), float(node.quantity.to(like.unit, self._foot).value))
                return fixed, fixed, fixed
            case Negative():
                inner = self._spread(node.operand, like)
                return None if inner is None else (-inner[2], -inner[1], -inner[0])
            case Arithmetic(operator="+" | "-"):
                left, right = self._spread(node.left, like), self._spread(node.right, like)
                if left is None or right is None:
                    return None
                if node.operator == "-":
                    right = (-right[2], -right[1], -right[0])
                return left[0] + right[0], left[1] + right[1], left[2] + right[2]
            case Arithmetic(operator="/") if like.unit == "%":
                return self._share(node)
            case _:
                return None

    def _fact(self, name: str, like: Quantity) -> Spread | None:
        column = self._facts.columns.get(name)
        if column is None or not column.unit or not like.comparable(Quantity(Fraction(1), column.unit)):
            return None
        scale = float(Quantity(Fraction(1), column.unit).to(like.unit, self._foot).value)
        value = _floats(column.values) * scale
        low = value if column.lows is None else _floats(column.lows) * scale
        high = value if column.highs is None else _floats(column.highs) * scale
        return low, value, high

    def _share(self, node: Arithmetic) -> Spread | None:
        """A part of a whole in percent; both must be areas, and the whole more than nothing."""
        like = Quantity(Fraction(1), "ft2")
        part, whole = self._spread(node.left, like), self._spread(node.right, like)
        if part is None or whole is None:
            return None
        something = (whole[0] > 0) & (part[0] >= 0)
        low, value, high = (np.where(something, whole[n], np.nan) for n in (2, 1, 0))
        return 100 * part[0] / low, 100 * part[1] / value, 100 * part[2] / high


@dataclass(frozen=True, slots=True)
class _Column:
    lacking: list[str]
    value: list[float]
    low: list[float]
    high: list[float]
    met: list[str]
    shown: list[bool]


Spread = tuple[Any, Any, Any]


def _floats(values: Any) -> Any:
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(float)
    return np.array([np.nan if value is None else float(value) for value in values], dtype=float)


#: operator -> on which sides of the threshold it holds: below it, at it, above it.
_HOLDS = {">=": (0, 1), ">": (1,), "<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1)}


def _met(operator: str, low: Any, high: Any, limit: float) -> Any:
    """Whether all, none or some of what lies in intervals meets a threshold; as near to it as `SAME` says, a number is the threshold."""
    first, last = (
        np.where(np.abs(n - limit) <= float(SAME) * abs(limit), 0, np.where(n > limit, 1, -1)) for n in (low, high)
    )
    some, other = np.zeros((2, *first.shape), dtype=bool)
    for side in (-1, 0, 1):
        (some if side in _HOLDS[operator] else other)[(first <= side) & (side <= last)] = True
    return np.where(some & other, "unknown", np.where(some, "yes", "no"))


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
