"""Esri file geodatabases: a folder ending in .gdb, or one zipped, read by GDAL."""

from __future__ import annotations

from pathlib import Path

from geocheck.sources.format import Format
from geocheck.sources.ogr import layers, read

__all__ = ["FORMAT"]


def _files(path: Path) -> list[Path]:
    return sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]


FORMAT = Format(name="file geodatabase", suffixes=(".gdb.zip", ".gdb"), layers=layers, read=read, companions=_files)
