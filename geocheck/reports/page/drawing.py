"""Geometry as SVG paths: layers indexed once, then clipped and simplified for many windows at a time. For showing only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

__all__ = ["Drawn", "Seen", "Windows", "paths_of", "simplified"]

#: Polygons with more vertices than this are cut into pieces once, so that no window has to clip all of them.
MANY = 400

#: Cuts in a row after which vertices lie too close together to be seen apart.
DEEP = 24

#: Ground that a line may be off when it is simplified, in units of the picture, of which a screen shows half.
FINE = 1.0

#: Shapes of so few vertices are drawn as they are; the picture hides what is outside it.
FEW = 100

#: A window is so many times as wide or as high as what it is around.
ROOM = 2.0

#: What is clipped reaches so far beyond the picture, in its units, that lines along the cut stay unseen.
EDGE = 12


@dataclass(frozen=True)
class Windows:
    """Rectangles of ground, and the pictures that they fill.

    Parameters
    ----------
    left, bottom, right, top : array of float
        On the ground, in units of the run's system; one a window.
    wide, high : int
        Of each picture, in its own units.
    """

    left: Any
    bottom: Any
    right: Any
    top: Any
    wide: int = 1200
    high: int = 900

    @classmethod
    def around(cls, bounds: Any, least: float, wide: int = 1200, high: int = 900, room: float = ROOM) -> Windows:
        """Return a window around each row of bounds, with room at every side, at least so wide on the ground."""
        left, bottom, right, top = np.asarray(bounds, dtype=float).T
        across = np.maximum(np.maximum((right - left) * room, (top - bottom) * room * wide / high), least)
        x, y, up = (left + right) / 2, (bottom + top) / 2, across * high / wide
        return cls(x - across / 2, y - up / 2, x + across / 2, y + up / 2, wide, high)

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def unit(self) -> Any:
        """Ground units in one unit of each picture."""
        return (self.right - self.left) / self.wide

    @cached_property
    def frames(self) -> Any:
        """Bounds of a little more than each window."""
        edge = EDGE * self.unit
        return np.column_stack((self.left - edge, self.bottom - edge, self.right + edge, self.top + edge))

    def places(self, ground: Any, owner: Any) -> Any:
        """Return ground coordinates as whole numbers of their window's picture, y downwards."""
        unit = self.unit[owner]
        return np.rint(
            np.column_stack(((ground[:, 0] - self.left[owner]) / unit, (self.top[owner] - ground[:, 1]) / unit))
        ).astype(int)


@dataclass(frozen=True)
class Seen:
    """What windows show of a layer: for each piece the window, the shape and the row that it comes from."""

    owner: Any
    shapes: Any
    rows: Any
    finest: float = 0.0

    def kept(self, which: Any) -> Seen:
        """Return some of the pieces."""
        return Seen(self.owner[which], self.shapes[which], self.rows[which], self.finest)


class Drawn:
    """One layer's geometry, ready to be drawn in many windows.

    Parameters
    ----------
    geometries : array of shapely geometry
        Missing and empty ones are left out.
    finest : float
        Ground in one unit of the finest picture: what no picture can show is left out once for all.
    """

    def __init__(self, geometries: Any, finest: float = 0.0) -> None:
        shapes = np.asarray(geometries, dtype=object)
        rows = np.flatnonzero(~(shapely.is_missing(shapes) | shapely.is_empty(shapes)))
        parts, index = shapely.get_parts(shapely.force_2d(shapes[rows]), return_index=True)
        self.finest = finest
        parts = simplified(parts, finest * FINE) if finest else parts
        self.pieces, whose = _cut(parts)
        self.rows = rows[index[whose]] if len(parts) else rows[:0]
        self.was_cut = np.bincount(whose, minlength=len(parts))[whose] > 1 if len(parts) else np.zeros(0, dtype=bool)
        self.tree = shapely.STRtree(self.pieces)
        self.bounds = shapely.bounds(self.pieces)

    def within(self, windows: Windows) -> Seen:
        """Return what the windows show; shapes of many vertices are clipped to a little more than the window."""
        frames = windows.frames
        owner, near = self.tree.query(shapely.box(*frames.T), predicate="intersects")
        order = np.lexsort((near, owner))
        owner, near = owner[order], near[order]
        shapes, bounds = self.pieces[near], self.bounds[near]
        beyond = (bounds[:, :2] < frames[owner, :2]).any(axis=1) | (bounds[:, 2:] > frames[owner, 2:]).any(axis=1)
        clip = beyond & ((shapely.get_num_coordinates(shapes) > FEW) | self.was_cut[near])
        for place in np.flatnonzero(clip):
            shapes[place] = clipped(shapes[place], frames[owner[place]])
        kept = ~shapely.is_empty(shapes)
        return _joined(Seen(owner, shapes, self.rows[near], self.finest).kept(kept), self.was_cut[near][kept])


def _joined(seen: Seen, was_cut: Any) -> Seen:
    """The pieces of one polygon that was cut are one shape again, so that the cuts are not drawn."""
    if not was_cut.any():
        return seen
    pairs = np.column_stack((seen.owner, seen.rows))[was_cut]
    keys, inverse, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    cut = seen.shapes[was_cut]
    inverse = inverse.ravel()
    joined = [
        shapely.union_all(cut[inverse == key]) if count > 1 else cut[inverse == key][0]
        for key, count in enumerate(counts)
    ]
    whole = seen.kept(~was_cut)
    owner, rows = np.concatenate((whole.owner, keys[:, 0])), np.concatenate((whole.rows, keys[:, 1]))
    shapes = np.concatenate((whole.shapes, np.array([*joined, None], dtype=object)[:-1]))
    return Seen(owner, shapes, rows, seen.finest).kept(np.argsort(owner, kind="stable"))


def clipped(shape: Any, frame: Any) -> Any:
    """Return a shape clipped to a rectangle; one that cannot be clipped stays whole, as the picture hides the rest."""
    try:
        return shapely.clip_by_rect(shape, *frame)
    except shapely.errors.GEOSException:
        return shape


def _cut(parts: Any) -> tuple[Any, Any]:
    """Halve shapes of many vertices until none has many; return the pieces and the part that each is of."""
    done: list[Any] = []
    whose: list[Any] = []
    index = np.arange(len(parts))
    for level in count():
        if not len(parts):
            break
        heavy = (shapely.get_num_coordinates(parts) > MANY) & (shapely.get_dimensions(parts) > 0)
        done.append(parts[~heavy])
        whose.append(index[~heavy])
        halves: list[Any] = []
        owners: list[int] = []
        for part, owner in zip(parts[heavy], index[heavy], strict=True):
            halved = _halves(part) if level < DEEP else (_thinned(part),)
            kept = [piece for half in halved for piece in shapely.get_parts(half) if not piece.is_empty]
            halves += kept
            owners += [owner] * len(kept)
        parts, index = np.array([*halves, None], dtype=object)[:-1], np.array(owners, dtype=int)
    if not done:
        return np.array([], dtype=object), np.array([], dtype=int)
    return np.concatenate(done), np.concatenate(whose)


def _halves(part: Any) -> tuple[Any, ...]:
    left, bottom, right, top = shapely.bounds(part)
    if right - left >= top - bottom:
        middle = (left + right) / 2
        boxes = ((left, bottom, middle, top), (middle, bottom, right, top))
    else:
        middle = (bottom + top) / 2
        boxes = ((left, bottom, right, middle), (left, middle, right, top))
    try:
        return tuple(shapely.clip_by_rect(part, *box) for box in boxes)
    except shapely.errors.GEOSException:
        return (_thinned(part),)


def _thinned(part: Any) -> Any:
    """The same with so few vertices that it need not be cut."""
    tolerance = max(shapely.bounds(part)[2:] - shapely.bounds(part)[:2]) / 1000 or 1.0
    while shapely.get_num_coordinates(part) > MANY:
        part = shapely.simplify(part, tolerance, preserve_topology=False)
        tolerance *= 2
    return part


def paths_of(seen: Seen, windows: Windows) -> dict[int, str]:
    """Return for each window what is seen as the ``d`` of one SVG path, simplified to what the picture can show.

    Examples
    --------
    >>> windows = Windows(*np.array([[0.0], [0.0], [1200.0], [900.0]]))
    >>> paths_of(Drawn([shapely.box(0, 0, 10, 10)]).within(windows), windows)
    {0: 'M10,900V890H0V900Z'}
    """
    if not len(seen.owner):
        return {}
    shapes, owner = seen.shapes.copy(), seen.owner
    coarse = np.flatnonzero(windows.unit[owner] > 1.5 * seen.finest)
    shapes[coarse] = simplified(shapes[coarse], windows.unit[owner[coarse]] * FINE)
    parts, index = shapely.get_parts(shapely.orient_polygons(shapes), return_index=True)
    owner = owner[index]
    areal, linear = shapely.get_dimensions(parts) == 2, shapely.get_dimensions(parts) == 1
    rings, index = shapely.get_rings(parts[areal], return_index=True)
    lines = np.concatenate((rings, parts[linear]))
    owner = np.concatenate((owner[areal][index], owner[linear]))
    order = np.argsort(owner, kind="stable")
    return _written(lines[order], owner[order], windows)


def simplified(shapes: Any, tolerance: Any) -> Any:
    """Return the same with fewer vertices, off by no more than a tolerance, one for all or one each; what would be gone stays as it is."""
    thin = shapes.copy()
    heavy = np.flatnonzero(shapely.get_num_coordinates(shapes) > 12)
    thin[heavy] = shapely.simplify(
        shapes[heavy], np.broadcast_to(tolerance, shapes.shape)[heavy], preserve_topology=False
    )
    gone = shapely.is_empty(thin)
    thin[gone] = shapes[gone]
    return thin


def _written(lines: Any, owner: Any, windows: Windows) -> dict[int, str]:
    ground, index = shapely.get_coordinates(lines, return_index=True)
    if not len(ground):
        return {}
    places = windows.places(ground, owner[index])
    first = np.diff(index, prepend=-1) > 0
    moved = first.copy()
    moved[1:] |= (places[1:] != places[:-1]).any(axis=1)
    places, index, first = places[moved], index[moved], first[moved]
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(places)) - 1
    closed = (ends - starts >= 2) & (places[starts] == places[ends]).all(axis=1)
    ends = ends - closed
    # The end of a ring is its start; what is a point in the picture is not drawn.
    drawn = ends > starts
    kept = np.zeros(len(places) + 1, dtype=int)
    np.add.at(kept, starts[drawn], 1)
    np.add.at(kept, ends[drawn] + 1, -1)
    shut = np.zeros(len(places), dtype=bool)
    shut[ends[closed & drawn]] = True
    kept = np.cumsum(kept[:-1]) > 0
    return _joined_steps(places[kept], owner[index[kept]], first[kept], shut[kept])


def _joined_steps(places: Any, owner: Any, first: Any, shut: Any) -> dict[int, str]:
    """Points as the steps of paths, all at once: M begins, V and H go straight, L goes anywhere, Z goes back."""
    if not len(places):
        return {}
    same = np.zeros((len(places), 2), dtype=bool)
    same[1:] = (places[1:] == places[:-1]) & ~first[1:, None]
    down, across = same[:, 0], same[:, 1] & ~same[:, 0]
    sort = np.where(first, 0, np.where(down, 2, np.where(across, 3, 1)))
    x, y = (pa.array(places[:, axis]).cast(pa.large_string()) for axis in (0, 1))
    nothing = pa.scalar("", type=pa.large_string())
    parts = (
        _words(("M", "L", "V", "H"), sort), pc.if_else(pa.array(down), nothing, x), _words((",", ",", "", ""), sort),
        pc.if_else(pa.array(across), nothing, y), _words(("", "Z"), shut.astype(int)), nothing,
    )  # fmt: skip
    texts = pc.binary_join_element_wise(*parts)
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[: len(texts) + 1]
    data = memoryview(texts.buffers()[2])
    changes = np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
    cuts = offsets[changes].tolist()
    return {
        int(whose): bytes(data[start:end]).decode("ascii")
        for whose, (start, end) in zip(owner[changes[:-1]].tolist(), pairwise(cuts), strict=True)
    }


def _words(words: tuple[str, ...], which: Any) -> Any:
    return pa.array(words, type=pa.large_string()).take(pa.array(which))
