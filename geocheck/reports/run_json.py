"""run.json: the receipt of a run, versions, basis, times and counts, without the findings."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.model.findings import Findings
from geocheck.model.ground import Ground
from geocheck.model.quantity import INTERNATIONAL_FOOT, SAME, US_SURVEY_FOOT
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write it, indented for a reader."""
    findings = tables.findings
    content = {
        **heading(findings, "run"),
        "versions": versions(),
        "seconds": {stage: round(float(seconds), 3) for stage, seconds in findings.seconds.items()},
        "counts": counts(tables),
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    (folder / name).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def heading(findings: Findings, schema: str) -> dict[str, Any]:
    """Return what both JSON files begin with: name, jurisdiction, date, receipt, basis, settings, notes."""
    return {
        "schema": json.loads(schema_text(schema))["$id"],
        "name": findings.name,
        "jurisdiction": findings.jurisdiction,
        "as_of": findings.as_of.isoformat(),
        "receipt": findings.receipt.to_dict(),
        "basis": None if findings.ground is None else basis(findings.ground),
        "settings": dict(findings.settings),
        "notes": list(findings.notes),
        "ordinances": list(findings.ordinances),
    }


def basis(ground: Ground) -> dict[str, Any]:
    """Return how numbers became feet: basis, foot, reference system, and what counts as the same."""
    from geocheck.reports.tables import crs_text  # GIS libraries are loaded when something is written, not for --help

    return {
        "area_basis": ground.basis,
        "relative_doubt": float(ground.doubt),
        "foot": foot_name(ground),
        "foot_in_metres": float(ground.foot),
        "crs": crs_text(ground.crs),
        "same_as_threshold_within": float(SAME),
    }


def foot_name(ground: Ground) -> str:
    """Return the name of the foot in which the answers are given."""
    names = {US_SURVEY_FOOT: "US survey foot", INTERNATIONAL_FOOT: "international foot"}
    return names.get(ground.foot, f"foot of {float(ground.foot)} m")


def schema_text(name: str) -> str:
    """Return the JSON Schema of ``result`` or ``run``, as shipped."""
    return resources.files("geocheck.reports").joinpath("schema", f"{name}.schema.json").read_text(encoding="utf-8")


def versions() -> dict[str, str]:
    """Return the versions of geocheck, Python and the libraries that decide numbers."""
    import platform

    import geopandas
    import pyogrio
    import pyproj
    import shapely

    import geocheck

    return {
        "geocheck": geocheck.__version__,
        "python": platform.python_version(),
        "GDAL": ".".join(str(part) for part in pyogrio.__gdal_version__),
        "GEOS": ".".join(str(part) for part in shapely.geos_version),
        "PROJ": pyproj.proj_version_str,
        "geopandas": geopandas.__version__,
        "shapely": shapely.__version__,
        "pyogrio": pyogrio.__version__,
        "pyproj": pyproj.__version__,
    }


def counts(tables: Tables) -> dict[str, Any]:
    """Return rows by status: parcels, facts, layers; sites and outcomes by obligation."""
    findings = tables.findings
    outcomes: dict[str, Counter[str]] = {}
    for determination in findings.determinations:
        for outcome in determination.obligations:
            key = f"{determination.ordinance}: {outcome.obligation}"
            outcomes.setdefault(key, Counter())[outcome.outcome] += 1
    names = ("records", "used", "repaired", "without_geometry", "lost")
    return {
        "sites": len(tables["sites"]),
        "parcels": len(tables["parcels"]),
        "parcels_by_status": _by_status(tables["parcels"]["status"]),
        "facts_by_status": _by_status(tables["facts"]["status"]),
        "outcomes": {key: dict(sorted(counter.items())) for key, counter in outcomes.items()},
        "questions": len(findings.questions),
        "layers": {
            role: {name: int(getattr(layer, name)) for name in names} for role, layer in findings.layers.items()
        },
    }


def _by_status(statuses: Any) -> dict[str, int]:
    """How many rows have each status; joined words stay together, so that the counts add up to the rows."""
    counts = Counter(statuses.tolist())
    return {str(status): count for status, count in sorted(counts.items(), key=lambda pair: str(pair[0]))}


OUTPUT = Output(
    says="the receipt of the run: versions, fingerprints, basis, times, counts by status, as JSON",
    names=("run.json",),
    write=write,
    default=("run.json",),
)
