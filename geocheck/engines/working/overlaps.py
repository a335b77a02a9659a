"""Ground that the sum of a cell's pieces counts too often, found without joining the pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from geocheck.engines.working.common_area import EdgeTable, common_areas
from geocheck.engines.working.overlay import Failures, ground_only, overlay, union_by_row
from geocheck.engines.working.parts import SUMMED, Parts

if TYPE_CHECKING:
    from geocheck.engines.working.compiled import CompiledSums

__all__ = ["counted_twice", "pairs_of", "swept_twice"]

#: Area, in square units, below which two pieces do not overlap: what sums over edges leave of two that only touch.
TOUCH = 1e-6

#: Vertices above which a piece is cut by its cell before it is compared with others.
LARGE = 48

#: Overlapping pairs in a cell up to which no four of its pieces can have ground in common: four pieces make six pairs.
FEW = 5


def counted_twice(parts: Parts, boxes: np.ndarray, owners: np.ndarray, failures: Failures) -> np.ndarray:
    """Return for each cell by how much the sum of its pieces' areas exceeds the area of their union.

    The union's area is the sum of the pieces, less what pairs have in common, plus what threes have in common; where four
    could, the pieces are joined.

    Parameters
    ----------
    parts : Parts
        The pieces, cell after cell.
    boxes : ndarray, shape (n, 4)
        Box of each cell.
    owners : ndarray of int
        Subject of each cell, for the failures.
    failures : dict
        Added to in place.
    """
    excess = np.zeros(len(boxes))
    first, second = _meeting(parts, boxes)
    if not len(first):
        return excess
    areas = _common(parts, first, second, owners, failures)
    real = areas > TOUCH
    first, second, areas = first[real], second[real], areas[real]
    cell = parts.index[first]
    few = np.bincount(cell, minlength=len(boxes)) <= FEW
    excess += np.bincount(cell, areas, len(boxes))
    threes, common = _threes(parts, first[few[cell]], second[few[cell]], owners, failures)
    excess -= np.bincount(threes, common, len(boxes))
    many = np.flatnonzero(~few)
    if len(many):
        chosen = np.flatnonzero(np.isin(parts.index, many))
        index, joined = union_by_row(parts.index[chosen], parts.shapes(chosen, owners, failures), failures, owners)
        excess[index] = np.bincount(parts.index[chosen], parts.areas[chosen], len(boxes))[index] - shapely.area(joined)
    return excess


def swept_twice(
    parts: Parts, cells: EdgeTable, boxes: np.ndarray, owners: np.ndarray, failures: Failures, compiled: CompiledSums
) -> np.ndarray:
    """Return what `counted_twice` does, from a sweep over the edges of each cell and its pieces.

    Cells of too many edges for it are left to `counted_twice`.
    """
    excess = np.zeros(len(boxes))
    place = np.arange(len(parts))
    sources = np.full(len(boxes), -1)
    sources[parts.index] = parts.sources
    several = np.zeros(len(boxes), dtype=bool)
    several[parts.index[parts.sources != sources[parts.index]]] = True
    place = place[several[parts.index]]
    if not len(place):
        return excess
    cell, starts = np.unique(parts.index[place], return_index=True)
    # A piece of a floodplain is in many cells, and its edges are wanted once.
    some = parts.first[place]
    _, once, piece = np.unique(np.fromiter(map(id, some), int, len(some)), return_index=True, return_inverse=True)
    united, open_ = compiled.united(compiled.table(some[once]), piece, np.r_[starts, len(place)], cells, cell)
    sums = np.bincount(parts.index[place], parts.areas[place], len(boxes))[cell]
    # Pieces that only touch differ from their union by rounding.
    excess[cell] = np.where(sums - united > TOUCH, sums - united, 0.0)
    if open_.any():
        left = parts.take(np.flatnonzero(np.isin(parts.index, cell[open_])))
        excess[cell[open_]] = counted_twice(left, boxes, owners, failures)[cell[open_]]
    return excess


def _meeting(parts: Parts, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of pieces of one cell and several sources whose boxes meet within the cell's."""
    first, second = pairs_of(parts.index, parts.index)
    keep = (first < second) & (parts.sources[first] != parts.sources[second])
    first, second = first[keep], second[keep]
    own, cells = shapely.bounds(parts.first), boxes[parts.index]
    low, high = np.maximum(own[:, :2], cells[:, :2]), np.minimum(own[:, 2:], cells[:, 2:])
    meet = (low[first] < high[second]).all(axis=1) & (low[second] < high[first]).all(axis=1)
    return first[meet], second[meet]


def _common(parts: Parts, first: np.ndarray, second: np.ndarray, owners: np.ndarray, failures: Failures) -> np.ndarray:
    """Return the area that each pair of pieces has in common.

    Where one of the two is ground already, it lies in the cell, and the other need not be cut by the cell too.
    """
    asked = np.unique(np.r_[first, second])
    parts.shapes(asked[shapely.get_num_coordinates(parts.first[asked]) > LARGE], owners, failures)
    areas = _areas(parts, first, second, owners, failures)
    made = parts.made_already()
    cut = np.flatnonzero((areas > TOUCH) & ~made[first] & ~made[second])
    if len(cut):
        parts.shapes(first[cut], owners, failures)
        areas[cut] = _areas(parts, first[cut], second[cut], owners, failures)
    return areas


def _areas(parts: Parts, first: np.ndarray, second: np.ndarray, owners: np.ndarray, failures: Failures) -> np.ndarray:
    """Return the common area of pairs of pieces as they stand, made ground or not."""
    rows, place = np.unique(np.r_[first, second], return_inverse=True)
    a, b = place[: len(first)], place[len(first) :]
    return _sums(parts.first[rows], a, parts.first[rows], b, owners[parts.index[first]], failures)


def _sums(
    left: np.ndarray, a: np.ndarray, right: np.ndarray, b: np.ndarray, names: np.ndarray, failures: Failures
) -> np.ndarray:
    """Return the common area of pairs of polygons, overlaid where they have too many edges; names are for failures."""
    one = EdgeTable.of(left)
    other = one if left is right else EdgeTable.of(right)
    few = one.counts[a] * other.counts[b] <= SUMMED
    areas = np.zeros(len(a))
    areas[few] = common_areas(one, a[few], other, b[few])
    many = ~few
    areas[many] = shapely.area(overlay(shapely.intersection, left[a[many]], right[b[many]], names[many], failures))
    return areas


def _threes(
    parts: Parts, first: np.ndarray, second: np.ndarray, owners: np.ndarray, failures: Failures
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells in which three pieces overlap each other, and what each three have in common."""
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    x, y = pairs_of(first, first)
    x, y = x[x < y], y[x < y]
    known = np.isin(second[x] * len(parts) + second[y], first * len(parts) + second)
    i, j, k = first[x[known]], second[x[known]], second[y[known]]
    if not len(i):
        return i, np.zeros(0)
    mine = parts.shapes(i, owners, failures)
    both = ground_only(overlay(shapely.intersection, mine, parts.first[j], owners[parts.index[i]], failures))
    every = np.arange(len(i))
    return parts.index[i], _sums(both, every, parts.first[k], every, owners[parts.index[i]], failures)


def pairs_of(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of places in two ascending arrays that hold the same number.

    Examples
    --------
    >>> [places.tolist() for places in pairs_of(np.array([1, 3, 3]), np.array([0, 3, 4]))]
    [[1, 2], [1, 1]]
    """
    start, stop = np.searchsorted(second, first, "left"), np.searchsorted(second, first, "right")
    counts = stop - start
    a = np.repeat(np.arange(len(first)), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return a, start[a] + offsets
