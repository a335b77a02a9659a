"""Overlay of many pairs at once, on all cores, that a single bad pair cannot bring down."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import shapely
from shapely.errors import GEOSException

from geocheck.engines.working.records import polygonal

__all__ = ["CHUNK", "EMPTY", "Failures", "overlay", "slices", "threaded", "threads", "union_by_row"]

#: Pairs of edges of two shapes up to which their common area is summed as a check.
PAIRED = 200_000

#: Pairs that one thread takes at a time: long enough to hide the hand-over, short enough to share evenly.
CHUNK = 4096

#: Ground that is not there.
EMPTY = shapely.from_wkt("POLYGON EMPTY")

#: Row of a subject to why measuring it failed.
Failures = dict[int, str]

Overlay = Callable[..., Any]


def threads() -> int:
    """Return how many threads may work: shapely releases the interpreter's lock, so each is a core."""
    affinity = getattr(os, "sched_getaffinity", None)
    return max(1, min(8, len(affinity(0)) if affinity else os.cpu_count() or 1))


def threaded(work: Callable[[slice], Any], blocks: Iterable[slice]) -> list[Any]:
    """Run work over blocks on all cores and return the results in order."""
    blocks = list(blocks)
    if len(blocks) < 2 or threads() == 1:
        return [work(block) for block in blocks]
    with ThreadPoolExecutor(threads()) as pool:
        return list(pool.map(work, blocks))


def slices(count: int, size: int | None = None) -> list[slice]:
    """Return consecutive slices over a count: of a size, or a few for each thread and none longer than a chunk."""
    if size is None:
        size = max(32, min(CHUNK, -(-count // (4 * threads()))))
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def overlay(
    function: Overlay, first: np.ndarray, second: np.ndarray, rows: np.ndarray, failures: Failures
) -> np.ndarray:
    """Return the overlay of aligned pairs; a pair that cannot be overlaid is empty, and its row is in ``failures``.

    Parameters
    ----------
    function : shapely.intersection, shapely.union or shapely.difference
        What to do with each pair.
    first, second : ndarray of geometry
        The pairs.
    rows : ndarray of int
        Row of the subject that each pair belongs to.
    failures : dict
        Added to in place.
    """
    if not len(first):
        return np.empty(0, dtype=object)
    done = threaded(
        lambda block: _guarded(function, first[block], second[block], rows[block], failures), slices(len(first))
    )
    return np.concatenate(done)


def _guarded(
    function: Overlay, first: np.ndarray, second: np.ndarray, rows: np.ndarray, failures: Failures
) -> np.ndarray:
    try:
        done = np.asarray(function(first, second), dtype=object)
        if function in (shapely.difference, shapely.intersection):
            done = _adding_up(function, first, second, done, rows, failures)
        return done
    except GEOSException:
        if len(first) > 1:
            half = len(first) // 2
            parts = [
                _guarded(function, first[s], second[s], rows[s], failures) for s in (slice(0, half), slice(half, None))
            ]
            return np.concatenate(parts)
    return _single(function, first, second, rows, failures)


def _adding_up(
    function: Overlay, first: np.ndarray, second: np.ndarray, done: np.ndarray, rows: np.ndarray, failures: Failures
) -> np.ndarray:
    """Hold overlays to the area that the sum over pairs of edges gives.

    Where one shape lies in the other along nearly the same edges, GEOS (3.14.1 among others) can find nothing in common,
    and says nothing: ground in a zone would read as outside it. Every difference is looked at, and of the intersections
    those that came out empty.
    """
    from geocheck.engines.working.common_area import EdgeTable, common_areas

    found = shapely.area(done)
    looked = np.arange(len(first)) if function is shapely.difference else np.flatnonzero(found == 0)
    if not len(looked):
        return done
    mine, other = first[looked], second[looked]
    few = shapely.get_num_coordinates(mine) * shapely.get_num_coordinates(other) <= PAIRED
    common = np.zeros(len(looked))
    some = np.arange(int(few.sum()))
    common[few] = common_areas(EdgeTable.of(other[few]), some, EdgeTable.of(mine[few]), some)
    # Too many pairs of edges to hold in memory: what GEOS misses one way round it finds the other.
    large = np.flatnonzero(~few)
    common[large] = np.maximum(
        shapely.area(shapely.intersection(mine[large], other[large])),
        shapely.area(shapely.intersection(other[large], mine[large])),
    )
    expected = shapely.area(mine) - common if function is shapely.difference else common
    slack = 1e-7 * shapely.area(mine) + 1e-6 * shapely.length(mine)
    for place in np.flatnonzero(np.abs(found[looked] - expected) > slack).tolist():
        here = slice(looked[place], looked[place] + 1)
        done[here] = _single(function, first[here], second[here], rows[here], failures, grid=1e-8)
        if abs(shapely.area(done[here])[0] - expected[place]) > slack[place] + 1e-3 * shapely.length(mine[place]):
            failures.setdefault(int(rows[here][0]), "overlay failed: the areas of its parts do not add up")
    return done


def _single(
    function: Overlay, first: np.ndarray, second: np.ndarray, rows: np.ndarray, failures: Failures, grid: float = 1e-4
) -> np.ndarray:
    # A grid of a ten-thousandth of a unit is a fallback only: it moves totals, and is two to three times slower.
    try:
        return np.asarray(function(first, second, grid_size=grid), dtype=object)
    except GEOSException as error:
        failures.setdefault(int(rows[0]), f"overlay failed: {error}")
        return np.array([EMPTY], dtype=object)


def union_by_row(
    rows: np.ndarray, shapes: np.ndarray, failures: Failures, owners: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, and the union of each row's shapes, joined pair by pair in rounds.

    Parameters
    ----------
    rows : ndarray of int
        Which row each shape belongs to; need not be sorted.
    shapes : ndarray of geometry
        The shapes.
    failures : dict
        Added to in place.
    owners : ndarray of int or None
        Subject of each row, for the failures; the row itself where None.
    """
    order = np.argsort(rows, kind="stable")
    rows, shapes = rows[order], shapes[order]
    while len(rows):
        new = np.r_[True, rows[1:] != rows[:-1]]
        if new.all():
            break
        place = np.arange(len(rows)) - np.flatnonzero(new)[np.cumsum(new) - 1]
        left = np.flatnonzero(place % 2 == 0)
        paired = left[(left + 1 < len(rows))]
        paired = paired[~new[paired + 1]]
        names = rows[paired] if owners is None else owners[rows[paired]]
        joined = overlay(shapely.union, shapes[paired], shapes[paired + 1], names, failures)
        shapes = shapes.copy()
        shapes[paired] = joined
        rows, shapes = rows[left], shapes[left]
    return rows, shapes


def ground_only(shapes: np.ndarray) -> np.ndarray:
    """Return the polygons of overlay results: a lone shared point or edge is no ground."""
    return polygonal(shapes)
