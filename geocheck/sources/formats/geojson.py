"""GeoJSON, read by GDAL; a geometry that is in the file and not in the reading is lost by name."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.sources.format import Format, LayerListing, Records, Request, choose, refuse
from geocheck.sources.jsontext import kind_of_json, load_json
from geocheck.sources.ogr import layers, layers_of, read
from geocheck.sources.rings import Ring
from geocheck.sources.where import matching

__all__ = ["FORMAT"]


def _layers(path: Path) -> list[LayerListing]:
    _whole(path)
    return layers(path)


def _read(request: Request) -> Records:
    _whole(request.path)
    if request.layer and request.layer != request.path.stem:
        request = dataclasses.replace(request, layer=choose(request, layers_of(request.path)))
    records = read(request, names=[request.layer or request.path.stem])
    empty = np.flatnonzero(
        shapely.is_missing(records.shapes) & ~np.isin(np.arange(len(records.shapes)), list(records.raw))
    )
    if len(empty):
        records = _recheck(request, records, empty)
    return matching(_exact_digits(request, records), request)


def _exact_digits(request: Request, records: Records) -> Records:
    """Whole numbers beyond 64 bits come from GDAL as doubles; their digits are taken from the file."""
    columns = [n for n, c in records.table.items() if c.dtype == float and (c.abs() >= 2.0**53).any()]
    features = load_json(request.path).get("features", ()) if columns else ()
    if len(features) != len(records.table):
        return records
    exact = {}
    for name in columns:
        values = [(f.get("properties") or {}).get(name) for f in features]
        if all(v is None or isinstance(v, int) for v in values):
            exact[name] = pd.Series([None if v is None else str(v) for v in values], dtype=object)
    return dataclasses.replace(records, table=records.table.assign(**exact))


def _whole(path: Path) -> None:
    """Refuse a file that does not end as JSON ends: GDAL may read the beginning of a cut-off one."""
    with path.open("rb") as file:
        size = path.stat().st_size
        file.seek(max(0, size - 64))
        tail = file.read().rstrip(b" \t\r\n\x00")
    if not tail.endswith((b"}", b"]")) or not size:
        load_json(path)
        raise refuse("damaged-file", "the file is not GeoJSON", file=path)


def _recheck(request: Request, records: Records, empty: Any) -> Records:
    """Look at the records without geometry in the file itself."""
    content = load_json(request.path)
    features = content.get("features") if isinstance(content, dict) else None
    if not isinstance(features, list) or len(features) != len(records.shapes):
        return records
    lost, raw = dict(records.lost), dict(records.raw)
    for row in empty.tolist():
        geometry = features[row].get("geometry") if isinstance(features[row], dict) else None
        if not geometry or not geometry.get("coordinates", geometry.get("geometries")):
            continue
        rings = _rings(geometry)
        if rings:
            raw[row] = rings
        else:
            lost[row] = f"geometry of type {geometry.get('type')!r} cannot be read"
    return dataclasses.replace(records, lost=lost, raw=raw)


def _rings(geometry: dict[str, Any]) -> tuple[Ring, ...]:
    """Rings of a polygon whose coordinates GDAL refuses; empty where they are no rings."""
    polygons = geometry.get("coordinates")
    if geometry.get("type") == "Polygon":
        polygons = [polygons]
    elif geometry.get("type") != "MultiPolygon":
        return ()
    try:
        return tuple(
            Ring(np.array([[float(v[0]), float(v[1])] for v in ring], dtype=float).reshape(-1, 2), part, index > 0)
            for part, polygon in enumerate(polygons or ())
            for index, ring in enumerate(polygon)
        )
    except (TypeError, ValueError, IndexError):
        return ()


FORMAT = Format(
    name="GeoJSON",
    suffixes=(".geojson", ".json", ".topojson"),
    layers=_layers,
    read=_read,
    accepts=lambda path: kind_of_json(path) == "geojson",
)
