"""What a determination memo says of one site, as plain texts for its template."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
import shapely

from geocheck.model.determination import Determination
from geocheck.model.findings import Findings
from geocheck.model.ground import ZONES
from geocheck.model.memo_fields import FIELDS
from geocheck.model.vocabulary import EXTENTS
from geocheck.reports.page.content import overview
from geocheck.reports.page.site_content import Sites
from geocheck.reports.page.words import OUTCOME_WORDS, plain_name
from geocheck.reports.tables import Tables

__all__ = ["memo_content"]

#: To be filled in by hand.
BLANK = "____________________"

#: Facts that a memo tells first, in its order; the rest follow.
_FIRST = (
    "disturbed area", "impervious area existing", "impervious area proposed", "impervious area added", "excavated volume", "filled volume",
    "disturbed channel length", "new road length", "small parcels created",
)  # fmt: skip


def memo_content(tables: Tables, site: str, fields: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the memo's words by the names that a template may use.

    Parameters
    ----------
    tables : Tables
        The run's tables.
    site : str
        Identifier of the site.
    fields : mapping of str to str, optional
        What the office fills in, by the names in `model.memo_fields`; what is left out is a blank to write on.

    Raises
    ------
    OutputError
        If the run has no such site.
    """
    findings = tables.findings
    sites = Sites(tables)
    place = sites.place_of(site)
    about, told, shared = overview(tables, site), sites.detail(place, whole=True), sites.shared()
    judged = [
        _judged(j, shared["law"][j["law"]], d) for j, d in zip(told["judged"], sites.judged.get(site, ()), strict=True)
    ]
    return {
        "office": {name: (fields or {}).get(name, BLANK) for name in FIELDS},
        "labels": FIELDS,
        "name": about["name"],
        "jurisdiction": findings.jurisdiction or BLANK,
        "as_of": about["as_of"],
        "site": site,
        "plan": told["plan"],
        "phase": told["phase"],
        "parcels": _parcels(findings, place),
        "facts": sorted(
            _own(told), key=lambda fact: _FIRST.index(fact["name"]) if fact["name"] in _FIRST else len(_FIRST)
        ),
        "judged": judged,
        "conclusion": [_conclusion(d, j["cite"]) for j, d in zip(judged, sites.judged.get(site, ()), strict=True)],
        "unknown": [f"{name}: {status}{f', {note}' if note else ''}" for name, status, note in told["unknown"]],
        "questions": [asks for asks, _, _ in told["questions"]],
        "absent": about["absent"],
        "layers": [
            {
                **{key: layer[key] for key in ("role", "date", "accuracy", "crs")},
                **{key: _file(layer[key]) for key in ("source", "coverage")},
            }
            for layer in about["layers"]
        ],
        "basis": about["basis"],
        "notes": about["notes"],
        "ordinances": about["ordinances"],
        "receipt": about["receipt"]["id"],
        "version": findings.receipt.parts.get("geocheck", ""),
        "drawing": told["map"],
    }


def _own(told: Mapping[str, Any]) -> list[dict[str, str]]:
    """Facts of the site; of one without a plan not those over its plan and phases that only say the same again."""
    if told["plan"]:
        return list(told["facts"])
    said = {(fact["name"], fact["value"], fact["between"]) for fact in told["facts"]}

    def again(fact: Mapping[str, str]) -> bool:
        alone = (
            fact["name"].removesuffix(beyond) for beyond in map(plain_name, EXTENTS) if fact["name"].endswith(beyond)
        )
        return any((name, fact["value"], fact["between"]) in said for name in alone)

    return [fact for fact in told["facts"] if not again(fact)]


def _file(source: str) -> str:
    """A file by its name: where it lies on one machine is nobody else's business."""
    return PurePath(source.replace("\\", "/")).name if "/" in source or "\\" in source else source


def _judged(told: Mapping[str, Any], law: Mapping[str, Any], determination: Determination) -> dict[str, Any]:
    numbers: dict[str, list[str]] = {}
    for n, value, between, status, met, _ in told["numbers"]:
        clause, reading, compared, sign, threshold = law["numbers"][n]
        spread = f" ({between})" if between else ""
        read = f", if read as {reading}" if reading else ""
        numbers.setdefault(clause, []).append(
            f"{compared}: {value}{spread}{f', {status}' if status else ''}, against {sign} {threshold}{read}: {met}"
        )
    clauses = [
        {
            "label": label, "says": law["says"].get(label, ""), "words": law["adopted"].get(label, ""), "truth": truth,
            "numbers": numbers.get(label, []), "seen": seen, "note": note,
        }
        for label, truth, seen, note, _ in told["trace"]
    ]  # fmt: skip
    waivers = dict.fromkeys(o.waiver for o in determination.obligations if o.waiver is not None)
    return {
        "cite": law["cite"],
        "title": law["title"],
        "outcomes": [
            {
                "outcome": OUTCOME_WORDS[outcome][0] + (", borderline" if borderline else ""), "why": why,
                "obligations": ", ".join(f"{name} ({section})" for name, section in names),
            }
            for outcome, borderline, why, names in told["outcomes"]
        ],
        "clauses": [c for c in clauses if c["truth"] != "no" or c["numbers"]],
        "open": [f"{fact}, {reason}{f' ({note})' if note else ''}" for fact, reason, note in told["open"]],
        "reserved": [f"{label} {law['says'].get(label, '')}".strip() for label in told["reserved"]],
        "instead": list(determination.instead),
        "waivers": [
            f"{plain_name(w.obligation)}: by {w.by} on {w.on}, under {w.ground}{f', {w.document}' if w.document else ''}{f'; {w.note}' if w.note else ''}"
            for w in waivers
        ],
    }  # fmt: skip


def _conclusion(determination: Determination, cite: str) -> str:
    """One of: permit; none; comply without a permit; more information."""
    by: dict[str, list[str]] = {}
    for o in determination.obligations:
        by.setdefault(o.outcome, []).append(plain_name(o.obligation))
    permit = determination.outcomes.get("permit")
    said = []
    if "required" in by:
        free = permit in ("not_required", "waived")
        said.append(
            f"Under {cite} the project must comply with: {', '.join(by['required'])}."
            + (" It needs no permit for that." if free else " A permit is required." if permit == "required" else "")
        )
    if "undetermined" in by:
        needs = ", ".join(plain_name(name) for name in determination.needs)
        said.append(
            f"More information is needed under {cite} on: {', '.join(by['undetermined'])}"
            + (f"; what could settle it: {needs}." if needs else ".")
        )
    if "waived" in by:
        said.append(f"Waived under {cite}: {', '.join(by['waived'])}.")
    if not {"required", "undetermined", "waived"} & set(by):
        said.append(f"Nothing under {cite} is required of the project.")
    elif "not_required" in by:
        said.append(f"Not required: {', '.join(by['not_required'])}.")
    return " ".join(said)


def _parcels(findings: Findings, place: int) -> list[dict[str, str]]:
    """Parcels that the site lies on, by the layers at hand, with what was found of them."""
    ground = findings.sites.geometry.iloc[place]
    if findings.parcels is None or ground is None or ground.is_empty:
        return []
    shapes = np.asarray(findings.parcels.geometry)
    near = shapely.STRtree(shapes).query(ground, predicate="intersects")
    feet = findings.ground.feet if findings.ground is not None else 1.0
    found = []
    for row in sorted(near.tolist()):
        if shapely.area(shapely.intersection(shapes[row], ground)) * feet**2 < 1:
            continue
        parcel = findings.parcels.iloc[row]
        members = [f"{zone}: {parcel[f'{zone}_member']}" for zone in ZONES if parcel.get(f"{zone}_member")]
        name = parcel["parcel_id"]
        found.append(
            {"id": "(no identifier)" if name is None or name != name else str(name), "zones": "; ".join(members)}
        )
    return found
