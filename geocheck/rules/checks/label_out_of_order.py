"""A clause label out of its order, or one left out between its neighbours: law that nobody mentions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check
from geocheck.rules.labels import follows, ordinal_in, own_label, system_of


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    yield from _among(ordinance.clauses, nested=False)
    for clause in ordinance.every_clause:
        yield from _among(clause.clauses, nested=True)


def _among(clauses: tuple[Clause, ...], *, nested: bool) -> Iterator[Problem]:
    found = [(clause, label) for clause in clauses if (label := own_label(clause.at)) is not None]
    if len(found) < len(clauses):
        # A heading without a number, or a section's own number: there is no order to hold it to.
        return
    for (before, first), (clause, label) in itertools.pairwise(found):
        if label.shape != first.shape:
            message = f"{clause.at} is written unlike {before.at} beside it"
            yield Problem("label-out-of-order", message, clause.place, "Write labels as the text does.")
    system = system_of([label.core for _, label in found])
    if system is None:
        if found:
            message = f"{', '.join(clause.at for clause in clauses)} do not count in one way"
            yield Problem("label-out-of-order", message, clauses[0].place, "Write labels as the text does.")
        return
    last: float | None = 0 if nested else None
    previous = "the beginning"
    for clause, label in found:
        place = ordinal_in(system, label.core) or 0
        if last is not None and place <= last:
            message = f"{clause.label} comes after {previous}"
            yield Problem("label-out-of-order", message, clause.place, "Put the clauses in the order of the text.")
        elif last is not None and not follows(last, place):
            message = f"{clause.label} follows {previous}; what stands between is left out"
            remedy = (
                "Add it, with not_modelled: and the reason where it is not modelled (repealed, reserved, not read)."
            )
            yield Problem("label-out-of-order", message, clause.place, remedy)
        last, previous = max(place, last or 0), clause.label


CHECK = Check(
    "label-out-of-order",
    "A label does not follow the one before it, one is left out between, or one is written unlike its neighbours.",
    _look,
    severity="warning",
)
