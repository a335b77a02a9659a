"""Judges a table of sites by an ordinance at once: the same answers as `judge_site`, without the trace.

Intervals and truths are numpy arrays. Where binary floating point could decide differently from exact arithmetic, a
sliver of one part in a thousand million beside a tolerance, the row is judged exactly instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from geocheck.model.condition import Children
from geocheck.model.determination import OUTCOMES, Waiver
from geocheck.model.facts import FactTable
from geocheck.model.ordinance import Clause, Ordinance, same_label
from geocheck.rules.array_values import ArrayValues
from geocheck.rules.arrays import UNKNOWN, YES, ArrayTruth, all_of, any_of, constant, negated
from geocheck.rules.choices import check_settings, choices_under
from geocheck.rules.judge import judge_site
from geocheck.rules.scheme import Lift, Scheme, scheme_of
from geocheck.rules.waiving import waivers_on_file

__all__ = ["Verdict", "judge_table"]

#: Rows judged at once: small enough that the arrays stay in the processor's cache.
ROWS = 32_768


@dataclass(frozen=True, eq=False)
class Verdict:
    """What becomes of one obligation at each site of a table.

    Parameters
    ----------
    outcomes, best_estimates : array of uint8
        Positions in `geocheck.model.determination.OUTCOMES`.
    borderline : array of bool
        Whether a number too near to its threshold keeps the outcome open.

    Examples
    --------
    >>> Verdict(np.array([0, 3], np.uint8), np.array([0, 1], np.uint8), np.array([False, True])).outcome.tolist()
    ['required', 'undetermined']
    """

    outcomes: Any
    best_estimates: Any
    borderline: Any

    @property
    def outcome(self) -> Any:
        """The outcomes in words."""
        return np.array(OUTCOMES)[self.outcomes]

    @property
    def best_estimate(self) -> Any:
        """The best estimates in words."""
        return np.array(OUTCOMES)[self.best_estimates]


def judge_table(
    ordinance: Ordinance,
    table: FactTable,
    *,
    waivers_by_site: Mapping[str, Sequence[Waiver]] | None = None,
    settings: Mapping[str, str] | None = None,
) -> dict[str, Verdict]:
    """Judge every subject of a table by one ordinance.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    table : FactTable
        Facts by column; a column that is not there is absent for all.
    waivers_by_site : mapping of str to sequence of Waiver
        Waivers on file, by identifier.
    settings : mapping of str to str
        Choices of readings; those of other ordinances are passed over.

    Returns
    -------
    dict of str to Verdict
        By obligation, rows in the table's order.

    Raises
    ------
    LedgerError, RuleFileError, UnitError
        As `geocheck.rules.judge.judge_site`.
    """
    own = check_settings(ordinance, settings or {}, strict=False)
    rows = len(table)
    waived = _Waived(ordinance, table.ids, waivers_by_site or {})
    names = [o.name for o in ordinance.obligations]
    found = {n: Verdict(np.empty(rows, np.uint8), np.empty(rows, np.uint8), np.empty(rows, bool)) for n in names}
    values = ArrayValues(ordinance, table)
    doubtful: set[int] = set()
    for start in range(0, rows, ROWS):
        part = slice(start, min(start + ROWS, rows))
        seen = values.within(part, "known")
        known = best = _truths(ordinance, seen, own, settings or {}, waived, part)
        doubts = seen.doubt
        if values.has_width and any(np.any(truth.state == UNKNOWN) for truth in known.values()):
            seen = values.within(part, "best")
            best = _truths(ordinance, seen, own, settings or {}, waived, part)
            doubts = [*doubts, *seen.doubt]
        for name in names:
            by, verdict = waived.of(name, part), found[name]
            verdict.outcomes[part] = codes = _codes(known[name].state, by, part)
            verdict.best_estimates[part] = _codes(best[name].state, by, part)
            verdict.borderline[part] = known[name].close & (codes == OUTCOMES.index("undetermined"))
        for doubt in doubts:
            doubtful.update((np.flatnonzero(doubt) + start).tolist())
    for row in doubtful:
        _judge_exactly(ordinance, table, row, waivers_by_site or {}, settings or {}, found)
    return found


#: Outcomes by truth, without and with a waiver: what does not bind is not waived.
_BY_TRUTH = np.array([OUTCOMES.index(word) for word in ("not_required", "undetermined", "required")], np.uint8)
_WAIVED = np.array([OUTCOMES.index(word) for word in ("not_required", "waived", "waived")], np.uint8)


def _codes(state: Any, waived: Any, part: slice) -> Any:
    states = np.broadcast_to(state, (part.stop - part.start,))
    return _BY_TRUTH[states] if waived is None else np.where(waived, _WAIVED[states], _BY_TRUTH[states])


def _judge_exactly(
    ordinance: Ordinance, table: FactTable, row: int, waivers: Mapping[str, Sequence[Waiver]],
    settings: Mapping[str, str], found: Mapping[str, Verdict],
) -> None:  # fmt: skip
    on_file = waivers.get(table.ids[row], ())
    determination = judge_site(ordinance, table.facts_at(row), waivers=on_file, settings=settings)
    for outcome in determination.obligations:
        verdict = found[outcome.obligation]
        verdict.outcomes[row] = OUTCOMES.index(outcome.outcome)
        verdict.best_estimates[row] = OUTCOMES.index(outcome.best_estimate)
        verdict.borderline[row] = outcome.borderline


class _Waived:
    """Which rows have a waiver, of which obligation and on which finding."""

    def __init__(self, ordinance: Ordinance, ids: Sequence[str], waivers: Mapping[str, Sequence[Waiver]]) -> None:
        self.rows = len(ids)
        self._obligations: dict[str, Any] = {}
        self._grounds: dict[str, Any] = {}
        for row, identifier in enumerate(ids) if waivers else ():
            for name, waiver in waivers_on_file(ordinance, waivers.get(identifier, ())).items():
                self._mark(self._obligations, name, row)
                self._mark(self._grounds, same_label(waiver.ground), row)

    def _mark(self, marks: dict[str, Any], key: str, row: int) -> None:
        marks.setdefault(key, np.zeros(self.rows, bool))[row] = True

    def of(self, obligation: str, part: slice) -> Any:
        marked = self._obligations.get(obligation)
        return None if marked is None else marked[part]

    def on(self, label: str, part: slice) -> Any:
        marked = self._grounds.get(same_label(label))
        return None if marked is None else marked[part]

    def any_of(self, part: slice) -> Any:
        marks = list(self._grounds.values())
        return np.logical_or.reduce(marks)[part] if marks else None


def _truths(
    ordinance: Ordinance, values: ArrayValues, own: Mapping[str, str], settings: Mapping[str, str], waived: _Waived | None,
    part: slice,
) -> dict[str, ArrayTruth]:  # fmt: skip
    choices = choices_under(ordinance, own)
    known: dict[int, ArrayTruth] = {}
    benches = [_ArrayBench(scheme_of(ordinance, choice), values, known, settings, waived, part) for choice in choices]
    return {o.name: _merged([bench.required(o.name) for bench in benches]) for o in ordinance.obligations}


def _merged(truths: Sequence[ArrayTruth]) -> ArrayTruth:
    first = truths[0]
    if len(truths) == 1:
        return first
    same = reduce(np.logical_and, [truth.state == first.state for truth in truths[1:]])
    close = reduce(np.logical_or, [truth.close for truth in truths])
    state = np.where(same, first.state, np.uint8(UNKNOWN))
    return ArrayTruth(state, close & (state == UNKNOWN))


class _ArrayBench:
    """`geocheck.rules.bench.Bench` over arrays."""

    def __init__(
        self, scheme: Scheme, values: ArrayValues, known: dict[int, ArrayTruth], settings: Mapping[str, str],
        waived: _Waived | None, part: slice,
    ) -> None:  # fmt: skip
        self.scheme, self.values, self.known, self.settings = scheme, values, known, settings
        self.waived, self.part = waived, part
        self._truths: dict[int, ArrayTruth] = {}

    def truth(self, n: int) -> ArrayTruth:
        if n not in self._truths:
            self._truths[n] = self._own(n)
        return self._truths[n]

    def holds(self, n: int) -> ArrayTruth:
        return self._left(self.truth(n), self.scheme.lifted[n])

    def _left(self, truth: ArrayTruth, lifts: Iterable[Lift]) -> ArrayTruth:
        return all_of([truth, *(negated(self.lifts(lift)) for lift in lifts)])

    def lifts(self, lift: Lift) -> ArrayTruth:
        standing = self._left(self.truth(lift.clause), self.scheme.lifted_by[lift.clause])
        return standing if lift.where_it_holds else negated(standing)

    def required(self, obligation: str) -> ArrayTruth:
        imposing = self.scheme.imposed_by[obligation]
        bound = [self._left(self.truth(n), self.scheme.lifts_on(obligation, n)) for n in imposing]
        return any_of(bound)

    def _own(self, n: int) -> ArrayTruth:
        clause = self.scheme.clauses[n]
        if clause.not_modelled:
            return constant(None)
        if clause.carried_by:
            return constant(True)
        if clause.still_binds or n in self.scheme.grounds:
            return self._on_file(clause)
        holds = self._when(n, clause)
        if clause.unless is None:
            return holds
        return all_of([holds, negated(self._condition(clause.unless.node))])

    def _on_file(self, clause: Clause) -> ArrayTruth:
        """Return where a waiver names a finding, or, for what waivers leave standing, where there is any."""
        if self.waived is None:
            return constant(False)
        marked = self.waived.any_of(self.part) if clause.still_binds else self.waived.on(clause.label, self.part)
        return constant(False) if marked is None else ArrayTruth(marked.astype(np.uint8) * np.uint8(YES))

    def _when(self, n: int, clause: Clause) -> ArrayTruth:
        if clause.incorporates is not None:
            return self._incorporated(clause)
        if clause.when is None or isinstance(clause.when.node, Children):
            below = self.scheme.counted[n]
            together = all_of if clause.when is not None and clause.when.text == "all" else any_of
            return together([self.holds(m) for m in below])
        return self._condition(clause.when.node)

    def _condition(self, node: Any) -> ArrayTruth:
        if id(node) not in self.known:
            self.known[id(node)] = self.values.truth(node)
        return self.known[id(node)]

    def _incorporated(self, clause: Clause) -> ArrayTruth:
        part = clause.incorporates
        if part is None or part.loaded is None:
            return constant(None)
        own = check_settings(part.loaded, self.settings, strict=False)
        inner = self.values.of(part.loaded)
        found = _truths(part.loaded, inner, own, self.settings, None, self.part)
        names = [part.obligation] if part.obligation else [o.name for o in part.loaded.obligations]
        return any_of([found[name] for name in names])
