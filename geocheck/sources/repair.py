"""Shapes into sound ground: what is valid passes in bulk, what is broken is built anew from its rings, on record."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from geocheck.model.ground import Repair
from geocheck.sources.format import Records
from geocheck.sources.rings import NO_COORDINATES, Built, Ring, build, parts_of, rings_of

__all__ = ["COLLAPSED", "LOST", "NO_GEOMETRY", "OK", "REPAIRED", "Sound", "make_sound", "valid"]

OK, REPAIRED, NO_GEOMETRY, COLLAPSED, LOST = "ok", "repaired", "no geometry", "collapsed", "geometry lost"
_POLYGONS = (3, 6)
_LINES = (1, 2, 5)


@dataclass(frozen=True, eq=False)
class Sound:
    """Sound geometry of many records: valid or None, a status word each, what was done, and what stays in doubt."""

    shapes: Any
    status: Any
    repairs: tuple[Repair, ...]
    doubts: Mapping[int, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def valid(shapes: Any) -> Any:
    """Tell in bulk which shapes are valid, on two threads where it pays; missing ones are."""
    if len(shapes) < 20_000:
        return shapely.is_valid(shapes) | shapely.is_missing(shapes)
    halves = np.array_split(shapes, 4)
    with ThreadPoolExecutor(2) as pool:
        return np.concatenate(list(pool.map(shapely.is_valid, halves))) | shapely.is_missing(shapes)


def make_sound(records: Records, role: str, ids: Any, *, ground: bool) -> Sound:
    """Make every record's geometry valid or None.

    Parameters
    ----------
    records : Records
        As a format gave them.
    role : str
        For the entries in ``repairs.csv``.
    ids : sequence of str or None
        Identifiers, for the same.
    ground : bool
        Whether the role means polygons; else lines count too.
    """
    with np.errstate(invalid="ignore"):  # vertices that are no numbers make no area, and are dealt with by name
        return _made_sound(_Work(records, role, ids), ground)


def _made_sound(work: _Work, ground: bool) -> Sound:
    shapes, records = work.shapes, work.records
    kinds = shapely.get_type_id(shapes)
    for row, why in records.lost.items():
        work.lose(row, why)
    handled = np.zeros(len(shapes), dtype=bool)
    handled[list(records.lost)] = True
    for row in records.raw:
        if not handled[row]:
            handled[row] = True
            work.rebuild(row, build(records.raw[row]), curved=row in records.remarks)
    empty = ~handled & (shapely.is_missing(shapes) | shapely.is_empty(shapes))
    shapes[empty] = None
    work.status[empty] = NO_GEOMETRY
    rest = ~handled & ~empty
    if not ground:
        lines = rest & np.isin(kinds, _LINES)
        work.lines(np.flatnonzero(lines))
        rest &= ~lines
    other = rest & ~np.isin(kinds, _POLYGONS)
    for row in np.flatnonzero(other).tolist():
        work.other(row, ground)
    rest &= ~other
    broken = rest & ~valid(_only(shapes, rest))
    for row in np.flatnonzero(broken).tolist():
        work.rebuild(row, build(_rings(shapes[row], records.wound)), reason=shapely.is_valid_reason(shapes[row]))
    flat = rest & ~broken & (shapely.area(shapes) == 0)
    for row in np.flatnonzero(flat).tolist():
        work.collapse(row, "no area")
    for row, remark in records.remarks.items():
        if not handled[row] and shapes[row] is not None:
            work.note(row, remark, "chords" if "curve" in remark else "footprint", None, _area(shapes[row]))
    repairs = tuple(sorted(work.repairs, key=lambda r: r.record))
    return Sound(shapes, work.status, repairs, work.doubts, tuple(work.notes()))


def _area(shape: Any) -> float | None:
    return None if shape is None else float(shapely.area(shape))


def _rings(shape: Any, wound: bool) -> tuple[Ring, ...]:
    """Rings of a broken shape, without the roles that reading gave them where the format declares none."""
    rings = rings_of(shape)
    return tuple(Ring(ring.vertices) for ring in rings) if wound else rings


def _only(shapes: Any, rows: Any) -> Any:
    """The chosen shapes, None elsewhere."""
    chosen = np.full(len(shapes), None, dtype=object)
    chosen[rows] = shapes[rows]
    return chosen


class _Work:
    """The records under repair, one at a time."""

    def __init__(self, records: Records, role: str, ids: Any) -> None:
        self.records = records
        self.role = role
        self.ids = ids
        self.shapes = np.array(records.shapes, dtype=object)
        self.status = np.full(len(self.shapes), OK, dtype=object)
        self.repairs: list[Repair] = []
        self.doubts: dict[int, float] = {}

    def note(
        self, row: int, problem: str, action: str, before: float | None, after: float | None, doubt: str = ""
    ) -> None:
        identifier = self.ids[row]
        self.repairs.append(Repair(self.role, row + 1, identifier or "", problem, action, before, after, doubt))

    def lose(self, row: int, why: str) -> None:
        self.shapes[row] = None
        self.status[row] = LOST
        self.note(row, why, "row kept without geometry", None, None, "its ground is not counted")

    def collapse(self, row: int, kind: str) -> None:
        self.shapes[row] = None
        self.status[row] = COLLAPSED
        self.note(row, f"collapsed: {kind}", "row kept without geometry", 0.0, None)

    def rebuild(self, row: int, built: Built, *, reason: str = "", curved: bool = False) -> None:
        problems = list(built.problems)
        if NO_COORDINATES in problems:
            self.doubts.pop(row, None)
            self.lose(row, "some of its vertices have no coordinates: where its boundary runs is not known")
            return
        if curved:
            problems.append(self.records.remarks[row])
        if built.ground is None:
            if not any(len(r.vertices) for r in self.records.raw.get(row, ())) and self.shapes[row] is None:
                self.status[row] = NO_GEOMETRY
                return
            self.collapse(row, "; ".join(problems) or "no area")
            return
        self.shapes[row] = built.ground
        sound = not problems and not reason
        if sound:
            return
        if not built.problems and reason:
            problems.insert(0, _in_words(reason))
        area = float(shapely.area(built.ground))
        doubt = ""
        if built.doubt > 1e-9 * max(area, built.doubt):
            self.doubts[row] = built.doubt
            doubt = f"ambiguous: readings differ by {built.doubt:.6g} square units"
        only_curved = curved and not built.problems
        if not only_curved:
            self.status[row] = REPAIRED
        action = "chords" if only_curved else "rings nested, filled and united"
        self.note(row, "; ".join(problems), action, built.before, area, doubt)

    def lines(self, rows: Any) -> None:
        shapes = self.shapes[rows]
        flat = shapely.length(shapes) == 0
        for row in rows[flat].tolist():
            self.collapse(row, "a line without length")
        for row in rows[~flat & ~valid(shapes)].tolist():
            self.shapes[row] = shapely.node(self.shapes[row])
            self.status[row] = REPAIRED
            self.note(row, "line with repeated vertices", "line noded", None, None)

    def other(self, row: int, ground: bool) -> None:
        """A point, a line among polygons, or a collection."""
        shape = self.shapes[row]
        if shape.geom_type != "GeometryCollection":
            self.collapse(row, f"a {shape.geom_type.lower()} where a polygon belongs" if ground else f"a {shape.geom_type.lower()}")  # fmt: skip
            return
        rings = rings_of(shape)
        if not rings:
            lines = [p for p in parts_of(shape) if p.geom_type == "LineString" and not p.is_empty]
            if lines and not ground:
                self.shapes[row] = shapely.MultiLineString(lines)
                self.lines(np.array([row]))
            else:
                self.collapse(row, "a collection without polygons")
            return
        built = build(rings)
        left_out = int((~np.isin(shapely.get_type_id(parts_of(shape)), _POLYGONS)).sum())
        problem = (
            f"a collection: parts that are no polygons left out: {left_out}" if left_out else "a collection of polygons"
        )
        if built.ground is None:
            self.collapse(row, "a collection without area")
            return
        self.rebuild(row, Built(built.ground, (problem, *built.problems), built.doubt, built.before))

    def notes(self) -> list[str]:
        notes = []
        lost = int((self.status == LOST).sum())
        if lost:
            notes.append(f"geometry lost: {lost} of {len(self.status)}")
        collapsed = int((self.status == COLLAPSED).sum())
        if collapsed:
            notes.append(f"{collapsed} of {len(self.status)} records have collapsed to points, lines or nothing")
        curved = sum("curves" in r.problem for r in self.repairs)
        if curved:
            notes.append(f"curves were replaced by chords in {curved} records")
        if self.doubts:
            notes.append(f"{len(self.doubts)} repairs are ambiguous; their doubtful area widens the intervals")
        return notes


def _in_words(reason: str) -> str:
    kind = reason.partition("[")[0].strip()
    words = {
        "Self-intersection": "rings cross or share an edge",
        "Ring Self-intersection": "ring touches itself",
        "Interior is disconnected": "holes cut the ground in pieces",
        "Hole lies outside shell": "hole outside its shell",
        "Holes are nested": "holes overlap",
        "Nested shells": "part inside another part",
        "Duplicate Rings": "rings repeated",
    }
    return words.get(kind, kind.lower())
