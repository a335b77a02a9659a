"""The trace of a judgement: each clause, the facts it saw with their intervals, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from geocheck.model.clause import Clause
from geocheck.model.determination import Trace, TraceStep
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.quantity import Quantity, format_number
from geocheck.rules.bench import Bench
from geocheck.rules.choices import merged
from geocheck.rules.hearing import Docket

__all__ = ["ONE_SITE", "of_one_site", "shown", "steps_of", "trace_of"]

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
        status = fact.status if fact is not None and fact.status in ("outside coverage", "failed") else "missing"
        return f"{name} {status}{_known_of(fact)}"
    if isinstance(fact.value, bool):
        return f"{name} = {'yes' if fact.value else 'no'}"
    text = f"{name} = {fact.value}"
    if isinstance(fact.low, Quantity) and isinstance(fact.high, Quantity) and fact.low != fact.high:
        text += f" ({format_number(fact.low.value)} to {format_number(fact.high.value)})"
    return text


def _known_of(fact: Fact | None) -> str:
    """Return what is known of a number that is not: what it lies between, above or below."""
    low, high = (None, None) if fact is None else (fact.low, fact.high)
    if low is not None and high is not None:
        return f" ({format_number(low.value)} to {high})"
    return f" (at least {low})" if low is not None else f" (at most {high})" if high is not None else ""


def of_one_site(facts: Mapping[str, Fact]) -> tuple[tuple[str, str], ...]:
    """Return the facts over a plan or all phases that were taken from the site's own, with the notes that say so."""
    return tuple((name, fact.note) for name, fact in facts.items() if fact.source == ONE_SITE and fact.note)


def steps_of(facts: Mapping[str, Fact], benches: Sequence[Bench], docket: Docket) -> tuple[TraceStep, ...]:
    """Return a step for every clause, in the order of the text, without the facts that it saw."""
    ordinance, steps = docket.ordinance, []
    choices, own = docket.choices[: len(benches)], dict(of_one_site(facts))
    for n, clause in enumerate(ordinance.every_clause):
        truth = merged([bench.truth(n) for bench in benches], choices)
        note = "; ".join(filter(None, _notes(clause, n, own, docket.names[n], benches, docket.own)))
        steps.append(TraceStep(clause.label, truth, "", note, ordinance.depths[clause.label]))
    return tuple(steps)


def trace_of(steps: Sequence[TraceStep], facts: Mapping[str, Fact], docket: Docket) -> Trace:
    """Return the trace of a site: the steps, with the facts that each of them saw there."""
    words = {
        name: shown(name, facts.get(name), _kind(docket.ordinance, name))
        for name in dict.fromkeys(chain(*docket.names))
    }
    seen = ["; ".join([words[name] for name in names]) for names in docket.names]
    return Trace(
        tuple(
            TraceStep(step.clause, step.truth, text, step.note, step.depth)
            for step, text in zip(steps, seen, strict=True)
        )
    )


def _kind(ordinance: Ordinance, name: str) -> str:
    declared = ordinance.declaration(name)
    return declared.kind if declared is not None else "stated"


def _notes(
    clause: Clause, n: int, own: Mapping[str, str], names: Sequence[str], benches: Sequence[Bench],
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
    notes += [own[name] for name in names if name in own]
    if clause.reading is not None:
        notes.append(f"reading: {clause.reading.says}")
    return notes


def _defeated_by(bench: Bench, n: int) -> list[str]:
    if bench.truth(n).is_no:
        return []
    lifts = [lift for lift in bench.scheme.lifted_by[n] if bench.lifts(lift).is_yes]
    return [bench.scheme.clauses[lift.clause].label for lift in lifts]
