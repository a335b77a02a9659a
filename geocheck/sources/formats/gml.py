"""GML, read by GDAL once its XML is known to be whole."""

from __future__ import annotations

from pathlib import Path

from geocheck.sources import ogr
from geocheck.sources.format import Format, LayerListing, Records, Request
from geocheck.sources.xmltext import check_xml

__all__ = ["FORMAT"]


def _layers(path: Path) -> list[LayerListing]:
    check_xml(path)
    return ogr.layers(path)


def _read(request: Request) -> Records:
    check_xml(request.path)
    return ogr.read(request)


FORMAT = Format(name="GML", suffixes=(".gml",), layers=_layers, read=_read)
