"""Writers of small files, faults included, and the folder of real data."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from pyproj import CRS

from geocheck.model.ground import LayerSource
from geocheck.sources.read import read_layer

#: Lower left corner inside the area of use of the systems of the tests.
OFFSETS = {8104: (362000, 184000), 2289: (2451000, 524000), 3071: (667000, 329000)}


def box(x0, y0, x1, y1):
    """A rectangle as a closed ring, counter-clockwise."""
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]


def shp_bytes(records, kind=5):
    """A .shp and its .shx, byte by byte: each record a list of rings (or None for a null shape), written as given."""
    content, index, at = b"", b"", 50
    everything = [p for r in records if r for ring in r for p in ring] or [(0.0, 0.0)]
    low, high = np.min(everything, axis=0), np.max(everything, axis=0)
    for number, rings in enumerate(records, 1):
        if rings is None:
            shape = struct.pack("<i", 0)
        else:
            points = [p for ring in rings for p in ring]
            starts = np.cumsum([0, *(len(r) for r in rings)])[:-1]
            shape = struct.pack(
                "<i4d2i", kind, *np.min(points, axis=0), *np.max(points, axis=0), len(rings), len(points)
            )
            shape += struct.pack(f"<{len(starts)}i", *starts) + np.array(points, "<f8").tobytes()
        content += struct.pack(">ii", number, len(shape) // 2) + shape
        index += struct.pack(">ii", at, len(shape) // 2)
        at += 4 + len(shape) // 2

    def header(size):
        words = struct.pack(">7i", 9994, 0, 0, 0, 0, 0, (100 + size) // 2)
        return words + struct.pack("<2i8d", 1000, kind, *low, *high, 0, 0, 0, 0)

    return header(len(content)) + content, header(len(index)) + index


def dbf_bytes(fields, rows, language=0):
    """A .dbf: fields as (name, type, width, decimals), rows as raw cells (bytes)."""
    head = struct.pack("<4BIHH", 3, 126, 1, 1, len(rows), 33 + 32 * len(fields), 1 + sum(f[2] for f in fields))
    head += bytes(17) + bytes([language]) + bytes(2)
    for name, kind, width, decimals in fields:
        head += name.encode().ljust(11, b"\0") + kind.encode() + bytes(4) + bytes([width, decimals]) + bytes(14)
    body = b"".join(b" " + b"".join(c.ljust(f[2]) for c, f in zip(row, fields, strict=True)) for row in rows)
    return head + b"\r" + body + b"\x1a"


@pytest.fixture
def write_shapefile(tmp_path):
    """Write a shapefile byte by byte; ``None`` for a part leaves the file away."""

    def write(records, *, name="layer", epsg=8104, prj=None, fields=None, rows=None, cpg=None, language=0, shx=True, dbf=True, kind=5, shift=True):  # fmt: skip
        dx, dy = OFFSETS.get(epsg, (0, 0)) if shift else (0, 0)
        moved = [None if r is None else [[(x + dx, y + dy) for x, y in ring] for ring in r] for r in records]
        shp, index = shp_bytes(moved, kind)
        path = tmp_path / f"{name}.shp"
        path.write_bytes(shp)
        if shx:
            path.with_suffix(".shx").write_bytes(index)
        if dbf:
            fields = fields or [("ID", "C", 8, 0)]
            rows = [[str(i + 1).encode()] for i in range(len(records))] if rows is None else rows
            path.with_suffix(".dbf").write_bytes(dbf_bytes(fields, rows, language))
        if prj is None and epsg:
            prj = CRS.from_epsg(epsg).to_wkt("WKT1_ESRI")
        if prj:
            path.with_suffix(".prj").write_text(prj)
        if cpg is not None:
            path.with_suffix(".cpg").write_text(cpg)
        return path

    return write


@pytest.fixture
def read(tmp_path):
    """Read a path as a layer of a role."""

    def read(path, role="wetland", **keys):
        near, keep = keys.pop("near", None), keys.pop("keep_fields", True)
        return read_layer(LayerSource(role, source=str(path), **keys), near=near, keep_fields=keep)

    return read


@pytest.fixture(scope="session")
def real_data():
    """Folder of real public data, outside the project."""
    folder = os.environ.get("GEOCHECK_REAL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs GEOCHECK_REAL_DATA, the folder of real data")
    return Path(folder)


@pytest.fixture
def box_ring():
    """The function that makes a rectangle's ring."""
    return box
