"""GeoPackages, read by GDAL; curves arrive as they are and are replaced by fine chords."""

from __future__ import annotations

from geocheck.sources.format import Format
from geocheck.sources.ogr import layers, read

__all__ = ["FORMAT"]

FORMAT = Format(name="GeoPackage", suffixes=(".gpkg",), layers=layers, read=read)
