"""Geometry as SVG paths: layers indexed once, then clipped, joined and simplified for each window. For showing only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

__all__ = ["Drawn", "Window", "path_of"]

#: Polygons with more vertices than this are cut into pieces once, so that no window has to clip all of them.
MANY = 400


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of ground, and the picture that it fills.

    Parameters
    ----------
    left, bottom, right, top : float
        On the ground, in units of the run's system.
    wide, high : int
        Of the picture, in its own units.
    """

    left: float
    bottom: float
    right: float
    top: float
    wide: int = 1200
    high: int = 900

    @property
    def unit(self) -> float:
        """Ground units in one unit of the picture."""
        return (self.right - self.left) / self.wide

    def places(self, ground: Any) -> Any:
        """Return ground coordinates as whole numbers of the picture, y downwards."""
        scaled = (ground - (self.left, self.top)) / (self.unit, -self.unit)
        return np.rint(scaled).astype(int)

    @classmethod
    def around(cls, bounds: Sequence[float], least: float, wide: int = 1200, high: int = 900) -> Window:
        """Return a window around bounds with room at every side, at least so wide on the ground."""
        left, bottom, right, top = bounds
        across = max((right - left) * 1.6, (top - bottom) * 1.6 * wide / high, least)
        x, y, up = (left + right) / 2, (bottom + top) / 2, across * high / wide
        return cls(x - across / 2, y - up / 2, x + across / 2, y + up / 2, wide, high)


class Drawn:
    """One layer's geometry, ready to be drawn in many windows."""

    def __init__(self, geometries: Any) -> None:
        shapes = np.asarray(geometries, dtype=object)
        rows = np.flatnonzero(~(shapely.is_missing(shapes) | shapely.is_empty(shapes)))
        parts, index = shapely.get_parts(shapely.force_2d(shapes[rows]), return_index=True)
        self.pieces, whose = _cut(parts)
        self.rows = rows[index[whose]] if len(parts) else rows[:0]
        self.tree = shapely.STRtree(self.pieces)

    def within(self, window: Window) -> tuple[Any, Any]:
        """Return the pieces that the window shows, clipped to a little more than it, and the rows they come from."""
        edge = 12 * window.unit
        box = (window.left - edge, window.bottom - edge, window.right + edge, window.top + edge)
        near = np.sort(self.tree.query(shapely.box(*box)))
        pieces = clipped(self.pieces[near], box)
        kept = ~shapely.is_empty(pieces)
        return pieces[kept], self.rows[near][kept]

    def path(self, window: Window, *, joined: bool) -> str:
        """Return what the window shows as one path; ``joined`` draws overlapping and cut pieces as one shape."""
        pieces, _ = self.within(window)
        if joined and len(pieces) > 1:
            pieces = np.array([shapely.union_all(pieces)], dtype=object)
        return path_of(pieces, window)


def clipped(pieces: Any, box: tuple[float, float, float, float]) -> Any:
    """Return pieces clipped to a rectangle; one that cannot be clipped stays whole, as the picture hides the rest."""
    try:
        return shapely.clip_by_rect(pieces, *box)
    except shapely.errors.GEOSException:
        return np.array([_clip_one(piece, box) for piece in pieces], dtype=object)


def _clip_one(piece: Any, box: tuple[float, float, float, float]) -> Any:
    try:
        return shapely.clip_by_rect(piece, *box)
    except shapely.errors.GEOSException:
        return piece


def _cut(parts: Any) -> tuple[Any, Any]:
    """Halve polygons of many vertices until none has many; return the pieces and the part that each is of."""
    done: list[Any] = []
    whose: list[Any] = []
    index = np.arange(len(parts))
    while len(parts):
        heavy = (shapely.get_num_coordinates(parts) > MANY) & (shapely.get_dimensions(parts) > 0)
        done.append(parts[~heavy])
        whose.append(index[~heavy])
        halves: list[Any] = []
        owners: list[int] = []
        for part, owner in zip(parts[heavy], index[heavy], strict=True):
            for half in _halves(part):
                kept = shapely.get_parts(half)
                halves += list(kept[~shapely.is_empty(kept)])
                owners += [owner] * int((~shapely.is_empty(kept)).sum())
        parts, index = np.array([*halves, None], dtype=object)[:-1], np.array(owners, dtype=int)
    if not done:
        return np.array([], dtype=object), np.array([], dtype=int)
    return np.concatenate(done), np.concatenate(whose)


def _halves(part: Any) -> tuple[Any, Any]:
    left, bottom, right, top = shapely.bounds(part)
    if right - left >= top - bottom:
        middle = (left + right) / 2
        boxes = ((left, bottom, middle, top), (middle, bottom, right, top))
    else:
        middle = (bottom + top) / 2
        boxes = ((left, bottom, right, middle), (left, middle, right, top))
    return _clip_one(part, boxes[0]), _clip_one(part, boxes[1])


def path_of(shapes: Any, window: Window) -> str:
    """Return geometries as the ``d`` of an SVG path, simplified to what the picture can show.

    Examples
    --------
    >>> path_of(np.array([shapely.box(0, 0, 10, 10)]), Window(0, 0, 1200, 900))
    'M10,900V890H0V900Z'
    """
    simple = shapely.simplify(shapes, window.unit * 0.7)
    parts = shapely.get_parts(simple)
    dimensions = shapely.get_dimensions(parts)
    rings = shapely.get_rings(parts[dimensions == 2])
    lines = parts[dimensions == 1]
    return "".join([_drawn(ring, window, "Z") for ring in rings] + [_drawn(line, window, "") for line in lines])


def _drawn(line: Any, window: Window, end: str) -> str:
    places = window.places(shapely.get_coordinates(line)).tolist()
    if end:
        places.pop()
    (x, y), *rest = places
    steps = [f"M{x},{y}"]
    for across, down in rest:
        if (across, down) == (x, y):
            continue
        steps.append(f"V{down}" if across == x else f"H{across}" if down == y else f"L{across},{down}")
        x, y = across, down
    return "".join(steps) + end if len(steps) > 1 else ""
