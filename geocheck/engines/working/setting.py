"""What is known before anything is measured: accuracies, doubts, coverage, and which subjects have ground at all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import shapely

from geocheck.engines.working.outline import Edges, deviation, edges_of
from geocheck.engines.working.overlay import EMPTY
from geocheck.engines.working.records import own_grounds, polygonal, records_of
from geocheck.engines.working.regions import bound
from geocheck.engines.working.units import accuracy_of, noise, relative_shift
from geocheck.measures.language import Divided, Layer, Measure, Region, layers_of
from geocheck.model.ground import Ground, Subjects

__all__ = ["Setting"]


@dataclass(eq=False)
class Setting:
    """Subjects and ground of one call, and what follows from their declarations alone.

    Parameters
    ----------
    subjects : Subjects
        Who is asked about.
    ground : Ground
        The run's layers.
    """

    subjects: Subjects
    ground: Ground
    _owns: dict[str, np.ndarray] = field(default_factory=dict)
    _edges: dict[str, Edges] = field(default_factory=dict)
    _deviations: dict[str, np.ndarray] = field(default_factory=dict)
    _coverage: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)

    @cached_property
    def noise(self) -> float:
        """Width of noise in units of the run's system."""
        return noise(self.ground)

    def own(self, role: str) -> np.ndarray:
        """Return the subjects' own polygons of a role; empty where a subject has none."""
        if role not in self._owns:
            shapes = own_grounds(self.subjects, role)
            shapes[[shape is None for shape in shapes]] = EMPTY
            self._owns[role] = shapes
        return self._owns[role]

    def absent(self, measure: Measure) -> np.ndarray:
        """Tell which subjects have no ground (not: empty ground) for a role that the measure reads."""
        missing = np.zeros(len(self.subjects), dtype=bool)
        for role in measure.layers & set(self.subjects.grounds) - self._records(measure):
            missing |= np.array([shape is None for shape in self.subjects.grounds[role]], dtype=bool)
        return missing

    @staticmethod
    def _records(measure: Measure) -> set[str]:
        reading = measure.reading
        if isinstance(reading, Divided):
            return {reading.parcels.role, reading.parents.role} - set(layers_of(reading.within))
        return set()

    def bounds(self, region: Region) -> tuple[str, ...]:
        """Return the own roles whose ground holds the region, sorted; empty where none does."""
        return tuple(sorted(bound(region, self.subjects) or ()))

    def accuracy(self, roles: tuple[str, ...]) -> float:
        """Return the accuracy of the own ground of the roles, in units of the run's system; 0 where not stated."""
        return max((float(self.subjects.accuracy.get(role) or 0.0) for role in roles), default=0.0)

    def growth(self, leaf: Layer) -> float:
        """Return by how much a layer may be wider or narrower: its accuracy, and what a datum operation leaves open."""
        return accuracy_of(leaf.role, self.ground) + self.shift(leaf)

    def shift(self, leaf: Layer) -> float:
        """Return by how much a layer may lie off the subjects' ground through datum operations."""
        return relative_shift(leaf.role, self.subjects, self.ground)

    def edges(self, role: str) -> Edges:
        """Return the edges of all own grounds of a role."""
        if role not in self._edges:
            self._edges[role] = edges_of(self.own(role))
        return self._edges[role]

    def deviations(self, roles: tuple[str, ...]) -> np.ndarray:
        """Return the deviation of each subject's own whole area from its vertices' errors."""
        total = np.zeros(len(self.subjects))
        for role in roles:
            accuracy = self.accuracy((role,))
            if accuracy and role not in self._deviations:
                self._deviations[role] = deviation(self.edges(role), accuracy, [(1.0, None)])
            total += self._deviations[role] if accuracy else 0.0
        return total

    @cached_property
    def own_doubts(self) -> np.ndarray:
        """Doubtful area of each subject's own ground from ambiguous repairs, square units."""
        given = self.subjects.doubts
        if given is None:
            return np.zeros(len(self.subjects))
        return np.array([float(doubt) if doubt is not None and doubt == doubt else 0.0 for doubt in given])

    def zone_doubts(self, leaves: list[Layer], grounds: np.ndarray) -> np.ndarray:
        """Return the doubtful area of repaired records that meet each subject's ground, at most the ground itself."""
        total = np.zeros(len(grounds))
        for leaf in leaves:
            layer = self.ground.layers[leaf.role]
            if not layer.doubts:
                continue
            shapes, rows = records_of(leaf, self.ground)
            doubtful = np.array([layer.doubts.get(int(row), 0.0) for row in rows])
            for shape, doubt in zip(shapes[doubtful > 0], doubtful[doubtful > 0], strict=True):
                # The outline of a repaired record is itself in doubt: its hull is where its ground may be.
                total += np.where(shapely.intersects(shapely.convex_hull(shape), grounds), doubt, 0.0)
        return np.asarray(np.minimum(total, shapely.area(grounds)))

    def uncovered(self, measure: Measure, zones: Collection[str] | None = None) -> np.ndarray:
        """Return how much of each subject's own ground the whole layers that a measure reads do not cover.

        Parameters
        ----------
        measure : Measure
            What is asked.
        zones : collection of str, optional
            Only these layers; all that the measure reads by default.

        Returns
        -------
        numpy.ndarray
            Square units, at most the own ground itself; 0 where everything is covered but for noise.
        """
        owns = [role for role in sorted(measure.layers - self._records(measure)) if role in self.subjects.grounds]
        beyond = np.zeros(len(self.subjects))
        for own in owns:
            read = [role for role in measure.layers if role not in owns and (zones is None or role in zones)]
            total = sum((self._beyond(zone, own) for zone in read), np.zeros(len(self.subjects)))
            beyond = np.maximum(beyond, np.minimum(total, shapely.area(self.own(own))))
        return beyond

    def own_area(self, measure: Measure) -> np.ndarray:
        """Return the area of the largest own ground that a measure reads, square units."""
        areas = np.zeros(len(self.subjects))
        for role in measure.layers - self._records(measure):
            if role in self.subjects.grounds:
                areas = np.maximum(areas, shapely.area(self.own(role)))
        return areas

    def _beyond(self, zone: str, own: str) -> np.ndarray:
        key = (zone, own)
        if key not in self._coverage:
            area, grounds = self.ground.layers[zone].coverage, self.own(own)
            nothing = np.zeros(len(grounds))
            self._coverage[key] = nothing if area is None else beyond_coverage(area, grounds, self.noise)
        return self._coverage[key]


def beyond_coverage(area: shapely.Geometry, grounds: np.ndarray, width: float) -> np.ndarray:
    """Return how much of each ground lies outside a covered area; what sticks out no wider than noise counts as 0."""
    area = polygonal(np.array([area], dtype=object))[0]
    shapely.prepare(area)
    beyond = np.zeros(len(grounds))
    out = np.flatnonzero(~(shapely.covers(area, grounds) | shapely.is_empty(grounds)))
    left = shapely.area(grounds[out])
    near = shapely.intersects(area, grounds[out])
    left[near] = shapely.area(shapely.difference(grounds[out][near], area))
    left[left <= width * shapely.length(grounds[out])] = 0.0
    beyond[out] = left
    return beyond
