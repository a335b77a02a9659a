"""TopoJSON: longitude and latitude by the format's use, arcs shared and often quantised."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import shapely

from geocheck.sources.format import Format, LayerListing, Records, Request
from geocheck.sources.jsontext import kind_of_json, load_json
from geocheck.sources.ogr import layers, read
from geocheck.sources.systems import LONGITUDE_LATITUDE, system_of_text
from geocheck.sources.where import matching

__all__ = ["FORMAT"]


def _layers(path: Path) -> list[LayerListing]:
    return [dataclasses.replace(each, crs=each.crs or LONGITUDE_LATITUDE) for each in layers(path)]


def _read(request: Request) -> Records:
    content = load_json(request.path)
    records = read(request, names=list(content.get("objects") or {}))
    records = matching(records, request)
    notes = list(records.notes)
    crs = records.crs
    shapes = records.shapes[~shapely.is_missing(records.shapes)]
    west, south, east, north = shapely.total_bounds(shapes) if len(shapes) else (0, 0, 0, 0)
    fits = bool(
        np.isfinite([west, south, east, north]).all() and west >= -180 and east <= 180 and south >= -90 and north <= 90
    )
    if crs is None and fits:
        crs = system_of_text(LONGITUDE_LATITUDE, request.path)
        notes.append(f"TopoJSON names no system; its numbers are read as longitude and latitude ({LONGITUDE_LATITUDE})")
    scale = content.get("transform", {}).get("scale") if isinstance(content, dict) else None
    if scale:
        notes.append(f"coordinates are quantised to steps of {scale[0]:.3g} × {scale[1]:.3g} of their unit")
    return dataclasses.replace(records, crs=crs, notes=tuple(notes))


FORMAT = Format(
    name="TopoJSON",
    suffixes=(".topojson", ".json", ".geojson"),
    layers=_layers,
    read=_read,
    accepts=lambda path: kind_of_json(path) == "topojson",
)
