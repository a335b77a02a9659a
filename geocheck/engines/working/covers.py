"""A region restricted to the subjects' own ground: whole, in pieces, or nothing, without geometry that nobody needs.

A *cell* is the own ground of a subject, or one of several pieces of it where it is huge. Most cells lie wholly inside a
zone or wholly outside it; only the others carry pieces, and the pieces of a cell never overlap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import shapely

from geocheck.engines.working.overlay import Failures, ground_only, overlay, union_by_row

__all__ = ["Cells", "Cover", "both", "either", "outside"]


@dataclass(eq=False)
class Cells:
    """The own grounds that a region is restricted to.

    Parameters
    ----------
    shapes : ndarray of polygons
        One a cell; empty where a subject has no ground.
    owners : ndarray of int
        Row of the subject that each cell belongs to.
    count : int
        How many subjects.
    """

    shapes: np.ndarray
    owners: np.ndarray
    count: int

    @cached_property
    def areas(self) -> np.ndarray:
        """Area of each cell."""
        return np.asarray(shapely.area(self.shapes))

    @cached_property
    def bounds(self) -> np.ndarray:
        """Box of each cell."""
        return np.asarray(shapely.bounds(self.shapes))

    def __len__(self) -> int:
        return len(self.shapes)


@dataclass(eq=False)
class Cover:
    """What of each cell a region holds.

    Parameters
    ----------
    cells : Cells
        The cells.
    whole : ndarray of bool
        Cells that the region holds wholly; they have no pieces.
    index : ndarray of int
        Cell of each piece, ascending.
    pieces : ndarray of polygons
        Ground of the region in cells that it holds in part; those of a cell do not overlap.
    touched : ndarray of bool
        Cells that the region meets at all, be it in an edge or point.
    failures : dict
        Row of a subject to why its overlay failed.
    """

    cells: Cells
    whole: np.ndarray
    index: np.ndarray
    pieces: np.ndarray
    touched: np.ndarray
    failures: Failures = field(default_factory=dict)

    @cached_property
    def areas(self) -> np.ndarray:
        """Area of the region in each subject."""
        parts = np.bincount(self.index, shapely.area(self.pieces), len(self.cells))
        held = np.where(self.whole, self.cells.areas, parts)
        return np.bincount(self.cells.owners, held, self.cells.count)

    @cached_property
    def perimeters(self) -> np.ndarray:
        """Length of the outlines of all pieces and whole cells of each subject: seams between pieces count too."""
        parts = np.bincount(self.index, shapely.length(self.pieces), len(self.cells))
        held = np.where(self.whole, shapely.length(self.cells.shapes), parts)
        return np.bincount(self.cells.owners, held, self.cells.count)

    @cached_property
    def merged(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells held in part, ascending, and the ground of each as one shape."""
        index, shapes = union_by_row(self.index, self.pieces, self.failures, self.cells.owners)
        return index, ground_only(shapes)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Return the region's ground in some subjects, one shape each."""
        wanted = np.full(self.cells.count, -1)
        wanted[rows] = np.arange(len(rows))
        place = wanted[self.cells.owners]
        piece = place[self.index]
        whole = np.flatnonzero(self.whole & (place >= 0))
        index = np.r_[piece[piece >= 0], place[whole]]
        shapes = np.r_[self.pieces[piece >= 0], self.cells.shapes[whole]]
        found, joined = union_by_row(index, shapes, self.failures, np.asarray(rows))
        result = np.full(len(rows), shapely.from_wkt("POLYGON EMPTY"), dtype=object)
        result[found] = ground_only(joined)
        return result


def either(covers: list[Cover]) -> Cover:
    """Return the union of regions."""
    cells = covers[0].cells
    whole = np.logical_or.reduce([cover.whole for cover in covers])
    touched = np.logical_or.reduce([cover.touched for cover in covers])
    failures: Failures = {}
    for cover in covers:
        failures |= cover.failures
    index = np.concatenate([cover.index for cover in covers])
    pieces = np.concatenate([cover.pieces for cover in covers])
    source = np.concatenate([np.full(len(cover.index), number) for number, cover in enumerate(covers)])
    open_ = ~whole[index]
    index, pieces = merge_overlapping(index[open_], pieces[open_], source[open_], cells, failures)
    return Cover(cells, whole, index, pieces, touched, failures)


def merge_overlapping(
    index: np.ndarray, pieces: np.ndarray, source: np.ndarray, cells: Cells, failures: Failures
) -> tuple[np.ndarray, np.ndarray]:
    """Return pieces that do not overlap: those of cells with pieces of several sources are joined where boxes meet.

    Pieces of one source never overlap each other.
    """
    order = np.argsort(index, kind="stable")
    index, pieces, source = index[order], pieces[order], source[order]
    if not len(index):
        return index, pieces
    first = np.flatnonzero(np.r_[True, index[1:] != index[:-1]])
    several = np.minimum.reduceat(source, first) != np.maximum.reduceat(source, first)
    group = np.repeat(several, np.diff(np.r_[first, len(index)]))
    if not group.any():
        return index, pieces
    found, joined = union_by_row(index[group], pieces[group], failures, cells.owners)
    index = np.r_[index[~group], found]
    pieces = np.r_[pieces[~group], ground_only(joined)]
    order = np.argsort(index, kind="stable")
    return index[order], pieces[order]


def both(first: Cover, second: Cover) -> Cover:
    """Return the intersection of regions."""
    cells = first.cells
    failures = first.failures | second.failures
    whole = first.whole & second.whole
    keep_first, keep_second = second.whole[first.index], first.whole[second.index]
    index = [first.index[keep_first], second.index[keep_second]]
    pieces = [first.pieces[keep_first], second.pieces[keep_second]]
    a, b = _pairs(first.index[~keep_first], second.index[~keep_second])
    left, right = first.pieces[~keep_first][a], second.pieces[~keep_second][b]
    cell = first.index[~keep_first][a]
    common = ground_only(overlay(shapely.intersection, left, right, cells.owners[cell], failures))
    some = ~shapely.is_empty(common)
    every = np.concatenate([*index, cell[some]])
    order = np.argsort(every, kind="stable")
    ground = np.concatenate([*pieces, common[some]])[order]
    return Cover(cells, whole, every[order], ground, first.touched & second.touched, failures)


def _pairs(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of places in two ascending arrays that hold the same number."""
    start, stop = np.searchsorted(second, first, "left"), np.searchsorted(second, first, "right")
    counts = stop - start
    a = np.repeat(np.arange(len(first)), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return a, start[a] + offsets


def outside(first: Cover, second: Cover) -> Cover:
    """Return what of the first region is not in the second."""
    cells = first.cells
    failures = first.failures | second.failures
    partly, ground = second.merged
    part = np.zeros(len(cells), dtype=bool)
    part[partly] = True
    gone = second.whole
    cut_whole = np.flatnonzero(first.whole & part)
    whole = first.whole & ~gone & ~part
    kept = ~gone[first.index]
    index, pieces = first.index[kept], first.pieces[kept]
    cut = part[index]
    work_index = np.r_[index[cut], cut_whole]
    work = np.r_[pieces[cut], cells.shapes[cut_whole]]
    taken = ground[np.searchsorted(partly, work_index)]
    rest = ground_only(overlay(shapely.difference, work, taken, cells.owners[work_index], failures))
    some = ~shapely.is_empty(rest)
    index, pieces = np.r_[index[~cut], work_index[some]], np.r_[pieces[~cut], rest[some]]
    order = np.argsort(index, kind="stable")
    return Cover(cells, whole, index[order], pieces[order], first.touched, failures | second.failures)
