"""GML, read by GDAL."""

from __future__ import annotations

from geocheck.sources.format import Format
from geocheck.sources.ogr import layers, read

__all__ = ["FORMAT"]

FORMAT = Format(name="GML", suffixes=(".gml",), layers=layers, read=read)
