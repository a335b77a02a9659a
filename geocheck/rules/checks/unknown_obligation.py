"""Something imposed, lifted, limited or waived that the ordinance does not have."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import EVERYTHING, Clause, Ordinance, same_label
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check
from geocheck.rules.units import nearest_name


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    for clause in ordinance.every_clause:
        for form in (clause, *clause.forms()) if clause.under else (clause,):
            yield from _targets(ordinance, form)


def _targets(ordinance: Ordinance, form: Clause) -> Iterator[Problem]:
    obligations = [o.name for o in ordinance.obligations]
    labels = [clause.label for clause in ordinance.every_clause if clause.label]
    kinds = {
        "imposes": obligations,
        "waives": [*obligations, EVERYTHING],
        "lifts": [*obligations, EVERYTHING, *labels],
        "limits": [*obligations, EVERYTHING, *labels],
        "reaches": labels,
        "carried_by": labels,
    }
    for key, allowed in kinds.items():
        comparable = {same_label(name) for name in allowed}
        for nth, name in enumerate(getattr(form, key)):
            if same_label(name) not in comparable:
                what = (
                    "clause"
                    if allowed is labels
                    else "obligation"
                    if allowed is obligations
                    else "obligation or clause"
                )
                remedy = nearest_name(name, allowed) or f"There are: {', '.join(allowed)}."
                message = f"{form.label} {key} {name!r}, and there is no such {what}"
                yield Problem("unknown-obligation", message, form.place_of(key, nth), remedy)
    for name, _ in form.still_binds:
        if name not in (*obligations, EVERYTHING):
            message = f"{form.label} still_binds {name!r}, and there is no such obligation"
            yield Problem("unknown-obligation", message, form.place_of("still_binds"), nearest_name(name, obligations))


CHECK = Check(
    "unknown-obligation",
    "A clause imposes, lifts, limits, reaches or waives an obligation or a clause that the ordinance does not have.",
    _look,
)
