"""A layer's leaf made ready for many subjects: huge polygons cut, one tree over all pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import shapely

from geocheck.engines.working.covers import Cells, Cover, merge_overlapping
from geocheck.engines.working.overlay import CHUNK, EMPTY, Failures, ground_only, overlay, threaded, union_by_row
from geocheck.engines.working.records import polygonal
from geocheck.engines.working.regions import QUARTER, grow
from geocheck.engines.working.subdividing import subdivide

__all__ = ["Pieces"]


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
    def near(cls, records: np.ndarray, distance: float) -> Pieces:
        """Make the pieces of all ground within a distance of records of any dimension."""
        parts = shapely.get_parts(records)
        blocks = [slice(start, start + 64) for start in range(0, len(parts), 64)]
        grown = threaded(lambda block: grow(parts[block], distance, QUARTER), blocks)
        shapes = np.concatenate(grown) if grown else np.empty(0, dtype=object)
        cut, rows = subdivide(shapes)
        # Parts of one record may overlap once they have grown: each part is a source of its own.
        return cls(cut, rows)

    @cached_property
    def tree(self) -> shapely.STRtree:
        """Tree over the pieces' boxes."""
        return shapely.STRtree(self.shapes)

    def cover(self, cells: Cells) -> Cover:
        """Return what of each cell the leaf holds."""
        failures: Failures = {}
        whole, touched = np.zeros(len(cells), dtype=bool), np.zeros(len(cells), dtype=bool)
        cell, piece = self.tree.query(cells.shapes)
        cell, piece = self._met(cells, cell, piece, whole)
        touched[cell] = True
        touched |= whole
        part = ~whole[cell]
        cell, piece = cell[part], piece[part]
        common = overlay(shapely.intersection, self.shapes[piece], cells.shapes[cell], cells.owners[cell], failures)
        common = ground_only(common)
        some = shapely.area(common) > 0
        index, pieces = merge_overlapping(cell[some], common[some], self.sources[piece[some]], cells, failures)
        return Cover(cells, whole, index, pieces, touched, failures)

    def _met(
        self, cells: Cells, cell: np.ndarray, piece: np.ndarray, whole: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs that truly meet, and mark the cells that lie properly inside one piece.

        Pairs are taken piece by piece, each piece by one thread: its prepared index is built once and never shared.
        """
        order = np.argsort(piece, kind="stable")
        cell, piece = cell[order], piece[order]
        if not len(cell):
            return cell, piece
        shapely.prepare(self.shapes[np.unique(piece)])

        def work(block: slice) -> tuple[np.ndarray, np.ndarray]:
            a, b = self.shapes[piece[block]], cells.shapes[cell[block]]
            meets = shapely.intersects(a, b)
            inside = np.zeros(len(a), dtype=bool)
            inside[meets] = shapely.contains_properly(a[meets], b[meets])
            return meets, inside

        done = threaded(work, _at_pieces(piece))
        meets = np.concatenate([one for one, _ in done])
        inside = np.concatenate([two for _, two in done])
        whole[cell[inside]] = True
        return cell[meets], piece[meets]

    def around(self, boxes: np.ndarray, failures: Failures, rows: np.ndarray) -> np.ndarray:
        """Return the leaf's ground within each box, joined; rows name the subjects for failures."""
        entry, piece = self.tree.query(boxes, predicate="intersects")
        common = ground_only(overlay(shapely.intersection, self.shapes[piece], boxes[entry], rows[entry], failures))
        some = shapely.area(common) > 0
        found, joined = union_by_row(entry[some], common[some], failures, rows)
        result = np.full(len(boxes), EMPTY, dtype=object)
        result[found] = ground_only(joined)
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

            deep[entry[np.concatenate(threaded(work, _at_pieces(piece)))]] = True
        return np.flatnonzero(near & ~deep)


def _at_pieces(piece: np.ndarray) -> list[slice]:
    """Return blocks of about a chunk each that never split the pairs of one piece."""
    starts = np.flatnonzero(np.r_[True, piece[1:] != piece[:-1]])
    cuts = [0]
    for start in starts:
        if start - cuts[-1] >= CHUNK:
            cuts.append(int(start))
    cuts.append(len(piece))
    return [slice(a, b) for a, b in pairwise(cuts) if b > a]
