"""An engine that measures only what it has not measured before: the same ground among the same layers has the same answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import shapely

from geocheck.assess.nightly.memory import Answered, Memory
from geocheck.assess.nightly.prints import Tiles, mixed, prints_of, prints_of_texts, tiles_of
from geocheck.engines.working.records import some_subjects
from geocheck.measures.language import Answers, Divided, Engine, Measure, Member, Near
from geocheck.model.ground import Ground, Layer, Subjects
from geocheck.model.quantity import Quantity

__all__ = ["RememberingEngine"]

#: Beyond this share of the subjects the layers are used whole.
_FEW = 0.3
#: Columns of a layer's records that no measure looks at.
_UNREAD = ("record", "id", "subject", "stack", "geometry")


@dataclass(eq=False)
class RememberingEngine:
    """Asks another engine only what the memory does not hold.

    Parameters
    ----------
    engine : Engine
        Measures what is not known.
    memory : Memory
        Holds what is.
    build : str
        Fingerprint of the program: another one knows nothing.
    """

    engine: Engine
    memory: Memory
    build: str
    name: str = ""
    #: Identifiers of the subjects that were measured, by sort.
    measured: dict[str, set[str]] = field(default_factory=dict)
    _tiles: dict[int, tuple[Layer, Tiles]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = self.engine.name

    def measure(
        self, measures: Sequence[Measure], subjects: Subjects, ground: Ground, *, intervals: bool = True
    ) -> Mapping[str, Answers]:
        """Answer each measure for each subject; see `measures.language.Engine`."""
        asking = _Asking(self, subjects, ground, intervals)
        keys = {measure.name: asking.keys(measure) for measure in measures}
        known = {
            m.name: (held, held.find(keys[m.name])) for m in measures if (held := self.memory.recall(asking.title(m)))
        }
        unknown = np.zeros(len(subjects), dtype=bool)
        for measure in measures:
            unknown |= known[measure.name][1] < 0 if measure.name in known else True
        rows = np.flatnonzero(unknown)
        self.measured.setdefault(subjects.sort, set()).update(subjects.ids[row] for row in rows.tolist())
        if len(rows) == len(subjects):
            found = dict(self.engine.measure(measures, subjects, ground, intervals=intervals))
        else:
            fresh = {}
            if len(rows):
                few = some_subjects(subjects, rows)
                near = ground
                if len(rows) < _FEW * len(subjects):
                    near = _near(few, ground, max(asking.reach(measure) for measure in measures), measures)
                fresh = dict(self.engine.measure(measures, few, near, intervals=intervals))
            found = {m.name: _joined(m, known.get(m.name), rows, fresh.get(m.name), len(subjects)) for m in measures}
        for measure in measures:
            self.memory.keep(asking.title(measure), _answered(keys[measure.name], found[measure.name]))
        return found

    def tiles(self, layer: Layer) -> Tiles:
        """Return the tiles of a layer, made once."""
        held = self._tiles.get(id(layer.frame))
        if held is None:
            held = self._tiles[id(layer.frame)] = (layer, _tiles_of_layer(layer, self.memory, self.build))
        return held[1]


class _Asking:
    """The fingerprints of one call."""

    def __init__(self, engine: RememberingEngine, subjects: Subjects, ground: Ground, intervals: bool) -> None:
        self.engine, self.subjects, self.ground, self.intervals = engine, subjects, ground, intervals
        self.own = {role: prints_of(np.array(list(g), dtype=object)) for role, g in subjects.grounds.items()}
        shapes = [np.array(list(g), dtype=object) for g in subjects.grounds.values()]
        bounds = (
            np.stack([shapely.bounds(each) for each in shapes]) if shapes else np.full((1, len(subjects), 4), np.nan)
        )
        with np.errstate(all="ignore"):
            self.bounds = np.hstack([np.fmin.reduce(bounds[:, :, :2]), np.fmax.reduce(bounds[:, :, 2:])])
        doubts = [0.0] * len(subjects) if subjects.doubts is None else [float(d or 0.0) for d in subjects.doubts]
        self.doubts = mixed(np.array(doubts).view(np.uint64))[:, None] * np.array([1, 3], dtype=np.uint64)

    def title(self, measure: Measure) -> str:
        """Return the name under which a measure's answers are remembered."""
        return f"{self.subjects.sort}: {measure.name}"

    def keys(self, measure: Measure) -> Any:
        """Return the fingerprint of all that a measure's answer depends on, one a subject."""
        total = np.zeros((len(self.subjects), 2), dtype=np.uint64) + self._manner(measure) + self.doubts
        zones = sorted(role for role in measure.layers if role in self._layers_read(measure))
        for place, role in enumerate(sorted(measure.layers - set(zones))):
            total += mixed(self.own[role] + np.uint64(1 + place))
        bounds = self.bounds + self.reach(measure) * np.array([-1, -1, 1, 1])
        if isinstance(measure.reading, Divided):
            bounds = self._with_parents(bounds, self.ground.layers[measure.reading.parents.role])
        for place, role in enumerate(zones):
            layer = self.ground.layers[role]
            if layer.frame is not None:
                total += mixed(self.engine.tiles(layer).within(bounds) + np.uint64(101 + place))
        return mixed(total)

    def _layers_read(self, measure: Measure) -> set[str]:
        """Roles that a measure reads as layers; a division's are, also where the subject has ground of its own for them."""
        read = set(measure.layers) - set(self.own)
        if isinstance(measure.reading, Divided):
            read |= {measure.reading.parcels.role, measure.reading.parents.role}
        return read

    def _manner(self, measure: Measure) -> Any:
        """Return the fingerprint of how is measured: measure, engine, basis, and what holds of the layers as a whole."""
        ground, subjects = self.ground, self.subjects
        parts: list[object] = [
            self.engine.build, self.engine.name, measure, self.intervals, subjects.sort, subjects.as_of, ground.basis,
            ground.crs.to_wkt(), ground.metres_per_unit, ground.foot, ground.scale, ground.doubt,
        ]  # fmt: skip
        for role in sorted(measure.layers):
            if role in self.own:
                parts.append((role, subjects.accuracy.get(role)))
            if role in self._layers_read(measure):
                layer = ground.layers[role]
                area = "" if layer.coverage is None else hashlib.sha256(shapely.to_wkb(layer.coverage)).hexdigest()
                columns = (
                    () if layer.frame is None else tuple(c for c in layer.frame.columns if not c.startswith("field:"))
                )
                parts.append((role, layer.source.accuracy, layer.shift_doubt, area, columns, layer.sha256 if layer.frame is None else ""))  # fmt: skip
                if layer.frame is None:
                    parts.append((layer.source.classes, layer.source.vertical_unit, layer.source.source))
        return prints_of_texts([repr(parts)])[0]

    def reach(self, measure: Measure) -> float:
        """Return how far from a subject a layer may change its answer: distances asked for, and what lines may be off."""
        ground, subjects = self.ground, self.subjects
        feet = float(ground.metres_per_unit) * float(1 / ground.foot)
        off = sum(float(a or 0.0) for a in subjects.accuracy.values())
        for role in self._layers_read(measure):
            layer = ground.layers[role]
            stated = layer.source.accuracy
            off += 0.0 if stated is None else float(stated.to("ft", ground.foot).value) / ground.feet
            off += layer.shift_doubt / float(ground.metres_per_unit)
        far = sum(_distances(measure.reading, ground)) + sum(_distances(measure.uncertain, ground))
        return 4 * off + far / ground.feet + 20 / feet

    def _with_parents(self, bounds: Any, parents: Layer) -> Any:
        """Widen each rectangle by the parents that it meets: all parcels made of them count."""
        shapes = parents.frame.geometry.to_numpy()
        usable = np.flatnonzero(~shapely.is_missing(shapes))
        known = np.flatnonzero(~np.isnan(bounds).any(axis=1))
        wide = bounds.copy()
        for _ in range(2):
            one, two = shapely.STRtree(shapes[usable]).query(shapely.box(*wide[known].T))
            met = shapely.bounds(shapes[usable[two]])
            for column, take in ((0, np.minimum), (1, np.minimum), (2, np.maximum), (3, np.maximum)):
                take.at(wide[:, column], known[one], met[:, column])
        return wide


def _distances(node: Any, ground: Ground) -> list[float]:
    """Return the distances, in feet, of all regions that reach beyond what they are made of."""
    if isinstance(node, Near):
        return [float(node.distance.to("ft", ground.foot).value), *_distances(node.region, ground)]
    if isinstance(node, tuple):
        return [distance for part in node for distance in _distances(part, ground)]
    if hasattr(node, "__dataclass_fields__") and not isinstance(node, Quantity):
        return [d for name in node.__dataclass_fields__ for d in _distances(getattr(node, name), ground)]
    return []


def _tiles_of_layer(layer: Layer, memory: Memory, build: str) -> Tiles:
    """Return the tiles of a layer, from the memory where the same content was tiled before."""
    frame = layer.frame
    shapes = frame.geometry.to_numpy()
    read = [name for name in frame.columns if name not in _UNREAD and not str(name).startswith("field:")]
    words = np.zeros((len(frame), 2), dtype=np.uint64)
    for place, name in enumerate(read):
        values = frame[name].astype(str).str.startswith("label") if name == "status" else frame[name]
        words += mixed(_prints_of_values(values) + np.uint64(place))
    doubts = np.zeros(len(frame))
    doubts[list(layer.doubts)] = list(layer.doubts.values())
    words += mixed(doubts.view(np.uint64))[:, None]
    if layer.role.startswith("parcels"):
        words += _of_same_parcel(frame, shapes)
    there = ~shapely.is_missing(shapes)
    content = hashlib.blake2b(build.encode(), digest_size=16)
    for part in (
        b"".join(shapely.to_wkb(shapes[there]).tolist()),
        there.tobytes(),
        words.tobytes(),
        (doubts > 0).tobytes(),
    ):
        content.update(part)
    return memory.tiles(content.hexdigest(), lambda: tiles_of(shapes, words, wide=doubts > 0))


def _prints_of_values(values: Any) -> Any:
    """Return a pair of numbers for each cell of a column; each value is hashed once."""
    import pandas as pd

    codes, kinds = pd.factorize(values.astype(object).map(str), use_na_sentinel=False)
    return prints_of_texts(list(kinds))[codes] if len(codes) else np.zeros((0, 2), dtype=np.uint64)


def _of_same_parcel(frame: Any, shapes: Any) -> Any:
    """Return, for each record of a parcel layer, the fingerprint of all records that share its identifier."""
    import pandas as pd

    codes, _ = pd.factorize(frame["id"].where(frame["id"].notna(), "\0" + frame["record"].astype(str)))
    own = prints_of(shapes)
    total = np.zeros((codes.max() + 1 if len(codes) else 0, 2), dtype=np.uint64)
    np.add.at(total, codes, own)
    return total[codes]


def _near(subjects: Subjects, ground: Ground, reach: float, measures: Sequence[Measure]) -> Ground:
    """Return the ground with only those records of its layers that may matter to some subjects."""
    whole = {role for m in measures if isinstance(m.reading, Divided) for role in (m.reading.parcels.role, m.reading.parents.role)}  # fmt: skip
    # Of what subjects have ground of their own for, the layer is not read.
    asked = {role for measure in measures for role in measure.layers} - whole - set(subjects.grounds)
    boxes = []
    for shapes in subjects.grounds.values():
        bounds = shapely.bounds(shapes[~(shapely.is_missing(shapes) | shapely.is_empty(shapes))])
        boxes.append(shapely.box(*(bounds + reach * np.array([-1, -1, 1, 1])).T))
    tree = shapely.STRtree(np.concatenate(boxes))
    layers = dict(ground.layers)
    for role in asked & set(layers):
        layer = layers[role]
        if layer.frame is None:
            continue
        shapes = layer.frame.geometry.to_numpy()
        there = np.flatnonzero(~shapely.is_missing(shapes))
        # Of a doubtful record its hull counts, which its extent holds.
        rows = there[np.unique(tree.query(shapely.envelope(shapes[there]))[0])]
        new = {int(old): place for place, old in enumerate(rows)}
        doubts = {new[row]: doubt for row, doubt in layer.doubts.items() if row in new}
        layers[role] = replace(layer, frame=layer.frame.iloc[rows].reset_index(drop=True), doubts=doubts)
    return replace(ground, layers=layers)


def _joined(
    measure: Measure, known: tuple[Answered, Any] | None, rows: Any, fresh: Answers | None, count: int
) -> Answers:
    """Put together what was known and what was measured now."""
    member = isinstance(measure.reading, Member)
    values: Any = np.full(count, "", dtype=object) if member else np.full(count, np.nan)
    lows, highs = values.copy(), values.copy()
    covered = np.zeros(count, dtype=bool)
    failures: dict[int, str] = {}
    notes: dict[int, str] = {}
    if known is not None:
        held, at = known
        fresh_here = np.zeros(count, dtype=bool)
        fresh_here[rows] = True
        old = np.flatnonzero(~fresh_here)
        places = at[old]
        covered[old] = held.covered[places]
        if member:
            values[old] = lows[old] = highs[old] = held.words[places].astype(object)
        else:
            values[old], lows[old], highs[old] = held.numbers[places].T
        if held.said:
            spoken = np.flatnonzero(np.isin(places, list(held.said)))
            for row in spoken.tolist():
                failed, note = held.said[int(places[row])]
                for words, into in ((failed, failures), (note, notes)):
                    if words:
                        into[int(old[row])] = words
    if fresh is not None:
        values[rows], lows[rows], highs[rows] = fresh.values, fresh.lows, fresh.highs
        covered[rows] = fresh.covered
        failures |= {int(rows[row]): words for row, words in fresh.failures.items()}
        notes |= {int(rows[row]): words for row, words in fresh.notes.items()}
    return Answers(measure, values, lows, highs, covered, failures, notes)


def _answered(keys: Any, answers: Answers) -> Answered:
    """Return answers as the memory keeps them: in the order of their fingerprints."""
    order = np.argsort(keys[:, 0], kind="stable")
    words = isinstance(answers.measure.reading, Member)
    nothing = np.zeros((0, 3))
    numbers = nothing if words else np.column_stack([np.asarray(a, dtype=float) for a in (answers.values, answers.lows, answers.highs)])[order]  # fmt: skip
    spoken = set(answers.failures) | set(answers.notes)
    said: dict[int, tuple[str, str]] = {}
    if spoken:
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        said = {int(place[row]): (answers.failures.get(row, ""), answers.notes.get(row, "")) for row in spoken}
    return Answered(keys[order], numbers, np.asarray(answers.values, dtype=str)[order] if words else np.zeros(0, dtype=str), np.asarray(answers.covered, dtype=bool)[order], said)  # fmt: skip
