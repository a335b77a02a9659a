"""CSV with a column of well-known text, read by GDAL; every attribute stays text."""

from __future__ import annotations

from pathlib import Path

from geocheck.sources.format import Format, LayerListing, Records, Request, refuse
from geocheck.sources.ogr import layers, layers_of, read

__all__ = ["FORMAT"]

_OPTIONS = {"GEOM_POSSIBLE_NAMES": "WKT,wkt,geometry,geom,the_geom,shape,SHAPE", "KEEP_GEOM_COLUMNS": "NO"}


def _layers(path: Path) -> list[LayerListing]:
    return layers(path)


def _read(request: Request) -> Records:
    if not request.layer and not layers_of(request.path):
        raise refuse(
            "no-geometry",
            "the table has no column of well-known text",
            file=request.path,
            remedy="Name the column WKT or geometry.",
        )
    return read(request, options=_OPTIONS)


FORMAT = Format(name="CSV with WKT", suffixes=(".csv",), layers=_layers, read=_read)
