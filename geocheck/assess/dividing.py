"""Land division as the ledger remembers it: small parcels made of one parent, at once or step by step between deliveries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import Any

import numpy as np
import shapely

from geocheck.assess.measuring import Asked, base_of
from geocheck.engines.working.lineage import MOST, Parents
from geocheck.engines.working.units import noise
from geocheck.ledger import Ledger
from geocheck.measures.language import Answers, Divided, Measure
from geocheck.model.changes import Descent
from geocheck.model.ground import Ground, Subjects
from geocheck.sources.kept import brought
from geocheck.sources.systems import system_of_text

__all__ = ["Division", "Step", "divided", "division_of"]


@dataclass(frozen=True, eq=False)
class Step:
    """One delivery: which ground went where, and the outlines of the parents before it.

    Parameters
    ----------
    day : date
        The day that the delivery stands for.
    descent : sequence of Descent
        Shares of ground.
    outlines : mapping of str to shapely geometry
        Parents by identifier, in the run's system.
    """

    day: date
    descent: Sequence[Descent]
    outlines: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Division:
    """What was divided between deliveries, and what came of it.

    Parameters
    ----------
    first : date
        The day of the first delivery.
    steps : sequence of Step
        First to last.
    now : mapping of str to shapely geometry
        Parcels that came of a step, as the last of these deliveries has them, in the run's system.
    current : bool
        Whether the last delivery is the run's own parcels: nothing was divided since.
    """

    first: date
    steps: Sequence[Step]
    now: Mapping[str, Any]
    current: bool


def division_of(ledger: Ledger, ground: Ground, as_of: date) -> Division | None:
    """Return what the ledger knows of land division up to a day; None where it holds fewer than two deliveries by then."""
    every = ledger.deliveries()
    deliveries = list(takewhile(lambda delivery: date.fromisoformat(delivery.day) <= as_of, every))
    if len(deliveries) < 2:
        return None
    last = deliveries[-1]
    own = system_of_text(deliveries[0].system)
    by_delivery: dict[int, list[Descent]] = {}
    for number, row in ledger.descent():
        by_delivery.setdefault(number, []).append(row)
    names = {name for rows in by_delivery.values() for row in rows for name in (row.parent, row.child) if name}
    versions = ledger.outlines(names)
    steps = []
    for delivery in deliveries[1:]:
        rows = by_delivery.get(delivery.number, [])
        parents = {row.parent for row in rows if row.parent}
        held = {
            name: max((v for v in versions.get(name, ()) if v[0] < delivery.number), default=None) for name in parents
        }
        outlines = _shapes({name: version[1] for name, version in held.items() if version is not None}, own, ground)
        steps.append(Step(date.fromisoformat(delivery.day), rows, outlines))
    children = {row.child for delivery in deliveries for row in by_delivery.get(delivery.number, ()) if row.child}
    held = {name: max((v for v in versions.get(name, ()) if v[0] <= last.number), default=None) for name in children}
    # A parcel that ended is no parcel now.
    living = ledger.living(children)
    now = _shapes(
        {name: version[1] for name, version in held.items() if version is not None and name in living}, own, ground
    )
    parcels = ground.layers.get("parcels")
    current = last is every[-1] and parcels is not None and parcels.sha256 == last.sha256
    return Division(date.fromisoformat(deliveries[0].day), steps, now, current)


def _shapes(outlines: Mapping[str, bytes | None], own: Any, ground: Ground) -> dict[str, Any]:
    """Return outlines, given as WKB, in the run's system; those without ground are left out."""
    known = {name: wkb for name, wkb in outlines.items() if wkb is not None}
    shapes = brought(shapely.from_wkb(np.array(list(known.values()), dtype=object)), own, ground.crs)
    return dict(zip(known, shapes, strict=True))


def divided(
    measure: Measure, division: Division, subjects: Subjects, ground: Ground, as_of: date, ordinances: Iterable[Any]
) -> Asked:
    """Return how many small parcels were made of one parent that each subject's ground meets.

    The ledger knows nothing of the time before its first delivery. A count over a time that it does not reach back over, or
    that its last delivery does not reach up to, is a least: five parcels are five, none may be some. What was divided at
    some time between two deliveries, of which one lies before the years and one in them, may count or not.

    Parameters
    ----------
    measure : Measure
        A `Divided` reading.
    as_of : date
        The day of the run; later deliveries do not count.
    ordinances : iterable of Ordinance
        They say within how many years before that day steps count together; none: however many.
    """
    reading = measure.reading
    assert isinstance(reading, Divided)
    asking = [o for o in ordinances if measure.name in {base_of(name)[0] for name in o.facts_used}]
    every = {o.division_years for o in asking} or {None}
    grounds, width = subjects.grounds["disturbance"], noise(ground)
    found, whole = [], division.current
    for years in every:
        begin = None if years is None else _years_before(as_of, years)
        whole &= begin is not None and division.first <= begin
        for steps in _steps(division, begin, as_of):
            parents = _parents(reading, division, ground, steps)
            found.append([(0.0, 0.0, 0.0) if shape is None else parents.most(shape, width) for shape in grounds])
    counts = np.array(found, dtype=float).reshape(len(found), len(subjects), 3)
    values, lows, highs = counts[:, :, 0].min(axis=0), counts[:, :, 1].min(axis=0), counts[:, :, 2].max(axis=0)
    within = (
        "" if every == {None} else f", within {' or '.join(str(years) for years in sorted(filter(None, every)))} years"
    )
    told = f"from the deliveries since {division.first}{within}"
    notes = dict.fromkeys(range(len(subjects)), told)
    least = np.flatnonzero(~np.full(len(subjects), whole) | (counts[:, :, 0].max(axis=0) > values))
    for row in least.tolist():
        count = f"{lows[row]:,.0f} to {highs[row]:,.0f}" if whole else f"at least {lows[row]:,.0f}"
        notes[row] = f"no parcels_before layer; {count} {told}"
    values[least] = np.nan
    if not whole:
        # What the ledger does not know of has no upper end; and where it counts none, it says nothing.
        highs[least] = np.nan
        none = least[lows[least] == 0]
        lows[none] = np.nan
        notes |= dict.fromkeys(none.tolist(), "no parcels_before layer")
    covered = np.ones(len(subjects), dtype=bool)
    return Asked(measure, Answers(measure, values, lows, highs, covered, {}, notes))


def _steps(division: Division, begin: date | None, end: date) -> list[list[int]]:
    """Return the numbers of the steps between two days: for certain, and perhaps, where that differs."""
    days = [division.first, *(step.day for step in division.steps)]
    perhaps = [n for n in range(len(division.steps)) if days[n + 1] <= end and (begin is None or days[n + 1] >= begin)]
    certain = [n for n in perhaps if begin is None or days[n] >= begin]
    return [certain] if certain == perhaps else [certain, perhaps]


def _parents(reading: Divided, division: Division, ground: Ground, steps: Iterable[int]) -> Parents:
    """Return the parents from which some parcels of now came, by one or more of some steps."""
    origin: dict[str, tuple[int, str]] = {}
    roots: dict[tuple[int, str], Any] = {}
    for number in steps:
        _follow(number, division.steps[number], origin, roots)
    shapes, children = list[Any](), dict[int, np.ndarray]()
    for root, outline in roots.items():
        come = [division.now[name] for name, whence in origin.items() if whence == root and name in division.now]
        if come:
            children[len(shapes)] = np.array(come, dtype=object)
            shapes.append(outline)
    return Parents(reading, ground, np.array(shapes, dtype=object), children)


def _years_before(day: date, years: int) -> date:
    try:
        return day.replace(year=day.year - years)
    except ValueError:  # 29 February
        return day.replace(year=day.year - years, day=28)


def _follow(number: int, step: Step, origin: dict[str, tuple[int, str]], roots: dict[tuple[int, str], Any]) -> None:
    """Carry the origin of each parcel over one step; a parent seen first is a root of its own."""
    best: dict[str, Descent] = {}
    for row in step.descent:
        if row.parent and row.child and row.share_of_child > MOST:
            best[row.child] = row
    new = {}
    for child, row in best.items():
        root = origin.get(row.parent, (number, row.parent))
        if root == (number, row.parent) and row.parent in step.outlines:
            roots[root] = step.outlines[row.parent]
        new[child] = root
    for row in step.descent:
        origin.pop(row.parent, None)
        origin.pop(row.child, None)
    origin.update(new)
