"""A region restricted to the subjects' own ground: whole, in pieces, or nothing, without geometry that nobody needs.

A *cell* is the own ground of a subject, or one of several pieces of it where it is huge. Most cells lie wholly inside a
zone or wholly outside it; only the others carry pieces. Pieces of one source never overlap; pieces of several may. Their
ground is made, and joined, only where it is asked for: an area needs neither.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geocheck.engines.working.common_area import EdgeTable
from geocheck.engines.working.overlaps import counted_twice, pairs_of, swept_twice
from geocheck.engines.working.overlay import EMPTY, Failures, ground_only, overlay, union_by_row
from geocheck.engines.working.parts import Parts

if TYPE_CHECKING:
    from geocheck.engines.working.compiled import CompiledSums

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
    compiled : CompiledSums or None
        Sums over edges as compiled loops, where the engine has them.
    """

    shapes: np.ndarray
    owners: np.ndarray
    count: int
    compiled: CompiledSums | None = None

    @cached_property
    def areas(self) -> np.ndarray:
        """Area of each cell."""
        return np.asarray(shapely.area(self.shapes))

    @cached_property
    def bounds(self) -> np.ndarray:
        """Box of each cell."""
        return np.asarray(shapely.bounds(self.shapes))

    @cached_property
    def edges(self) -> EdgeTable:
        """Edges of the cells."""
        return EdgeTable.of(self.shapes) if self.compiled is None else self.compiled.table(self.shapes)

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
    parts : Parts
        Pieces in cells that the region holds in part, cell after cell.
    touched : ndarray of bool
        Cells that the region meets at all, be it in an edge or point.
    failures : dict
        Row of a subject to why its overlay failed.
    """

    cells: Cells
    whole: np.ndarray
    parts: Parts
    touched: np.ndarray
    failures: Failures = field(default_factory=dict)

    @classmethod
    def sorted(cls, cells: Cells, whole: np.ndarray, parts: Parts, touched: np.ndarray, failures: Failures) -> Cover:
        """Make a cover from pieces in any order; empty ones and those of whole cells go."""
        some = np.flatnonzero(~whole[parts.index] & (parts.areas > 0))
        some = some[np.argsort(parts.index[some], kind="stable")]
        return cls(cells, whole, parts.take(some), touched, failures)

    @cached_property
    def areas(self) -> np.ndarray:
        """Area of the region in each subject, ground counted once."""
        cells, compiled = self.cells, self.cells.compiled
        if compiled is None:
            twice = counted_twice(self.parts, cells.bounds, cells.owners, self.failures)
        else:
            twice = swept_twice(self.parts, cells.edges, cells.bounds, cells.owners, self.failures, compiled)
        held = np.bincount(self.parts.index, self.parts.areas, len(self.cells)) - twice
        held = np.where(self.whole, self.cells.areas, np.minimum(held, self.cells.areas))
        return np.bincount(self.cells.owners, held, self.cells.count)

    @cached_property
    def perimeters(self) -> np.ndarray:
        """Length that the outline of the region in each subject does not exceed."""
        parts = np.bincount(self.parts.index, self.parts.outlines(), len(self.cells))
        held = np.where(self.whole, shapely.length(self.cells.shapes), parts)
        return np.bincount(self.cells.owners, held, self.cells.count)

    def ground(self, rows: np.ndarray) -> np.ndarray:
        """Return the ground of some pieces."""
        return self.parts.shapes(rows, self.cells.owners, self.failures)

    @cached_property
    def merged(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells held in part, ascending, and the ground of each as one shape."""
        shapes = self.ground(np.arange(len(self.parts)))
        index, joined = union_by_row(self.parts.index, shapes, self.failures, self.cells.owners)
        return index, ground_only(joined)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Return the region's ground in some subjects, one shape each."""
        wanted = np.full(self.cells.count, -1)
        wanted[rows] = np.arange(len(rows))
        place = wanted[self.cells.owners]
        piece = place[self.parts.index]
        chosen = np.flatnonzero(piece >= 0)
        whole = np.flatnonzero(self.whole & (place >= 0))
        index = np.r_[piece[chosen], place[whole]]
        shapes = np.r_[self.ground(chosen), self.cells.shapes[whole]]
        found, joined = union_by_row(index, shapes, self.failures, np.asarray(rows))
        result = np.full(len(rows), EMPTY, dtype=object)
        result[found] = ground_only(joined)
        return result


def either(covers: list[Cover]) -> Cover:
    """Return the union of regions."""
    failures: Failures = {}
    parts, top = [], 0
    for cover in covers:
        failures |= cover.failures
        one = cover.parts.take(np.arange(len(cover.parts)))
        one.sources = one.sources + top
        parts.append(one)
        top += int(cover.parts.sources.max(initial=-1)) + 1
    whole = np.logical_or.reduce([cover.whole for cover in covers])
    touched = np.logical_or.reduce([cover.touched for cover in covers])
    return Cover.sorted(covers[0].cells, whole, Parts.joined(parts), touched, failures)


def both(first: Cover, second: Cover) -> Cover:
    """Return the intersection of regions."""
    if first.whole.all() or second.whole.all():
        return second if first.whole.all() else first
    cells = first.cells
    failures = first.failures | second.failures
    a, b = pairs_of(first.parts.index, second.parts.index)
    cell = first.parts.index[a]
    common = overlay(shapely.intersection, first.ground(a), second.ground(b), cells.owners[cell], failures)
    # Pieces that stem from different pairs of sources may overlap, and each pair gets a source of its own.
    top = int(second.parts.sources.max(initial=0)) + 1
    sources = first.parts.sources[a] * top + second.parts.sources[b]
    parts = Parts.joined(
        [
            first.parts.take(np.flatnonzero(second.whole[first.parts.index])),
            second.parts.take(np.flatnonzero(first.whole[second.parts.index])),
            Parts.made(cell, sources, ground_only(common)),
        ]
    )
    return Cover.sorted(cells, first.whole & second.whole, parts, first.touched & second.touched, failures)


def outside(first: Cover, second: Cover) -> Cover:
    """Return what of the first region is not in the second."""
    cells = first.cells
    partly, ground = second.merged
    failures = first.failures | second.failures
    part = np.zeros(len(cells), dtype=bool)
    part[partly] = True
    index = first.parts.index
    untouched = np.flatnonzero(~second.whole[index] & ~part[index])
    cut = np.flatnonzero(~second.whole[index] & part[index])
    cut_whole = np.flatnonzero(first.whole & part)
    work = np.r_[index[cut], cut_whole]
    shapes = np.r_[first.ground(cut), cells.shapes[cut_whole]]
    taken = ground[np.searchsorted(partly, work)]
    rest = ground_only(overlay(shapely.difference, shapes, taken, cells.owners[work], failures))
    sources = np.r_[first.parts.sources[cut], np.zeros(len(cut_whole), dtype=int)]
    parts = Parts.joined([first.parts.take(untouched), Parts.made(work, sources, rest)])
    return Cover.sorted(cells, first.whole & ~second.whole & ~part, parts, first.touched, failures)
