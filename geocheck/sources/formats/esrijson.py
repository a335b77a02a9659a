"""Esri JSON (feature sets of ArcGIS), read by GDAL; curves that GDAL drops are lost by name."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import shapely

from geocheck.sources.format import Format, Records, Request, refuse
from geocheck.sources.jsontext import kind_of_json, load_json
from geocheck.sources.ogr import layers, read
from geocheck.sources.where import matching

__all__ = ["FORMAT"]

_SHAPES = ("rings", "paths", "curveRings", "curvePaths", "points", "x")


def _read(request: Request) -> Records:
    content = load_json(request.path)
    features: list[dict[str, Any]] = content.get("features", []) if isinstance(content, dict) else []
    if isinstance(content, dict) and "error" in content:
        raise refuse("service-error", f"the file holds a service's error: {content['error']}", file=request.path)
    if isinstance(content, dict) and content.get("exceededTransferLimit"):
        raise refuse(
            "incomplete-source",
            "the service that wrote this file says that it holds more records (exceededTransferLimit)",
            file=request.path,
            remedy="Ask the service for all pages.",
        )
    records = read(request, names=[request.layer or request.path.stem])
    lost = dict(records.lost)
    if len(features) != len(records.shapes):
        raise refuse("damaged-file", f"{len(features)} records stand in the file, {len(records.shapes)} were read", file=request.path)  # fmt: skip
    missing = shapely.is_missing(records.shapes) | shapely.is_empty(records.shapes)
    for row in np.flatnonzero(missing).tolist():
        geometry = features[row].get("geometry") or {}
        held = [key for key in _SHAPES if geometry.get(key)]
        if held and row not in records.raw:
            lost[row] = f"geometry given as {held[0]} is not read; ask for straight segments (returnTrueCurves=false)"
    for row, feature in enumerate(features):
        geometry = feature.get("geometry") or {}
        if row not in lost and (geometry.get("curveRings") or geometry.get("curvePaths")):
            lost[row] = "curved geometry is not read; ask for straight segments (returnTrueCurves=false)"
    return matching(dataclasses.replace(records, lost=lost), request)


FORMAT = Format(
    name="Esri JSON",
    suffixes=(".json", ".esrijson", ".geojson"),
    layers=layers,
    read=_read,
    accepts=lambda path: kind_of_json(path) == "esrijson",
)
