"""The reference engine: plain shapely, one subject at a time, slow; it is what regions and readings mean.

- A leaf of a role the subject has ground for is that ground; any other leaf is the union of its layer's records.
- Both, Either, Outside and Near are intersection, union, difference and buffer (`working.regions.evaluate`).
- Area is the area of the region, Gain the difference of two areas, PercentOf their ratio; Length is the length of the
  union of the lines within a region; Count counts records with more than noise in it; Member is decided by
  `working.membership.decide`; Divided by `working.lineage`.
- For sites and plans a region that is nowhere wider than 0.01 ft reads as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import shapely

from geocheck.engines.working.answering import answer
from geocheck.engines.working.grids import Field
from geocheck.engines.working.lineage import Parents
from geocheck.engines.working.lines import has_ground, lines_only, measured_length
from geocheck.engines.working.membership import decide, shifted
from geocheck.engines.working.overlay import Failures
from geocheck.engines.working.records import check_asked, polygonal, records_of
from geocheck.engines.working.regions import zone_leaves
from geocheck.engines.working.setting import Setting
from geocheck.engines.working.surroundings import Surroundings
from geocheck.engines.working.units import without_noise
from geocheck.engines.working.zonal import Sums, by_cell
from geocheck.measures.language import Answers, Divided, Layer, Measure, Member, Region
from geocheck.model.ground import Ground, Subjects

__all__ = ["ENGINE", "ReferenceEngine"]


@dataclass(eq=False)
class Layers:
    """The layers of one call, each leaf's union made once."""

    ground: Ground
    unions: dict[Layer, np.ndarray] = field(default_factory=dict)
    grown: dict[tuple[Layer, float, float], np.ndarray] = field(default_factory=dict)
    parents: dict[Divided, Parents] = field(default_factory=dict)

    def union(self, leaf: Layer) -> np.ndarray:
        """Return the union of a leaf's records as an array of one."""
        if leaf not in self.unions:
            shapes, _ = records_of(leaf, self.ground)
            ground = polygonal(np.array([shapely.union_all(polygonal(shapes))], dtype=object))
            # Lines and points are no ground, but what lies near a stream's centre line is near the stream.
            thin = shapes[~np.isin(shapely.get_type_id(shapes), (3, 6))]
            self.unions[leaf] = shapely.union(ground, shapely.union_all(thin)) if len(thin) else ground
        return self.unions[leaf]


@dataclass(eq=False)
class Plain:
    """The ground as one subject sees it: a `working.sight.Sight` for a setting of one."""

    setting: Setting
    layers: Layers
    failures: Failures = field(default_factory=dict)

    def shapes(self, region: Region) -> np.ndarray:
        """Return the ground of a region."""
        return self.around((region,), np.zeros(1, dtype=int), 0).region(region)

    def areas(self, region: Region) -> tuple[np.ndarray, np.ndarray]:
        """Return the area of a region, noise set to 0, and whether that was done."""
        shapes = self.shapes(region)
        if self.setting.subjects.sort == "parcel":
            return shapely.area(shapes), np.zeros(1, dtype=bool)
        shapes, narrow = without_noise(shapes, self.setting.noise)
        return shapely.area(shapes), narrow

    def members(self, member: Member) -> tuple[np.ndarray, np.ndarray]:
        """Return the membership as lines and accuracies give it, and as a doubtful datum leaves it."""
        around = self.around((member.zone, member.ground), np.zeros(1, dtype=int), 0)
        zones = zone_leaves(member.zone, self.setting.subjects)
        tolerances = {leaf: max(self.setting.growth(leaf), self.setting.noise) for leaf in zones}
        answers = decide(around, member, tolerances, self.setting.noise)
        shifts = {leaf: self.setting.shift(leaf) for leaf in zones}
        return answers, shifted(around, member, answers, shifts) if any(shifts.values()) else answers

    def near(self, regions: tuple[Region, ...], margin: float) -> np.ndarray:
        """Return the one row: nothing is spared."""
        return np.zeros(1, dtype=int)

    def around(self, regions: tuple[Region, ...], rows: np.ndarray, margin: float) -> Surroundings:
        """Return the whole layers."""
        subjects = self.setting.subjects
        leaves = {leaf for region in regions for leaf in zone_leaves(region, subjects)}
        own = {role: self.setting.own(role) for role in subjects.grounds}
        zones = {leaf: self.layers.union(leaf) for leaf in leaves}
        return Surroundings(rows, own, zones, self.setting.ground, self.failures, self.layers.grown)

    def length_within(self, leaf: Layer, shapes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the length of a leaf's lines within a shape."""
        records, _ = records_of(leaf, self.setting.ground)
        inside = lines_only(shapely.intersection(lines_only(records), shapes[0]))
        return np.array([measured_length(inside)])

    def count_within(self, leaf: Layer, shapes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return how many of a leaf's records have ground in a shape."""
        records, _ = records_of(leaf, self.setting.ground)
        return np.array([float(has_ground(records, shapes[0], self.setting.noise).sum())])

    def sums(self, field: Field, shapes: np.ndarray) -> Sums:
        """Return what a raster field holds in shapes, given in the field's reference system."""
        return by_cell(field, shapes)

    def divided(self, reading: Divided) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return value, low and high for the subject's parents."""
        if reading not in self.layers.parents:
            self.layers.parents[reading] = Parents.of_layers(reading, self.setting.ground)
        most = self.layers.parents[reading].most(self.shapes(reading.within)[0], self.setting.noise)
        value, low, high = (np.array([number]) for number in most)
        return value, low, high


class ReferenceEngine:
    """Measures one subject at a time in plain shapely."""

    name = "reference"

    def measure(
        self, measures: Sequence[Measure], subjects: Subjects, ground: Ground, *, intervals: bool = True
    ) -> Mapping[str, Answers]:
        """Answer each measure for each subject; see `measures.language.Engine`."""
        check_asked(measures, subjects, ground)
        layers = Layers(ground)
        found: dict[str, list[Answers]] = {measure.name: [] for measure in measures}
        for row in range(len(subjects)):
            setting = Setting(_one(subjects, row), ground)
            for measure in measures:
                found[measure.name].append(answer(measure, Plain(setting, layers), intervals))
        return {measure.name: _together(measure, found[measure.name]) for measure in measures}


def _one(subjects: Subjects, row: int) -> Subjects:
    grounds = {role: np.array([shapes[row]], dtype=object) for role, shapes in subjects.grounds.items()}
    doubts = None if subjects.doubts is None else [subjects.doubts[row]]
    return replace(subjects, ids=[subjects.ids[row]], grounds=grounds, doubts=doubts)


def _together(measure: Measure, ones: list[Answers]) -> Answers:
    def series(name: str) -> np.ndarray:
        parts: list[Any] = [getattr(one, name) for one in ones]
        return np.concatenate(parts) if parts else np.empty(0)

    failures = {row: one.failures[0] for row, one in enumerate(ones) if 0 in one.failures}
    notes = {row: one.notes[0] for row, one in enumerate(ones) if 0 in one.notes}
    return Answers(
        measure, series("values"), series("lows"), series("highs"), series("covered").astype(bool), failures, notes
    )


ENGINE = ReferenceEngine()
