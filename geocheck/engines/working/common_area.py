"""The area that two polygons have in common, without making their common ground.

A polygon is what lies below its upper edges and not below its lower ones. So the area common to two polygons is a sum over
pairs of edges that share a stretch of x, each the integral of the lower of the two; and since the edges above any x cancel
in sign, all of it cancels but half the integral of their distance, ``-s t / 2 * integral |y1 - y2| dx``. The distance of
two straight edges is linear, so every term is exact; nothing is noded, and nothing can fail on a topology.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import shapely

from geocheck.engines.working.overlay import threaded

__all__ = ["EdgeTable", "common_areas"]

#: Pairs of edges that are in memory at a time: small enough to stay near the processor.
AT_A_TIME = 250_000


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The edges of many polygons that are not vertical, from left to right, polygon after polygon.

    Parameters
    ----------
    left, right : ndarray of float
        Where each edge begins and ends in x.
    height : ndarray of float
        y at the left end.
    slope : ndarray of float
        Rise of y in x.
    sign : ndarray of float
        1 where the polygon lies below the edge, -1 where it lies above.
    counts : ndarray of int
        Edges of each polygon.
    """

    left: np.ndarray
    right: np.ndarray
    height: np.ndarray
    slope: np.ndarray
    sign: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, polygons: np.ndarray) -> EdgeTable:
        """Make the table of valid polygons and multipolygons."""
        parts, owner = shapely.get_parts(polygons, return_index=True)
        rings, part = shapely.get_rings(parts, return_index=True)
        points, ring = shapely.get_coordinates(rings, return_index=True)
        here, there = points[:-1], points[1:]
        run = there[:, 0] - here[:, 0]
        kept = (ring[1:] == ring[:-1]) & (run != 0)
        here, there, run, ring = here[kept], there[kept], run[kept], ring[1:][kept]
        # A shell should have its ground to the left, a hole to the right; what runs the other way round counts against.
        level = points[0, 1] if len(points) else 0.0
        turn = np.bincount(ring, -run * (here[:, 1] + there[:, 1] - 2 * level), len(rings))
        shell = np.r_[True, part[1:] != part[:-1]][: len(rings)]
        against = (turn > 0) != shell
        ahead = run > 0
        below = ahead == against[ring]
        first = np.where(ahead[:, None], here, there)
        last_x = np.where(ahead, there[:, 0], here[:, 0])
        return cls(
            first[:, 0].copy(),
            last_x,
            first[:, 1].copy(),
            (there[:, 1] - here[:, 1]) / run,
            np.where(below, 1.0, -1.0),
            np.bincount(owner[part[ring]], minlength=len(polygons)),
        )

    @cached_property
    def starts(self) -> np.ndarray:
        """Place of each polygon's first edge."""
        return np.asarray(np.cumsum(self.counts) - self.counts)

    @cached_property
    def reach(self) -> np.ndarray:
        """Least and greatest x of each polygon, shape (n, 2); nothing for a polygon without edges."""
        result = np.full((len(self.counts), 2), (np.inf, -np.inf))
        some = np.flatnonzero(self.counts)
        if len(some):
            result[some, 0] = np.minimum.reduceat(self.left, self.starts[some])
            result[some, 1] = np.maximum.reduceat(self.right, self.starts[some])
        return result


def common_areas(first: EdgeTable, a: np.ndarray, second: EdgeTable, b: np.ndarray) -> np.ndarray:
    """Return the area common to each pair of polygons.

    Exact but for rounding, which is about 1e-16 of the product of the polygons' sizes: 0 may come out as a little more or
    less.

    Parameters
    ----------
    first, second : EdgeTable
        Edges of the polygons.
    a, b : ndarray of int
        The pairs: polygons of the first table and of the second, which had better be the smaller ones.

    Examples
    --------
    >>> squares = EdgeTable.of(shapely.box([0, 5], [0, 5], [10, 15], [10, 15]))
    >>> common_areas(squares, np.array([0, 0]), squares, np.array([0, 1])).tolist()
    [100.0, 25.0]
    """
    result = np.zeros(len(a))
    work = first.counts[a] * second.counts[b]
    marks = np.searchsorted(np.cumsum(work), np.arange(AT_A_TIME, work.sum() + AT_A_TIME, AT_A_TIME))
    cuts = np.unique(np.r_[0, np.minimum(marks + 1, len(a)), len(a)])

    def block(rows: slice) -> None:
        result[rows] = _block(first, a[rows], second, b[rows])

    threaded(block, [slice(x, y) for x, y in pairwise(cuts)])
    return result


def _block(first: EdgeTable, a: np.ndarray, second: EdgeTable, b: np.ndarray) -> np.ndarray:
    pair, edge = _spread(first.starts[a], first.counts[a])
    # Of a long river only the edges above or below the parcel matter.
    reach = second.reach[b]
    near = np.flatnonzero((first.right[edge] > reach[pair, 0]) & (first.left[edge] < reach[pair, 1]))
    pair, edge = pair[near], edge[near]
    entry, other = _spread(second.starts[b[pair]], second.counts[b[pair]])
    mine = edge[entry]
    start = np.maximum(first.left[mine], second.left[other])
    length = np.minimum(first.right[mine], second.right[other]) - start
    shared = np.flatnonzero(length > 0)
    entry, mine, other, start, length = entry[shared], mine[shared], other[shared], start[shared], length[shared]
    at_start = first.height[mine] - second.height[other]
    at_start += first.slope[mine] * (start - first.left[mine])
    at_start -= second.slope[other] * (start - second.left[other])
    at_end = at_start + (first.slope[mine] - second.slope[other]) * length
    crossing = at_start * at_end < 0
    distance = np.abs(at_start + at_end)
    x, y = at_start[crossing], at_end[crossing]
    distance[crossing] = (x * x + y * y) / np.abs(x - y)
    terms = first.sign[mine] * second.sign[other] * length * distance
    return np.asarray(np.bincount(pair[entry], terms, len(a)) * -0.25)


def _spread(starts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for ranges of places given by start and count, each place and the range it belongs to."""
    owner = np.repeat(np.arange(len(starts)), counts)
    return owner, np.arange(len(owner)) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
