"""What a condition comes to for one site: intervals through the arithmetic, three-valued truth out of comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from geocheck.model.condition import (
    All,
    Always,
    Any,
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
    names_in,
    text_of,
)
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import UnitError
from geocheck.model.quantity import (
    UNITS,
    Quantity,
    dimension_of,
    format_number,
)
from geocheck.model.truth import NO, YES, Gap, Truth, all_of, any_of, unknown
from geocheck.model.vocabulary import FactDeclaration
from geocheck.rules.amounts import INFINITE, ZERO, Amount, End, in_feet, number, order, product
from geocheck.rules.units import kind_of

__all__ = ["MODES", "Values", "factor_of", "has_no_decision"]

#: ``known``: intervals as they are. ``best``: each interval at its best value. ``open``: as known, and each decision
#: that is not on file is open instead of no.
MODES = ("known", "best", "open")


def has_no_decision(declared_kind: str, fact: Fact | None) -> bool:
    """Tell whether a fact is an official act of which none is on file: it reads as no, and stays reserved."""
    if declared_kind != "decided":
        return False
    return fact is None or (fact.value is None and fact.kind == "decided" and fact.status == "missing")


@lru_cache(maxsize=4096)
def factor_of(node: Arithmetic, ordinance: Ordinance) -> Fraction:
    """Return what a product or quotient of two numbers is multiplied by for percentages: 10 % of 200 ft2 is 20 ft2."""
    left, right = kind_of(node.left, ordinance), kind_of(node.right, ordinance)
    if node.operator == "*":
        return Fraction(1, 100) if "percent" in (left, right) else Fraction(1)
    return Fraction(100) if left == right or right == "percent" else Fraction(1)


def _told(end: Fraction) -> str:
    """Return an end of an interval with the digits that tell it from a threshold: an acre needs more than square feet."""
    return format_number(end) if abs(end) >= 1000 else f"{float(end):.6g}"


def _bounds(declared: FactDeclaration, fact: Fact | None) -> tuple[End, End]:
    """Return what a number that is not known lies between: what was found out of it, else what its kind says.

    What cannot be below zero is known that far: 500 yd3 of cut exceed 400 yd3 whatever the fill.
    """
    least: End = -INFINITE if declared.signed else ZERO
    low: End = least
    high: End = INFINITE
    dimension = dimension_of(declared.unit)
    if fact is not None and fact.low is not None and fact.low.dimension == dimension:
        low = max(least, in_feet(fact.low)[0])
    if fact is not None and fact.high is not None and fact.high.dimension == dimension:
        high = in_feet(fact.high)[2]
    return (low, high) if low <= high else (least, INFINITE)


class Values:
    """The facts of one site, read in one of `MODES`.

    Parameters
    ----------
    ordinance : Ordinance
        Whose facts and terms its names are.
    facts : mapping of str to Fact
        What is known; others are absent.
    mode : str
        One of `MODES`.
    """

    def __init__(self, ordinance: Ordinance, facts: Mapping[str, Fact], mode: str = "known") -> None:
        self.ordinance, self.facts, self.mode = ordinance, facts, mode
        self.clause = ""
        self._amounts: dict[str, Amount] = {}

    def truth(self, node: Node) -> Truth:
        """Return the truth of a condition.

        Raises
        ------
        geocheck.model.problem.UnitError
            If a fact is not of the kind that its declaration says.
        """
        match node:
            case Comparison():
                return self._comparison(node)
            case All():
                return all_of(self.truth(operand) for operand in node.operands)
            case Any():
                return any_of(self.truth(operand) for operand in node.operands)
            case Not():
                return ~self.truth(node.operand)
            case Name():
                return self._named_truth(node.name)
            case Always():
                return YES
            case Table():
                return self._truth_in_table(node)
            case _:
                raise UnitError(f"{text_of(node)} is not a condition")

    def _named_truth(self, name: str) -> Truth:
        term = self.ordinance.term_by_name.get(name)
        if term is not None:
            return self.truth(term.expression.node)
        declared = self.ordinance.declaration(name)
        if declared is None:
            raise UnitError(f"{name} is not a fact of {self.ordinance.cite or self.ordinance.id}")
        fact = self.facts.get(name)
        if has_no_decision(declared.kind, fact):
            return unknown(name, "needs a decision", self.clause) if self.mode == "open" else NO
        if fact is None or fact.value is None:
            return Truth(None, frozenset({self._gap(name, fact)}))
        if not isinstance(fact.value, bool):
            raise UnitError(f"{name} is yes or no; {fact.value} was given")
        return YES if fact.value else NO

    def _gap(self, name: str, fact: Fact | None) -> Gap:
        if fact is None:
            return Gap(name, "missing")
        reason = fact.status if fact.status in ("outside coverage", "failed") else "missing"
        return Gap(name, reason, fact.note)

    def _truth_in_table(self, node: Table) -> Truth:
        possible: list[Truth] = []
        gaps: frozenset[Gap] = frozenset()
        for row in node.rows:
            chosen = self.truth(row.condition)
            if chosen.is_no:
                continue
            possible.append(self.truth(row.value))
            if chosen.is_yes:
                break
            gaps |= chosen.gaps
        else:
            possible.append(self.truth(node.otherwise))
        if all(truth == YES for truth in possible) or all(truth == NO for truth in possible):
            return possible[0]
        return Truth(None, gaps.union(*(truth.gaps for truth in possible)))

    def _comparison(self, node: Comparison) -> Truth:
        left, right = self.amount(node.left), self.amount(node.right)
        scale = self._scale(node, left, right)
        lowest = order(left.low, right.high, scale)
        sharp = left.low is left.high and right.low is right.high
        highest = lowest if sharp else order(left.high, right.low, scale)
        match node.operator:
            case ">=":
                decided = True if lowest >= 0 else False if highest < 0 else None
            case ">":
                decided = True if lowest > 0 else False if highest <= 0 else None
            case "<=":
                decided = True if highest <= 0 else False if lowest > 0 else None
            case "<":
                decided = True if highest < 0 else False if lowest >= 0 else None
            case _:
                same = True if lowest == 0 == highest else False if lowest > 0 or highest < 0 else None
                decided = same if node.operator == "==" or same is None else not same
        if decided is None:
            return Truth(None, self._why(node, left, right))
        return YES if decided else NO

    def _scale(self, node: Comparison, left: Amount, right: Amount) -> End | None:
        """Return what the tolerance is relative to: the threshold, where one side is a plain number."""
        for side, amount in ((node.right, right), (node.left, left)):
            if isinstance(side, Number):
                return max(abs(amount.low), abs(amount.high))
        return None

    def sharply(self, node: Comparison) -> tuple[int, float] | None:
        """Return how the sides of a comparison stand (-1, 0, 1) and how far apart, or None where they are not sharp.

        The distance is relative to the threshold; from a threshold of zero it is the distance itself.
        """
        left, right = self.amount(node.left), self.amount(node.right)
        if left.low != left.high or right.low != right.high or left.gaps or right.gaps:
            return None
        threshold = right.low if not names_in(node.right) else left.low
        stands = order(left.low, right.low, self._scale(node, left, right))
        return stands, float(abs(left.low - right.low) / (abs(threshold) or 1))

    def _why(self, node: Comparison, left: Amount, right: Amount) -> frozenset[Gap]:
        gaps = left.gaps | right.gaps
        if gaps:
            return gaps
        unit = next((n.quantity.unit for n in (node.right, node.left) if isinstance(n, Number)), "")
        note = f"{self._shown(node.left, left, unit)}; compared with {self._shown(node.right, right, unit)}"
        names = left.wide | right.wide or frozenset(names_in(node))
        return frozenset(Gap(name, "within tolerance", note) for name in names)

    def _shown(self, node: Node, amount: Amount, unit: str) -> str:
        if isinstance(node, Number):
            return str(node.quantity)
        factor = UNITS[unit][1] if unit and UNITS[unit][2] != "metre" else Fraction(1)
        ends = [_told(Fraction(end) / factor) for end in (amount.low, amount.high)]
        blank = "" if unit == "%" else " "
        return f"{text_of(node)} is {ends[0]} to {ends[1]}{blank}{unit}".rstrip()

    def amount(self, node: Node) -> Amount:
        """Return the interval of an arithmetic expression.

        Raises
        ------
        geocheck.model.problem.UnitError
            If a fact is not of the dimension that its declaration says.
        """
        match node:
            case Number():
                return number(node.quantity, self.mode == "best")
            case Name():
                return self._named_amount(node.name)
            case Negative():
                inner = self.amount(node.operand)
                return Amount(-inner.high, -inner.low, inner.gaps, inner.wide)
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

    def _named_amount(self, name: str) -> Amount:
        found = self._amounts.get(name)
        if found is not None:
            return found
        term = self.ordinance.term_by_name.get(name)
        if term is not None:
            return self.amount(term.expression.node)
        declared = self.ordinance.declaration(name)
        if declared is None:
            raise UnitError(f"{name} is not a fact of {self.ordinance.cite or self.ordinance.id}")
        found = self._amounts[name] = self._fact_amount(declared, self.facts.get(name))
        return found

    def _fact_amount(self, declared: FactDeclaration, fact: Fact | None) -> Amount:
        name = declared.name
        least: End = -INFINITE if declared.signed else ZERO
        if fact is None or fact.value is None:
            return Amount(*_bounds(declared, fact), frozenset({self._gap(name, fact)}))
        if isinstance(fact.value, bool) or fact.value.dimension != dimension_of(declared.unit):
            given = "yes or no" if isinstance(fact.value, bool) else f"{fact.value.dimension} ({fact.value})"
            raise UnitError(f"{name} is a number in {declared.unit}; {given} was given")
        low, best, high = self._ends(fact, fact.value)
        if least == 0 and high.numerator < 0:
            return Amount(least, INFINITE, frozenset({Gap(name, "failed", f"{fact.value} is below zero")}))
        if least == 0 and low.numerator <= 0:
            low, best = max(low, least), max(best, least)
        if self.mode == "best" or low is high:
            return Amount(best, best)
        return Amount(low, high, wide=frozenset({name}) if low < high else frozenset())

    def _ends(self, fact: Fact, value: Quantity) -> tuple[Fraction, Fraction, Fraction]:
        low, best, high = in_feet(value)
        if fact.low is not None and fact.low is not value and fact.low != value:
            low = min(low, in_feet(fact.low)[0])
        if fact.high is not None and fact.high is not value and fact.high != value:
            high = max(high, in_feet(fact.high)[2])
        return low, best, high

    def _arithmetic(self, node: Arithmetic) -> Amount:
        left, right = self.amount(node.left), self.amount(node.right)
        gaps, wide = left.gaps | right.gaps, left.wide | right.wide
        if node.operator == "+":
            return Amount(left.low + right.low, left.high + right.high, gaps, wide)
        if node.operator == "-":
            return Amount(left.low - right.high, left.high - right.low, gaps, wide)
        factor = factor_of(node, self.ordinance)
        if node.operator == "*":
            return product(left, right, factor, gaps, wide)
        if right.low <= 0 <= right.high:
            if not right.gaps:
                what = text_of(node.right)
                gaps |= {Gap(what, "undefined", f"{what} is zero, or may be: nothing can be divided by it")}
            return Amount(-INFINITE, INFINITE, gaps, wide)
        least, most = (ZERO if math.isinf(end) else 1 / Fraction(end) for end in (right.high, right.low))
        return product(left, Amount(least, most), factor, gaps, wide)

    def _extreme(self, node: Extreme) -> Amount:
        parts = [self.amount(operand) for operand in node.operands]
        pick = min if node.which == "less" else max
        gaps, wide = parts[0].gaps.union(*(p.gaps for p in parts)), parts[0].wide.union(*(p.wide for p in parts))
        return Amount(pick(p.low for p in parts), pick(p.high for p in parts), gaps, wide)

    def _rounded(self, node: Rounded) -> Amount:
        inner = self.amount(node.operand)
        step = in_feet(node.step)[1]

        def rounded(end: End) -> End:
            if math.isinf(end):
                return end
            steps = Fraction(end) / step
            if node.how == "nearest":
                return math.floor(steps + Fraction(1, 2)) * step
            return (math.ceil(steps) if node.how == "up" else math.floor(steps)) * step

        return Amount(rounded(inner.low), rounded(inner.high), inner.gaps, inner.wide)

    def _amount_in_table(self, node: Table) -> Amount:
        possible: list[Amount] = []
        gaps: frozenset[Gap] = frozenset()
        for row in node.rows:
            chosen = self.truth(row.condition)
            if chosen.is_no:
                continue
            possible.append(self.amount(row.value))
            if chosen.is_yes:
                break
            gaps |= chosen.gaps
        else:
            possible.append(self.amount(node.otherwise))
        return Amount(
            min(p.low for p in possible),
            max(p.high for p in possible),
            gaps.union(*(p.gaps for p in possible)),
            frozenset().union(*(p.wide for p in possible)),
        )
