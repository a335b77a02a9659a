"""An ordinance under one choice of its settings: which clause imposes, lifts and limits what, and what follows for a site."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from geocheck.model.condition import Children
from geocheck.model.ordinance import EVERYTHING, Clause, Ordinance, same_label
from geocheck.model.problem import RuleFileError
from geocheck.model.truth import NO, YES, Truth, all_of, any_of, unknown
from geocheck.rules.values import Values

__all__ = ["Bench", "Lift", "Scheme", "scheme_of"]

Choices = tuple[tuple[str, str], ...]


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
        return form.imposes, form.lifts, form.limits, form.reaches

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


class Bench:
    """One site before one scheme: truths of clauses and obligations, each worked out once.

    Parameters
    ----------
    scheme : Scheme
        The ordinance under one choice of settings.
    values : Values
        The site's facts, in one mode.
    grounds : frozenset of str
        Labels of the findings of waivers on file, by `same_label`.
    known : dict
        Truths of conditions that do not depend on the choice; shared by the benches of one site and mode.
    settings : mapping of str to str
        Settings in force, for the ordinances that this one takes in.
    """

    def __init__(
        self,
        scheme: Scheme,
        values: Values,
        grounds: frozenset[str],
        known: dict[int, Truth] | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.scheme, self.values, self.grounds, self.settings = scheme, values, grounds, settings or {}
        self._conditions: dict[int, Truth] = {} if known is None else known
        self._truths: dict[int, Truth] = {}
        self._standing: dict[int, Truth] = {}
        self._pending: set[int] = set()

    def truth(self, n: int) -> Truth:
        """Return whether a clause holds by itself, before anything takes it away.

        Raises
        ------
        RuleFileError
            If its truth rests on itself, through what it lifts.
        """
        found = self._truths.get(n)
        if found is None:
            found = self._truths[n] = self._once(n, self._own)
        return found

    def holds(self, n: int) -> Truth:
        """Return whether a clause holds and nothing takes it away by name: what it counts for among its neighbours."""
        return self._left(self.truth(n), self.scheme.lifted[n])

    def standing(self, n: int) -> Truth:
        """Return whether a clause holds and nothing takes it away, nor one above it."""
        lifts = self.scheme.lifted_by[n]
        if not lifts:
            return self.truth(n)
        found = self._standing.get(n)
        if found is None:
            found = self._standing[n] = self._once(~n, lambda _: self._left(self.truth(n), lifts))
        return found

    def _once(self, key: int, find: Callable[[int], Truth]) -> Truth:
        if key in self._pending:
            label = self.scheme.clauses[max(key, ~key)].label
            raise RuleFileError(f"{self.scheme.ordinance.id}: {label} takes itself away, through what it lifts")
        self._pending.add(key)
        found = find(key)
        self._pending.discard(key)
        return found

    def _left(self, truth: Truth, lifts: Sequence[Lift]) -> Truth:
        if truth.is_no or not lifts:
            return truth
        return all_of((truth, *(~self.lifts(lift) for lift in lifts)))

    def lifts(self, lift: Lift) -> Truth:
        """Return whether something is taken away by this."""
        standing = self.standing(lift.clause)
        return standing if lift.where_it_holds else ~standing

    def required(self, obligation: str) -> Truth:
        """Return whether an obligation binds, before waivers."""
        imposing = self.scheme.imposed_by[obligation]
        return any_of(self._left(self.truth(n), self.scheme.lifts_on(obligation, n)) for n in imposing)

    def _own(self, n: int) -> Truth:
        clause = self.scheme.clauses[n]
        if clause.not_modelled:
            return unknown(clause.label, "not modelled", clause.not_modelled)
        if clause.carried_by:
            return YES
        if clause.still_binds:
            return YES if self.grounds else NO
        if n in self.scheme.grounds:
            return YES if same_label(clause.label) in self.grounds else NO
        self.values.clause = clause.label
        holds = self._when(n, clause)
        if clause.unless is None or holds.is_no:
            return holds
        return holds & ~self._condition(clause.unless.node, clause)

    def _when(self, n: int, clause: Clause) -> Truth:
        if clause.incorporates is not None:
            return self._incorporated(clause)
        if clause.when is None or isinstance(clause.when.node, Children):
            together = all_of if clause.when is not None and clause.when.text == "all" else any_of
            return together([self.holds(m) for m in self.scheme.counted[n]])
        return self._condition(clause.when.node, clause)

    def _condition(self, node: object, clause: Clause) -> Truth:
        found = self._conditions.get(id(node))
        if found is None:
            self.values.clause = clause.label
            found = self._conditions[id(node)] = self.values.truth(node)  # type: ignore[arg-type]
        return found

    def _incorporated(self, clause: Clause) -> Truth:
        part = clause.incorporates
        assert part is not None
        if part.loaded is None:
            return unknown(part.ordinance, "not loaded", f"{clause.label} takes it in by reference")
        if id(part) in self._conditions:
            return self._conditions[id(part)]
        # Judged by its own file, never by a copy of its words here.
        from geocheck.rules.judge import truths_under_every_choice

        names = [part.obligation] if part.obligation else [o.name for o in part.loaded.obligations]
        found = truths_under_every_choice(part.loaded, self.values.facts, self.settings, self.values.mode)
        truth = self._conditions[id(part)] = any_of(found[name] for name in names)
        return truth
