"""The trace of a judgement: each clause, the facts it saw with their intervals, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from geocheck.model.determination import TraceStep
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.quantity import Quantity, format_number
from geocheck.rules.bench import Bench, Choices, Scheme

__all__ = ["ONE_SITE", "shown", "trace_of"]

#: Source of a fact over a plan or all phases that was taken from the site's own, because nobody named a plan or phase.
ONE_SITE = "one site, one phase"


def shown(name: str, fact: Fact | None, kind: str = "stated") -> str:
    """Return a fact as a reader reads it: value and, where it has one, interval.

    Examples
    --------
    >>> shown("grows_crops", None)
    'grows_crops missing'
    """
    if fact is None or fact.value is None:
        if kind == "decided" and (fact is None or (fact.kind == "decided" and fact.status == "missing")):
            return f"{name}: no decision on file"
        return (
            f"{name} {fact.status if fact is not None and fact.status in ('outside coverage', 'failed') else 'missing'}"
        )
    if isinstance(fact.value, bool):
        return f"{name} = {'yes' if fact.value else 'no'}"
    text = f"{name} = {fact.value}"
    if isinstance(fact.low, Quantity) and isinstance(fact.high, Quantity) and fact.low != fact.high:
        text += f" ({format_number(fact.low.value)} to {format_number(fact.high.value)})"
    return text


def trace_of(
    ordinance: Ordinance,
    facts: Mapping[str, Fact],
    benches: Sequence[Bench],
    schemes: Sequence[Scheme],
    choices: Sequence[Choices],
    settings: Mapping[str, str],
) -> tuple[TraceStep, ...]:
    """Return a step for every clause, in the order of the text."""
    from geocheck.rules.judge import merged

    steps = []
    words: dict[str, str] = {}
    for n, clause in enumerate(ordinance.every_clause):
        truth = merged([bench.truth(n) for bench in benches], choices[: len(benches)])
        names = dict.fromkeys(name for scheme in schemes for name in scheme.names[n])
        for name in names:
            if name not in words:
                words[name] = shown(name, facts.get(name), _kind(ordinance, name))
        seen = "; ".join(words[name] for name in names)
        note = "; ".join(filter(None, _notes(clause, n, facts, list(names), benches, settings)))
        steps.append(TraceStep(clause.label, truth, seen, note, ordinance.depths[clause.label]))
    return tuple(steps)


def _kind(ordinance: Ordinance, name: str) -> str:
    declared = ordinance.declaration(name)
    return declared.kind if declared is not None else "stated"


def _notes(
    clause: Clause, n: int, facts: Mapping[str, Fact], names: Sequence[str], benches: Sequence[Bench],
    settings: Mapping[str, str],
) -> list[str]:  # fmt: skip
    notes = []
    defeats = [_defeated_by(bench, n) for bench in benches]
    if all(defeats):
        notes.append(f"lifted by {', '.join(dict.fromkeys(label for labels in defeats for label in labels))}")
    if benches[0].truth(n).is_yes and clause.instead:
        notes.append(f"instead: {clause.instead}")
    if clause.under:
        name = clause.under[0][0]
        ways = [choice for _, choice, _ in clause.under]
        chosen = settings.get(name)
        notes.append(f"{name}: {chosen}" if chosen else f"{name} is not set: judged as {' and as '.join(ways)}")
    if clause.not_modelled:
        notes.append(f"not modelled: {clause.not_modelled}")
    if clause.carried_by:
        notes.append(f"carried by {', '.join(clause.carried_by)}")
    if clause.incorporates is not None:
        notes.append(f"takes in {clause.incorporates.ordinance}")
    for name in names:
        fact = facts.get(name)
        if fact is not None and fact.source == ONE_SITE and fact.note:
            notes.append(fact.note)
    if clause.reading is not None:
        notes.append(f"reading: {clause.reading.says}")
    return notes


def _defeated_by(bench: Bench, n: int) -> list[str]:
    if bench.truth(n).is_no:
        return []
    lifts = [lift for lift in bench.scheme.lifted_by[n] if bench.lifts(lift).is_yes]
    return [bench.scheme.clauses[lift.clause].label for lift in lifts]
