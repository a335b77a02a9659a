"""CSV with a column of well-known text, read by GDAL; every attribute stays text, and text that is no geometry is lost aloud."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd
import shapely

from geocheck.sources.format import Format, LayerListing, Records, Request, choose, refuse
from geocheck.sources.ogr import layers, read
from geocheck.sources.where import matching, select

__all__ = ["FORMAT"]

_NAMES = ("wkt", "geometry", "geom", "the_geom", "shape", "wkt_geom", "geom_wkt", "geometry_wkt", "wkt_geometry")


def _header(path: Path) -> tuple[str, str]:
    """The mark between cells, and the name of the column of well-known text as the header writes it; empty where there is none."""
    with _opened(path) as file:
        line = file.readline()
    mark = max(",;\t|", key=line.count)
    header = next(csv.reader([line], delimiter=mark), [])
    by_case = {name.strip().lower(): name for name in header}
    return mark, next((by_case[name] for name in _NAMES if name in by_case), "")


def _opened(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def _layers(path: Path) -> list[LayerListing]:
    _, column = _header(path)
    found = layers(path)
    return [
        dataclasses.replace(
            each, geometry=each.geometry or "Unknown", fields={n: t for n, t in each.fields.items() if n != column}
        )
        if column
        else each
        for each in found
    ]


def _read(request: Request) -> Records:
    mark, column = _header(request.path)
    if not column:
        raise refuse(
            "no-geometry",
            "the table has no column of well-known text",
            file=request.path,
            remedy="Name the column WKT or geometry.",
        )
    if request.layer:
        choose(request, [request.path.stem])
    options = {"GEOM_POSSIBLE_NAMES": column, "KEEP_GEOM_COLUMNS": "NO"}
    records = read(request, names=[request.path.stem], options=options)
    empty = shapely.is_missing(records.shapes)
    empty[list(records.raw)] = False
    if empty.any():
        records = dataclasses.replace(records, lost={**_unread(request.path, mark, column, empty), **records.lost})
    return _kept(records, request)


def _kept(records: Records, request: Request) -> Records:
    """The records that the filter keeps: it compares numbers as numbers, though a table of text has no types."""
    if not request.where:
        return records
    place = "geocheck row in the file"
    typed = records.table.apply(_typed).assign(**{place: np.arange(len(records.table))})
    found = matching(dataclasses.replace(records, table=typed), request)
    return select(records, found.table[place].to_numpy())


def _typed(column: Any) -> Any:
    """A column whose every text is a number in its shortest spelling as numbers: 007 and 1.50 are names, not numbers."""
    words = column.dropna().astype(str)
    words = words[words != ""]
    plain = words.str.fullmatch(r"-?(0|[1-9]\d{0,14})(\.\d*[1-9])?")
    return pd.to_numeric(column.where(column != "", None)) if len(words) and plain.all() else column


def _unread(path: Path, mark: str, column: str, empty: Any) -> dict[int, str]:
    """Rows without a geometry whose text is not blank: GDAL drops such text without a word."""
    csv.field_size_limit(2**31 - 1)
    with _opened(path) as file:
        texts = [row.get(column) or "" for row in csv.DictReader(file, delimiter=mark)]
    if len(texts) != len(empty):
        return {}
    return {row: "the text is no geometry" for row in np.flatnonzero(empty).tolist() if texts[row].strip()}


FORMAT = Format(name="CSV with WKT", suffixes=(".csv",), layers=_layers, read=_read)
