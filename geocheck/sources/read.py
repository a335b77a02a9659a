"""Layers as the project names them: found, read, made sound, their system known, every record a row."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.model.ground import RASTER_ROLES, Copy, Layer, LayerSource
from geocheck.model.problem import GeocheckError, GroundError, SourceError
from geocheck.sources.columns import connected_of, days_of, field_named, surface_of, text_of
from geocheck.sources.datum import route
from geocheck.sources.fetching import fetched
from geocheck.sources.fitting import Region, anchors, candidates, check_fit, region_of
from geocheck.sources.format import Format, Records, Request, refuse
from geocheck.sources.formats import format_of
from geocheck.sources.inherited import AREA_FIELDS
from geocheck.sources.reference import moved
from geocheck.sources.repair import COLLAPSED, LOST, NO_GEOMETRY, make_sound
from geocheck.sources.systems import refuse_system, same_system, system_of_text, title

__all__ = ["GROUND_ROLES", "fingerprint", "read_layer", "read_layers"]

#: Roles whose records mean polygons; in the others lines count too.
GROUND_ROLES = frozenset(
    {"parcels", "disturbance", "shoreland", "wetland", "floodplain", "municipality", "impervious", "parcels_before"}
)


#: Roles whose records are what is measured, not what they are measured against.
_SUBJECTS = ("municipality", "parcels", "disturbance", "parcels_before")


@dataclass(frozen=True, eq=False)
class _Fetched:
    source: LayerSource
    path: Path
    records: Records
    crs: Any
    crs_from: str
    notes: tuple[str, ...]
    sha256: str


def read_layer(source: LayerSource, *, near: Region | None = None, keep_fields: bool = False) -> Layer:
    """Read one vector layer in its own reference system.

    Parameters
    ----------
    source : LayerSource
        What the project says about it.
    near : Region, optional
        West, south, east, north of the run's region in degrees, for the advice in refusals.
    keep_fields : bool
        Keep all fields of the file as ``field:<name>``; else only those that ``source`` names.

    Raises
    ------
    SourceError
        If the file cannot be read, holds several layers and none is named, or lacks a named field.
    GroundError
        If it names no system, or its coordinates do not fit the one it names.
    """
    return _finish(_fetch(source, keep_fields), near)


def read_layers(
    sources: Mapping[str, LayerSource],
    *,
    jurisdiction: str = "",
    keep_fields: bool | Collection[str] = False,
    progress: Callable[[str, Layer], None] | None = None,
) -> dict[str, Layer]:
    """Read all vector layers of a project; rasters and derived layers are left out.

    Parameters
    ----------
    sources : mapping of str to LayerSource
        By role.
    jurisdiction : str
        Name of the municipality, as its layer's ``id`` field writes it; empty takes the whole layer.
    keep_fields : bool or collection of str
        As in `read_layer`, for all layers or for those of some roles.
    progress : callable, optional
        Called with role and layer as each is done.

    Raises
    ------
    SourceError, GroundError
        All problems of all layers at once.
    """
    wanted = {role: s for role, s in sources.items() if role not in RASTER_ROLES and not s.derive}
    errors: list[GeocheckError] = []
    fetched: dict[str, _Fetched] = {}
    with ThreadPoolExecutor(2) as pool:
        kept = set(wanted) if keep_fields is True else set(keep_fields or ())
        jobs = {role: pool.submit(_fetch, source, role in kept) for role, source in wanted.items()}
        for role, job in jobs.items():
            try:
                fetched[role] = job.result()
            except (SourceError, GroundError) as error:
                errors.append(error)
        town: Layer | None = None
        if "municipality" in fetched:
            try:
                town = _finish(fetched["municipality"], None)
                town = _named(town, jurisdiction) if jurisdiction else town
            except (SourceError, GroundError) as error:
                errors.append(error)
        near = _where(town, fetched)
        rest = {role: pool.submit(_finish, got, near) for role, got in fetched.items() if role != "municipality"}
        layers: dict[str, Layer] = {}
        for role in wanted:
            if role == "municipality" and town is not None:
                layers[role] = town
            elif role in rest:
                try:
                    layers[role] = rest[role].result()
                except (SourceError, GroundError) as error:
                    errors.append(error)
            if progress is not None and role in layers:
                progress(role, layers[role])
    if errors:
        raise _together(errors)
    return {role: _covered(layer, layers.get("municipality")) for role, layer in layers.items()}


def _together(errors: list[GeocheckError]) -> GeocheckError:
    if len(errors) == 1:
        return errors[0]
    problems = [p for e in errors for p in e.problems]
    kind = SourceError if any(isinstance(e, SourceError) for e in errors) else GroundError
    return kind("\n".join(str(e) for e in errors), problems)


def _fetch(source: LayerSource, keep_fields: bool) -> _Fetched:
    source = fetched(source)
    at = source.copy or Copy(source.source, source.layer, source.where)
    path = Path(at.file)
    form = format_of(path)
    named = [source.id, source.plan, source.phase, source.day, source.status, source.connected, source.class_field]
    named += [f.field for f in source.facts.values()]
    fields = None if keep_fields else tuple(dict.fromkeys(n for n in named if n))
    optional = tuple(AREA_FIELDS) if source.role.startswith("parcels") else ()
    request = Request(path, at.layer, at.where, source.encoding, fields, optional, source.override_crs)
    try:
        records = form.read(request)
        digest = fingerprint(path, form)
    except OSError as error:
        raise refuse("unreadable-file", f"the file cannot be read: {error.strerror or error}", file=path) from error
    for name in filter(None, named):
        if field_named(records.table, name) is None:
            names = [str(column) for column in records.table.columns]
            near = difflib.get_close_matches(name.lower(), [field.lower() for field in names], n=1)
            hint = next((f" Did you mean {field}?" for field in names if near and field.lower() == near[0]), "")
            raise refuse("unknown-field", f"there is no field {name!r}", file=path, layer=source.role, remedy=f"Its fields are {', '.join(names) or 'none'}.{hint}")  # fmt: skip
    crs, crs_from, notes = _system(source, records, path)
    return _Fetched(source, path, records, crs, crs_from, (*at.told, *notes), digest)


def fingerprint(path: Path, form: Format) -> str:
    """SHA-256 of a layer's file, or of its files in order of their names."""
    files = [path] if form.companions is None else sorted(form.companions(path), key=lambda p: p.name.lower())
    digest = hashlib.sha256()
    for file in files:
        if len(files) > 1:
            digest.update(file.suffix.lower().encode())
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()


def _system(source: LayerSource, records: Records, path: Path) -> tuple[Any, str, tuple[str, ...]]:
    stated = system_of_text(source.crs, path) if source.crs else None
    if stated is None:
        return records.crs, "file", ()
    if records.crs is None:
        that_is = " that is understood" if source.override_crs else ""
        note = f"the file names no reference system{that_is}; {title(stated)} is stated by the project"
        return stated, "asserted", (note,)
    if same_system(stated, records.crs):
        return records.crs, "file", ()
    if source.override_crs:
        return stated, "overridden", (f"the file names {title(records.crs)}; the project overrides it with {title(stated)}",)  # fmt: skip
    raise refuse_system(
        "two-systems",
        f"the file names {title(records.crs)}, the project {title(stated)}",
        file=path,
        layer=source.role,
        remedy="Leave `crs` out, or add `override_crs: true` if the file is wrong.",
    )


def _finish(got: _Fetched, near: Region | None) -> Layer:
    source, records = got.source, got.records
    table = records.table
    count = len(records.shapes)
    ids = _ids(source, table, count)
    sound = make_sound(records, source.role, ids, ground=source.role in GROUND_ROLES)
    points = anchors(sound.shapes)
    if got.crs is None:
        raise _no_system(got, points, near)
    notes = check_fit(got.crs, points, file=got.path, layer=source.role, near=near, certain=source.override_crs)
    if not count:
        empty = (
            f"the filter {source.where!r} keeps none of its records" if source.where else "the layer holds no record"
        )
        notes += (f"{empty}, so nothing will be found in it: is that right?",)
    if source.role == "roads" and not source.status:
        notes += ("no status is named, so all its roads count as new: is that right?",)
    status = sound.status
    unread = int((status == LOST).sum())
    if unread:
        notes += (
            f"the ground of {unread} of {count} records could not be read and is not counted: is there a better copy?",
        )
    none = int((status == NO_GEOMETRY).sum())
    lost = int(np.isin(status, (LOST, COLLAPSED)).sum())
    import geopandas as gpd

    columns: dict[str, Any] = {"record": np.arange(1, count + 1), "id": pd.Series(ids, dtype=object), "status": status}
    columns |= _role_columns(source, table, count)
    columns |= {f"field:{name}": table[name] for name in table.columns}
    frame = gpd.GeoDataFrame(columns, geometry=gpd.GeoSeries(sound.shapes, crs=got.crs), crs=got.crs)
    return Layer(
        role=source.role, source=source, frame=frame, crs=got.crs, name=records.layer, crs_from=got.crs_from,
        records=count, used=count - none - lost, repaired=int((status == "repaired").sum()), without_geometry=none, lost=lost,
        sha256=got.sha256, doubts=sound.doubts, repairs=sound.repairs,
        notes=(*got.notes, *records.notes, *sound.notes, *notes),
    )  # fmt: skip


def _ids(source: LayerSource, table: Any, count: int) -> Any:
    if not source.id:
        return np.arange(1, count + 1).astype(str).astype(object)
    column = table[field_named(table, source.id)]
    if pd.api.types.is_float_dtype(column.dtype) and (column.abs() >= 2.0**53).any():
        raise refuse("inexact-identifier", f"the field {source.id!r} holds numbers with more digits than it keeps", file=source.source, layer=source.role, remedy="Deliver the identifiers as text.")  # fmt: skip
    return text_of(column).to_numpy(dtype=object)


def _role_columns(source: LayerSource, table: Any, count: int) -> dict[str, Any]:
    def text(name: str) -> Any:
        return text_of(table[field_named(table, name)]) if name else pd.Series([None] * count, dtype=object)

    columns: dict[str, Any] = {}
    if source.role == "disturbance":
        columns |= {"plan": text(source.plan), "phase": text(source.phase)}
    nothing = pd.Series([None] * count, dtype=object)
    if source.day:
        columns["day"] = days_of(table[field_named(table, source.day)], source)
    if source.role in ("impervious", "roads"):
        columns["surface"] = surface_of(table[field_named(table, source.status)], source) if source.status else nothing
    if source.role == "impervious":
        columns["connected"] = connected_of(table[field_named(table, source.connected)], source) if source.connected else nothing  # fmt: skip
    if source.class_field:
        columns["class"] = text(source.class_field)
    return columns


def _no_system(got: _Fetched, points: Any, near: Region | None) -> GroundError:
    fit = ""
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        fit = f"; its numbers run from ({low[0]:,.6g}, {low[1]:,.6g}) to ({high[0]:,.6g}, {high[1]:,.6g})"
        if near is not None:
            found = candidates(points, near)
            fit += f". In the region of the run they fit {'; '.join(found)}" if found else ". They fit no known system of the region of the run"  # fmt: skip
    missing = " (there is no .prj beside it)" if got.path.suffix.lower() == ".shp" else ""
    return refuse_system(
        "no-system",
        f"the file names no reference system{missing}{fit}",
        file=got.path,
        layer=got.source.role,
        remedy=f"State the right one with `crs: EPSG:…` in the project file or --crs {got.source.role}=EPSG:…; it will be "
        "listed in the report as an assumption.",
    )


def _where(town: Layer | None, fetched: Mapping[str, _Fetched]) -> Region | None:
    """Region of the run: the jurisdiction's, else what the other layers cover whose numbers fit their own systems."""
    if town is not None:
        return region_of(town.crs, anchors_of_bounds(town.frame.geometry.to_numpy()))
    boxes: list[Region] = []
    for role, got in fetched.items():
        points = anchors(got.records.shapes)
        if got.crs is None or not len(points):
            continue
        try:
            check_fit(got.crs, points, file=got.path, layer=role)
        except GroundError:
            continue
        box = region_of(got.crs, anchors_of_bounds(got.records.shapes))
        if box is not None:
            boxes.append(box)
    if not boxes:
        return None
    west, south, east, north = np.array(boxes).T
    # Layers lie near each other, not over each other: some miles and a quarter of their extent around them.
    dx = 0.05 + (east.max() - west.min()) / 4
    dy = 0.05 + (north.max() - south.min()) / 4
    return float(west.min() - dx), float(south.min() - dy), float(east.max() + dx), float(north.max() + dy)


def anchors_of_bounds(shapes: Any) -> Any:
    """Corners of the extent of some shapes."""
    present = shapes[~(shapely.is_missing(shapes) | shapely.is_empty(shapes))]
    x0, y0, x1, y1 = shapely.total_bounds(present)
    return np.array([[x0, y0], [x0, y1], [x1, y0], [x1, y1]])


def _named(town: Layer, name: str) -> Layer:
    """Keep the municipality's own records."""
    if not town.source.id:
        note = f"no `id` field names its records, so all {town.records} are taken to be {name}"
        return dataclasses.replace(town, notes=(*town.notes, note))
    ids = town.frame["id"]
    same = ids.map(lambda v: v is not None and v.casefold() == name.strip().casefold()).to_numpy(dtype=bool)
    if not same.any():
        known = sorted({str(v) for v in ids if v is not None})
        close = difflib.get_close_matches(name, known, n=5, cutoff=0.4) or known[:12]
        raise refuse("unknown-jurisdiction", f"no record is named {name!r} in the field {town.source.id!r}", file=town.source.source, layer="municipality", remedy=f"Names there: {', '.join(close)}.")  # fmt: skip
    rows = np.flatnonzero(same)
    frame = town.frame.iloc[rows].reset_index(drop=True)
    status = frame["status"]
    new = {int(old): i for i, old in enumerate(rows)}
    return dataclasses.replace(
        town, frame=frame, records=len(rows), used=int(frame.geometry.notna().sum()),
        repaired=int((status == "repaired").sum()), without_geometry=int((status == NO_GEOMETRY).sum()),
        lost=int(status.isin([LOST, COLLAPSED]).sum()),
        doubts={new[r]: v for r, v in town.doubts.items() if r in new},
        repairs=tuple(r for r in town.repairs if r.record - 1 in new),
        notes=(*town.notes, f"{len(rows)} of {town.records} records are {name}"),
    )  # fmt: skip


def _covered(layer: Layer, town: Layer | None) -> Layer:
    stated = layer.source.coverage
    if layer.records and not layer.used and layer.role not in _SUBJECTS:
        note = "none of its records has ground: nothing is checked against it"
        return dataclasses.replace(layer, coverage=shapely.Polygon(), coverage_note=note)
    if layer.role in _SUBJECTS and not stated:
        return layer
    if stated == "extent":
        shapes = layer.frame.geometry.to_numpy()
        shapes = shapes[~shapely.is_missing(shapes)]
        extent = shapely.box(*shapely.total_bounds(shapes)) if len(shapes) else shapely.Polygon()
        return dataclasses.replace(layer, coverage=extent, coverage_note="the extent of its records")
    if stated in ("", "jurisdiction"):
        if town is None:
            if stated:
                raise refuse("no-jurisdiction", "coverage: jurisdiction needs a municipality layer", file=layer.source.source, layer=layer.role)  # fmt: skip
            return dataclasses.replace(layer, coverage_note="not stated: taken to cover every site")
        note = "the jurisdiction" if stated else "not stated: taken to cover the jurisdiction"
        return dataclasses.replace(layer, coverage=_ground_of(town, layer), coverage_note=note)
    area = read_layer(LayerSource(role="municipality", source=stated))
    return dataclasses.replace(layer, coverage=_ground_of(area, layer), coverage_note=Path(stated).name)


def _ground_of(area: Layer, layer: Layer) -> Any:
    shapes = area.frame.geometry.to_numpy()
    whole = shapely.union_all(shapes[~shapely.is_missing(shapes)])
    region = region_of(area.crs, anchors(np.array([whole], dtype=object)))
    if region is None:
        raise refuse("no-ground", "the polygon of coverage has no ground", file=area.source.source, layer=layer.role)
    return moved(whole, area.crs, layer.crs, route(area.crs, layer.crs, region))
