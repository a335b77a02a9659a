"""What the page says around its sites, as plain values for its template: summary, layers, repairs, basis, receipt."""

from __future__ import annotations

from collections import Counter
from typing import Any

from geocheck.model.findings import Findings
from geocheck.model.ground import ZONES
from geocheck.reports.cells import text_columns
from geocheck.reports.page.site_map import LEGEND
from geocheck.reports.page.words import OUTCOME_WORDS, plain_name
from geocheck.reports.run_json import foot_name
from geocheck.reports.tables import Tables, crs_text

__all__ = ["cite_of", "overview"]

#: Worst first: what a site is called in the list when its obligations differ.
_ORDER = tuple(OUTCOME_WORDS)


def overview(tables: Tables, only: str | None = None) -> dict[str, Any]:
    """Return all of the page but its sites; of a page about one site only the layers that this one lacked."""
    findings = tables.findings
    return {
        "name": findings.name or "geocheck",
        "as_of": findings.as_of.isoformat(),
        "notes": list(findings.notes),
        "words": OUTCOME_WORDS,
        "summary": _summary(findings),
        "ordinances": [_ordinance(findings, name) for name in findings.ordinances],
        "parcels": _parcels(tables),
        "layers": [
            dict(zip(tables["layers"].columns, row, strict=True))
            for row in zip(*text_columns(tables["layers"]), strict=True)
        ],
        "repairs": [_repair(repair) for layer in findings.layers.values() for repair in layer.repairs],
        "absent": _absent(findings, only),
        "basis": _basis(findings),
        "settings": dict(findings.settings),
        "receipt": findings.receipt.to_dict(),
        "legend": LEGEND,
    }


#: fact -> the layers that it is measured from, where no site can do without; outputs may not look at the measures themselves.
_MEASURED_FROM = {
    "disturbed_channel_length": ("channels",),
    "new_road_length": ("roads",),
    "small_parcels_created": ("parcels_before",),
    "excavated_volume": ("surface_existing", "surface_proposed"),
    "filled_volume": ("surface_existing", "surface_proposed"),
}


def _absent(findings: Findings, only: str | None) -> list[str]:
    """Layers that were not given and left something unchecked: what nobody has stated instead."""
    table = findings.facts.table("site")
    rows = [row for row, name in enumerate(table.ids) if only is None or str(name) == only]
    wanted = ["parcels", *ZONES, "impervious"]
    for name, roles in _MEASURED_FROM.items():
        asked = [
            column
            for fact, column in table.columns.items()
            if fact in (name, f"{name}_of_plan", f"{name}_of_all_phases")
        ]
        if any(value is None or value != value for column in asked for value in (column.values[row] for row in rows)):
            wanted += roles
    return [role.replace("_", " ") for role in dict.fromkeys(wanted) if role not in findings.layers]


def _summary(findings: Findings) -> list[dict[str, Any]]:
    """How many sites have each outcome, by ordinance and obligation."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for determination in findings.determinations:
        for outcome in determination.obligations:
            key = (determination.ordinance, outcome.obligation, outcome.section)
            counts.setdefault(key, Counter())[outcome.outcome] += 1
    return [
        {"ordinance": cite_of(findings, ordinance), "obligation": plain_name(obligation), "section": section,
         "counts": [counter[outcome] for outcome in _ORDER]}
        for (ordinance, obligation, section), counter in counts.items()
    ]  # fmt: skip


def cite_of(findings: Findings, ordinance: str) -> str:
    """Return how an ordinance is cited; its identifier where it is not known."""
    known = findings.ordinances.get(ordinance)
    return str(known.cite) if known is not None else ordinance


def _ordinance(findings: Findings, name: str) -> dict[str, Any]:
    known = findings.ordinances[name]
    return {
        "id": name, "cite": known.cite, "title": known.title, "note": known.note, "history": known.history,
        "in_force": known.in_force.isoformat() if known.in_force else "not established",
        "fingerprint": known.fingerprint,
        "readings": [
            {"clause": clause.label, "says": clause.reading.says, "by": clause.reading.by}
            for clause in known.every_clause if clause.reading is not None
        ],
        "not_modelled": [(c.label, c.not_modelled) for c in known.every_clause if c.not_modelled],
    }  # fmt: skip


def _parcels(tables: Tables) -> dict[str, Any] | None:
    """Records by status, and by membership in each zone; None where no parcels were given."""
    if tables.findings.parcels is None:
        return None
    frame = tables.rows("parcels")
    memberships = {
        name.removesuffix("_member"): Counter(str(word) if word == word and word else "—" for word in frame[name])
        for name in frame.columns
        if name.endswith("_member")
    }
    words = [word for word in ("inside", "partly", "touching", "outside", "not checked", "—")
             if any(word in counter for counter in memberships.values())]  # fmt: skip
    return {
        "records": len(frame),
        "status": sorted(Counter(str(status) for status in frame["status"]).items()),
        "words": words,
        "members": [(plain_name(zone), [counter[word] for word in words]) for zone, counter in memberships.items()],
    }


def _repair(repair: Any) -> dict[str, str]:
    def area(value: float | None) -> str:
        return "" if value is None else f"{value:,.2f}"

    return {
        "role": repair.role, "record": str(repair.record), "id": repair.id, "problem": repair.problem, "action": repair.action,
        "before": area(repair.area_before), "after": area(repair.area_after), "doubt": repair.doubt,
    }  # fmt: skip


def _basis(findings: Findings) -> dict[str, str]:
    ground = findings.ground
    if ground is None:
        return {}
    said = {
        "auto": f"measured on the ellipsoid; every interval is widened by {ground.doubt:.2%}, which covers ground against "
        "ellipsoid and the usual grids",
        "ellipsoidal": "measured on the ellipsoid; the office's adopted basis, so that this value alone counts",
        "ground": "on the ellipsoid at the stated elevation; the office's adopted basis, so that this value alone counts",
        "grid": "on the grid of the stated system; the office's adopted basis, so that this value alone counts",
    }
    return {"name": ground.basis, "said": said[ground.basis], "foot": foot_name(ground), "crs": crs_text(ground.crs)}
