"""Drawing and tables that both samples share: turned rectangles, lots along an arc, sites, GeoPackages, CSV files."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import shapely
from pyogrio import set_gdal_config_options
from shapely import affinity
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

#: GeoPackage writes the time of its last change; a fixed one keeps the files alike.
WRITTEN_AT = "2026-10-01T00:00:00.000Z"


@dataclass(frozen=True)
class SampleSite:
    """A site of a sample: its ground in local feet, what its applicant stated, and what officials decided.

    ``stated`` holds what differs from the project's usual answers: True, False, a quantity as text, or None for unknown.
    """

    id: str
    project: str
    ground: BaseGeometry
    plan: str | None = None
    phase: str | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    cut: float | None = 20
    fill: float | None = 10
    crops: str | None = "N"


def turned(x: float, y: float, width: float, height: float, degrees: float = 0.0) -> Polygon:
    """Return the rectangle centred at (x, y), turned anticlockwise by ``degrees``: its area is width × height."""
    flat = box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return affinity.rotate(flat, degrees, origin=(x, y))


def arc_lot(x: float, y: float, inner: float, outer: float, start: float, end: float, steps: int = 6) -> Polygon:
    """Return the lot between two radii and two angles (degrees) around (x, y)."""
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    far = [(x + outer * math.cos(a), y + outer * math.sin(a)) for a in angles]
    near = [(x + inner * math.cos(a), y + inner * math.sin(a)) for a in reversed(angles)]
    return Polygon(far + near if inner > 0 else [*far, (x, y)])


def blob(x: float, y: float, wide: float, high: float, wave: float = 0.06, lobes: int = 5, points: int = 72) -> Polygon:
    """Return an oval with a wavy outline, as a lake or a wetland has."""
    ring = []
    for i in range(points):
        a = 2 * math.pi * i / points
        r = 1 + wave * math.sin(lobes * a + 0.7) + wave / 2 * math.cos((lobes + 4) * a)
        ring.append((x + wide * r * math.cos(a), y + high * r * math.sin(a)))
    return Polygon(ring)


def placed(shape: BaseGeometry, offset: tuple[float, float]) -> BaseGeometry:
    """Return a local shape at its place in the sample's system, coordinates to a hundred-thousandth of a foot."""
    moved = affinity.translate(shape, *offset)
    return shapely.transform(moved, lambda xy: xy.round(5))


def as_multi(shape: BaseGeometry) -> BaseGeometry:
    """Return a polygon as a multipolygon of one part, so that a layer has one geometry type."""
    return MultiPolygon([shape]) if shape.geom_type == "Polygon" else shape


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write a CSV file; None is an empty cell, True and False are yes and no."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow(
                ["" if v is None else {True: "yes", False: "no"}.get(v, v) if isinstance(v, bool) else v for v in row]
            )


def write_geopackage(path: Path, layers: Mapping[str, Any]) -> None:
    """Write a GeoPackage anew, one layer a frame, with a fixed time of change."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    set_gdal_config_options({"OGR_CURRENT_DATE": WRITTEN_AT})
    try:
        for name, frame in layers.items():
            frame.to_file(path, layer=name, driver="GPKG", engine="pyogrio")
    finally:
        set_gdal_config_options({"OGR_CURRENT_DATE": None})


def record_acts(folder: Path, decisions: Sequence[Sequence[Any]], waivers: Sequence[Sequence[Any]]) -> None:
    """Write the acts as CSV and record them in ``ledger.gpkg``; a ledger that holds just these is left as it is.

    Decisions are (site_id, fact, value, by, on, document, note); waivers are (site_id, ordinance, obligation, by, on,
    ground, document, note).
    """
    from geocheck.ledger import open_ledger
    from geocheck.model.acts import Act

    decided = ("site_id", "fact", "value", "by", "on", "document", "note")
    waived = ("site_id", "ordinance", "obligation", "by", "on", "ground", "document", "note")
    write_csv(folder / "decisions.csv", decided, decisions)
    if waivers:
        write_csv(folder / "waivers.csv", waived, waivers)
    acts = [Act(kind="decision", **dict(zip(decided, row, strict=True))) for row in decisions]
    acts += [Act(kind="waiver", **dict(zip(waived, row, strict=True))) for row in waivers]
    path = folder / "ledger.gpkg"
    if [replace(act, number=0, recorded_at="") for act in open_ledger(str(path)).acts()] == acts:
        return
    path.unlink(missing_ok=True)
    ledger = open_ledger(str(path))
    for act in acts:
        ledger.record(act)
