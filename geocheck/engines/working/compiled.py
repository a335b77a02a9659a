"""Sums over edges, compiled: common areas, near misses and the ground that several pieces hold together.

Needs numba, the extra ``fast``. What is compiled is kept by numba beside this file, or in the user's cache folder where
that may not be written; the first call on a machine takes some seconds longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numba import njit

from geocheck.engines.working.common_area import EdgeTable
from geocheck.engines.working.overlay import slices, threaded

__all__ = ["CompiledSums"]

#: Units within which two edges are near: far above what rounding does to coordinates, far below what anybody surveys.
NEAR = 1e-6

#: Edges of a cell and its pieces up to which a sweep is worth its squares; beyond, the pieces are joined.
MOST = 2000

#: Places in x at which a sweep may stop, for each edge.
STOPS = 8


class CompiledSums:
    """What the local engine sums in arrays and overlays, as compiled loops; see `common_area` for how it is summed."""

    def table(self, polygons: np.ndarray) -> EdgeTable:
        """Return the edges of valid polygons and multipolygons, as `EdgeTable.of` does."""
        parts, owner = shapely.get_parts(polygons, return_index=True)
        rings, part = shapely.get_rings(parts, return_index=True)
        points, ring = shapely.get_coordinates(rings, return_index=True)
        shell = np.r_[True, part[1:] != part[:-1]][: len(rings)]
        starts = np.searchsorted(ring, np.arange(len(rings) + 1))
        size = max(len(points) - len(rings), 0)
        left, right, height, slope, sign = (np.empty(size) for _ in range(5))
        counts = np.zeros(len(polygons), dtype=np.int64)
        kept = _edges(points, starts, shell, owner[part], left, right, height, slope, sign, counts)
        return EdgeTable(left[:kept], right[:kept], height[:kept], slope[:kept], sign[:kept], counts)

    def common(
        self, first: EdgeTable, a: np.ndarray, second: EdgeTable, b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the area common to each pair of polygons, and whether any of their edges come near each other.

        Where none do, two that have no area in common are apart, and one that has all of its own in common with the other
        lies properly inside it.
        """
        areas, near = np.zeros(len(a)), np.zeros(len(a), dtype=bool)
        one, other = _arrays(first), _arrays(second)
        a, b = a.astype(np.int64), b.astype(np.int64)

        def work(rows: slice) -> None:
            _common(one, a[rows], other, b[rows], second.reach, areas[rows], near[rows])

        threaded(work, slices(len(a)))
        return areas, near

    def united(
        self, pieces: EdgeTable, piece: np.ndarray, starts: np.ndarray, cells: EdgeTable, cell: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the area that pieces hold together in each of some cells, and which cells have too many edges for it.

        Parameters
        ----------
        pieces : EdgeTable
            Edges of polygons.
        piece : ndarray of int
            Which of the polygons are in a cell, cell after cell.
        starts : ndarray of int, shape (n + 1,)
            Where those of each cell begin.
        cells : EdgeTable
            Edges of cells.
        cell : ndarray of int, shape (n,)
            Which of the cells each is.
        """
        areas, open_ = np.zeros(len(cell)), np.zeros(len(cell), dtype=bool)
        one, other = _arrays(pieces), _arrays(cells)
        starts, piece, cell = starts.astype(np.int64), piece.astype(np.int64), cell.astype(np.int64)

        def work(rows: slice) -> None:
            some = starts[rows.start : rows.stop + 1]
            _united(one, some, piece, other, cell[rows], cells.reach, areas[rows], open_[rows])

        threaded(work, slices(len(cell)))
        return areas, open_


def _arrays(table: EdgeTable) -> tuple[Any, ...]:
    starts, counts = table.starts.astype(np.int64), table.counts.astype(np.int64)
    return table.left, table.right, table.height, table.slope, table.sign, starts, counts


@njit(nogil=True, cache=True)
def _edges(points, starts, shell, owner, left, right, height, slope, sign, counts):  # type: ignore[no-untyped-def]
    place = 0
    for ring in range(len(starts) - 1):
        begin, end = starts[ring], starts[ring + 1]
        level = points[begin, 1] if end > begin else 0.0
        turn = 0.0
        for i in range(begin, end - 1):
            turn -= (points[i + 1, 0] - points[i, 0]) * (points[i, 1] + points[i + 1, 1] - 2 * level)
        # A shell should have its ground to the left, a hole to the right; what runs the other way round counts against.
        against = (turn > 0) != shell[ring]
        for i in range(begin, end - 1):
            run = points[i + 1, 0] - points[i, 0]
            if run == 0:
                continue
            ahead = run > 0
            j, k = (i, i + 1) if ahead else (i + 1, i)
            left[place], right[place], height[place] = points[j, 0], points[k, 0], points[j, 1]
            slope[place] = (points[i + 1, 1] - points[i, 1]) / run
            sign[place] = 1.0 if ahead == against else -1.0
            counts[owner[ring]] += 1
            place += 1
    return place


@njit(nogil=True, cache=True)
def _common(one, a, other, b, reach, areas, near):  # type: ignore[no-untyped-def]
    left, right, height, slope, sign, starts, counts = one
    left2, right2, height2, slope2, sign2, starts2, counts2 = other
    for pair in range(len(a)):
        low, high = reach[b[pair], 0] - NEAR, reach[b[pair], 1] + NEAR
        begin2, end2 = starts2[b[pair]], starts2[b[pair]] + counts2[b[pair]]
        total, close = 0.0, False
        for i in range(starts[a[pair]], starts[a[pair]] + counts[a[pair]]):
            if right[i] < low or left[i] > high:
                continue
            for j in range(begin2, end2):
                start = max(left[i], left2[j])
                length = min(right[i], right2[j]) - start
                # Ends that meet in x may meet on a vertical edge, which no table holds.
                if abs(length) <= NEAR or abs(left[i] - left2[j]) <= NEAR or abs(right[i] - right2[j]) <= NEAR:
                    close = True
                if length <= 0:
                    continue
                at_start = height[i] - height2[j] + slope[i] * (start - left[i]) - slope2[j] * (start - left2[j])
                at_end = at_start + (slope[i] - slope2[j]) * length
                if at_start * at_end < 0:
                    distance = (at_start * at_start + at_end * at_end) / abs(at_start - at_end)
                    close = True
                else:
                    distance = abs(at_start + at_end)
                    if min(abs(at_start), abs(at_end)) <= NEAR:
                        close = True
                total += sign[i] * sign2[j] * length * distance
        areas[pair] = -0.25 * total
        near[pair] = close


@njit(nogil=True, cache=True)
def _united(pieces, first, piece, cells, cell, reach, areas, open_):  # type: ignore[no-untyped-def]
    begin, end, level, rise = np.empty(MOST), np.empty(MOST), np.empty(MOST), np.empty(MOST)
    owner, low_down = np.empty(MOST, dtype=np.int64), np.empty(MOST, dtype=np.bool_)
    stops = np.empty(STOPS * MOST)
    for row in range(len(cell)):
        count = _gathered(
            pieces,
            piece[first[row] : first[row + 1]],
            cells,
            cell[row],
            reach,
            begin,
            end,
            level,
            rise,
            owner,
            low_down,
        )
        marks = _stops(count, begin, end, level, rise, owner, low_down, reach[cell[row]], stops) if count >= 0 else -1
        if marks < 0:
            open_[row] = True
        else:
            held = first[row + 1] - first[row]
            areas[row] = _swept(count, begin, end, level, rise, owner, low_down, np.sort(stops[:marks]), held)


@njit(nogil=True, cache=True)
def _gathered(pieces, piece, cells, cell, reach, begin, end, level, rise, owner, low_down):  # type: ignore[no-untyped-def]
    """Put the edges of a cell and those of its pieces that matter in it in place; return how many, -1 if too many."""
    left, right, height, slope, _, starts, counts = cells
    count, floor, ceiling = 0, np.inf, -np.inf
    if counts[cell] > MOST:
        return -1
    for i in range(starts[cell], starts[cell] + counts[cell]):
        begin[count], end[count], level[count], rise[count] = left[i], right[i], height[i], slope[i]
        owner[count], low_down[count] = 0, False
        other = height[i] + slope[i] * (right[i] - left[i])
        floor, ceiling = min(floor, height[i], other), max(ceiling, height[i], other)
        count += 1
    low, high = reach[cell, 0], reach[cell, 1]
    left, right, height, slope, _, starts, counts = pieces
    for k in range(len(piece)):
        for i in range(starts[piece[k]], starts[piece[k]] + counts[piece[k]]):
            if right[i] <= low or left[i] >= high:
                continue
            other = height[i] + slope[i] * (right[i] - left[i])
            # What is above the cell says nothing about the ground below it.
            if min(height[i], other) >= ceiling:
                continue
            if count == MOST:
                return -1
            begin[count], end[count], level[count], rise[count] = left[i], right[i], height[i], slope[i]
            owner[count], low_down[count] = k + 1, max(height[i], other) <= floor
            count += 1
    order = np.argsort(begin[:count])
    for each in (begin, end, level, rise):
        each[:count] = each[:count][order]
    owner[:count], low_down[:count] = owner[:count][order], low_down[:count][order]
    return count


@njit(nogil=True, cache=True)
def _stops(count, begin, end, level, rise, owner, low_down, reach, stops):  # type: ignore[no-untyped-def]
    """Put the places in x where edges begin, end or cross in place; return how many, -1 if too many.

    An edge below the cell tells only whether the cell's floor lies in its piece. Where that changes, an edge that reaches
    into the cell ends, or a vertical one, which no table holds, goes up from one end of an edge that has no neighbour.
    """
    marks = 0
    for i in range(count):
        if low_down[i]:
            continue
        if marks + 2 > len(stops):
            return -1
        stops[marks], stops[marks + 1] = max(begin[i], reach[0]), min(end[i], reach[1])
        marks += 2
        for j in range(i + 1, count):
            if begin[j] >= end[i]:
                break
            if owner[i] == owner[j] or low_down[j]:
                continue
            start = begin[j]
            length = min(end[i], end[j]) - start
            at_start = level[i] - level[j] + rise[i] * (start - begin[i])
            at_end = at_start + (rise[i] - rise[j]) * length
            if at_start * at_end < 0:
                if marks == len(stops):
                    return -1
                stops[marks] = start + length * (at_start / (at_start - at_end))
                marks += 1
    low = np.flatnonzero(low_down[:count])
    ends = np.concatenate((begin[low], end[low]))
    pieces = np.concatenate((owner[low], owner[low]))
    order = np.argsort(ends)
    order = order[np.argsort(pieces[order], kind="mergesort")]
    alike = 0
    for k in range(len(order)):
        alike += 1
        this = order[k]
        if k + 1 < len(order) and ends[order[k + 1]] == ends[this] and pieces[order[k + 1]] == pieces[this]:
            continue
        if alike % 2 == 1 and reach[0] < ends[this] < reach[1]:
            if marks == len(stops):
                return -1
            stops[marks] = ends[this]
            marks += 1
        alike = 0
    return marks


@njit(nogil=True, cache=True)
def _swept(count, begin, end, level, rise, owner, low_down, stops, held_by):  # type: ignore[no-untyped-def]
    """Return the area in the cell of what any of the pieces holds, slab by slab between the stops."""
    heights, whose = np.empty(count), np.empty(count, dtype=np.int64)
    inside = np.zeros(held_by + 1, dtype=np.bool_)
    total = 0.0
    for k in range(len(stops) - 1):
        width = stops[k + 1] - stops[k]
        middle = stops[k] + width / 2
        if middle <= stops[k] or middle >= stops[k + 1]:
            continue
        inside[:] = False
        active, held = 0, 0
        for i in range(count):
            # Low edges make no stops, so that one may end, and the next begin, just in the middle: one of them counts.
            if begin[i] > middle:
                break
            if end[i] <= middle:
                continue
            if low_down[i]:
                held += -1 if inside[owner[i]] else 1
                inside[owner[i]] = not inside[owner[i]]
                continue
            y = level[i] + rise[i] * (middle - begin[i])
            j = active
            while j > 0 and heights[j - 1] > y:
                heights[j], whose[j] = heights[j - 1], whose[j - 1]
                j -= 1
            heights[j], whose[j] = y, owner[i]
            active += 1
        since = 0.0
        for i in range(active):
            before = inside[0] and held > 0
            if whose[i] > 0:
                held += -1 if inside[whose[i]] else 1
            inside[whose[i]] = not inside[whose[i]]
            after = inside[0] and held > 0
            if after and not before:
                since = heights[i]
            elif before and not after:
                total += width * (heights[i] - since)
    return total
