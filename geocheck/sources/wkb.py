"""Well-known binary into shapes: in bulk where shapely reads it, ring by ring where it holds curves or faults."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from geocheck.sources.rings import Ring, footprint

__all__ = ["Decoded", "decode", "stroke"]

#: An arc becomes at least this many chords: the ground between arc and chord is then right within 1 / 64², 0.025 %.
CHORDS_PER_ARC = 64
_CURVED = {8, 9, 10, 11, 12, 13, 14}
_FACETED = {15, 16, 17}
_POINT, _LINE, _POLYGON, _MULTIPOINT, _MULTILINE, _MULTIPOLYGON, _COLLECTION = range(1, 8)
_CIRCULAR, _COMPOUND, _CURVEPOLYGON, _MULTICURVE, _MULTISURFACE, _CURVE, _SURFACE, _POLYHEDRAL, _TIN, _TRIANGLE = range(8, 18)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Decoded:
    """Shapes of many records, and the rings, remarks and losses of the few that shapely cannot read as they are."""

    shapes: Any
    raw: dict[int, tuple[Ring, ...]] = field(default_factory=dict)
    remarks: dict[int, str] = field(default_factory=dict)
    lost: dict[int, str] = field(default_factory=dict)


def decode(binary: Any) -> Decoded:
    """Decode an array of WKB (bytes or None), one a record.

    ``binary`` may be an Arrow column, or any sequence. Curves are replaced by chords (`stroke`), triangulated surfaces by their triangles seen from above; Z and M are
    dropped. Whatever cannot be read is lost by name, never silently empty.
    """
    column = _as_arrow(binary)
    kinds, flat = _kinds(column)
    binary = column.to_numpy(zero_copy_only=False)
    plain = (kinds >= 1) & (kinds <= 7)
    shapes = np.full(len(binary), None, dtype=object)
    with np.errstate(invalid="ignore"):  # vertices that are no numbers are found when the shape is made sound
        read = shapely.from_wkb(binary if plain.all() else binary[plain], on_invalid="ignore")
    shapes[plain] = read if flat else shapely.force_2d(read)
    result = Decoded(shapes)
    rest = np.flatnonzero((kinds != 0) & shapely.is_missing(shapes))
    for row in rest.tolist():
        _decode_one(row, binary[row], result)
    return result


def _as_arrow(binary: Any) -> pa.Array:
    """One Arrow array of large binary values."""
    if isinstance(binary, pa.ChunkedArray):
        binary = binary.cast(pa.large_binary()).combine_chunks()
        return binary.chunk(0) if isinstance(binary, pa.ChunkedArray) else binary
    return pa.array(list(binary), type=pa.large_binary())


def _kinds(column: pa.Array) -> tuple[Any, bool]:
    """OGC geometry codes without their dimension (0 for null, -1 for what is no WKB), and whether all are flat."""
    count = len(column)
    kinds = np.full(count, -1, dtype=np.int64)
    if not count:
        return kinds, True
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, "<i8", count + 1, 8 * column.offset)
    content = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    null = column.is_null().to_numpy(zero_copy_only=False)
    kinds[null] = 0
    rows = np.flatnonzero(~null & (np.diff(starts) >= 5))
    head = content[starts[rows, None] + np.arange(5)].astype(np.int64)
    little = head[:, 1:] @ np.array([1, 256, 65536, 16777216])
    big = head[:, 1:] @ np.array([16777216, 65536, 256, 1])
    code = np.where(head[:, 0] == 1, little, big)
    known = head[:, 0] <= 1
    kinds[rows[known]] = (code[known] & 0x0FFFFFFF) % 1000
    return kinds, bool((code[known] < 1000).all())


@dataclass
class _Content:
    rings: list[Ring] = field(default_factory=list)
    lines: list[Any] = field(default_factory=list)
    points: int = 0
    curved: bool = False
    faceted: bool = False
    part: int = 0


def _decode_one(row: int, blob: bytes, result: Decoded) -> None:
    content = _Content()
    try:
        _read(blob, 0, content)
    except (struct.error, ValueError, IndexError) as error:
        result.lost[row] = f"geometry cannot be read: {error}"
        return
    if content.curved:
        result.remarks[row] = "curves replaced by chords"
    if content.faceted:
        result.remarks[row] = "surface in three dimensions: its ground seen from above"
    if content.faceted:
        result.shapes[row] = footprint(content.rings)
    elif content.rings:
        result.raw[row] = tuple(content.rings)
    elif content.lines:
        result.shapes[row] = shapely.MultiLineString(content.lines) if len(content.lines) > 1 else content.lines[0]
    elif content.points:
        result.shapes[row] = shapely.Point()


def _read(blob: bytes, at: int, content: _Content) -> int:
    order = "<" if blob[at] == 1 else ">"
    (code,) = struct.unpack_from(order + "I", blob, at + 1)
    at += 5
    size = 2 + bool(code & 0x80000000) + bool(code & 0x40000000)
    if code & 0x20000000:
        at += 4
    code &= 0x0FFFFFFF
    size += (0, 1, 1, 2)[code // 1000 % 4]
    code %= 1000
    if code == _POINT:
        content.points += 1
        return at + 8 * size
    if code in (_LINE, _CIRCULAR, _COMPOUND):
        vertices, at = _curve(blob, at, order, code, size, content)
        if len(vertices) > 1:
            content.lines.append(shapely.LineString(vertices))
        return at
    (count,) = struct.unpack_from(order + "I", blob, at)
    at += 4
    if code in (_POLYGON, _TRIANGLE):
        content.faceted |= code == _TRIANGLE
        for index in range(count):
            vertices, at = _points(blob, at, order, size)
            content.rings.append(Ring(vertices, content.part, index > 0))
        content.part += 1
        return at
    if code == _CURVEPOLYGON:
        for index in range(count):
            vertices, at = _boundary(blob, at, content)
            content.rings.append(Ring(vertices, content.part, index > 0))
        content.part += 1
        return at
    if code in (_MULTIPOINT, _MULTILINE, _MULTIPOLYGON, _COLLECTION, _MULTICURVE, _MULTISURFACE, _POLYHEDRAL, _TIN):
        content.faceted |= code in _FACETED
        for _ in range(count):
            at = _read(blob, at, content)
        return at
    raise ValueError(f"geometry type {code} is not known")


def _boundary(blob: bytes, at: int, content: _Content) -> tuple[Any, int]:
    order = "<" if blob[at] == 1 else ">"
    (code,) = struct.unpack_from(order + "I", blob, at + 1)
    size = 2 + bool(code & 0x80000000) + bool(code & 0x40000000) + (0, 1, 1, 2)[(code & 0x0FFFFFFF) // 1000 % 4]
    return _curve(blob, at + 5, order, (code & 0x0FFFFFFF) % 1000, size, content)


def _curve(blob: bytes, at: int, order: str, code: int, size: int, content: _Content) -> tuple[Any, int]:
    if code != _COMPOUND:
        vertices, at = _points(blob, at, order, size)
        if code == _CIRCULAR:
            content.curved = True
            vertices = stroke(vertices)
        return vertices, at
    (count,) = struct.unpack_from(order + "I", blob, at)
    at += 4
    pieces: list[Any] = []
    for _ in range(count):
        piece, at = _boundary(blob, at, content)
        pieces.append(piece if not pieces else piece[1:])
    return (np.vstack(pieces) if pieces else np.empty((0, 2))), at


def _points(blob: bytes, at: int, order: str, size: int) -> tuple[Any, int]:
    (count,) = struct.unpack_from(order + "I", blob, at)
    at += 4
    end = at + 8 * size * count
    if end > len(blob):
        raise ValueError("it ends in the middle of its vertices")
    return np.frombuffer(blob, order + "f8", size * count, at).reshape(count, size)[:, :2].astype(float), end


def stroke(vertices: Any) -> Any:
    """Replace a circular string (start, through, end, through, end, …) by chords on its arcs.

    An arc and its reverse give the same vertices, so neighbours that share an arc share its chords.

    Examples
    --------
    >>> circle = stroke([(0, 0), (1, 1), (2, 0), (1, -1), (0, 0)])
    >>> from geocheck.sources.rings import signed_area
    >>> round(-signed_area(circle) / math.pi, 3)
    1.0
    """
    points = np.asarray(vertices, dtype=float)
    if len(points) < 3 or len(points) % 2 == 0:
        raise ValueError("a circular string needs an odd number of vertices, at least three")
    out = [points[:1]]
    for index in range(0, len(points) - 2, 2):
        out.append(_arc(*points[index : index + 3])[1:])
    return np.vstack(out)


def _arc(start: Any, through: Any, end: Any) -> Any:
    backwards = tuple(end) < tuple(start)
    if backwards:
        start, end = end, start
    if np.array_equal(start, end):  # a whole circle: the middle vertex is the point across
        centre = (start + through) / 2
        angles = np.linspace(0, 2 * math.pi, 4 * CHORDS_PER_ARC + 1)
        first = math.atan2(*(start - centre)[::-1])
        radius = math.hypot(*(start - centre))
    else:
        ax, ay = through - start
        bx, by = end - start
        cross = 2 * (ax * by - ay * bx)
        if abs(cross) <= 1e-12 * (math.hypot(ax, ay) * math.hypot(bx, by)):
            return np.array([start, through, end][:: -1 if backwards else 1])
        centre = (
            start
            + np.array(
                [
                    by * (ax * ax + ay * ay) - ay * (bx * bx + by * by),
                    ax * (bx * bx + by * by) - bx * (ax * ax + ay * ay),
                ]
            )
            / cross
        )
        radius = math.hypot(*(start - centre))
        first, last = (math.atan2(*(p - centre)[::-1]) for p in (start, end))
        sweep = (last - first) % (2 * math.pi)
        if cross < 0:
            sweep -= 2 * math.pi
        chords = max(CHORDS_PER_ARC, math.ceil(abs(sweep) / math.radians(1)))
        angles = np.linspace(0, sweep, chords + 1)
    arc = centre + radius * np.column_stack([np.cos(first + angles), np.sin(first + angles)])
    arc[0], arc[-1] = start, end
    return arc[::-1] if backwards else arc
