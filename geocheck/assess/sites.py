"""Sites out of disturbance records, and the ground that each stands for: its own, its plan's, all phases'."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import shapely

from geocheck.model.ground import Ground, Layer, Site, Subjects
from geocheck.model.problem import Place, Problem, SourceError

__all__ = ["Accumulated", "Extents", "extents_of", "sites_of", "subjects_of"]

# An overlap of parcel and disturbance narrower than this along its edge is a shared line, not a parcel that is met (ft).
_SHARED_EDGE_FT = 0.01


def sites_of(layer: Layer) -> list[Site]:
    """Return the sites of a disturbance layer, in the order of their first records.

    Records that share an identifier are one site; a record without one is a site of its own, named by its record.

    Raises
    ------
    SourceError
        If records of one site name different plans or phases.
    """
    frame = layer.frame
    numbers = frame["record"].tolist()
    ids = [text if text else f"record {number}" for text, number in zip(_texts(frame, "id"), numbers, strict=True)]
    plans, phases = _texts(frame, "plan"), _texts(frame, "phase")
    geometries = frame.geometry.to_numpy()
    days = frame["day"].tolist() if "day" in frame.columns else [None] * len(frame)
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(ids):
        rows.setdefault(name, []).append(row)
    problems: list[Problem] = []
    sites = []
    for name, own in rows.items():
        ground = [geometries[row] for row in own if geometries[row] is not None]
        plan, phase = (
            _agreed(texts, own, word, name, numbers, layer, problems)
            for texts, word in ((plans, "plan"), (phases, "phase"))
        )
        whole = None if not ground else ground[0] if len(ground) == 1 else shapely.union_all(ground)
        when = [day for row in own if (day := days[row]) is not None]
        span = (min(when), max(when)) if len(when) == len(own) else None
        sites.append(Site(name, whole, plan, phase, tuple(own), span))
    if problems:
        raise SourceError.of(*problems)
    return sites


def _texts(frame: Any, column: str) -> list[str]:
    if column not in frame.columns:
        return [""] * len(frame)
    return ["" if value is None or value != value else str(value).strip() for value in frame[column].tolist()]


def _agreed(
    texts: list[str], own: list[int], word: str, name: str, numbers: list[int], layer: Layer, problems: list[Problem]
) -> str:
    named = dict.fromkeys(texts[row] for row in own if texts[row])
    if len(named) > 1:
        place = Place(layer.source.source, layer=layer.name, record=numbers[own[0]])
        found = ", ".join(named)
        problems.append(
            Problem(
                f"two-{word}s",
                f"records of site {name} name different {word}s: {found}",
                place,
                f"give all records of a site one {word}",
            )
        )
    return next(iter(named), "")


@dataclass(frozen=True, eq=False)
class Extents:
    """Rows to measure: each site's own ground first, then the larger grounds that several sites share.

    Parameters
    ----------
    members : list of tuple of int
        For each row, the sites whose union it is.
    own, plan, all_phases : numpy.ndarray of int
        For each site, the row of its own ground, of its common plan, and of all phases.
    plans : list of str
        Common plans, in order of first mention.
    plan_row, plan_phases_row : numpy.ndarray of int
        For each plan, the row of its union, and of its phases' union (-1 where no site carries a phase).
    """

    members: list[tuple[int, ...]]
    own: np.ndarray
    plan: np.ndarray
    all_phases: np.ndarray
    plans: list[str]
    plan_row: np.ndarray
    plan_phases_row: np.ndarray
    since: Mapping[date, Accumulated] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Accumulated:
    """For each site, the ground disturbed from a day on, over all sites of its plan.

    Parameters
    ----------
    least, most : numpy.ndarray of int
        The row of what was disturbed since for certain, and of that with the sites of which the day is not known, or which
        were disturbed partly before.
    undated : list of int
        For each site, of how many sites of its plan that is so.
    nothing : int
        The row without ground, of those of which nothing was disturbed since; -1 where there is none.
    """

    least: np.ndarray
    most: np.ndarray
    undated: list[int]
    nothing: int


def extents_of(sites: Sequence[Site], since: Iterable[date] = (), as_of: date | None = None) -> Extents:
    """Return the grounds to measure: own, common plan, all phases, and since each of some days; each distinct union once.

    Parameters
    ----------
    sites : sequence of Site
        The sites.
    since : iterable of date
        Days from which on ground adds up over the sites of a plan.
    as_of : date or None
        The day the run stands for: of its plan, what another site disturbs after that does not count yet.
    """
    members: list[tuple[int, ...]] = [(number,) for number in range(len(sites))]
    known = {member: row for row, member in enumerate(members)}

    def row_of(group: set[int]) -> int:
        key = tuple(sorted(group))
        if key not in known:
            known[key] = len(members)
            members.append(key)
        return known[key]

    of_plan: dict[str, list[int]] = {}
    for number, site in enumerate(sites):
        if site.plan:
            of_plan.setdefault(site.plan, []).append(number)
    phased = {plan: {n for n in group if sites[n].phase} for plan, group in of_plan.items()}
    own = np.arange(len(sites))
    plan_rows = {plan: row_of(set(group)) for plan, group in of_plan.items()}
    plan = np.array([plan_rows[s.plan] if s.plan else n for n, s in enumerate(sites)], dtype=int)
    phases = np.array([row_of({n} | phased.get(s.plan, set())) for n, s in enumerate(sites)], dtype=int)
    plan_phases = [row_of(phased[name]) if phased[name] else -1 for name in of_plan]
    return Extents(
        members,
        own,
        plan,
        phases,
        list(of_plan),
        np.array(list(plan_rows.values()), dtype=int),
        np.array(plan_phases, dtype=int),
        {first: _accumulated(sites, of_plan, first, as_of, row_of) for first in dict.fromkeys(since)},
    )


def _accumulated(
    sites: Sequence[Site], of_plan: Mapping[str, list[int]], first: date, as_of: date | None,
    row_of: Callable[[set[int]], int],
) -> Accumulated:  # fmt: skip
    least, most, undated, counted = [], [], [], []
    for number, site in enumerate(sites):
        group = of_plan.get(site.plan, [number])
        counts = {n: _counts(sites[n].days, first, None if n == number else as_of) for n in group}
        unknown = {n for n in group if counts[n] is None}
        dated = {n for n in group if counts[n]}
        least.append(row_of(dated))
        most.append(row_of(dated | unknown))
        undated.append(len(unknown))
        counted.append(dated)
    nothing = next((row for row, dated in zip(least, counted, strict=True) if not dated), -1)
    return Accumulated(np.array(least, dtype=int), np.array(most, dtype=int), undated, nothing)


def _counts(days: tuple[date, date] | None, first: date, last: date | None) -> bool | None:
    """Tell whether what was disturbed on some days was disturbed between two: None where only a part may have been."""
    if days is None:
        return None
    begin, end = days
    if end < first or (last is not None and begin > last):
        return False
    return True if begin >= first and (last is None or end <= last) else None


def subjects_of(sites: Sequence[Site], extents: Extents, ground: Ground, impervious_within: str) -> Subjects:
    """Return what the engine measures: a row for each ground of `extents`.

    Parameters
    ----------
    impervious_within : str
        ``disturbance`` or ``parcels``: the ground on which impervious surface counts.
    """
    own = np.array([site.ground for site in sites], dtype=object)
    grounds = _unions(own, extents.members)
    by_role: dict[str, Any] = {"disturbance": grounds}
    layer = ground.layers["disturbance"]
    accuracy = {"disturbance": _accuracy(layer, ground)}
    if "parcels" in ground.layers:
        by_role["parcels"] = _unions(_parcels_met(own, ground), extents.members)
        accuracy["parcels"] = _accuracy(ground.layers["parcels"], ground)
    if impervious_within in by_role:
        by_role["impervious_within"] = by_role[impervious_within]
        accuracy["impervious_within"] = accuracy[impervious_within]
    site_doubt = [sum(layer.doubts.get(row, 0.0) for row in site.rows) for site in sites]
    doubts = [sum(site_doubt[n] for n in member) or None for member in extents.members]
    names = [
        sites[member[0]].id if len(member) == 1 else " + ".join(sites[n].id for n in member)
        for member in extents.members
    ]
    return Subjects("site", names, by_role, accuracy, doubts)


def _unions(grounds: np.ndarray, members: Sequence[tuple[int, ...]]) -> np.ndarray:
    result = np.empty(len(members), dtype=object)
    for row, member in enumerate(members):
        parts = [grounds[n] for n in member if grounds[n] is not None]
        result[row] = None if not parts else parts[0] if len(parts) == 1 else shapely.union_all(parts)
    return result


def _accuracy(layer: Layer, ground: Ground) -> float:
    stated = layer.source.accuracy
    return 0.0 if stated is None else float(stated.to("ft", ground.foot).value) / ground.feet


def _parcels_met(sites: np.ndarray, ground: Ground) -> np.ndarray:
    """Union of the parcels that each site's ground overlaps by more than a shared edge."""
    frame = ground.layers["parcels"].frame
    parcels = frame.geometry.to_numpy()
    usable = np.flatnonzero(~shapely.is_missing(parcels) & ~_is_label(frame))
    met = np.full(len(sites), None, dtype=object)
    with_ground = np.flatnonzero(~shapely.is_missing(sites))
    if not len(usable) or not len(with_ground):
        return met
    site, parcel = shapely.STRtree(parcels[usable]).query(sites[with_ground], predicate="intersects")
    site, parcel = with_ground[site], usable[parcel]
    common = shapely.intersection(sites[site], parcels[parcel])
    width = 2 * shapely.area(common) / np.maximum(shapely.length(common), 1e-9)
    keep = width * ground.feet > _SHARED_EDGE_FT
    groups: dict[int, list[int]] = {}
    for s, p in zip(site[keep].tolist(), parcel[keep].tolist(), strict=True):
        groups.setdefault(s, []).append(p)
    for s, own in groups.items():
        met[s] = parcels[own[0]] if len(own) == 1 else shapely.union_all(parcels[own])
    return met


def _is_label(frame: Any) -> np.ndarray:
    labels: np.ndarray = frame["subject"].to_numpy() < 0
    return labels


def plan_of(sites: Sequence[Site]) -> Mapping[str, list[str]]:
    """Return the sites of each common plan, by plan."""
    plans: dict[str, list[str]] = {}
    for site in sites:
        if site.plan:
            plans.setdefault(site.plan, []).append(site.id)
    return plans
