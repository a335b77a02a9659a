"""FlatGeobuf, read by GDAL."""

from __future__ import annotations

from geocheck.sources.format import Format
from geocheck.sources.ogr import layers, read

__all__ = ["FORMAT"]

FORMAT = Format(name="FlatGeobuf", suffixes=(".fgb",), layers=layers, read=read)
