"""A layer's leaf made ready for many subjects: huge polygons cut, one tree over all pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geocheck.engines.working.common_area import EdgeTable
from geocheck.engines.working.covers import Cells, Cover
from geocheck.engines.working.overlay import CHUNK, EMPTY, Failures, overlay, threaded, union_by_row
from geocheck.engines.working.parts import LITTLE, Parts, summed_areas
from geocheck.engines.working.records import polygonal
from geocheck.engines.working.regions import QUARTER, grow
from geocheck.engines.working.subdividing import subdivide

if TYPE_CHECKING:
    from geocheck.engines.working.compiled import CompiledSums

__all__ = ["Pieces"]

#: Share of an area that a sum over edges must reach to be all of it, its rounding aside.
_ALL = 1 - 1e-11

#: Pieces of more vertices than this are prepared before they are asked about.
LARGE = 64


@dataclass(eq=False)
class Pieces:
    """Pieces of the records of a leaf.

    Parameters
    ----------
    shapes : ndarray of polygons
        The pieces; those of one source do not overlap.
    sources : ndarray of int
        Number of the record that each piece comes from.
    """

    shapes: np.ndarray
    sources: np.ndarray

    @classmethod
    def of(cls, records: np.ndarray) -> Pieces:
        """Make the pieces of a leaf's records; lines and points are no ground."""
        records = polygonal(records)
        some = np.flatnonzero(~shapely.is_empty(records))
        shapes, rows = subdivide(records[some])
        return cls(shapes, some[rows])

    @classmethod
    def things(cls, records: np.ndarray) -> Pieces:
        """Make the pieces of records of any dimension: what a distance is measured from."""
        some = np.flatnonzero(~shapely.is_empty(records))
        parts, rows = shapely.get_parts(records[some], return_index=True)
        shapes, part = subdivide(parts)
        return cls(shapes, some[rows][part])

    @classmethod
    def near(cls, records: np.ndarray, distance: float) -> Pieces:
        """Make the pieces of all ground within a distance of records of any dimension."""
        parts = shapely.get_parts(records)
        cut, rows = subdivide(grow(parts, distance, QUARTER))
        # Parts of one record may overlap once they have grown: each part is a source of its own.
        return cls(cut, rows)

    @cached_property
    def tree(self) -> shapely.STRtree:
        """Tree over the pieces' boxes."""
        return shapely.STRtree(self.shapes)

    @cached_property
    def boxes(self) -> np.ndarray:
        """Box of each piece."""
        return np.asarray(shapely.bounds(self.shapes))

    @cached_property
    def large(self) -> np.ndarray:
        """Which pieces have vertices enough to be worth preparing."""
        return np.asarray(shapely.get_num_coordinates(self.shapes) > LARGE)

    def cover(self, cells: Cells) -> Cover:
        """Return what of each cell the leaf holds."""
        failures: Failures = {}
        whole, touched = np.zeros(len(cells), dtype=bool), np.zeros(len(cells), dtype=bool)
        cell, piece = self.tree.query(cells.shapes)
        if cells.compiled is not None:
            return self._swept(cells, cell, piece, cells.compiled)
        meets, inside = self._against(cells, cell, piece)
        whole[cell[inside]] = True
        left = meets & ~whole[cell]
        touched[cell[inside]] = True
        cell, piece = cell[left], piece[left]
        within = self._within(cells, cell, piece)
        # Of what crosses a cell's outline only the area is found here; the ground is made where it is asked for.
        cut = np.flatnonzero(~within)
        areas = shapely.area(self.shapes[piece])
        sizes = np.minimum(areas[cut], cells.areas[cell[cut]])
        # Edges of the pieces at hand only: those of a whole county would stay in memory.
        rows, place = np.unique(piece[cut], return_inverse=True)
        areas[cut], open_ = summed_areas(EdgeTable.of(self.shapes[rows]), place, cells.edges, cell[cut], sizes)
        second = cells.shapes[cell]
        second[within] = None
        parts = Parts(cell, self.sources[piece], self.shapes[piece], second, areas)
        left = cut[open_]
        areas[left] = 0.0
        touched[cell[areas > 0]] = True
        met = left[shapely.intersects(self.shapes[piece[left]], cells.shapes[cell[left]])]
        touched[cell[met]] = True
        parts.shapes(met, cells.owners, failures)
        return Cover.sorted(cells, whole, parts, touched, failures)

    def _swept(self, cells: Cells, cell: np.ndarray, piece: np.ndarray, compiled: CompiledSums) -> Cover:
        """Return the cover from compiled sums: where no edges come near each other, the area tells how two lie."""
        failures: Failures = {}
        whole, touched = np.zeros(len(cells), dtype=bool), np.zeros(len(cells), dtype=bool)
        rows, place = np.unique(piece, return_inverse=True)
        areas, near = compiled.common(compiled.table(self.shapes[rows]), place, cells.edges, cell)
        own, other = cells.areas[cell], shapely.area(self.shapes[rows])[place]
        some = areas > LITTLE * np.minimum(own, other)
        touched[cell[some]] = True
        whole[cell[some & ~near & (areas >= own * _ALL)]] = True
        left = np.flatnonzero((some | near) & ~whole[cell])
        cell, piece, areas, near, some, other = (each[left] for each in (cell, piece, areas, near, some, other))
        within = some & ~near & (areas >= other * _ALL)
        areas[within] = other[within]
        areas[~some] = 0.0
        second = cells.shapes[cell]
        second[within] = None
        parts = Parts(cell, self.sources[piece], self.shapes[piece], second, areas)
        # Next to nothing in common: whether they meet at all is for exact predicates to say.
        bare = np.flatnonzero(~some)
        met = bare[shapely.intersects(self.shapes[piece[bare]], cells.shapes[cell[bare]])]
        touched[cell[met]] = True
        parts.shapes(met, cells.owners, failures)
        return Cover.sorted(cells, whole, parts, touched, failures)

    def _against(self, cells: Cells, cell: np.ndarray, piece: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which pairs may meet, and in which the cell lies properly inside the piece.

        Pairs are taken piece by piece, each piece by one thread: its prepared index is built once and never shared.
        Small pieces go unasked: overlay finds out as soon.
        """
        meets, inside = np.ones(len(cell), dtype=bool), np.zeros(len(cell), dtype=bool)
        holds = _holds(self.boxes[piece], cells.bounds[cell])
        asked = np.flatnonzero(self.large[piece] | holds)
        asked = asked[np.argsort(piece[asked], kind="stable")]
        if not len(asked):
            return meets, inside
        shapely.prepare(self.shapes[np.unique(piece[asked])])

        def work(block: slice) -> None:
            rows = asked[block]
            met = shapely.intersects(self.shapes[piece[rows]], cells.shapes[cell[rows]])
            meets[rows] = met
            rows = rows[met & holds[rows]]
            inside[rows] = shapely.contains_properly(self.shapes[piece[rows]], cells.shapes[cell[rows]])

        threaded(work, _blocks(piece[asked]))
        return meets, inside

    def _within(self, cells: Cells, cell: np.ndarray, piece: np.ndarray) -> np.ndarray:
        """Return in which pairs the piece lies properly inside the cell: a building on its lot needs no overlay."""
        within = np.zeros(len(cell), dtype=bool)
        asked = np.flatnonzero(_holds(cells.bounds[cell], self.boxes[piece]))
        asked = asked[np.argsort(cell[asked], kind="stable")]

        def work(block: slice) -> None:
            rows = asked[block]
            some, place = np.unique(cell[rows], return_inverse=True)
            # Copies: another layer may be asked about the same cells at the same time, and prepared ones take memory.
            mine = shapely.force_2d(cells.shapes[some])
            shapely.prepare(mine)
            within[rows] = shapely.contains_properly(mine[place], self.shapes[piece[rows]])

        threaded(work, _blocks(cell[asked]))
        return within

    def within(self, shapes: np.ndarray, distance: float) -> np.ndarray:
        """Return the pieces within a distance of any of the shapes."""
        _, piece = self.tree.query(shapes, predicate="dwithin", distance=distance)
        return np.asarray(self.shapes[np.unique(piece)], dtype=object)

    def around(self, boxes: np.ndarray, failures: Failures, rows: np.ndarray) -> np.ndarray:
        """Return what the leaf holds within each box, joined; rows name the subjects for failures."""
        entry, piece = self.tree.query(boxes, predicate="intersects")
        common = overlay(shapely.intersection, self.shapes[piece], boxes[entry], rows[entry], failures)
        some = ~shapely.is_empty(common)
        found, joined = union_by_row(entry[some], common[some], failures, rows)
        result = np.full(len(boxes), EMPTY, dtype=object)
        result[found] = joined
        return result

    def undecided(self, grounds: np.ndarray, margin: float) -> np.ndarray:
        """Return the entries of grounds that have a piece within the margin, but do not lie deep inside one."""
        boxes = shapely.buffer(shapely.envelope(grounds), margin * (1 + 1e-9), cap_style="square", join_style="mitre")
        near = np.zeros(len(grounds), dtype=bool)
        deep = np.zeros(len(grounds), dtype=bool)
        entry, piece = self.tree.query(grounds, predicate="dwithin", distance=margin)
        near[entry] = True
        order = np.argsort(piece, kind="stable")
        entry, piece = entry[order], piece[order]
        if len(entry):
            shapely.prepare(self.shapes[np.unique(piece)])

            def work(block: slice) -> np.ndarray:
                return np.asarray(shapely.contains_properly(self.shapes[piece[block]], boxes[entry[block]]))

            deep[entry[np.concatenate(threaded(work, _blocks(piece)))]] = True
        return np.flatnonzero(near & ~deep)


def _holds(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Tell which boxes lie strictly inside the other."""
    return np.asarray((outer[:, :2] < inner[:, :2]).all(axis=1) & (outer[:, 2:] > inner[:, 2:]).all(axis=1))


def _blocks(keys: np.ndarray) -> list[slice]:
    """Return blocks of about a chunk each of an ascending array that never split what has one key."""
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    cuts = [0]
    for start in starts:
        if start - cuts[-1] >= CHUNK:
            cuts.append(int(start))
    cuts.append(len(keys))
    return [slice(a, b) for a, b in pairwise(cuts) if b > a]
