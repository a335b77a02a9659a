"""Writes shapefiles byte by byte: fixed dates, any ring direction, any code page, so that samples are the same each time."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyproj import CRS
from shapely.geometry.base import BaseGeometry

#: Shape types of the format.
LINE, POLYGON = 3, 5
#: Language byte of a DBF in Windows-1252.
WINDOWS_1252 = 0x57


@dataclass(frozen=True, slots=True)
class Field:
    """A DBF column: name (ten characters at most), type (C, N, D), width and decimals."""

    name: str
    sort: str = "C"
    width: int = 24
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A record: its shape (None is a null shape), its values, and whether its rings run against the format's rule."""

    shape: BaseGeometry | None
    values: Sequence[Any]
    reversed_rings: bool = False


Ring = list[tuple[float, float]]


def _signed_area(ring: Ring) -> float:
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise(ring)) / 2


def _parts(row: Row, offset: tuple[float, float]) -> list[Ring]:
    if row.shape is None:
        return []

    def moved(coords: Iterable[tuple[float, float]]) -> Ring:
        return [(round(x + offset[0], 5), round(y + offset[1], 5)) for x, y in coords]

    def wound(coords: Iterable[tuple[float, float]], clockwise: bool) -> Ring:
        ring = moved(coords)
        return ring if (_signed_area(ring) < 0) == clockwise else ring[::-1]

    shapes = list(getattr(row.shape, "geoms", [row.shape]))
    if shapes[0].geom_type == "LineString":
        return [moved(line.coords) for line in shapes]
    rings: list[Ring] = []
    for polygon in shapes:
        rings.append(wound(polygon.exterior.coords, clockwise=not row.reversed_rings))
        rings += [wound(hole.coords, clockwise=row.reversed_rings) for hole in polygon.interiors]
    return rings


def _bounds(parts: Iterable[Ring]) -> tuple[float, float, float, float]:
    points = [point for ring in parts for point in ring]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _content(shape_type: int, parts: list[Ring]) -> bytes:
    if not parts:
        return struct.pack("<i", 0)
    starts, count = [], 0
    for ring in parts:
        starts.append(count)
        count += len(ring)
    body = struct.pack("<i4dii", shape_type, *_bounds(parts), len(parts), count)
    body += struct.pack(f"<{len(starts)}i", *starts)
    return body + b"".join(struct.pack("<2d", x, y) for ring in parts for x, y in ring)


def _header(shape_type: int, length: int, bounds: tuple[float, float, float, float]) -> bytes:
    return struct.pack(">7i", 9994, 0, 0, 0, 0, 0, length // 2) + struct.pack(
        "<ii8d", 1000, shape_type, *bounds, *[0] * 4
    )


def _cell(value: Any, field: Field, encoding: str) -> bytes:
    if value is None:
        text = ""
    elif field.sort == "N":
        text = f"{value:.{field.decimals}f}".rjust(field.width)
    elif field.sort == "D":
        text = f"{value:%Y%m%d}" if isinstance(value, date) else str(value)
    else:
        text = str(value)
    cell = text.encode(encoding)
    if len(cell) > field.width:
        raise ValueError(f"{field.name}: {text!r} is wider than {field.width}")
    return cell.ljust(field.width)


def write_shapefile(
    path: Path,
    fields: Sequence[Field],
    rows: Sequence[Row],
    *,
    crs: str,
    shape_type: int = POLYGON,
    offset: tuple[float, float] = (0.0, 0.0),
    cpg: str | None = "UTF-8",
    language: int = 0,
    on: date = date(2026, 10, 1),
) -> None:
    """Write ``path`` (.shp) with its .shx, .dbf, .prj and, unless ``cpg`` is None, .cpg."""
    encoding = "utf-8" if cpg == "UTF-8" else "cp1252"
    parts = [_parts(row, offset) for row in rows]
    bounds = _bounds(ring for rings in parts for ring in rings)
    records, index, at = b"", b"", 100
    for number, rings in enumerate(parts, 1):
        content = _content(shape_type if rings else 0, rings)
        records += struct.pack(">ii", number, len(content) // 2) + content
        index += struct.pack(">ii", at // 2, len(content) // 2)
        at += 8 + len(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_header(shape_type, 100 + len(records), bounds) + records)
    path.with_suffix(".shx").write_bytes(_header(shape_type, 100 + len(index), bounds) + index)

    width = 1 + sum(field.width for field in fields)
    table = struct.pack("<4BIHH", 3, on.year - 1900, on.month, on.day, len(rows), 33 + 32 * len(fields), width)
    table += bytes(17) + bytes([language, 0, 0])
    for field in fields:
        if len(field.name) > 10:
            raise ValueError(f"{field.name}: a DBF name has ten characters at most")
        table += field.name.encode("ascii").ljust(11, b"\0") + field.sort.encode() + bytes(4)
        table += bytes([field.width, field.decimals]) + bytes(14)
    table += b"\r"
    for row in rows:
        table += b" " + b"".join(_cell(v, f, encoding) for v, f in zip(row.values, fields, strict=True))
    path.with_suffix(".dbf").write_bytes(table + b"\x1a")
    path.with_suffix(".prj").write_text(CRS(crs).to_wkt("WKT1_ESRI"), encoding="ascii")
    if cpg is not None:
        path.with_suffix(".cpg").write_text(cpg, encoding="ascii")
