"""KML and KMZ, read by GDAL; coordinates are longitude and latitude by the format."""

from __future__ import annotations

from geocheck.sources.format import Format
from geocheck.sources.ogr import layers, read

__all__ = ["FORMAT"]

FORMAT = Format(
    name="KML",
    suffixes=(
        ".kml",
        ".kmz",
    ),
    layers=layers,
    read=read,
)
