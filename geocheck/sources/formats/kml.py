"""KML and KMZ, read by GDAL; coordinates are longitude and latitude by the format."""

from __future__ import annotations

from pathlib import Path

from geocheck.sources import ogr
from geocheck.sources.format import Format, LayerListing, Records, Request
from geocheck.sources.xmltext import check_xml

__all__ = ["FORMAT"]


def _layers(path: Path) -> list[LayerListing]:
    if path.suffix.lower() == ".kml":
        check_xml(path)
    return ogr.layers(path)


def _read(request: Request) -> Records:
    if request.path.suffix.lower() == ".kml":
        check_xml(request.path)
    return ogr.read(request)


FORMAT = Format(name="KML", suffixes=(".kml", ".kmz"), layers=_layers, read=_read)
