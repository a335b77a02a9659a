"""Whether each clause holds for a site, what takes it away, and what therefore binds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from geocheck.model.clause import Clause
from geocheck.model.condition import Children
from geocheck.model.ordinance import same_label
from geocheck.model.problem import RuleFileError
from geocheck.model.truth import NO, YES, Truth, all_of, any_of, unknown
from geocheck.rules.scheme import Lift, Scheme

__all__ = ["Bench"]


class Bench:
    """One site before one scheme: truths of clauses and obligations, each worked out once.

    Parameters
    ----------
    scheme : Scheme
        The ordinance under one choice of settings.
    conditions : mapping of int to Truth
        Truth of each condition, and of each ordinance taken in, by identity.
    grounds : frozenset of str
        Labels of the findings of waivers on file, by `same_label`.
    """

    def __init__(self, scheme: Scheme, conditions: Mapping[int, Truth], grounds: frozenset[str]) -> None:
        self.scheme, self.conditions, self.grounds = scheme, conditions, grounds
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
        holds = self._when(n, clause)
        if clause.unless is None or holds.is_no:
            return holds
        return holds & ~self.conditions[id(clause.unless.node)]

    def _when(self, n: int, clause: Clause) -> Truth:
        if clause.incorporates is not None:
            return self.conditions[id(clause.incorporates)]
        if clause.when is None or isinstance(clause.when.node, Children):
            together = all_of if clause.when is not None and clause.when.text == "all" else any_of
            return together([self.holds(m) for m in self.scheme.counted[n]])
        return self.conditions[id(clause.when.node)]
