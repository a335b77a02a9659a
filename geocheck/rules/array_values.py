"""What a condition comes to for many sites at once: `geocheck.rules.values` over numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geocheck.model.condition import (
    All,
    Always,
    Arithmetic,
    Comparison,
    Extreme,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Rounded,
    Table,
    text_of,
)
from geocheck.model.condition import Any as AnyOf
from geocheck.model.facts import FactTable
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import UnitError
from geocheck.model.quantity import UNITS
from geocheck.model.vocabulary import FactDeclaration
from geocheck.rules.amounts import in_feet
from geocheck.rules.array_columns import Ends, read_amounts, read_truths
from geocheck.rules.arrays import (
    NO,
    ROUNDING,
    UNKNOWN,
    YES,
    ArrayAmount,
    ArrayTruth,
    all_of,
    any_of,
    constant,
    finite,
    large,
    negated,
    product,
    tolerance_of,
)
from geocheck.rules.values import factor_of

__all__ = ["ArrayValues"]


@dataclass(frozen=True, eq=False)
class ArrayValues:
    """The facts of a table, or of a part of its rows in one mode, ``known`` or ``best``.

    Parameters
    ----------
    ordinance : Ordinance
        Whose facts and terms the names are.
    table : FactTable
        All facts.
    part : slice
        The rows.
    mode : str
        Whether intervals count or their best values.
    doubt : list of array
        Rows, one array each time, that floating point cannot decide.
    """

    ordinance: Ordinance
    table: FactTable
    part: slice = field(default_factory=lambda: slice(None))
    mode: str = "known"
    doubt: list[Any] = field(default_factory=list)
    _columns: dict[str, Ends] = field(default_factory=dict)
    _truths: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(range(*self.part.indices(len(self.table))))

    @property
    def has_width(self) -> bool:
        """Whether any number is an interval, or becomes one between metres and feet."""
        columns = [self.table.columns[n] for n in self.ordinance.facts_used if n in self.table.columns]
        metric = any(UNITS[column.unit][2] == "metre" for column in columns if column.unit)
        wide = any(column.lows is not None or column.highs is not None for column in columns)
        return metric or wide or self.ordinance.has_metric_numbers

    def within(self, part: slice, mode: str) -> ArrayValues:
        """Return the values of a part of the rows; columns are read once for all parts."""
        return ArrayValues(self.ordinance, self.table, part, mode, [], self._columns, self._truths)

    def of(self, ordinance: Ordinance) -> ArrayValues:
        """Return the same rows for another ordinance; rows that it cannot decide are added to these."""
        return ArrayValues(ordinance, self.table, self.part, self.mode, self.doubt)

    # Truths -----------------------------------------------------------------------------------------------------------

    def truth(self, node: Node) -> ArrayTruth:
        """Return the truths of a condition."""
        match node:
            case Comparison():
                return self._comparison(node)
            case All():
                return all_of([self.truth(operand) for operand in node.operands])
            case AnyOf():
                return any_of([self.truth(operand) for operand in node.operands])
            case Not():
                return negated(self.truth(node.operand))
            case Name():
                return self._named_truth(node.name)
            case Always():
                return constant(True)
            case Table():
                return self._truth_in_table(node)
            case _:
                raise UnitError(f"{text_of(node)} is not a condition")

    def _named_truth(self, name: str) -> ArrayTruth:
        term = self.ordinance.term_by_name.get(name)
        if term is not None:
            return self.truth(term.expression.node)
        if name not in self._truths:
            self._truths[name] = read_truths(self.table, self._declared(name))
        states = self._truths[name]
        return ArrayTruth(states if states.ndim == 0 else states[self.part])

    def _declared(self, name: str) -> FactDeclaration:
        declared = self.ordinance.declaration(name)
        if declared is None:
            raise UnitError(f"{name} is not a fact of {self.ordinance.cite or self.ordinance.id}")
        return declared

    def _truth_in_table(self, node: Table) -> ArrayTruth:
        left: Any = np.array(True)
        may, must, close = np.array(False), np.array(True), np.array(False)
        for condition, value in [*((row.condition, row.value) for row in node.rows), (None, node.otherwise)]:
            chosen = constant(True) if condition is None else self.truth(condition)
            here = left & (chosen.state != NO)
            found = self.truth(value)
            may, must = may | (here & (found.state != NO)), must & (~here | (found.state == YES))
            close = close | (here & (found.close | chosen.close))
            left = left & (chosen.state != YES)
        state = np.where(must, np.uint8(YES), np.where(may, np.uint8(UNKNOWN), np.uint8(NO)))
        return ArrayTruth(state, close & (state == UNKNOWN))

    # Comparisons ------------------------------------------------------------------------------------------------------

    def _comparison(self, node: Comparison) -> ArrayTruth:
        left, right = self.amount(node.left), self.amount(node.right)
        if isinstance(node.right, Number):
            scale: Any = np.maximum(np.abs(right.low), np.abs(right.high))
        elif isinstance(node.left, Number):
            scale = np.maximum(np.abs(left.low), np.abs(left.high))
        else:
            scale = None
        size = left.size + right.size
        sharp = left.low is left.high and right.low is right.high

        def at_ends(test: Any) -> tuple[Any, Any]:
            lowest = test(left.low, right.high, scale, size)
            return lowest, lowest if sharp else test(left.high, right.low, scale, size)

        match node.operator:
            case ">=" | "<":
                lowest, highest = at_ends(self._at_least)
                state = lowest.view(np.uint8) + highest.view(np.uint8)
                state = state if node.operator == ">=" else np.uint8(YES) - state
            case ">" | "<=":
                lowest, highest = at_ends(self._above)
                state = lowest.view(np.uint8) + highest.view(np.uint8)
                state = state if node.operator == ">" else np.uint8(YES) - state
            case _:
                (low_at_least, high_at_least), (low_above, high_above) = at_ends(self._at_least), at_ends(self._above)
                same, apart = low_at_least & ~high_above, low_above | ~high_at_least
                state = np.where(same, np.uint8(YES), np.where(apart, np.uint8(NO), np.uint8(UNKNOWN)))
                state = state if node.operator == "==" else np.uint8(YES) - state
        if sharp and left.gaps is False and right.gaps is False:
            return ArrayTruth(state)
        gaps = left.gaps | right.gaps
        close = np.where(gaps, left.close | right.close, True) if gaps is not False else np.array(True)
        return ArrayTruth(state, close & (state == UNKNOWN))

    def _at_least(self, a: Any, b: Any, scale: Any, size: Any) -> Any:
        """Return where a is b or more, within the tolerance."""
        tolerance = tolerance_of(a, b, scale)
        threshold = b - tolerance
        self._look_near(a, threshold, tolerance, size)
        return a >= threshold

    def _above(self, a: Any, b: Any, scale: Any, size: Any) -> Any:
        """Return where a is more than b, beyond the tolerance."""
        tolerance = tolerance_of(a, b, scale)
        threshold = b + tolerance
        self._look_near(a, threshold, tolerance, size)
        return a > threshold

    def _look_near(self, a: Any, threshold: Any, tolerance: Any, size: Any) -> None:
        width = 1e-9 * tolerance + ROUNDING * size
        with np.errstate(invalid="ignore"):
            near = np.abs(a - threshold) < width
        if near.any():
            self.doubt.append(np.broadcast_to(near, (self.rows,)))

    # Amounts ----------------------------------------------------------------------------------------------------------

    def amount(self, node: Node) -> ArrayAmount:
        """Return the intervals of an arithmetic expression."""
        match node:
            case Number():
                low, best, high = (np.array(float(end)) for end in in_feet(node.quantity))
                if self.mode == "best" or low == high:
                    return ArrayAmount(best, best)
                return ArrayAmount(low, high)
            case Name():
                return self._named_amount(node.name)
            case Negative():
                inner = self.amount(node.operand)
                high = -inner.low
                return ArrayAmount(
                    high if inner.low is inner.high else -inner.high, high, inner.gaps, inner.close, inner.size
                )
            case Arithmetic():
                return self._arithmetic(node)
            case Extreme():
                return self._extreme(node)
            case Rounded():
                return self._rounded(node)
            case Table():
                return self._amount_in_table(node)
            case _:
                raise UnitError(f"{text_of(node)} is not a number")

    def _named_amount(self, name: str) -> ArrayAmount:
        term = self.ordinance.term_by_name.get(name)
        if term is not None:
            return self.amount(term.expression.node)
        if name not in self._columns:
            self._columns[name] = read_amounts(self.table, self._declared(name))
        column, part = self._columns[name], self.part
        missing = column.missing if isinstance(column.missing, bool) else column.missing[part]
        size = column.size if isinstance(column.size, float) else column.size[part]
        if column.best.ndim == 0:
            return ArrayAmount(column.low, column.high, missing)
        low = column.low[part]
        if self.mode == "best" or column.low is column.high:
            known = low if column.low is column.high else column.best[part]
            if missing is False:
                return ArrayAmount(known, known, False, False, size)
            low, high = np.where(missing, low, known), np.where(missing, column.high[part], known)
            return ArrayAmount(low, high, missing, False, size)
        return ArrayAmount(low, column.high[part], missing, False, size)

    def _arithmetic(self, node: Arithmetic) -> ArrayAmount:
        left, right = self.amount(node.left), self.amount(node.right)
        gaps, close = left.gaps | right.gaps, left.close | right.close
        sharp = left.low is left.high and right.low is right.high
        if node.operator in "+-":
            if node.operator == "+":
                low = left.low + right.low
                high = low if sharp else left.high + right.high
            else:
                low = left.low - right.high
                high = low if sharp else left.high - right.low
            return ArrayAmount(low, high, gaps, close, finite(large(left)) + finite(large(right)))
        factor = float(factor_of(node, self.ordinance))
        if node.operator == "*":
            return product(left, right, factor, gaps, close)
        with np.errstate(all="ignore"):
            zero = (right.low <= 0) & (right.high >= 0)
            nearly = (np.abs(right.low) < ROUNDING * right.size) | (np.abs(right.high) < ROUNDING * right.size)
            if np.any(nearly):
                self.doubt.append(np.broadcast_to(nearly, (self.rows,)))
            least = np.minimum(np.abs(right.low), np.abs(right.high))
            size = large(right) / (least * least)
            inverse = ArrayAmount(1 / right.high, 1 / right.low, size=np.where(zero, 0, size))
            found = product(left, inverse, factor, gaps | zero, close)
        return ArrayAmount(
            np.where(zero, -np.inf, found.low), np.where(zero, np.inf, found.high), found.gaps, close, found.size
        )

    def _extreme(self, node: Extreme) -> ArrayAmount:
        pick = np.minimum if node.which == "less" else np.maximum
        found = self.amount(node.operands[0])
        for operand in node.operands[1:]:
            other = self.amount(operand)
            found = ArrayAmount(
                pick(found.low, other.low), pick(found.high, other.high), found.gaps | other.gaps,
                found.close | other.close, np.maximum(found.size, other.size),
            )  # fmt: skip
        return found

    def _rounded(self, node: Rounded) -> ArrayAmount:
        inner = self.amount(node.operand)
        step = float(in_feet(node.step)[1])

        def rounded(ends: Any) -> Any:
            steps = ends / step + (0.5 if node.how == "nearest" else 0.0)
            whole = np.rint(np.where(np.isinf(steps), 0, steps))
            near = np.isfinite(steps) & (
                np.abs(np.where(np.isinf(steps), 1, steps) - whole) < 1e-9 * np.maximum(1, np.abs(whole))
            )
            if np.any(near):
                self.doubt.append(np.broadcast_to(near, (self.rows,)))
            return (np.ceil(steps) if node.how == "up" else np.floor(steps)) * step

        return ArrayAmount(rounded(inner.low), rounded(inner.high), inner.gaps, inner.close, large(inner))

    def _amount_in_table(self, node: Table) -> ArrayAmount:
        left: Any = np.array(True)
        low, high = np.array(np.inf), np.array(-np.inf)
        gaps, close, size = np.array(False), np.array(False), np.array(0.0)
        for condition, value in [*((row.condition, row.value) for row in node.rows), (None, node.otherwise)]:
            chosen = constant(True) if condition is None else self.truth(condition)
            here = left & (chosen.state != NO)
            found = self.amount(value)
            low = np.where(here, np.minimum(low, found.low), low)
            high = np.where(here, np.maximum(high, found.high), high)
            gaps = gaps | (here & (found.gaps | (chosen.state == UNKNOWN)))
            close = close | (here & (found.close | chosen.close))
            size = np.maximum(size, np.where(here, found.size, 0))
            left = left & (chosen.state != YES)
        return ArrayAmount(low, high, gaps, close, size)
