"""The ground around some subjects, leaf by leaf, as it is and as wide or narrow as its accuracy allows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
import shapely

from geocheck.engines.working.memory import Memory
from geocheck.engines.working.overlay import Failures
from geocheck.engines.working.records import polygonal
from geocheck.engines.working.regions import QUARTER, evaluate, grow, leaves
from geocheck.measures.language import Layer, Region
from geocheck.model.ground import Ground

__all__ = ["Surroundings"]

Growth = Mapping[Layer, float]


@dataclass(eq=False)
class Surroundings:
    """What lies around some subjects: one entry a subject in every array.

    Parameters
    ----------
    rows : ndarray of int
        Rows of the subjects.
    own : mapping of str to ndarray of polygons
        The subjects' own grounds, by role.
    zones : mapping of Layer to ndarray of geometry
        What each leaf holds near the subject, as far as it matters; lines and points where a distance from them counts.
    ground : Ground
        The run's layers and units.
    failures : dict
        Added to in place.
    memory : Memory or None
        Keeps grown ground for other measures of the call.
    place : mapping of Layer to hashable
        How far each leaf's ground reaches, as part of its key in the memory.
    """

    rows: np.ndarray
    own: Mapping[str, np.ndarray]
    zones: Mapping[Layer, np.ndarray]
    ground: Ground
    failures: Failures
    _grown: dict[tuple[Layer, float, float], np.ndarray] = field(default_factory=dict)
    memory: Memory | None = None
    place: Mapping[Layer, Hashable] = field(default_factory=dict)

    def zone(self, leaf: Layer, growth: float = 0.0, distance: float = 0.0) -> np.ndarray:
        """Return a leaf's ground, grown or shrunk; or, with a distance, all ground within it of what the leaf holds."""
        key = (leaf, growth, distance)
        if key not in self._grown:

            def make(entries: np.ndarray) -> np.ndarray:
                shapes = self.zones[leaf][entries]
                shapes = shapes if distance > 0 else polygonal(shapes)
                return polygonal(grow(shapes, distance + growth, QUARTER if distance > 0 else 8))

            every = np.arange(len(self.rows))
            self._grown[key] = (
                make(every)
                if self.memory is None
                else self.memory.recall((key, self.place.get(leaf)), self.rows, make, self.failures)
            )
        return self._grown[key]

    def _own(self, role: str, distance: float) -> np.ndarray:
        return grow(self.own[role], distance, QUARTER)

    def region(self, region: Region, growth: Growth | None = None, state: int = 0) -> np.ndarray:
        """Return the region of each subject.

        Parameters
        ----------
        growth : mapping of Layer to float
            By how much each leaf may be wider or narrower.
        state : int
            0 as it is, 1 as large as the growth allows, -1 as small.
        """

        def shapes_of(leaf: Layer, sign: int, distance: float) -> np.ndarray:
            if leaf.role in self.own:
                return self._own(leaf.role, distance)
            return self.zone(leaf, sign * state * (growth or {}).get(leaf, 0.0), distance)

        return evaluate(region, shapes_of, self.ground, self.rows, self.failures)

    def signed(self, region: Region, signs: Mapping[Layer, int], growth: Growth, state: int) -> np.ndarray:
        """Return the region with each leaf grown by its own sign, wherever in the region it stands."""

        def shapes_of(leaf: Layer, sign: int, distance: float) -> np.ndarray:
            if leaf.role in self.own:
                return self._own(leaf.role, distance)
            return self.zone(leaf, signs[leaf] * state * growth.get(leaf, 0.0), distance)

        return evaluate(region, shapes_of, self.ground, self.rows, self.failures)

    def outline(self, region: Region, role: str, entries: np.ndarray, growth: float) -> np.ndarray:
        """Return what of the outline of the own ground of a role bounds the region, as lines, one a chosen entry.

        Parameters
        ----------
        role : str
            Whose outline it is.
        entries : ndarray of int
            Which subjects.
        growth : float
            By how much every zone is grown to the region's favour first.
        """
        lines = np.asarray(shapely.boundary(self.own[role][entries]), dtype=object)

        def shapes_of(leaf: Layer, sign: int, distance: float) -> np.ndarray:
            if leaf.role == role:
                return grow(lines, distance)
            if leaf.role in self.own:
                return np.asarray(self._own(leaf.role, distance)[entries], dtype=object)
            return np.asarray(self.zone(leaf, sign * growth, distance)[entries], dtype=object)

        def known_of(part: Region, sign: int) -> np.ndarray | None:
            # A zone of many parts is joined as ground, without the outline in it.
            if isinstance(part, Layer) or any(leaf.role == role for leaf, _ in leaves(part)):
                return None
            zones = dict.fromkeys((leaf for leaf, _ in leaves(part)), growth)
            return np.asarray(self.region(part, zones, sign)[entries], dtype=object)

        rows = self.rows[entries]
        return evaluate(region, shapes_of, self.ground, rows, self.failures, lines=True, known_of=known_of)
