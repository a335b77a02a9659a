"""How to: the single changes that turn an obligation; nothing is said that judging does not bear out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from geocheck.model.condition import Comparison, walk
from geocheck.model.determination import OUTCOMES, Waiver
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import LedgerError, Place, Problem, RuleFileError
from geocheck.model.quantity import Quantity, format_number
from geocheck.model.vocabulary import EXTENTS, FactDeclaration
from geocheck.rules.changing import same_ground
from geocheck.rules.judge import judge_site
from geocheck.rules.units import nearest_name
from geocheck.rules.values import Values
from geocheck.rules.waiving import waivers_on_file

__all__ = ["Turn", "how_to"]

#: How far beyond a threshold a change goes, by unit: what a plan can be drawn to.
_STEPS = {
    "acre": Fraction(1, 1000),
    "%": Fraction(1, 10),
    "ha": Fraction(1, 1000),
    "mi": Fraction(1, 1000),
    "km": Fraction(1, 1000),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One change that turns an obligation.

    Parameters
    ----------
    kind : str
        ``measured``, ``stated``, ``decided``, ``setting`` or ``waiver``.
    name, value : str
        The fact, setting or ground of a waiver, and what it would be.
    says : str
        The change in words.
    distance : float
        How far a number moves, relative to the larger of before and after; 0 for what is not a number.
    """

    kind: str
    name: str
    value: str
    says: str
    distance: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain values."""
        return {"kind": self.kind, "name": self.name, "value": self.value, "says": self.says, "distance": self.distance}


def how_to(
    ordinance: Ordinance,
    facts: Mapping[str, Fact],
    obligation: str,
    outcome: str,
    *,
    waivers: Sequence[Waiver] = (),
    settings: Mapping[str, str] | None = None,
) -> tuple[Turn, ...]:
    """Return the single changes that bring an obligation to an outcome, nearest first; each one was judged.

    Parameters
    ----------
    ordinance, facts, waivers, settings
        As `geocheck.rules.judge.judge_site`.
    obligation, outcome : str
        What should become of what, such as ``permit`` and ``not_required``.

    Returns
    -------
    tuple of Turn
        Numbers first, by how far they move, then what an applicant may state, what an
        official may decide, settings and waivers. Empty where no single change is enough, or the outcome holds already.

    Raises
    ------
    RuleFileError
        If the ordinance has no such obligation, or there is no such outcome.
    """
    known = [o.name for o in ordinance.obligations]
    for word, words, what in ((obligation, known, "obligation"), (outcome, OUTCOMES, "outcome")):
        if word not in words:
            remedy = nearest_name(word, list(words)) or f"There are: {', '.join(words)}."
            raise RuleFileError.of(Problem(f"unknown-{what}", f"there is no {what} {word!r}", Place(), remedy))
    search = _Search(ordinance, facts, obligation, outcome, tuple(waivers), dict(settings or {}))
    if search.comes_of(facts):
        return ()
    order = ("measured", "stated", "decided", "setting", "waiver")
    return tuple(sorted(search.turns(), key=lambda turn: (turn.distance == 0, turn.distance, order.index(turn.kind))))


@dataclass(frozen=True)
class _Search:
    ordinance: Ordinance
    facts: Mapping[str, Fact]
    obligation: str
    outcome: str
    waivers: tuple[Waiver, ...]
    settings: Mapping[str, str]

    def comes_of(
        self, facts: Mapping[str, Fact], *, settings: Mapping[str, str] | None = None, waivers: Sequence[Waiver] = ()
    ) -> bool:
        chosen = self.settings if settings is None else settings
        found = judge_site(self.ordinance, facts, waivers=(*self.waivers, *waivers), settings=chosen)
        return found[self.obligation].outcome == self.outcome

    def turns(self) -> Iterator[Turn]:
        handled: set[str] = set()
        for declared in self.ordinance.needs():
            if declared.name in handled:
                continue
            # Ground that is the same for site, plan and phases changes as one.
            base = next((declared.name.removesuffix(s) for s in EXTENTS if declared.name.endswith(s)), declared.name)
            names = tuple(same_ground(base, self.facts, {})) if base in self.facts else (declared.name,)
            names = names if declared.name in names else (declared.name,)
            handled.update(names)
            yield from self.number(declared, names) if declared.unit else self.yes_or_no(declared)
        yield from self.choices()
        yield from self.waived()

    def yes_or_no(self, declared: FactDeclaration) -> Iterator[Turn]:
        current = self.facts.get(declared.name)
        for value in (True, False):
            if current is not None and current.value is value:
                continue
            changed = {**self.facts, declared.name: Fact(declared.name, declared.kind, value)}
            if self.comes_of(changed):
                word = "yes" if value else "no"
                verb = "have it decided" if declared.kind == "decided" else "the answer would be"
                yield Turn(declared.kind, declared.name, word, f"{declared.name}: {verb} {word} ({declared.asks})")

    def choices(self) -> Iterator[Turn]:
        for setting in self.ordinance.settings:
            for choice in setting.names:
                chosen = {**self.settings, setting.name: choice}
                if self.settings.get(setting.name) != choice and self.comes_of(self.facts, settings=chosen):
                    yield Turn("setting", setting.name, choice, f"read {setting.name} as {choice} ({setting.asks})")

    def waived(self) -> Iterator[Turn]:
        if self.outcome != "waived":
            return
        for label in self.ordinance.waiver_grounds:
            waiver = Waiver(self.obligation, "official", "9999-12-31", label)
            if _fits(self.ordinance, waiver) and self.comes_of(self.facts, waivers=[waiver]):
                says = self.ordinance.clause(label).says
                yield Turn("waiver", label, self.obligation, f"a waiver on the finding {label} {says}".rstrip())

    def number(self, declared: FactDeclaration, names: Sequence[str]) -> Iterator[Turn]:
        current = self.facts.get(declared.name)
        now = current.value if current is not None and isinstance(current.value, Quantity) else None
        best: Turn | None = None
        for value in self.candidates(declared, names, now):
            quantity = Quantity(value, declared.unit)
            if (
                now is not None
                and now.to(declared.unit).value == value
                and current is not None
                and current.low == current.high
            ):
                continue
            if not self.comes_of(self.with_number(names, declared, quantity)):
                continue
            turn = _moved(declared, now, quantity)
            if best is None or turn.distance < best.distance:
                best = turn
        if best is not None:
            yield best

    def with_number(self, names: Sequence[str], declared: FactDeclaration, quantity: Quantity) -> dict[str, Fact]:
        return {**self.facts, **{name: Fact(name, declared.kind, quantity) for name in names}}

    def candidates(self, declared: FactDeclaration, names: Sequence[str], now: Quantity | None) -> Iterator[Fraction]:
        """Yield numbers just at and to either side of where a comparison turns, and the best value made sure."""
        if now is not None:
            yield now.to(declared.unit).value
        step = _STEPS.get(declared.unit, Fraction(1))
        for turning in self.turning_points(declared, names):
            steps = turning / step
            for value in (
                turning,
                (math.floor(steps) + 1) * step,
                (math.ceil(steps) - 1) * step,
            ):
                if value >= 0 or declared.signed:
                    yield Fraction(value)

    def turning_points(self, declared: FactDeclaration, names: Sequence[str]) -> set[Fraction]:
        """Return where comparisons that rest on the fact are even, the other facts at their best values."""
        conditions = [c for clause in self.ordinance.every_clause for c in clause.conditions]
        conditions += [term.expression for term in self.ordinance.terms]
        found: set[Fraction] = set()
        for condition in conditions:
            if not set(names) & set(self.ordinance.names_of(condition)):
                continue
            for node in walk(condition.node):
                if isinstance(node, Comparison):
                    found |= self.roots(node, declared, names)
        return found

    def roots(self, node: Comparison, declared: FactDeclaration, names: Sequence[str]) -> set[Fraction]:
        def apart(value: Fraction) -> Fraction | None:
            facts = self.with_number(names, declared, Quantity(value, declared.unit))
            values = Values(self.ordinance, facts, "best")
            left, right = values.amount(node.left), values.amount(node.right)
            if left.low != left.high or right.low != right.high:
                return None
            return Fraction(left.low - right.low)

        return _roots(apart)


def _roots(apart: Callable[[Fraction], Fraction | None]) -> set[Fraction]:
    """Return where a function that is a line, or a line over its argument, is zero."""
    found: set[Fraction] = set()
    at = {x: apart(x) for x in (Fraction(1), Fraction(2), Fraction(3))}
    y1, y2, y3 = at.values()
    if y1 is None or y2 is None or y3 is None:
        return found
    if y2 - y1 == y3 - y2:
        if y1 != y2:
            found.add(1 - y1 / (y2 - y1))
        return found
    # A share c / x - t, the fact below the line: x * f(x) is a line.
    z1, z2, z3 = y1, 2 * y2, 3 * y3
    if z2 - z1 == z3 - z2 and z1 != z2:
        found.add(1 - z1 / (z2 - z1))
    return found


def _moved(declared: FactDeclaration, now: Quantity | None, then: Quantity) -> Turn:
    if now is None:
        return Turn(declared.kind, declared.name, str(then), f"{declared.name}: {then}", 1.0)
    before = now.to(declared.unit).value
    change = then.value - before
    distance = float(abs(change) / max(abs(before), abs(then.value), Fraction(1, 10**9)))
    if change == 0:
        says = f"{declared.name}: make sure of {then}, with nothing more or less"
        return Turn(declared.kind, declared.name, str(then), says, 1e-9)
    amount = str(Quantity(abs(change), declared.unit)).removesuffix(" each")
    way = "less" if change < 0 else "more"
    says = f"{declared.name}: {amount} {way} (from {format_number(before)} to {then})"
    return Turn(declared.kind, declared.name, str(then), says, max(distance, 1e-9))


def _fits(ordinance: Ordinance, waiver: Waiver) -> bool:
    try:
        return bool(waivers_on_file(ordinance, [waiver]))
    except LedgerError:
        return False
