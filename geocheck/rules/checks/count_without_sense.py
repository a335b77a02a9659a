"""A fact that counts another from a day on, where there is no such day, no such number, or a number of another kind."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.model.vocabulary import EXTENTS, VOCABULARY, FactDeclaration
from geocheck.rules.checks import Check
from geocheck.rules.units import nearest_name


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    for name, declared in ordinance.facts.items():
        for message, remedy in _wrong(ordinance, declared) if declared.counts else ():
            yield Problem("count-without-sense", message, ordinance.place_of(f"facts.{name}"), remedy)


def _wrong(ordinance: Ordinance, declared: FactDeclaration) -> Iterator[tuple[str, str]]:
    name, counts = declared.name, declared.counts
    other = ordinance.declaration(counts)
    if not declared.since:
        yield f"{name} counts {counts} and does not say from which day on", "Add since: and the day."
    if declared.kind != "measured":
        yield f"{name} counts {counts} and is {declared.kind}: what is added up is measured", "Make it measured."
    if other is None or other.kind != "measured" or not other.unit or other.counts:
        known = [n for n, d in {**VOCABULARY, **ordinance.facts}.items() if d.kind == "measured" and not d.counts]
        yield f"{name} counts {counts!r}, and no such number is measured", nearest_name(counts, known)
    elif counts.endswith(tuple(EXTENTS)):
        remedy = f"Count {next(counts.removesuffix(suffix) for suffix in EXTENTS if counts.endswith(suffix))}."
        yield f"{name} counts {counts}: the sites of the plan are added up anyway", remedy
    elif declared.unit != other.unit:
        # What is stated of it stands beside what is added up, number by number.
        message = (
            f"{name} is a number in {declared.unit or 'no unit'} and counts {counts}, which is one in {other.unit}"
        )
        yield message, f"Write unit: {other.unit}; its thresholds may be in any unit."


CHECK = Check(
    "count-without-sense",
    "A fact counts from a day on what is not measured, or without the day, or in another unit.",
    _look,
)
