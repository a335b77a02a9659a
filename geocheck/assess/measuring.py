"""Measured facts: which measures are asked, of which ground, and what a missing layer leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geocheck.measures import MEASURES
from geocheck.measures.language import Answers, Area, Both, Either, Engine, Layer, Measure, Near, Outside, Region
from geocheck.model.facts import FactColumn
from geocheck.model.ground import Ground, Subjects
from geocheck.model.vocabulary import EXTENTS

__all__ = ["ALWAYS", "Asked", "ask", "base_of", "column_of", "measured_names", "sources_of"]

#: Given wherever their layers exist, whether an ordinance asks or not.
ALWAYS = (
    "disturbed_area", "disturbed_area_in_shoreland", "disturbed_area_in_wetland", "disturbed_area_in_floodplain",
    "disturbed_area_in_zones", "disturbed_area_outside_zones",
)  # fmt: skip

_NO_STATUS = "status of impervious"
#: What is there before and what comes: without a status field the impervious layer says neither.
_BY_STATUS = ("impervious_area_existing", "impervious_area_proposed", "impervious_area_added")

# Two readings of one ground are the same when they differ by less than this share: what the overlay's arithmetic leaves.
_EQUAL = 1e-9


def base_of(name: str) -> tuple[str, str]:
    """Split a fact's name into the measure and the extent: ``disturbed_area_of_plan`` into itself and ``_of_plan``."""
    for suffix in EXTENTS:
        if name.endswith(suffix):
            return name[: -len(suffix)], suffix
    return name, ""


def measured_names(asked: Sequence[str]) -> list[str]:
    """Return the measured facts to give for each site, all extents, in the shelf's order."""
    bases = {base_of(name)[0] for name in asked} | set(ALWAYS)
    names = []
    for measure in MEASURES:
        if measure.name in bases:
            names += [measure.name, *((measure.name + suffix for suffix in EXTENTS) if measure.extents else ())]
    return names


@dataclass(frozen=True, eq=False)
class Asked:
    """What became of one measure: the engine's answers, or why there are none.

    Parameters
    ----------
    measure : Measure
        What was asked.
    answers : Answers or None
        The engine's answers, one a row of `sites.Extents.members`.
    missing : tuple of str
        Roles of layers that the project does not have.
    bounds : Answers or None
        Where a layer of a union is missing: the reading with that layer as everything. Where it equals ``answers``,
        the missing layer cannot change the number and the number is known.
    """

    measure: Measure
    answers: Answers | None
    missing: tuple[str, ...] = ()
    bounds: Answers | None = None


def ask(bases: Sequence[str], subjects: Subjects, ground: Ground, engine: Engine) -> dict[str, Asked]:
    """Ask the engine for all measures at once, and for the bounds of those that lack a layer."""
    at_hand = set(subjects.grounds) | set(ground.layers)
    asked: dict[str, tuple[Measure, tuple[str, ...], list[Measure]]] = {}
    wanted: list[Measure] = []
    for name in bases:
        measure: Measure = MEASURES.load(name)
        missing = tuple(sorted(measure.layers - at_hand))
        if name in _BY_STATUS and not missing and not _says_status(ground.layers["impervious"].frame):
            asked[name] = (measure, (_NO_STATUS,), [])
            continue
        readings = [measure] if not missing else _bounds(measure, frozenset(missing))
        asked[name] = (measure, missing, readings)
        wanted += readings
    answers = engine.measure(wanted, subjects, ground) if wanted else {}
    result = {}
    for name, (measure, missing, readings) in asked.items():
        found = [answers[reading.name] for reading in readings]
        result[name] = Asked(measure, found[0] if found else None, missing, found[1] if len(found) > 1 else None)
    return result


def _says_status(frame: Any) -> bool:
    return "surface" in frame.columns and (not len(frame) or bool(frame["surface"].notna().any()))


def _bounds(measure: Measure, missing: frozenset[str]) -> list[Measure]:
    """Return the measure with the missing layers as nothing and as everything, where both can be read; else nothing."""
    if not isinstance(measure.reading, Area) or measure.uncertain is not None:
        return []
    ends = [_without(measure.reading.region, missing, everything) for everything in (False, True)]
    # Where either end is all ground or none, nothing of the layers at hand can settle the number, but for "outside",
    # whose least is nothing by nature.
    if any(end is _ALL for end in ends) or all(end is _NOTHING for end in ends):
        return []
    return [
        replace(measure, name=f"{measure.name} {word}", reading=Area(_NO_GROUND if end is _NOTHING else end))
        for word, end in zip(("at least", "at most"), ends, strict=True)
    ]


class _Whole:
    """Ground that needs no layer: all of it, or none."""


_ALL, _NOTHING = _Whole(), _Whole()
# A region without ground in the language itself: the subject's ground outside itself.
_NO_GROUND = Outside(Layer("disturbance"), Layer("disturbance"))


def _without(region: Region, missing: frozenset[str], everything: bool) -> Any:
    """Rewrite a region with each missing layer as everything or as nothing, whichever gives the wanted end."""
    whole = _ALL if everything else _NOTHING
    if isinstance(region, Layer):
        return whole if region.role in missing else region
    if isinstance(region, Near):
        inner = _without(region.region, missing, everything)
        return inner if isinstance(inner, _Whole) else Near(inner, region.distance)
    if isinstance(region, Either):
        parts = [_without(part, missing, everything) for part in region.regions]
        if any(part is _ALL for part in parts):
            return _ALL
        rest = tuple(part for part in parts if part is not _NOTHING)
        return Either(rest) if rest else _NOTHING
    first = _without(region.first, missing, everything)
    second = _without(region.second, missing, everything if isinstance(region, Both) else not everything)
    if isinstance(region, Outside):
        if first is _NOTHING or second is _ALL:
            return _NOTHING
        return first if second is _NOTHING else Outside(first, second)
    if first is _NOTHING or second is _NOTHING:
        return _NOTHING
    return second if first is _ALL else first if second is _ALL else Both(first, second)


def column_of(asked: Asked, name: str, rows: np.ndarray, source: str) -> FactColumn:
    """Return the fact column of one measure for the subjects whose grounds stand in these rows (-1: no such ground).

    A number is given where it was measured; everything else is an empty value with its status: a missing layer, ground
    outside coverage, or a failure, each said in the note.
    """
    measure = asked.measure
    if asked.answers is None:
        note = f"no {' and no '.join(asked.missing)} layer"
        if asked.missing == (_NO_STATUS,):
            note = "the impervious layer does not say what exists and what is proposed; name the field that does as its status"
        return FactColumn(name, "measured", measure.unit, [None] * len(rows), statuses="missing", notes=note)
    answers = asked.answers
    values, lows, highs = (np.asarray(ends, dtype=float) for ends in (answers.values, answers.lows, answers.highs))
    if _plain(answers, values, rows) and asked.bounds is None:
        value, low, high = (ends[rows].tolist() for ends in (values, lows, highs))
        return FactColumn(name, "measured", measure.unit, value, low, high, "measured", source)
    cells: list[tuple[float | None, float | None, float | None, str, str]] = []
    for row in rows.tolist():
        if row < 0:
            cells.append((None, None, None, "missing", "no site of this plan carries a phase"))
        elif row in answers.failures:
            cells.append((None, None, None, "failed", answers.failures[row]))
        elif not answers.covered[row]:
            cells.append(
                (None, None, None, "outside coverage", answers.notes.get(row, "a layer does not cover the ground"))
            )
        elif np.isnan(values[row]):
            note = answers.notes.get(row, "undefined: there is no ground to divide by")
            low, high = (None if np.isnan(ends[row]) else float(ends[row]) for ends in (lows, highs))
            cells.append((None, low, high, "missing", note))
        elif asked.bounds is not None and not _closed(values[row], float(asked.bounds.values[row])):
            least, most = _feet(values[row], measure.unit), _feet(float(asked.bounds.values[row]), measure.unit)
            note = f"no {' and no '.join(asked.missing)} layer; between {least} and {most} without it"
            cells.append((None, lows[row], _highest(asked.bounds, row), "missing", note))
        else:
            cells.append((values[row], lows[row], highs[row], "measured", answers.notes.get(row, "")))
    value, low, high, words, said = zip(*cells, strict=True) if cells else ((), (), (), (), ())
    return FactColumn(name, "measured", measure.unit, value, low, high, words, source, said)


def _plain(answers: Answers, values: np.ndarray, rows: np.ndarray) -> bool:
    """Tell whether every row was simply measured: the common case, and the fast one."""
    if answers.failures or answers.notes or not len(rows):
        return False
    return bool((rows >= 0).all() and np.asarray(answers.covered)[rows].all() and not np.isnan(values[rows]).any())


def _highest(most: Answers, row: int) -> float | None:
    """Return the end that a number cannot exceed, where the layers at hand cover the ground and measured it."""
    return float(most.highs[row]) if most.covered[row] and row not in most.failures else None


def _closed(least: float, most: float) -> bool:
    return abs(most - least) <= _EQUAL * max(abs(most), 1.0)


def _feet(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}"


def sources_of(measure: Measure, ground: Ground, subjects: Mapping[str, Any]) -> str:
    """Name the layers that a measure read, for the fact's source."""
    roles = sorted(measure.layers - {"impervious_within"})
    return "; ".join(role for role in roles if role in ground.layers or role in subjects)
