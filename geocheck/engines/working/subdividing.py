"""Huge polygons cut once into pieces, so that no overlay sees more of a floodplain than it needs."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.errors import GEOSException

__all__ = ["PIECE", "subdivide"]

#: Most vertices of a piece; 256 to 1,024 measure alike.
PIECE = 512


def subdivide(shapes: np.ndarray, most: int = PIECE) -> tuple[np.ndarray, np.ndarray]:
    """Return pieces of at most so many vertices that together are the shapes, and each piece's row.

    Shapes of few vertices are left whole. The others are halved across the longer side of their box until they are
    small; a shape whose halves do not add up to it is left whole too, slow and right.

    Parameters
    ----------
    shapes : ndarray of polygons, multipolygons or lines
        Valid, not None, not empty.
    most : int
        Most vertices of a piece.

    Examples
    --------
    >>> import shapely
    >>> circle = shapely.Point(0, 0).buffer(10, quad_segs=1000)
    >>> pieces, rows = subdivide(np.array([circle]))
    >>> bool(shapely.get_num_coordinates(pieces).max() <= PIECE), bool(abs(shapely.area(pieces).sum() - circle.area) < 1e-9)
    (True, True)
    """
    if not len(shapes):
        return np.empty(0, dtype=object), np.empty(0, dtype=int)
    huge = shapely.get_num_coordinates(shapes) > most
    pieces, rows = [], []
    parts, index = shapely.get_parts(shapes[~huge], return_index=True)
    pieces.append(parts)
    rows.append(np.flatnonzero(~huge)[index])
    for row in np.flatnonzero(huge):
        cut = _halved(shapely.get_parts(shapes[row]), most, int(shapely.get_dimensions(shapes[row])))
        pieces.append(cut)
        rows.append(np.full(len(cut), row))
    return np.concatenate(pieces), np.concatenate(rows)


def _halved(parts: np.ndarray, most: int, dimension: int) -> np.ndarray:
    done: list[np.ndarray] = []
    work = parts
    while len(work):
        small = shapely.get_num_coordinates(work) <= most
        done.append(work[small])
        halves = [_halves(shape, dimension) for shape in work[~small]]
        # What cannot be cut in two stays whole: slow and right.
        done.append(work[~small][[cut is None for cut in halves]])
        work = np.concatenate([cut for cut in halves if cut is not None] or [parts[:0]])
    return np.concatenate(done)


def _halves(shape: shapely.Geometry, dimension: int) -> np.ndarray | None:
    """Return what lies on either side of the middle, or None where the sides do not add up to the shape."""
    left, bottom, right, top = shape.bounds
    if right - left >= top - bottom:
        middle = (left + right) / 2
        boxes = ((left, bottom, middle, top), (middle, bottom, right, top))
    else:
        middle = (bottom + top) / 2
        boxes = ((left, bottom, right, middle), (left, middle, right, top))
    # Clipping by rectangles is fast, and trusted only so far as its pieces add up; overlay noded in full comes after it.
    for cut in (shapely.clip_by_rect, _clipped):
        try:
            sides = shapely.get_parts(np.array([cut(shape, *box) for box in boxes], dtype=object))
        except GEOSException:
            continue
        sides = np.asarray(sides[(shapely.get_dimensions(sides) == dimension) & ~shapely.is_empty(sides)])
        if _adds_up(shape, sides):
            return sides
    return None


def _clipped(shape: shapely.Geometry, *box: float) -> shapely.Geometry:
    return shapely.intersection(shape, shapely.box(*box))


def _adds_up(shape: shapely.Geometry, pieces: np.ndarray) -> bool:
    """Tell whether nothing was lost or gained, and every piece is sound."""
    size = shapely.area if shapely.get_dimensions(shape) == 2 else shapely.length
    whole = float(size(shape))
    return bool(abs(float(size(pieces).sum()) - whole) <= 1e-9 * whole and shapely.is_valid(pieces).all())
