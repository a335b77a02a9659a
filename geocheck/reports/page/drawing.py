"""Geometry as SVG paths: layers indexed once, then clipped and simplified for many windows at a time. For showing only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
import shapely

__all__ = ["Drawn", "Seen", "Windows", "paths_of"]

#: Polygons with more vertices than this are cut into pieces once, so that no window has to clip all of them.
MANY = 400

#: Cuts in a row after which vertices lie too close together to be seen apart.
DEEP = 24

#: Shapes of so few vertices are drawn as they are; the picture hides what is outside it.
FEW = 40

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

    def kept(self, which: Any) -> Seen:
        """Return some of the pieces."""
        return Seen(self.owner[which], self.shapes[which], self.rows[which])


class Drawn:
    """One layer's geometry, ready to be drawn in many windows."""

    def __init__(self, geometries: Any) -> None:
        shapes = np.asarray(geometries, dtype=object)
        rows = np.flatnonzero(~(shapely.is_missing(shapes) | shapely.is_empty(shapes)))
        parts, index = shapely.get_parts(shapely.force_2d(shapes[rows]), return_index=True)
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
        return _joined(Seen(owner, shapes, self.rows[near]).kept(kept), self.was_cut[near][kept])


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
    return Seen(owner, shapes, rows).kept(np.argsort(owner, kind="stable"))


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
    heavy = shapely.get_num_coordinates(shapes) > 12
    shapes[heavy] = shapely.simplify(shapes[heavy], windows.unit[owner[heavy]] * 0.7)
    parts, index = shapely.get_parts(shapely.orient_polygons(shapes), return_index=True)
    owner = owner[index]
    areal, linear = shapely.get_dimensions(parts) == 2, shapely.get_dimensions(parts) == 1
    rings, index = shapely.get_rings(parts[areal], return_index=True)
    lines = np.concatenate((rings, parts[linear]))
    owner = np.concatenate((owner[areal][index], owner[linear]))
    order = np.argsort(owner, kind="stable")
    return _written(lines[order], owner[order], windows)


def _written(lines: Any, owner: Any, windows: Windows) -> dict[int, str]:
    ground, index = shapely.get_coordinates(lines, return_index=True)
    if not len(ground):
        return {}
    places = windows.places(ground, owner[index])
    firsts = np.flatnonzero(np.diff(index, prepend=-1))
    moved = np.ones(len(places), dtype=bool)
    moved[1:] = (places[1:] != places[:-1]).any(axis=1)
    moved[firsts] = True
    starts = np.concatenate(([0], np.cumsum(moved)))[[*firsts, len(places)]].tolist()
    points, owners = places[moved].tolist(), owner[index[firsts]].tolist()
    texts: dict[int, list[str]] = {}
    for whose, (first, last) in zip(owners, pairwise(starts), strict=True):
        if drawn := _steps(points[first:last]):
            texts.setdefault(whose, []).append(drawn)
    return {whose: "".join(parts) for whose, parts in texts.items()}


def _steps(points: list[list[int]]) -> str:
    closed = len(points) > 2 and points[0] == points[-1]
    if closed:
        points = points[:-1]
    if len(points) < 2:
        return ""
    x, y = points[0]
    steps = [f"M{x},{y}"]
    for across, down in points[1:]:
        steps.append(f"V{down}" if across == x else f"H{across}" if down == y else f"L{across},{down}")
        x, y = across, down
    return "".join(steps) + ("Z" if closed else "")
