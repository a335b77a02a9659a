"""GeoPackages, read by GDAL; a geometry that stands in the file and is not read is lost by name."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing

import numpy as np
import shapely

from geocheck.sources.format import Format, Records, Request
from geocheck.sources.ogr import layers, read

__all__ = ["FORMAT"]

_EMPTY = 0b00010000


def _read(request: Request) -> Records:
    records = read(request)
    missing = shapely.is_missing(records.shapes)
    missing[[*records.raw, *records.lost]] = False
    rows = np.flatnonzero(missing)
    if not len(rows):
        return records
    held = _blobs(request, records)
    lost = dict(records.lost)
    for row in rows.tolist():
        if row < len(held) and not _is_empty(held[row]):
            lost[row] = "geometry cannot be read: it is no GeoPackage geometry"
    return dataclasses.replace(records, lost=lost)


def _blobs(request: Request, records: Records) -> list[bytes | None]:
    """Geometry of each record as it stands in the file; empty where the records cannot be told apart."""
    where = f"WHERE ({request.where})" if request.where else ""
    table = records.layer.replace('"', '""')
    try:
        with closing(sqlite3.connect(f"{request.path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as base:
            found = base.execute("SELECT column_name FROM gpkg_geometry_columns WHERE table_name = ?", [records.layer])
            column = found.fetchone()[0].replace('"', '""')
            held = [row[0] for row in base.execute(f'SELECT "{column}" FROM "{table}" {where}')]
    except (sqlite3.Error, TypeError):
        return []
    return held if len(held) == len(records.shapes) else []


def _is_empty(blob: object) -> bool:
    """Whether a GeoPackage geometry is null or says that it is empty."""
    if blob is None:
        return True
    return isinstance(blob, bytes) and len(blob) > 8 and blob[:2] == b"GP" and bool(blob[3] & _EMPTY)


FORMAT = Format(name="GeoPackage", suffixes=(".gpkg",), layers=layers, read=_read)
