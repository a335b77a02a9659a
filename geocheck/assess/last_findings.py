"""The findings of the last run put together again from its files: for reports in other forms, without measuring again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from geocheck.assess.adopted import adopted_words
from geocheck.assess.last import LastResult
from geocheck.model.determination import Question, Receipt
from geocheck.model.facts import FactColumn, FactSheet, FactTable
from geocheck.model.findings import Findings
from geocheck.model.ground import Ground, Layer, LayerSource, Repair
from geocheck.model.problem import OutputError, UnitError
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT, Quantity, parse_quantity

__all__ = ["findings_of"]


def findings_of(folder: Path, *, ordinance_folder: str | None = None) -> Findings:
    """Put the findings of a run together again.

    Parameters
    ----------
    folder : Path
        Where `geocheck run` wrote: ``result.json``, and for maps ``geocheck.gpkg`` and ``surroundings.gpkg``.
    ordinance_folder : str, optional
        The office's own ordinances, if it has some.

    Raises
    ------
    OutputError
        If there is no whole result.
    RuleFileError
        If an ordinance that it was judged by cannot be read.
    """
    from geocheck.rules.read import load_ordinance

    last = LastResult(folder)
    heading = last.heading()
    day = date.fromisoformat(heading["as_of"])
    ordinances = [load_ordinance(name, day, folder=ordinance_folder) for name in heading["ordinances"]]
    notes = [*heading["notes"]]
    for ordinance in ordinances:
        if heading["receipt"].get(f"ordinance {ordinance.id}") not in (None, ordinance.fingerprint):
            notes.append(f"{ordinance.id} has changed since this result; run `geocheck run` again")
    ground = _ground(heading, folder)
    layers = _layers(last, ground, folder)
    sites = _with_ground(folder / "geocheck.gpkg", "sites", last.rows("sites"), ground)
    parcels = _with_ground(folder / "geocheck.gpkg", "parcels", last.rows("parcels"), ground)
    return Findings(
        name=heading["name"],
        as_of=day,
        facts=FactSheet(list(_fact_tables(last)), day),
        determinations=tuple(last.every_determination()),
        questions=tuple(Question(**{**row, "decides": tuple(row["decides"])}) for row in last.questions()),
        ordinances={ordinance.id: ordinance for ordinance in ordinances},
        layers=layers,
        ground=None if ground is None else Ground(layers, ground.crs, ground.metres_per_unit, ground.basis, ground.foot, doubt=ground.doubt),
        sites=sites if "disturbance" in layers or len(sites) else None,
        parcels=parcels if "parcels" in layers else None,
        receipt=Receipt({key: value for key, value in heading["receipt"].items() if key != "id"}),
        settings=heading["settings"],
        notes=tuple(notes),
        jurisdiction=heading.get("jurisdiction", ""),
        adopted=adopted_words(ordinances, (folder, folder.resolve().parent, Path(ordinance_folder) if ordinance_folder else None)),
    )  # fmt: skip


def _ground(heading: Mapping[str, Any], folder: Path) -> Ground | None:
    import pyproj

    basis = heading["basis"]
    if basis is None:
        return None
    # The receipt holds the whole system; a result of other making only its name.
    crs: Any
    try:
        crs = pyproj.CRS.from_user_input(heading["receipt"].get("crs") or basis["crs"])
    except pyproj.exceptions.CRSError as error:
        raise OutputError(
            f"{folder / 'result.json'}: its reference system cannot be read ({error}); run `geocheck run` again"
        ) from error
    foot = min((US_SURVEY_FOOT, INTERNATIONAL_FOOT), key=lambda known: abs(float(known) - basis["foot_in_metres"]))
    unit = Fraction(crs.axis_info[0].unit_conversion_factor).limit_denominator(10**7)
    return Ground({}, crs, unit, basis["area_basis"], foot, doubt=basis["relative_doubt"])


def _with_ground(path: Path, table: str, rows: Iterator[dict[str, Any]], ground: Ground | None) -> Any:
    """A table of the result with the geometry that the GeoPackage holds, row by row; without one, no row has ground."""
    import geopandas as gpd
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    crs = ground.crs if ground is not None else None
    shapes = _read(path, table, ground)
    if shapes is None or len(shapes) != len(frame):
        return gpd.GeoDataFrame(frame, geometry=gpd.GeoSeries([None] * len(frame), crs=crs))
    return gpd.GeoDataFrame(frame, geometry=shapes.geometry.to_numpy(), crs=crs)


def _read(path: Path, table: str, ground: Ground | None) -> Any:
    import pyogrio
    from pyogrio.errors import DataSourceError

    if ground is None or not path.exists():
        return None
    try:
        if table not in {str(name) for name in pyogrio.list_layers(path)[:, 0]}:
            return None
        frame = pyogrio.read_dataframe(path, layer=table)
    except DataSourceError as error:
        raise OutputError(f"{path}: cannot be read ({error}); run `geocheck run` again") from error
    return frame.to_crs(ground.crs) if frame.crs is not None and frame.crs != ground.crs else frame


def _layers(last: LastResult, ground: Ground | None, folder: Path) -> dict[str, Layer]:
    shapes: dict[str, Any] = {}
    for file, table in (("geocheck.gpkg", "zones"), ("surroundings.gpkg", "areas"), ("surroundings.gpkg", "lines")):
        frame = _read(folder / file, table, ground)
        for role, part in frame.groupby("role", sort=False) if frame is not None and len(frame) else ():
            shapes.setdefault(role, []).append(part[["record", "id", "geometry"]])
    repairs: dict[str, list[Repair]] = {}
    for row in last.rows("repairs"):
        repairs.setdefault(row["role"], []).append(
            Repair(**{**row, "id": row["id"] or "", "doubt": row["doubt"] or ""})
        )
    return {row["role"]: _layer(row, shapes, repairs, ground) for row in last.rows("layers")}


def _layer(
    row: Mapping[str, Any], shapes: Mapping[str, Any], repairs: Mapping[str, Any], ground: Ground | None
) -> Layer:
    import pandas as pd
    import pyproj

    role = row["role"]
    source = LayerSource(
        role,
        row["source"] or "",
        layer=row["layer"] or "",
        accuracy=_length(row["accuracy"]),
        coverage=row["coverage"] or "",
        date="" if row["date"] in (None, "not stated") else row["date"],
    )
    crs: Any
    try:
        crs = pyproj.CRS.from_user_input(row["crs"]) if row["crs"] else None
    except pyproj.exceptions.CRSError:
        crs = _Named(row["crs"])
    return Layer(
        role,
        source,
        pd.concat(shapes[role], ignore_index=True) if role in shapes else None,
        ground.crs if ground is not None else None,
        name=row["layer"] or "",
        crs_from=row["crs_from"] or "",
        records=row["records"] or 0,
        used=row["used"] or 0,
        repaired=row["repaired"] or 0,
        without_geometry=row["without_geometry"] or 0,
        lost=row["lost"] or 0,
        datum_operation=row["datum_operation"] or "",
        datum_accuracy_m=row["datum_accuracy_m"],
        sha256=row["sha256"] or "",
        repairs=tuple(repairs.get(role, ())),
        notes=(row["note"],) if row["note"] else (),
        source_crs=crs,
    )


class _Named:
    """A reference system of which only the name was kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_projected = False

    def to_authority(self, min_confidence: int = 100) -> None:
        """Return its code: it has none that is known."""


def _length(text: str | None) -> Quantity | None:
    if text in (None, "", "not stated"):
        return None
    try:
        return parse_quantity(str(text)).value
    except UnitError:
        return None


def _fact_tables(last: LastResult) -> Iterator[FactTable]:
    """Facts put back into columns: rows stand subject by subject, each with the same facts."""
    ids: dict[str, dict[str, int]] = {}
    cells: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in last.rows("facts"):
        ids.setdefault(row["subject"], {}).setdefault(row["subject_id"], len(ids[row["subject"]]))
        cells.setdefault(row["subject"], {}).setdefault(row["fact"], []).append(row)
    for subject, columns in cells.items():
        made = {name: _column(name, rows, ids[subject]) for name, rows in columns.items()}
        yield FactTable(subject, list(ids[subject]), made)


def _column(name: str, rows: list[dict[str, Any]], ids: Mapping[str, int]) -> FactColumn:
    by_row = {ids[row["subject_id"]]: row for row in rows}
    blank = {"value": None, "low": None, "high": None, "status": "missing", "note": ""}
    placed = [by_row.get(place, blank) for place in range(len(ids))]
    first = rows[0]
    value, low, high = ([row[key] for row in placed] for key in ("value", "low", "high"))
    statuses, notes = [row["status"] for row in placed], [row["note"] or "" for row in placed]
    unit, source = first["unit"] or "", first["source"] or ""
    return FactColumn(name, first["kind"], unit, value, low, high, statuses, source, notes)
