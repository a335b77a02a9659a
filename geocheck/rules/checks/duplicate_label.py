"""Two clauses with one label: what is said of one would be read of the other."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Ordinance, same_label
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    seen: dict[str, int | None] = {}
    for clause in ordinance.every_clause:
        label = same_label(clause.label)
        if label in seen:
            where = f"line {seen[label]}" if seen[label] else "another clause"
            yield Problem(
                "duplicate-label", f"{clause.label} is the label of {where} too", clause.place, "Labels are the text's."
            )
        seen.setdefault(label, clause.place.line)


CHECK = Check("duplicate-label", "Two clauses have the same full label.", _look)
