"""A region restricted to the subjects' own ground: whole, in pieces, or nothing, without geometry that nobody needs.

A *cell* is the own ground of a subject, or one of several pieces of it where it is huge. Most cells lie wholly inside a
zone or wholly outside it; only the others carry pieces. Pieces of one source never overlap; pieces of several may, and
are joined only where their ground is asked for: an area needs no union.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import shapely

from geocheck.engines.working.overlay import EMPTY, Failures, ground_only, overlay, union_by_row

__all__ = ["Cells", "Cover", "both", "either", "outside", "pairs_of"]


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
        Ground of the region in cells that it holds in part.
    sources : ndarray of int
        Where each piece comes from: pieces of one cell and one source do not overlap.
    touched : ndarray of bool
        Cells that the region meets at all, be it in an edge or point.
    failures : dict
        Row of a subject to why its overlay failed.
    """

    cells: Cells
    whole: np.ndarray
    index: np.ndarray
    pieces: np.ndarray
    sources: np.ndarray
    touched: np.ndarray
    failures: Failures = field(default_factory=dict)

    @classmethod
    def sorted(
        cls,
        cells: Cells,
        whole: np.ndarray,
        pieces: tuple[np.ndarray, np.ndarray, np.ndarray],
        touched: np.ndarray,
        failures: Failures,
    ) -> Cover:
        """Make a cover from cell, shape and source of pieces in any order; empty ones and those of whole cells go."""
        index, shapes, sources = pieces
        some = np.flatnonzero(~whole[index] & (shapely.area(shapes) > 0))
        some = some[np.argsort(index[some], kind="stable")]
        return cls(cells, whole, index[some], shapes[some], sources[some], touched, failures)

    @cached_property
    def areas(self) -> np.ndarray:
        """Area of the region in each subject, ground counted once."""
        parts = np.bincount(self.index, shapely.area(self.pieces), len(self.cells)) - self._twice
        held = np.where(self.whole, self.cells.areas, parts)
        return np.bincount(self.cells.owners, held, self.cells.count)

    @cached_property
    def perimeters(self) -> np.ndarray:
        """Length of the outlines of all pieces and whole cells of each subject: seams and overlaps count too."""
        parts = np.bincount(self.index, shapely.length(self.pieces), len(self.cells))
        held = np.where(self.whole, shapely.length(self.cells.shapes), parts)
        return np.bincount(self.cells.owners, held, self.cells.count)

    @cached_property
    def _twice(self) -> np.ndarray:
        """Area that the sum of a cell's pieces counts too often.

        Up to two overlapping pairs in a cell cannot be three pieces that all overlap, so the pairs' common areas are all
        there is to take off; cells with more pairs are joined.
        """
        first, second = pairs_of(self.index, self.index)
        keep = (first < second) & (self.sources[first] != self.sources[second])
        first, second = first[keep], second[keep]
        boxes = shapely.bounds(self.pieces)
        meet = (boxes[first, :2] < boxes[second, 2:]).all(axis=1) & (boxes[second, :2] < boxes[first, 2:]).all(axis=1)
        first, second = first[meet], second[meet]
        count = np.bincount(self.index[first], minlength=len(self.cells))
        few = count[self.index[first]] <= 2
        first, second = first[few], second[few]
        cell = self.index[first]
        owners = self.cells.owners[cell]
        common = overlay(shapely.intersection, self.pieces[first], self.pieces[second], owners, self.failures)
        # Over no pairs at all, bincount forgets that its weights are not whole numbers.
        twice = np.bincount(cell, shapely.area(common), len(self.cells)).astype(float)
        many = np.flatnonzero(count > 2)
        if len(many):
            chosen = np.isin(self.index, many)
            index, joined = union_by_row(self.index[chosen], self.pieces[chosen], self.failures, self.cells.owners)
            summed = np.bincount(self.index[chosen], shapely.area(self.pieces[chosen]), len(self.cells))
            twice[index] = summed[index] - shapely.area(joined)
        return twice

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
        result = np.full(len(rows), EMPTY, dtype=object)
        result[found] = ground_only(joined)
        return result


def either(covers: list[Cover]) -> Cover:
    """Return the union of regions."""
    failures: Failures = {}
    sources, top = [], 0
    for cover in covers:
        failures |= cover.failures
        sources.append(cover.sources + top)
        top += int(cover.sources.max(initial=-1)) + 1
    pieces = (
        np.concatenate([cover.index for cover in covers]),
        np.concatenate([cover.pieces for cover in covers]),
        np.concatenate(sources),
    )
    whole = np.logical_or.reduce([cover.whole for cover in covers])
    touched = np.logical_or.reduce([cover.touched for cover in covers])
    return Cover.sorted(covers[0].cells, whole, pieces, touched, failures)


def both(first: Cover, second: Cover) -> Cover:
    """Return the intersection of regions."""
    cells = first.cells
    failures = first.failures | second.failures
    in_first, in_second = first.whole[second.index], second.whole[first.index]
    a, b = pairs_of(first.index, second.index)
    cell = first.index[a]
    common = overlay(shapely.intersection, first.pieces[a], second.pieces[b], cells.owners[cell], failures)
    # Pieces that stem from different pairs of sources may overlap, and each pair gets a source of its own.
    top = int(second.sources.max(initial=0)) + 1
    pieces = (
        np.concatenate([first.index[in_second], second.index[in_first], cell]),
        np.concatenate([first.pieces[in_second], second.pieces[in_first], ground_only(common)]),
        np.concatenate(
            [first.sources[in_second], second.sources[in_first], first.sources[a] * top + second.sources[b]]
        ),
    )
    return Cover.sorted(cells, first.whole & second.whole, pieces, first.touched & second.touched, failures)


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


def outside(first: Cover, second: Cover) -> Cover:
    """Return what of the first region is not in the second."""
    cells = first.cells
    partly, ground = second.merged
    failures = first.failures | second.failures
    part = np.zeros(len(cells), dtype=bool)
    part[partly] = True
    kept = ~second.whole[first.index]
    index, shapes, sources = first.index[kept], first.pieces[kept], first.sources[kept]
    cut = part[index]
    cut_whole = np.flatnonzero(first.whole & part)
    work = np.r_[index[cut], cut_whole]
    taken = ground[np.searchsorted(partly, work)]
    rest = overlay(shapely.difference, np.r_[shapes[cut], cells.shapes[cut_whole]], taken, cells.owners[work], failures)
    pieces = (
        np.r_[index[~cut], work],
        np.r_[shapes[~cut], ground_only(rest)],
        np.r_[sources[~cut], sources[cut], np.zeros(len(cut_whole), dtype=int)],
    )
    return Cover.sorted(cells, first.whole & ~second.whole & ~part, pieces, first.touched, failures)
