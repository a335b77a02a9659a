"""The .shp file read from its bytes: rings as written, no index needed, nothing written beside the data."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from geocheck.sources.rings import Ring, footprint

__all__ = ["ShapeFile", "kind_of_shp", "read_shp"]

_KINDS = {0: "", 1: "Point", 3: "LineString", 5: "Polygon", 8: "MultiPoint", 31: "MultiPatch"}
_POLYGON, _LINE = 5, 3


@dataclass(frozen=True, eq=False)
class ShapeFile:
    """Shapes of a .shp file, one a record; `Records` says what the other fields mean."""

    shapes: Any
    raw: dict[int, tuple[Ring, ...]] = field(default_factory=dict)
    lost: dict[int, str] = field(default_factory=dict)
    remarks: dict[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def kind_of_shp(data: bytes) -> str:
    """Return the kind of geometry that the header declares; empty for none.

    Raises
    ------
    ValueError
        If the bytes are no .shp, or fewer than its header announces.
    """
    if len(data) < 100 or int.from_bytes(data[:4], "big") != 9994:
        raise ValueError("it does not begin as a .shp does")
    announced = 2 * int.from_bytes(data[24:28], "big")
    if len(data) < announced:
        raise ValueError(f"it is cut off: the header announces {announced:,} bytes and {len(data):,} are there")
    return _KINDS.get(_base(int.from_bytes(data[32:36], "little")), "")


def _base(kind: Any) -> Any:
    """Kind without Z and M: 15 and 25 are polygons as 5 is; 31 is a multipatch."""
    return np.where(np.asarray(kind) == 31, 31, np.asarray(kind) % 10).item() if np.isscalar(kind) else np.where(kind == 31, 31, kind % 10)  # fmt: skip


def read_shp(data: bytes, index: bytes | None = None) -> ShapeFile:
    """Read all shapes.

    Parameters
    ----------
    data : bytes
        The .shp file.
    index : bytes or None
        The .shx file; without one, or where it does not fit, records are found by walking through the .shp.

    Raises
    ------
    ValueError
        If the bytes are no .shp or are cut off.
    """
    kind_of_shp(data)
    notes: list[str] = []
    offsets = None if index is None else _indexed(data, index)
    if offsets is None:
        offsets = _walk(data)
        notes.append("no .shx beside it" if index is None else "the .shx does not fit the .shp and is not used")
        notes[-1] += "; records found by reading the .shp from its start"
    result = ShapeFile(np.full(len(offsets), None, dtype=object), notes=tuple(notes))
    if not len(offsets):
        return result
    words = np.frombuffer(data, "<i4", len(data) // 4)
    at = offsets // 4
    content = np.frombuffer(data, ">i4", len(data) // 4)[at + 1].astype(np.int64) * 2
    kinds = np.where(content >= 4, words[at + 2], 0)
    kind = _base(kinds)
    known = np.isin(kinds, (0, 1, 3, 5, 8, 11, 13, 15, 18, 21, 23, 25, 28, 31))
    for row in np.flatnonzero(~known).tolist():
        result.lost[row] = f"shape type {int(kinds[row])} is not known"
    for wanted, read in ((_POLYGON, _polygons), (_LINE, _lines)):
        rows = np.flatnonzero((kind == wanted) & known)
        if len(rows):
            read(words, at, content, rows, result)
    points = np.flatnonzero((kind == 1) & known & (content >= 20))
    if len(points):
        xy = words[(at[points] + 3)[:, None] + np.arange(4)].copy().view("<f8")
        result.shapes[points] = shapely.points(xy)
    for row in np.flatnonzero((kind == 8) & known).tolist():
        result.shapes[row] = shapely.Point()
    for row in np.flatnonzero((kind == 31) & known).tolist():
        _multipatch(data, int(offsets[row]), row, result)
    return result


def _indexed(data: bytes, index: bytes) -> Any:
    """Byte offsets of the records by the .shx, or None where it contradicts the .shp."""
    if len(index) < 100 or (len(index) - 100) % 8 or int.from_bytes(index[:4], "big") != 9994:
        return None
    entries = np.frombuffer(index, ">i4", offset=100).reshape(-1, 2).astype(np.int64) * 2
    offsets, lengths = entries.T
    if not len(offsets):
        return None if len(data) > 108 else offsets
    if (offsets % 4).any() or (offsets < 100).any() or (offsets + 8 + lengths > len(data)).any():
        return None
    stated = np.frombuffer(data, ">i4", len(data) // 4)[offsets // 4 + 1].astype(np.int64) * 2
    # Every byte of records must be spoken for: an index that leaves records out loses rows in silence.
    if (
        (stated != lengths).any()
        or len(np.unique(offsets)) != len(offsets)
        or 100 + (lengths + 8).sum() + 8 <= len(data)
    ):
        return None
    return offsets


def _walk(data: bytes) -> Any:
    offsets: list[int] = []
    at, expected = 100, 1
    while at + 8 <= len(data):
        number, length = struct.unpack_from(">ii", data, at)
        if length < 2 or length % 2 or at + 8 + 2 * length > len(data):
            if number == expected:
                raise ValueError(f"it is cut off or damaged in record {number}")
            break  # bytes after the last record
        offsets.append(at)
        at += 8 + 2 * length
        expected = number + 1
    return np.array(offsets, dtype=np.int64)


def _parts(words: Any, at: Any, content: Any, rows: Any, result: ShapeFile) -> tuple[Any, Any, Any, Any]:
    """Rows that hold together, their vertices, the ring starts (with an end), and the first ring of each row."""
    fits = content[rows] >= 44
    for row in rows[~fits].tolist():
        result.lost[row] = "the record is too short for a shape"
    rows = rows[fits]
    start = at[rows]
    parts = words[start + 11].astype(np.int64)
    points = words[start + 12].astype(np.int64)
    sound = (parts >= 0) & (points >= 0) & (44 + 4 * parts + 16 * points <= content[rows])
    for row in rows[~sound].tolist():
        result.lost[row] = "the record announces more vertices than it holds"
    empty = sound & ((parts == 0) | (points == 0))
    sound &= ~empty
    rows, start, parts, points = rows[sound], start[sound], parts[sound], points[sound]
    first = words[_ranges(start + 13, parts)].astype(np.int64)
    owner = np.repeat(np.arange(len(rows)), parts)
    heads = np.cumsum(parts) - parts
    ordered = np.ones(len(rows), dtype=bool)
    wrong = (first < 0) | (first >= points[owner])
    wrong[1:] |= (np.diff(first) < 0) & (np.diff(owner) == 0)
    ordered[owner[wrong]] = False
    ordered &= first[heads] == 0 if len(rows) else True
    if not ordered.all():
        for row in rows[~ordered].tolist():
            result.lost[row] = "the record's parts are out of order"
        return _parts(words, at, content, rows[ordered], result)
    xy = (
        words[(_ranges((start + 13 + parts), 4 * points)).reshape(-1, 4)].view("<f8") if len(rows) else np.empty((0, 2))
    )
    base = np.cumsum(points) - points
    rings = np.append(first + base[owner], points.sum())
    return rows, xy, rings, np.append(heads, len(first))


def _ranges(starts: Any, lengths: Any) -> Any:
    """Concatenate the ranges start … start + length."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)


def _polygons(words: Any, at: Any, content: Any, rows: Any, result: ShapeFile) -> None:
    rows, xy, rings, heads = _parts(words, at, content, rows, result)
    if not len(rows):
        return
    lengths = np.diff(rings)
    counts = np.diff(heads)
    owner = np.repeat(np.arange(len(rows)), counts)
    finite = np.isfinite(xy).all(axis=1)
    long_enough = lengths >= 4
    begin, end = rings[:-1], np.maximum(rings[1:] - 1, rings[:-1])
    end = np.minimum(end, len(xy) - 1)
    begin = np.minimum(begin, len(xy) - 1)
    closed = (xy[begin] == xy[end]).all(axis=1)
    good = long_enough & closed
    good &= np.add.reduceat(~finite, begin) == 0
    clockwise = _areas(xy, rings) < 0
    tidy = np.ones(len(rows), dtype=bool)
    tidy[owner[~good]] = False
    shells = np.bincount(owner[clockwise], minlength=len(rows))
    head = heads[:-1]
    single = tidy & ((counts == 1) | ((shells == 1) & clockwise[head]))
    several = tidy & ~single & (shells == counts)
    for chosen, kind in ((single, shapely.GeometryType.POLYGON), (several, shapely.GeometryType.MULTIPOLYGON)):
        if not chosen.any():
            continue
        ring_mask = chosen[owner]
        coordinates = xy[np.repeat(ring_mask, lengths)]
        ring_offsets = np.append(0, np.cumsum(lengths[ring_mask]))
        geometry_offsets = np.append(0, np.cumsum(counts[chosen]))
        if kind == shapely.GeometryType.MULTIPOLYGON:
            each = np.arange(len(ring_offsets))
            offsets: tuple[Any, ...] = (ring_offsets, each, geometry_offsets)
        else:
            offsets = (ring_offsets, geometry_offsets)
        result.shapes[rows[chosen]] = shapely.from_ragged_array(kind, coordinates, offsets)
    for i in np.flatnonzero(~single & ~several).tolist():
        result.raw[int(rows[i])] = tuple(Ring(xy[rings[r] : rings[r + 1]]) for r in range(heads[i], heads[i + 1]))


def _areas(xy: Any, rings: Any) -> Any:
    """Signed area of every ring, about its own first vertex."""
    lengths = np.diff(rings)
    local = xy - np.repeat(xy[np.minimum(rings[:-1], len(xy) - 1)], lengths, axis=0)
    x, y = local.T
    cross = np.zeros(len(xy))
    cross[:-1] = x[:-1] * y[1:] - x[1:] * y[:-1]
    cross[rings[1:] - 1] = 0
    sums = np.add.reduceat(cross, np.minimum(rings[:-1], len(xy) - 1))
    return np.where(lengths > 0, sums, 0.0)


def _lines(words: Any, at: Any, content: Any, rows: Any, result: ShapeFile) -> None:
    rows, xy, rings, heads = _parts(words, at, content, rows, result)
    lengths = np.diff(rings)
    ring_owner = np.repeat(np.arange(len(rows)), np.diff(heads))
    bad = np.zeros(len(rows), dtype=bool)
    bad[ring_owner[lengths < 2]] = True
    bad[np.repeat(ring_owner, lengths)[~np.isfinite(xy).all(axis=1)]] = True
    for row in rows[bad].tolist():
        result.lost[row] = "a line with a single vertex or without coordinates"
    keep = ~bad
    if not keep.any():
        return
    mask = keep[ring_owner]
    offsets = (np.append(0, np.cumsum(lengths[mask])), np.append(0, np.cumsum(np.diff(heads)[keep])))
    result.shapes[rows[keep]] = shapely.from_ragged_array(
        shapely.GeometryType.MULTILINESTRING, xy[np.repeat(mask, lengths)], offsets
    )


def _multipatch(data: bytes, offset: int, row: int, result: ShapeFile) -> None:
    """A surface in three dimensions: strips (0), fans (1) and rings (2 to 5), seen from above."""
    try:
        parts, points = struct.unpack_from("<ii", data, offset + 44)
        starts = [*struct.unpack_from(f"<{parts}i", data, offset + 52), points]
        kinds = struct.unpack_from(f"<{parts}i", data, offset + 52 + 4 * parts)
        xy = np.frombuffer(data, "<f8", 2 * points, offset + 52 + 8 * parts).reshape(-1, 2)
    except (struct.error, ValueError) as error:
        result.lost[row] = f"multipatch cannot be read: {error}"
        return
    rings = []
    for kind, begin, end in zip(kinds, starts, starts[1:], strict=False):
        part = xy[begin:end]
        if kind in (0, 1):
            for i in range(len(part) - 2):
                rings.append(Ring(part[[i if kind == 0 else 0, i + 1, i + 2]]))
        elif kind in (2, 4):
            rings.append(Ring(part))
    result.shapes[row] = footprint(rings)
    result.remarks[row] = "surface in three dimensions: its ground seen from above"
    if result.shapes[row] is None:
        result.shapes[row] = shapely.Polygon()
