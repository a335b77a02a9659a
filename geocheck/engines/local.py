"""The local engine: all subjects at once, huge polygons cut once, no overlay for what lies wholly inside, all cores."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geocheck.engines.working.answering import answer
from geocheck.engines.working.looking import Looking
from geocheck.engines.working.overlay import EMPTY
from geocheck.engines.working.records import check_asked, some_subjects
from geocheck.engines.working.setting import Setting
from geocheck.measures.language import Answers, Measure
from geocheck.model.ground import Ground, Subjects

if TYPE_CHECKING:
    from geocheck.engines.working.compiled import CompiledSums

__all__ = ["ENGINE", "LocalEngine"]

#: Subjects measured at a time; what is in memory at once grows with it.
BATCH = 20_000


@dataclass(eq=False)
class LocalEngine:
    """Measures on this machine, with what is made of a layer kept for as long as the layer lives.

    Parameters
    ----------
    batch : int
        Subjects measured at a time.
    """

    batch: int = BATCH
    name: str = "local"
    _made: weakref.WeakKeyDictionary[object, dict[tuple[str, object], object]] = field(
        default_factory=weakref.WeakKeyDictionary
    )

    def measure(
        self, measures: Sequence[Measure], subjects: Subjects, ground: Ground, *, intervals: bool = True
    ) -> Mapping[str, Answers]:
        """Answer each measure for each subject; see `measures.language.Engine`."""
        check_asked(measures, subjects, ground)
        order = _along_a_curve(subjects)
        batches = [order[start : start + self.batch] for start in range(0, len(order), self.batch)] or [order]
        found: dict[str, list[Answers]] = {measure.name: [] for measure in measures}
        call: dict[object, object] = {}
        compiled = self._compiled()
        for rows in batches:
            part = subjects if len(batches) == 1 else some_subjects(subjects, rows)
            looking = Looking(Setting(part, ground), self._store, call, compiled=compiled)
            looking.make_ready(measures)
            for measure in measures:
                looking.failures = {}
                found[measure.name].append(answer(measure, looking, intervals))
        if len(batches) == 1:
            return {name: parts[0] for name, parts in found.items()}
        return {measure.name: _together(measure, found[measure.name], batches) for measure in measures}

    def _compiled(self) -> CompiledSums | None:
        """Return compiled sums over edges, where the engine has them."""
        return None

    def _store(self, layer: object, sort: str, key: object, make: Callable[[], object]) -> object:
        made = self._made.setdefault(layer, {})
        if (sort, key) not in made:
            made[sort, key] = make()
        return made[sort, key]


def _along_a_curve(subjects: Subjects) -> np.ndarray:
    """Return the rows in an order in which neighbours on the ground are neighbours in the batch."""
    grounds = next(iter(subjects.grounds.values()), None)
    if grounds is None or not len(subjects):
        return np.arange(len(subjects))
    shapes = np.array([EMPTY if shape is None else shape for shape in grounds], dtype=object)
    bounds = shapely.bounds(shapes)
    if np.isnan(bounds).all():
        return np.arange(len(subjects))
    extent = [*np.nanmin(bounds[:, :2], axis=0), *np.nanmax(bounds[:, 2:], axis=0)]
    middle = np.nan_to_num((bounds[:, :2] + bounds[:, 2:]) / 2, nan=extent[0])
    return np.argsort(_hilbert(middle, extent), kind="stable")


def _hilbert(points: np.ndarray, extent: Sequence[float], order: int = 15) -> np.ndarray:
    """Return the place of points along a Hilbert curve over an extent."""
    size = max(extent[2] - extent[0], extent[3] - extent[1]) or 1.0
    grid = ((points - np.array(extent[:2])) / size * ((1 << order) - 1)).clip(0, (1 << order) - 1).astype(np.int64)
    x, y = grid[:, 0].copy(), grid[:, 1].copy()
    place = np.zeros(len(points), dtype=np.int64)
    for level in range(order - 1, -1, -1):
        side = 1 << level
        right, up = (x & side) > 0, (y & side) > 0
        place += side * side * ((3 * right) ^ up)
        flip = right & ~up
        x[flip], y[flip] = side - 1 - (x[flip] & (side - 1)), side - 1 - (y[flip] & (side - 1))
        turn = ~up
        x[turn], y[turn] = y[turn], x[turn].copy()
    return place


def _together(measure: Measure, parts: list[Answers], batches: list[np.ndarray]) -> Answers:
    order = np.argsort(np.concatenate(batches), kind="stable")

    def series(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])[order]

    def words(name: str) -> dict[int, str]:
        return {
            int(rows[row]): text
            for part, rows in zip(parts, batches, strict=True)
            for row, text in getattr(part, name).items()
        }

    return Answers(
        measure,
        series("values"),
        series("lows"),
        series("highs"),
        series("covered"),
        words("failures"),
        words("notes"),
    )


ENGINE = LocalEngine()
