"""An ordinance under one choice of its settings: which clause imposes, lifts and limits what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from geocheck.model.clause import Clause
from geocheck.model.ordinance import EVERYTHING, Ordinance, same_label
from geocheck.rules.choices import Choices

__all__ = ["Lift", "Scheme", "scheme_of"]


@dataclass(frozen=True, slots=True)
class Lift:
    """That a clause takes something away: where it holds, or, for a limit, where it does not."""

    clause: int
    where_it_holds: bool = True


@dataclass(frozen=True, eq=False)
class Scheme:
    """The clauses under one choice of settings, and how they bear on one another, by their place in the text.

    Parameters
    ----------
    ordinance : Ordinance
        Whose clauses they are.
    clauses : tuple of Clause
        In the order of the text, as they stand under the choice.
    children, above : tuple of tuple of int
        Clauses below each; clauses above each, nearest first.
    lifted, lifted_by : tuple of tuple of Lift
        What takes each clause itself away; and that with what takes one above it away.
    obligation_lifts : mapping of str to tuple of (Lift, tuple of int or None)
        What takes each obligation away, and of which imposing clauses; None for all.
    imposed_by : mapping of str to tuple of int
        What imposes each obligation.
    grounds : frozenset of int
        Findings on which something may be waived.
    names : tuple of tuple of str
        Facts that each clause's own conditions rest on.
    rests_on : mapping of int to frozenset of str
        Facts that each condition, or ordinance taken in, rests on, by its identity.
    """

    ordinance: Ordinance
    clauses: tuple[Clause, ...]
    children: tuple[tuple[int, ...], ...]
    above: tuple[tuple[int, ...], ...]
    lifted: tuple[tuple[Lift, ...], ...]
    lifted_by: tuple[tuple[Lift, ...], ...]
    obligation_lifts: Mapping[str, tuple[tuple[Lift, frozenset[int] | None], ...]]
    imposed_by: Mapping[str, tuple[int, ...]]
    grounds: frozenset[int]
    names: tuple[tuple[str, ...], ...]
    rests_on: Mapping[int, frozenset[str]]

    @cached_property
    def under_settings(self) -> tuple[int, ...]:
        """Clauses that stand under a setting."""
        return tuple(n for n, clause in enumerate(self.ordinance.every_clause) if clause.under)

    def effects(self, n: int) -> tuple[tuple[str, ...], ...]:
        """Return what a clause does, apart from when."""
        form = self.clauses[n]
        return form.imposes, form.lifts, form.limits, form.reaches, (form.instead,)

    def idle(self, n: int) -> bool:
        """Tell whether a clause does nothing by itself, whether it holds or not."""
        form = self.clauses[n]
        return not (form.imposes or form.lifts or form.limits)

    @cached_property
    def counted(self) -> tuple[tuple[int, ...], ...]:
        """Clauses below each that count for whether it holds.

        What only says how others are read never counts. What is not modelled leaves a group open that says ``any`` or
        ``all``; a heading without a condition does not rest on it.
        """
        return tuple(
            tuple(m for m in below if not (self._only_reads(m) or (form.when is None and self.clauses[m].not_modelled)))
            for form, below in zip(self.clauses, self.children, strict=True)
        )

    def _only_reads(self, n: int) -> bool:
        return bool(self.clauses[n].carried_by or self.clauses[n].still_binds)

    def lifts_on(self, obligation: str, imposing: int) -> tuple[Lift, ...]:
        """Return all that takes an obligation away as far as one clause imposes it."""
        own = [lift for lift, reach in self.obligation_lifts[obligation] if reach is None or imposing in reach]
        return (*self.lifted_by[imposing], *own)


@lru_cache(maxsize=512)
def scheme_of(ordinance: Ordinance, choices: Choices) -> Scheme:
    """Return the ordinance under one choice of each of its settings."""
    chosen = dict(choices)
    every = ordinance.every_clause
    index = {id(clause): n for n, clause in enumerate(every)}
    by_label = {same_label(clause.label): n for n, clause in enumerate(every)}
    children = tuple(tuple(index[id(child)] for child in clause.clauses) for clause in every)
    parent = {child: n for n, below in enumerate(children) for child in below}
    above = tuple(tuple(_upward(parent, n)) for n in range(len(every)))
    forms = tuple(next((f for s, c, f in clause.under if chosen.get(s) == c), clause) for clause in every)
    imposed_by = {o.name: tuple(n for n, f in enumerate(forms) if o.name in f.imposes) for o in ordinance.obligations}

    def family(label: str) -> frozenset[int]:
        top = by_label.get(same_label(label))
        return frozenset(n for n in range(len(every)) if top is not None and (n == top or top in above[n]))

    lifted: dict[int, list[Lift]] = {n: [] for n in range(len(every))}
    obligations: dict[str, list[tuple[Lift, frozenset[int] | None]]] = {o.name: [] for o in ordinance.obligations}
    for n, form in enumerate(forms):
        reaches = next((forms[m].reaches for m in (n, *above[n]) if forms[m].reaches), ())
        reach = frozenset[int]().union(*map(family, reaches)) if reaches else None
        for targets, positive in ((form.lifts, True), (form.limits, False)):
            for target in targets:
                names = list(obligations) if target == EVERYTHING else [target] if target in obligations else []
                for name in names:
                    obligations[name].append((Lift(n, positive), reach))
                if not names:
                    top = by_label.get(same_label(target))
                    if top is not None:
                        lifted[top].append(Lift(n, positive))
    grounds = frozenset(
        n for n, clause in enumerate(every) if not children[n] and any(forms[m].waives for m in (n, *above[n]))
    )
    return Scheme(
        ordinance, forms, children, above, tuple(tuple(lifted[n]) for n in range(len(every))),
        tuple(tuple(lift for m in (n, *above[n]) for lift in lifted[m]) for n in range(len(every))),
        {name: tuple(lifts) for name, lifts in obligations.items()}, imposed_by, grounds,
        tuple(_names(ordinance, form) for form in forms),
        _rests_on(ordinance, forms),
    )  # fmt: skip


def _rests_on(ordinance: Ordinance, forms: Sequence[Clause]) -> dict[int, frozenset[str]]:
    conditions = [c for form in forms for c in (form.when, form.unless) if c is not None]
    found = {id(condition.node): frozenset(ordinance.names_of(condition)) for condition in conditions}
    parts = [form.incorporates for form in forms if form.incorporates is not None]
    return found | {id(part): frozenset(part.loaded.facts_used if part.loaded else ()) for part in parts}


def _names(ordinance: Ordinance, clause: Clause) -> tuple[str, ...]:
    found = [name for c in (clause.when, clause.unless) if c is not None for name in ordinance.names_of(c)]
    return tuple(dict.fromkeys(found))


def _upward(parent: Mapping[int, int], n: int) -> list[int]:
    found = []
    while n in parent:
        n = parent[n]
        found.append(n)
    return found
