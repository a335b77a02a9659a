"""Into how many parcels a parent was divided: which outlines hold ground from it, and which are its own again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from geocheck.engines.working.outline import HALF_WIDTH, deviation, edges_of
from geocheck.engines.working.overlay import union_by_row
from geocheck.engines.working.records import is_missing, polygonal, records_of
from geocheck.engines.working.units import accuracy_of, factor
from geocheck.measures.language import Divided, Layer
from geocheck.model.ground import Ground
from geocheck.model.quantity import SAME

__all__ = ["MOST", "REDRAWN_FEET", "Parents", "parcels_of"]

#: A child comes from the parent that gave it more than this share of its ground.
MOST = 0.5

#: Mean distance, in feet, by which a redrawn outline may stray from the old one and still be the same parcel.
REDRAWN_FEET = 0.5


def parcels_of(leaf: Layer, ground: Ground) -> np.ndarray:
    """Return the parcels of a layer: records that share an identifier are one parcel."""
    shapes, rows = records_of(leaf, ground)
    frame = ground.layers[leaf.role].frame
    shapes = polygonal(shapes)
    names = list(frame["id"].iloc[rows]) if "id" in frame else [None] * len(rows)
    group: dict[object, int] = {}
    index = np.array(
        [group.setdefault(("row", i) if is_missing(name) else str(name), len(group)) for i, name in enumerate(names)],
        dtype=int,
    )
    _, merged = union_by_row(index, shapes, {})
    return np.asarray(merged[~shapely.is_empty(merged)], dtype=object)


@dataclass(eq=False)
class Parents:
    """Parents, and for each how many small parcels it was divided into.

    Parameters
    ----------
    reading : Divided
        What is asked.
    ground : Ground
        The run's layers; accuracies are theirs, where they have the reading's layers.
    shapes : ndarray of polygons
        The parents' ground.
    children : mapping of int to ndarray of polygons
        By parent, the parcels that hold most of their ground from it.
    """

    reading: Divided
    ground: Ground
    shapes: np.ndarray
    children: Mapping[int, np.ndarray]

    @classmethod
    def of_layers(cls, reading: Divided, ground: Ground) -> Parents:
        """Find the children among the parcels as they are now."""
        shapes, parcels = parcels_of(reading.parents, ground), parcels_of(reading.parcels, ground)
        child, parent = shapely.STRtree(shapes).query(parcels, predicate="intersects")
        shared = shapely.area(shapely.intersection(parcels[child], shapes[parent]))
        held = shared > MOST * shapely.area(parcels)[child]
        child, parent = child[held], parent[held]
        children = {int(one): parcels[np.unique(child[parent == one])] for one in np.unique(parent)}
        return cls(reading, ground, shapes, children)

    def __post_init__(self) -> None:
        values, lows, highs = (np.zeros(len(self.shapes)) for _ in range(3))
        for parent, children in self.children.items():
            outlines = self._new_outlines(self.shapes[parent], children)
            if len(outlines) > 1:
                values[parent], lows[parent], highs[parent] = self._small(outlines)
        self.values, self.lows, self.highs = values, lows, highs
        self.tree = shapely.STRtree(self.shapes)

    def _new_outlines(self, parent: np.ndarray, children: np.ndarray) -> np.ndarray:
        """Return the children whose outlines differ from the parent's and from each other's: stacked units are one."""
        distinct: list[shapely.Geometry] = []
        for child in children:
            if not self._same(child, parent) and not any(self._same(child, other) for other in distinct):
                distinct.append(child)
        return np.array(distinct, dtype=object)

    def _same(self, first: shapely.Geometry, second: shapely.Geometry) -> bool:
        roles = {self.reading.parcels.role, self.reading.parents.role} & set(self.ground.layers)
        allowed = max([REDRAWN_FEET / self.ground.feet, *(accuracy_of(role, self.ground) for role in roles)])
        if abs(first.area - second.area) > allowed * max(first.length, second.length):
            return False
        strayed = shapely.area(shapely.symmetric_difference(first, second))
        return bool(strayed <= allowed * min(first.length, second.length))

    def _small(self, outlines: np.ndarray) -> tuple[int, int, int]:
        """Return how many outlines are small enough: by their best area, for certain, and perhaps."""
        limit = float(self.reading.at_most.to("ft2", self.ground.foot).value * (1 + SAME))
        areas = shapely.area(outlines) * factor("ft2", self.ground)
        spread = self.ground.doubt * areas
        stated = accuracy_of(self.reading.parcels.role, self.ground)
        if stated:
            spread += HALF_WIDTH * deviation(edges_of(outlines), stated, [(1.0, None)]) * factor("ft2", self.ground)
        return int((areas <= limit).sum()), int((areas + spread <= limit).sum()), int((areas - spread <= limit).sum())

    def most(self, shape: shapely.Geometry, width: float) -> tuple[float, float, float]:
        """Return value, low and high for the ground of one subject: the most over the parents it has ground in."""
        candidates = self.tree.query(shape, predicate="intersects")
        common = shapely.intersection(self.shapes[candidates], shape)
        parts = 2 * shapely.area(common) >= width * shapely.length(common)
        met = candidates[parts & (shapely.area(common) > 0)]
        if not len(met):
            return 0.0, 0.0, 0.0
        return float(self.values[met].max()), float(self.lows[met].max()), float(self.highs[met].max())
