"""Shapefiles, read from their own bytes: rings as written, digits exact, one bad cell or record never the whole file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from geocheck.sources.dbf import TableField, read_header, read_table
from geocheck.sources.format import Format, LayerListing, Records, Request, refuse
from geocheck.sources.shp import kind_of_shp, read_shp
from geocheck.sources.systems import system_of_file
from geocheck.sources.where import fields_in, matching, select

__all__ = ["FORMAT", "listing", "records"]


def _sidecars(path: Path) -> dict[str, Path]:
    """Files of the shapefile by ending, whatever the case of their names."""
    stem = path.stem.lower()
    return {
        p.suffix.lower(): p
        for p in sorted(path.parent.iterdir())
        if p.stem.lower() == stem and p.suffix.lower() in (".shp", ".shx", ".dbf", ".prj", ".cpg")
    } | {".shp": path}


def _bytes(path: Path, *, header: bool = False) -> dict[str, bytes]:
    return {ending: file.read_bytes() for ending, file in _sidecars(path).items()}


def _layers(path: Path) -> list[LayerListing]:
    return [listing(path, path.stem, _bytes(path))]


def _read(request: Request) -> Records:
    return records(request, request.path.stem, _bytes(request.path))


def listing(path: Path, name: str, files: Mapping[str, bytes]) -> LayerListing:
    """Describe a shapefile given as bytes by ending."""
    try:
        kind = kind_of_shp(files[".shp"])
        count: int | None = None
        fields: list[TableField] = []
        if ".dbf" in files:
            count, _, _, fields = read_header(files[".dbf"])
    except ValueError as error:
        raise refuse("damaged-file", str(error), file=path, layer=name) from error
    if not count:
        count = len(read_shp(files[".shp"], files.get(".shx")).shapes)
    crs = _words(files[".prj"]).strip() if ".prj" in files else ""
    return LayerListing(name, kind, count, {f.name: f.title for f in fields}, crs)


def records(request: Request, name: str, files: Mapping[str, bytes]) -> Records:
    """Read a shapefile given as bytes by ending."""
    notes: list[str] = []
    try:
        shapes = read_shp(files[".shp"], files.get(".shx"))
    except ValueError as error:
        raise refuse(
            "damaged-file",
            str(error),
            file=request.path,
            layer=name,
            remedy="Ask for the file again, or restore it from its source.",
        ) from error
    notes.extend(shapes.notes)
    table, deleted = _table(request, name, files, notes)
    count = max(len(shapes.shapes), len(table))
    if ".dbf" in files and len(table) != len(shapes.shapes):
        notes.append(f"the .shp holds {len(shapes.shapes)} shapes and the .dbf {len(table)} rows")
    geometry = np.full(count, None, dtype=object)
    geometry[: len(shapes.shapes)] = shapes.shapes
    table = table.reindex(pd.RangeIndex(count))
    crs = system_of_file(_words(files[".prj"]), request.path, request.overridden) if ".prj" in files else None
    found = Records(
        shapes=geometry, table=table, crs=crs, layer=name, raw=shapes.raw, wound=True,
        remarks=shapes.remarks, lost=shapes.lost, notes=tuple(notes),
    )  # fmt: skip
    if len(deleted):
        found = select(found, np.setdiff1d(np.arange(count), deleted))
    return matching(found, request)


def _words(content: bytes) -> str:
    """Text of a .prj, which some programs write in two bytes a letter."""
    return content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


def _table(request: Request, name: str, files: Mapping[str, bytes], notes: list[str]) -> tuple[pd.DataFrame, Any]:
    if ".dbf" not in files:
        notes.append("no .dbf beside it: no attributes")
        return pd.DataFrame(), ()
    try:
        known = [f.name for f in read_header(files[".dbf"])[3]]
        fields = None if request.fields is None else fields_in(request, known)
        read = read_table(files[".dbf"], fields=fields, cpg=files.get(".cpg"), encoding=request.encoding)
    except ValueError as error:
        raise refuse("damaged-file", f"the .dbf cannot be read: {error}", file=request.path, layer=name) from error
    notes.extend(read.notes)
    return read.frame, read.deleted


FORMAT = Format(
    name="shapefile",
    suffixes=(".shp",),
    layers=_layers,
    read=_read,
    companions=lambda path: list(_sidecars(path).values()),
)
