"""Something imposed, lifted, limited or waived that the ordinance does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from geocheck.model.ordinance import EVERYTHING, Clause, Ordinance, same_label
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check
from geocheck.rules.units import nearest_name


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    obligations = [o.name for o in ordinance.obligations]
    labels = [clause.label for clause in ordinance.every_clause if clause.label]
    kinds = {
        "imposes": ("obligation", obligations),
        "waives": ("obligation", [*obligations, EVERYTHING]),
        "lifts": ("obligation or clause", [*obligations, EVERYTHING, *labels]),
        "limits": ("obligation or clause", [*obligations, EVERYTHING, *labels]),
        "reaches": ("clause", labels),
        "carried_by": ("clause", labels),
    }
    allowed = {key: (what, names, {same_label(name) for name in names}) for key, (what, names) in kinds.items()}
    for clause in ordinance.every_clause:
        for form in (clause, *clause.forms()) if clause.under else (clause,):
            yield from _targets(form, allowed, obligations)


def _targets(
    form: Clause, allowed: Mapping[str, tuple[str, list[str], set[str]]], obligations: list[str]
) -> Iterator[Problem]:
    for key, (what, names, comparable) in allowed.items():
        for nth, name in enumerate(getattr(form, key)):
            if same_label(name) not in comparable:
                remedy = nearest_name(name, names) or f"There are: {', '.join(names[:20])}."
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
