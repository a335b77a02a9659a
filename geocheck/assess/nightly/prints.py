"""Fingerprints of ground: of a shape, and of what a layer holds in a rectangle, all at once and without hashing one by one.

A fingerprint is two sums, modulo 2**64, of well mixed numbers, one for each edge. Equal ground that is drawn with other
vertices has another fingerprint: it is measured again, which costs time and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

__all__ = ["Tiles", "mixed", "prints_of", "prints_of_texts", "tiles_of"]

#: Side of a tile in units of the run's system, and the most tiles of a layer; beyond it the tiles are made larger.
TILE = 512.0
_MOST = 4_000_000
#: A record that spans no more tiles than this either way is taken whole into each of them.
_SMALL = 4
_SEEDS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
_FACTORS = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F], dtype=np.uint64)


def mixed(numbers: Any) -> Any:
    """Return 64-bit numbers well mixed (the finaliser of SplitMix64): sums of them then hardly ever meet by chance.

    Examples
    --------
    >>> len(set(mixed(np.arange(1000, dtype=np.uint64)).tolist()))
    1000
    """
    found = np.asarray(numbers, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def prints_of_texts(texts: Any) -> Any:
    """Return a pair of numbers for each text; None is a text of its own."""
    import hashlib

    known: dict[Any, tuple[int, int]] = {}
    for text in texts:
        if text not in known:
            digest = hashlib.blake2b(repr(text).encode(), digest_size=16).digest()
            known[text] = (int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big"))
    return np.array([known[text] for text in texts], dtype=np.uint64).reshape(-1, 2)


def prints_of(shapes: Any) -> Any:
    """Return the fingerprint of each shape, a pair of numbers; nothing and empty have one of their own."""
    shapes = np.asarray(shapes, dtype=object)
    edges, owner = _edges(shapes)
    found = np.stack([_summed(_edge_prints(edges, seed), owner, len(shapes)) for seed in _SEEDS], axis=1)
    found[shapely.is_missing(shapes)] = _SEEDS
    return found


def _edges(shapes: Any) -> tuple[Any, Any]:
    """Return all edges, four coordinates each, and the shape that each belongs to; a point is an edge without length."""
    if np.isin(shapely.get_type_id(shapes), (-1, 3, 6)).all():
        points, line, owner = _rings(shapes)
    else:
        points, line, owner = _lines(shapes)
    if not len(points):
        return np.zeros((0, 4)), np.zeros(0, dtype=np.int64)
    follows = np.append(line[1:] == line[:-1], False)
    single = ~follows & ~np.append(False, follows[:-1])
    start = np.flatnonzero(follows | single)
    end = np.where(single[start], start, start + 1)
    return np.hstack([points[start], points[end]]), owner[line[start]].astype(np.int64)


def _rings(shapes: Any) -> tuple[Any, Any, Any]:
    """Return the vertices of polygons, the ring that each is of, and the shape that each ring is of."""
    there = np.flatnonzero(~shapely.is_missing(shapes))
    points = shapely.get_coordinates(shapes[there])
    if not len(points):
        return points, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    kind, _, offsets = shapely.to_ragged_array(shapes[there])
    ends = offsets[0]
    of_shape = offsets[-1]
    if kind == shapely.GeometryType.MULTIPOLYGON:
        of_shape = offsets[1][offsets[2]]
    line = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    return points, line, there[np.repeat(np.arange(len(of_shape) - 1), np.diff(of_shape))]


def _lines(shapes: Any) -> tuple[Any, Any, Any]:
    """Return the vertices of shapes of any kind, the line or ring that each is of, and the shape that each line is of."""
    parts, of_shape = shapely.get_parts(shapes, return_index=True)
    while (shapely.get_type_id(parts) > 3).any():
        parts, inner = shapely.get_parts(parts, return_index=True)
        of_shape = of_shape[inner]
    polygon = shapely.get_type_id(parts) == 3
    rings, of_part = shapely.get_rings(parts[polygon], return_index=True)
    lines = np.concatenate([rings, parts[~polygon]])
    points, line = shapely.get_coordinates(lines, return_index=True)
    return points, line, np.concatenate([of_shape[polygon][of_part], of_shape[~polygon]])


def _edge_prints(edges: Any, seed: Any) -> Any:
    bits = np.ascontiguousarray(edges + 0.0).view(np.uint64)
    total = np.full(len(edges), seed, dtype=np.uint64)
    for column, factor in enumerate(_FACTORS):
        total = mixed(total + bits[:, column] * factor)
    return total


def _summed(numbers: Any, group: Any, count: int) -> Any:
    """Return sums modulo 2**64 by group, exactly: sixteen bits at a time fit into a double."""
    total = np.zeros(count, dtype=np.uint64)
    for shift in (0, 16, 32, 48):
        part = ((numbers >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(float)
        total += np.bincount(group, part, count).astype(np.uint64) << np.uint64(shift)
    return total


@dataclass(frozen=True, eq=False)
class Tiles:
    """What a layer holds, tile by tile.

    Parameters
    ----------
    origin : tuple of int
        Column and row of the first tile, counted from the system's origin.
    size : float
        Side of a tile.
    sums : array of uint64, (columns + 1, rows + 1, 2)
        Sums of the fingerprints of all tiles below and left of a corner.
    """

    origin: tuple[int, int]
    size: float
    sums: Any

    def within(self, bounds: Any) -> Any:
        """Return the fingerprint of what the layer holds in and near each rectangle; constant where it holds nothing."""
        columns, rows = (n - 1 for n in self.sums.shape[:2])
        bounds = np.where(np.isnan(bounds), 0.0, bounds)
        low = np.floor(bounds[:, :2] / self.size).astype(np.int64) - self.origin
        high = np.floor(bounds[:, 2:] / self.size).astype(np.int64) - self.origin + 1
        x0, y0 = np.clip(low[:, 0], 0, columns), np.clip(low[:, 1], 0, rows)
        x1, y1 = np.clip(high[:, 0], x0, columns), np.clip(high[:, 1], y0, rows)
        return self.sums[x1, y1] - self.sums[x0, y1] - self.sums[x1, y0] + self.sums[x0, y0]


def tiles_of(shapes: Any, words: Any, wide: Any = None) -> Tiles:
    """Return the tiles of a layer.

    Parameters
    ----------
    shapes : array of shapely geometries
        Ground of its records; None has none.
    words : array of uint64, (records, 2)
        Fingerprint of what else of each record counts.
    wide : array of bool, optional
        Records that count wherever their extent reaches, and not only near their edges.
    """
    shapes, words = np.asarray(shapes, dtype=object), np.asarray(words, dtype=np.uint64)
    keep = ~(shapely.is_missing(shapes) | shapely.is_empty(shapes))
    shapes, words = shapes[keep], words[keep]
    wide = np.zeros(len(shapes), dtype=bool) if wide is None else np.asarray(wide)[keep]
    if not len(shapes):
        return Tiles((0, 0), TILE, np.zeros((2, 2, 2), dtype=np.uint64))
    bounds = shapely.bounds(shapes)
    size = TILE
    while np.prod(np.ptp(np.floor(bounds.reshape(-1, 2) / size), axis=0) + 1) > _MOST:
        size *= 2
    cells = np.floor(bounds / size).astype(np.int64)
    origin = cells[:, :2].min(axis=0)
    shape = tuple((cells[:, 2:].max(axis=0) - origin + 1).tolist())
    cells -= np.tile(origin, 2)
    small = wide | ((cells[:, 2:] - cells[:, :2]) < _SMALL).all(axis=1)
    edges, owner = _edges(shapes)
    grid = np.zeros((shape[0] * shape[1], 2), dtype=np.uint64)
    large = ~small[owner]
    edge_cells = np.floor(np.hstack([np.minimum(edges[large, :2], edges[large, 2:]), np.maximum(edges[large, :2], edges[large, 2:])]) / size).astype(np.int64) - np.tile(origin, 2)  # fmt: skip
    of_edge, edge_at = _spread(edge_cells, shape[1])
    of_record, record_at = _spread(cells[small], shape[1])
    inside, at, middle = _insides(shapes[~small], origin, size, shape)
    for number, seed in enumerate(_SEEDS):
        prints = _edge_prints(edges, seed)
        records = mixed(_summed(prints, owner, len(shapes)) + words[:, number])
        grid[:, number] += _summed(mixed(prints[large] + words[owner[large], number])[of_edge], edge_at, len(grid))
        grid[:, number] += _summed(records[small][of_record], record_at, len(grid))
        grid[:, number] += _summed(mixed(words[~small, number][inside] + seed + middle), at, len(grid))
    sums = np.zeros((shape[0] + 1, shape[1] + 1, 2), dtype=np.uint64)
    sums[1:, 1:] = grid.reshape(*shape, 2).cumsum(axis=0, dtype=np.uint64).cumsum(axis=1, dtype=np.uint64)
    return Tiles((int(origin[0]), int(origin[1])), size, sums)


def _spread(cells: Any, rows: int) -> tuple[Any, Any]:
    """Return one entry for each tile of each rectangle of tiles: the rectangle, and the tile."""
    width, height = (cells[:, 2] - cells[:, 0] + 1), (cells[:, 3] - cells[:, 1] + 1)
    count = width * height
    which = np.repeat(np.arange(len(cells)), count)
    place = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    column, row = np.divmod(place, height[which]) if len(which) else (place, place)
    return which, (cells[which, 0] + column) * rows + cells[which, 1] + row


def _insides(shapes: Any, origin: Any, size: float, shape: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Return which of some large polygons hold the middle of which tile: with its edges, that settles what is in a tile."""
    rows = np.flatnonzero(shapely.get_dimensions(shapes) == 2)
    if not len(rows):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing.astype(np.uint64)
    shapely.prepare(shapes[rows])
    cells = np.floor(shapely.bounds(shapes[rows]) / size).astype(np.int64) - np.tile(origin, 2)
    which, at = _spread(cells, shape[1])
    column, row = np.divmod(at, shape[1])
    x, y = (origin[0] + column + 0.5) * size, (origin[1] + row + 0.5) * size
    held = shapely.contains_xy(shapes[rows][which], x, y)
    # Tiles are counted from the system's origin, so that a layer that grows elsewhere keeps its fingerprints.
    middle = _edge_prints(np.column_stack([x, y, x, y])[held], _SEEDS[0])
    return rows[which[held]], at[held], middle
