"""The ground as the local engine sees it: covers of many subjects at once, each region evaluated once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geocheck.engines.working.covers import Cells, Cover, both, either, outside
from geocheck.engines.working.grids import Field
from geocheck.engines.working.lineage import Parents
from geocheck.engines.working.lines import has_ground, lines_only, measured_length
from geocheck.engines.working.membership import ROUNDING, decide, shifted
from geocheck.engines.working.memory import Memory
from geocheck.engines.working.overlay import Failures, ground_only, overlay, slices, threaded
from geocheck.engines.working.parts import Parts
from geocheck.engines.working.prepared import Pieces
from geocheck.engines.working.records import records_of
from geocheck.engines.working.regions import leaves, reach, thin_leaves, zone_leaves
from geocheck.engines.working.setting import Setting
from geocheck.engines.working.subdividing import subdivide
from geocheck.engines.working.surroundings import Surroundings
from geocheck.engines.working.units import length_in_units, without_noise
from geocheck.engines.working.zonal import Sums, by_tile
from geocheck.measures.language import Area, Both, Divided, Either, Layer, Measure, Member, Near, Outside, Region

if TYPE_CHECKING:
    from geocheck.engines.working.compiled import CompiledSums

__all__ = ["Looking", "Store"]

#: Keeps what is made once for a layer: key and maker to the thing made.
Store = Callable[[object, str, object, Callable[[], object]], object]


@dataclass(eq=False)
class Looking:
    """Many subjects and the layers around them: a `working.sight.Sight`.

    Parameters
    ----------
    setting : Setting
        The subjects and the run's layers.
    store : callable
        Layer, sort of thing, key and maker to the thing, made once for the layer. What is made must not hold the layer.
    call : dict
        What is made once for the call, because several layers or the run's units go into it.
    failures : dict
        Failures of the measure now being answered.
    margin : float
        How far the lines of any layer of the call, or of the subjects, may be off.
    compiled : CompiledSums or None
        Sums over edges as compiled loops, where the engine has them.
    """

    setting: Setting
    store: Store
    call: dict[object, object] = field(default_factory=dict)
    failures: Failures = field(default_factory=dict)
    margin: float = 0.0
    compiled: CompiledSums | None = None
    _cells: dict[tuple[str, ...], Cells] = field(default_factory=dict)
    _covers: dict[tuple[Region, tuple[str, ...]], Cover] = field(default_factory=dict)
    _failed: dict[Hashable, Failures] = field(default_factory=dict)

    @cached_property
    def memory(self) -> Memory:
        """Geometry near the subjects that several measures need."""
        return Memory(len(self.setting.subjects))

    # --- regions of many subjects -------------------------------------------------------------------------------

    def cells(self, roles: tuple[str, ...]) -> Cells:
        """Return the cells of the own grounds of some roles: their union where there are several."""
        if roles not in self._cells:
            failures = self._failed[roles] = Failures()
            shapes = self.setting.own(roles[0])
            rows = np.arange(len(shapes))
            for role in roles[1:]:
                shapes = ground_only(overlay(shapely.union, shapes, self.setting.own(role), rows, failures))
            some = np.flatnonzero(~shapely.is_empty(shapes))
            huge = shapely.get_num_coordinates(shapes[some]) > 1024
            cut, owners = subdivide(shapes[some[huge]]) if huge.any() else (shapes[:0], rows[:0])
            cells = np.r_[shapes[some[~huge]], cut]
            self._cells[roles] = Cells(cells, np.r_[some[~huge], some[huge][owners]], len(shapes), self.compiled)
        self.failures |= self._failed[roles]
        return self._cells[roles]

    def cover(self, region: Region, roles: tuple[str, ...]) -> Cover:
        """Return the cover of a region over the own grounds of some roles, made once."""
        key = (region, roles)
        if key not in self._covers:
            # What fails on the way, in cells or around them, belongs to every measure that reads the cover.
            before, self.failures = self.failures, {}
            self._covers[key] = self._cover(region, roles)
            self._failed[key], self.failures = self.failures, before
        self.cells(roles)
        self.failures |= self._failed.get(key, {}) | self._covers[key].failures
        return self._covers[key]

    def make_ready(self, measures: Sequence[Measure]) -> None:
        """Make the covers of the layers that measures read as areas or memberships, several layers at a time."""
        wanted: dict[tuple[Layer, tuple[str, ...]], None] = {}
        subjects, roles_ = self.setting.subjects, set().union(*(measure.layers for measure in measures))
        stated = [float(subjects.accuracy.get(role) or 0.0) for role in roles_ & set(subjects.grounds)]
        vectors = [
            role for role in roles_ - set(subjects.grounds) if self.setting.ground.layers[role].frame is not None
        ]
        self.margin = max([*stated, *(self.setting.growth(Layer(role)) for role in vectors)], default=0.0)
        for measure in measures:
            reading = measure.reading
            if isinstance(reading, Area):
                region, roles = reading.region, self.setting.bounds(reading.region)
            elif isinstance(reading, Member):
                region, roles = reading.zone, (reading.ground.role,)
            else:
                continue
            thin = thin_leaves(region)
            leaves_ = [leaf for leaf in zone_leaves(region, self.setting.subjects) if leaf not in thin]
            wanted |= {(leaf, roles): None for leaf in leaves_ if roles}
        keys = list(wanted)
        for _, roles in keys:
            cells = self.cells(roles)
            cells.areas, cells.bounds, cells.edges  # noqa: B018 - made here, once, before the threads ask for them

        def work(block: slice) -> None:
            for leaf, roles in keys[block]:
                cover = self.pieces(leaf).cover(self.cells(roles))
                cover.areas  # noqa: B018
                self._covers[leaf, roles] = cover

        threaded(work, slices(len(keys), 1))

    def _cover(self, region: Region, roles: tuple[str, ...]) -> Cover:
        cells = self.cells(roles)
        if isinstance(region, Layer):
            if region.role not in self.setting.subjects.grounds:
                return self.pieces(region).cover(cells)
            if roles == (region.role,):
                every = np.ones(len(cells), dtype=bool)
                none = np.empty(0, dtype=int)
                return Cover(cells, every, Parts.made(none, none, np.empty(0, dtype=object)), every)
            return self._given(cells, self.setting.own(region.role))
        if isinstance(region, Both):
            return both(self.cover(region.first, roles), self.cover(region.second, roles))
        if isinstance(region, Either):
            return either([self.cover(part, roles) for part in region.regions])
        if isinstance(region, Outside):
            return outside(self.cover(region.first, roles), self.cover(region.second, roles))
        if len(zone_leaves(region, self.setting.subjects)) == len({leaf for leaf, _ in leaves(region)}):
            return self._near(region, cells).cover(cells)
        rows = np.arange(cells.count)
        margin = reach(region, self.setting.ground)
        return self._given(cells, self.around((region,), rows, margin).region(region))

    def _given(self, cells: Cells, shapes: np.ndarray) -> Cover:
        """Return the cover of one shape a subject."""
        failures: Failures = {}
        mine = shapes[cells.owners]
        common = ground_only(overlay(shapely.intersection, cells.shapes, mine, cells.owners, failures))
        every, none = np.arange(len(cells)), np.zeros(len(cells), dtype=bool)
        touched = np.asarray(shapely.intersects(cells.shapes, mine))
        parts = Parts.made(every, np.zeros(len(cells), dtype=int), common)
        return Cover.sorted(cells, none, parts, touched, failures)

    def pieces(self, leaf: Layer) -> Pieces:
        """Return the pieces of a leaf, made once for its layer."""
        layer = self.setting.ground.layers[leaf.role]
        made = self.store(layer, "pieces", leaf, lambda: Pieces.of(records_of(leaf, self.setting.ground)[0]))
        assert isinstance(made, Pieces)
        return made

    def things(self, leaf: Layer) -> Pieces:
        """Return the pieces of a leaf's records of any dimension, made once for its layer."""
        layer = self.setting.ground.layers[leaf.role]
        made = self.store(layer, "things", leaf, lambda: Pieces.things(records_of(leaf, self.setting.ground)[0]))
        assert isinstance(made, Pieces)
        return made

    def _near(self, near: Near, cells: Cells) -> Pieces:
        """Return the pieces of all ground within a distance, as far as the cells reach it."""
        distance = length_in_units(near.distance, self.setting.ground)
        parts = near.region.regions if isinstance(near.region, Either) else (near.region,)
        if not all(isinstance(part, Layer) for part in parts):
            made = self._once(near, lambda: Pieces.near(self._everywhere(near.region), distance))
            assert isinstance(made, Pieces)
            return made
        shapes = [self.things(part).within(cells.shapes, distance) for part in parts if isinstance(part, Layer)]
        return Pieces.near(np.concatenate(shapes), distance)

    def _once(self, key: object, make: Callable[[], object]) -> object:
        if key not in self.call:
            self.call[key] = make()
        return self.call[key]

    def _everywhere(self, region: Region) -> np.ndarray:
        """Return a region of whole layers, evaluated once over everything."""
        unions = {leaf: self._union(leaf) for leaf in zone_leaves(region, self.setting.subjects)}
        around = Surroundings(np.zeros(1, dtype=int), {}, unions, self.setting.ground, self.failures)
        return around.region(region)

    def _union(self, leaf: Layer) -> np.ndarray:
        layer = self.setting.ground.layers[leaf.role]

        def make() -> np.ndarray:
            return np.array([shapely.union_all(records_of(leaf, self.setting.ground)[0])], dtype=object)

        return np.asarray(self.store(layer, "union", leaf, make), dtype=object)

    # --- what readings ask --------------------------------------------------------------------------------------

    def areas(self, region: Region) -> tuple[np.ndarray, np.ndarray]:
        """Return the area of a region, noise set to 0, and where that was done."""
        roles = self.setting.bounds(region)
        if not roles:
            shapes = self.shapes(region)
            areas, outlines = shapely.area(shapes), shapely.length(shapes)
        else:
            cover = self.cover(region, roles)
            areas, outlines = cover.areas, cover.perimeters
        areas, narrow = areas.copy(), np.zeros(len(areas), dtype=bool)
        if self.setting.subjects.sort == "parcel":
            return areas, narrow
        # Seams lengthen the outline, so that nothing narrow is missed here.
        rows = np.flatnonzero((areas > 0) & (2 * areas < self.setting.noise * outlines * 2))
        if len(rows):
            narrow[rows] = without_noise(self.shapes(region)[rows], self.setting.noise)[1]
            areas[narrow] = 0.0
        return areas, narrow

    def shapes(self, region: Region) -> np.ndarray:
        """Return the ground of a region."""
        every = np.arange(len(self.setting.subjects))
        roles = self.setting.bounds(region)
        if roles:
            return self.cover(region, roles).of(every)
        return self.around((region,), every, 0.0).region(region)

    def members(self, member: Member) -> tuple[np.ndarray, np.ndarray]:
        """Return memberships as lines and accuracies give them, and as a doubtful datum leaves them."""
        setting = self.setting
        cover = self.cover(member.zone, (member.ground.role,))
        zones = zone_leaves(member.zone, setting.subjects)
        tolerances = {leaf: max(setting.growth(leaf), setting.noise) for leaf in zones}
        own = setting.own(member.ground.role)
        whole, outline = shapely.area(own), shapely.length(own)
        held, edge = cover.areas, cover.perimeters
        touched = np.bincount(cover.cells.owners, cover.touched, cover.cells.count) > 0
        answers = np.where(touched, "touching", "outside").astype(object)
        rest = (whole - held).clip(0)
        inside = (rest <= ROUNDING * whole) & (held > 0)
        # Area over outline is at most the radius of the largest circle within, so nothing that is decided here is near.
        tolerance = max(tolerances.values(), default=setting.noise)
        rim = setting.noise * (outline + edge)
        partly = (held > tolerance * edge) & (rest > rim)
        # The outlines so far are bounds, too long where pieces of a large zone are cut by a small parcel. What overlays
        # leave of nothing may have no outline at all.
        rows = np.flatnonzero((held > ROUNDING * whole) & ~inside & ~partly & (rest > rim))
        partly[rows] = held[rows] > tolerance * shapely.length(cover.of(rows))
        answers[inside], answers[partly] = "inside", "partly"
        open_rows = (held > 0) & ~inside & ~partly
        if not all(isinstance(part, Layer) for part in _parts(member.zone)):
            open_rows |= (held == 0) & touched
        rows = np.flatnonzero(open_rows)
        margin = max([*tolerances.values(), setting.noise])
        if len(rows):
            answers[rows] = decide(
                self.around((member.zone, member.ground), rows, margin), member, tolerances, setting.noise
            )
        shifts = {leaf: setting.shift(leaf) for leaf in zones}
        doubtful = answers.copy()
        if any(shifts.values()):
            near = self.near((Both(member.ground, member.zone),), max(shifts.values()))
            around = self.around((member.zone, member.ground), near, max(shifts.values()))
            doubtful[near] = shifted(around, member, answers[near], shifts)
        return answers, doubtful

    def near(self, regions: tuple[Region, ...], margin: float) -> np.ndarray:
        """Return the rows of subjects that are neither clear of every line of the regions' layers nor deep within."""
        subjects = self.setting.subjects
        chosen = np.zeros(len(subjects), dtype=bool)
        for region in regions:
            far = margin + reach(region, self.setting.ground)
            bounds = self.setting.bounds(region)
            if not bounds:
                return np.arange(len(subjects))
            thin = thin_leaves(region)
            for role in bounds:
                for leaf in zone_leaves(region, subjects):
                    pieces = self.things(leaf) if leaf in thin else self.pieces(leaf)
                    chosen[pieces.undecided(self.setting.own(role), far)] = True
        return np.flatnonzero(chosen)

    def around(self, regions: tuple[Region, ...], rows: np.ndarray, margin: float) -> Surroundings:
        """Return what lies around some subjects, right up to a distance of the margin from them."""
        setting = self.setting
        own = {role: setting.own(role)[rows] for role in setting.subjects.grounds}
        zones = list(dict.fromkeys(leaf for region in regions for leaf in zone_leaves(region, setting.subjects)))
        bounds = {role for region in regions for role in setting.bounds(region)}
        found: dict[Layer, np.ndarray] = {}
        place: dict[Layer, Hashable] = {}
        thin: set[Layer] = set()
        if bounds:
            grounds = shapely.geometrycollections(np.stack([own[role] for role in sorted(bounds)], axis=1))
            boxes = shapely.envelope(grounds)
            thin = set().union(*(thin_leaves(region) for region in regions))
            own_reach = max((setting.accuracy((role,)) for role in own), default=0.0)
            for leaf in zones:
                pieces = self.things(leaf) if leaf in thin else self.pieces(leaf)
                # As far as this leaf can move, whatever the others do: so measures share what is made here.
                enough = setting.growth(leaf) + own_reach
                far = 2 * (enough if margin <= self.margin else max(enough, margin)) + 8 * setting.noise
                far += max(reach(region, setting.ground) for region in regions)
                place[leaf] = (far, leaf in thin, *sorted(bounds))

                def make(entries: np.ndarray, pieces: Pieces = pieces, far: float = far) -> np.ndarray:
                    wide = shapely.buffer(boxes[entries], far, cap_style="square", join_style="mitre")
                    return pieces.around(wide, self.failures, rows[entries])

                found[leaf] = self.memory.recall((leaf, place[leaf]), rows, make, self.failures)
        else:
            for leaf in zones:
                found[leaf] = np.full(len(rows), self._union(leaf)[0], dtype=object)
        memory = self.memory if bounds else None
        return Surroundings(rows, own, found, setting.ground, self.failures, memory=memory, place=place)

    def length_within(self, leaf: Layer, shapes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the length of a leaf's lines within shapes, coincident lines counted once."""
        layer = self.setting.ground.layers[leaf.role]

        def make() -> Pieces:
            return Pieces(*subdivide(lines_only(records_of(leaf, self.setting.ground)[0])))

        made = self.store(layer, "lines", leaf, make)
        assert isinstance(made, Pieces)
        lines = made.shapes
        entry, line = made.tree.query(shapes, predicate="intersects")
        inside = overlay(shapely.intersection, lines[line], shapes[entry], rows[entry], self.failures)
        result = np.zeros(len(shapes))
        for one in np.unique(entry):
            result[one] = measured_length(lines_only(inside[entry == one]))
        return result

    def count_within(self, leaf: Layer, shapes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return how many records of a leaf have ground in shapes, more than noise."""
        layer = self.setting.ground.layers[leaf.role]

        made = self.store(layer, "records", leaf, lambda: Pieces(*records_of(leaf, self.setting.ground)))
        assert isinstance(made, Pieces)
        entry, record = made.tree.query(shapes, predicate="intersects")
        held = has_ground(made.shapes[record], shapes[entry], self.setting.noise)
        return np.bincount(entry, held, len(shapes)).astype(float)

    def sums(self, field: Field, shapes: np.ndarray) -> Sums:
        """Return what a raster field holds in shapes, given in the field's reference system."""
        return by_tile(field, shapes)

    def divided(self, reading: Divided) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return value, low and high of the parcels into which the most divided parent was divided."""
        ground = self.setting.ground
        made = self._once(reading, lambda: Parents.of_layers(reading, ground))
        assert isinstance(made, Parents)
        found = np.array([made.most(shape, self.setting.noise) for shape in self.shapes(reading.within)])
        found = found.reshape(len(found), 3)
        return found[:, 0].copy(), found[:, 1].copy(), found[:, 2].copy()


def _parts(region: Region) -> tuple[Region, ...]:
    return region.regions if isinstance(region, Either) else (region,)
