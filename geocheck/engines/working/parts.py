"""Pieces of a region in cells, whose ground is made only where somebody needs more of it than its area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from geocheck.engines.working.common_area import EdgeTable, common_areas
from geocheck.engines.working.overlay import Failures, ground_only, overlay

__all__ = ["LITTLE", "Parts", "summed_areas"]

#: Pairs of edges up to which the common area of two polygons is summed rather than overlaid.
SUMMED = 8192

#: Common area, as a share of the smaller polygon, below which overlay decides whether there is any.
LITTLE = 1e-7


@dataclass(eq=False)
class Parts:
    """Pieces of ground, each the common ground of two polygons that may not be made yet.

    Parameters
    ----------
    index : ndarray of int
        Cell of each piece.
    sources : ndarray of int
        Where each piece comes from: pieces of one cell and one source do not overlap.
    first, second : ndarray of geometry
        The polygons whose common ground the piece is; where the second is None, the first is the piece.
    areas : ndarray of float
        Area of each piece.
    """

    index: np.ndarray
    sources: np.ndarray
    first: np.ndarray
    second: np.ndarray
    areas: np.ndarray

    @classmethod
    def made(cls, index: np.ndarray, sources: np.ndarray, shapes: np.ndarray) -> Parts:
        """Take pieces whose ground is made."""
        return cls(index, sources, shapes, np.full(len(shapes), None, dtype=object), np.asarray(shapely.area(shapes)))

    @classmethod
    def joined(cls, parts: list[Parts]) -> Parts:
        """Put the pieces of several together, as they are."""
        names = ("index", "sources", "first", "second", "areas")
        return cls(*(np.concatenate([getattr(one, name) for one in parts]) for name in names))

    def __len__(self) -> int:
        return len(self.index)

    def take(self, rows: np.ndarray) -> Parts:
        """Return some of the pieces."""
        return Parts(self.index[rows], self.sources[rows], self.first[rows], self.second[rows], self.areas[rows])

    def made_already(self) -> np.ndarray:
        """Tell which pieces are ground already."""
        return np.asarray(shapely.is_missing(self.second))

    def shapes(self, rows: np.ndarray, owners: np.ndarray, failures: Failures) -> np.ndarray:
        """Return the ground of some pieces, made now where it was not; owners are the subjects of cells, for failures."""
        open_ = rows[~self.made_already()[rows]]
        if len(open_):
            open_ = np.unique(open_)
            names = owners[self.index[open_]]
            made = ground_only(overlay(shapely.intersection, self.first[open_], self.second[open_], names, failures))
            self.first[open_] = made
            self.second[open_] = None
            self.areas[open_] = shapely.area(made)
        return np.asarray(self.first[rows], dtype=object)

    def outlines(self) -> np.ndarray:
        """Return for each piece a length that its outline does not exceed."""
        open_ = ~self.made_already()
        lengths = shapely.length(self.first)
        lengths[open_] += shapely.length(self.second[open_])
        return np.asarray(lengths)


def summed_areas(
    first: EdgeTable, a: np.ndarray, second: EdgeTable, b: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the common area of pairs, and which pairs are left to overlay: many edges, or next to nothing in common.

    Parameters
    ----------
    first, second : EdgeTable
        Edges of the polygons.
    a, b : ndarray of int
        The pairs.
    sizes : ndarray of float
        Area of the smaller polygon of each pair.
    """
    few = np.flatnonzero(first.counts[a] * second.counts[b] <= SUMMED)
    areas = np.zeros(len(a))
    areas[few] = common_areas(first, a[few], second, b[few])
    return areas, areas <= LITTLE * sizes
