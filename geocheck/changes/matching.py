"""Parcels of two deliveries matched: by identifier and how far the outline strayed, and by common ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.changes.delivery import Parcels, stacks

__all__ = ["Links", "Pairs", "link", "pair", "shifts", "tolerance_of"]

#: Feet by which an outline may stray where nobody states an accuracy.
LEAST_FT = 1.0
#: Feet beyond which a redrawn delivery is no longer taken for the same lines.
MOST_FT = 5.0
#: A delivery is redrawn where more than half of so many parcels strayed.
_ENOUGH = 100
#: Ground that a child has from a parent, or a parent gave to a child, makes descent from this share on.
_DESCENT = 0.1
_MOST = 0.5
#: More vertex pairs than this are not compared vertex by vertex.
_LARGE = 4_000_000


@dataclass(frozen=True, eq=False)
class Pairs:
    """Parcels with the same identifier in both deliveries.

    Parameters
    ----------
    before, after : array of int
        Their rows.
    shift : array of float
        Feet by which the outline strayed; infinite where one of them has no ground, 0 where neither has.
    """

    before: Any
    after: Any
    shift: Any


def pair(before: Parcels, after: Parcels, feet: float) -> Pairs:
    """Return the parcels with the same identifier in both deliveries."""
    old, new = before.named, after.named
    at = pd.Index(after.names[new]).get_indexer(before.names[old])
    one, two = old[at >= 0], new[at[at >= 0]]
    return Pairs(one, two, shifts(before.grounds[one], after.grounds[two], feet))


def shifts(before: Any, after: Any, feet: float) -> Any:
    """Return how far each outline strays from the one before, in feet (Hausdorff distance of the outlines)."""
    nothing = np.stack([shapely.is_missing(before), shapely.is_missing(after)])
    found = np.where(nothing.all(axis=0), 0.0, np.inf)
    there = np.flatnonzero(~nothing.any(axis=0))
    same = shapely.equals_exact(before[there], after[there], 0.0)
    found[there[same]] = 0.0
    rest = there[~same]
    counts = shapely.get_num_coordinates(before[rest]) * shapely.get_num_coordinates(after[rest]).astype(float)
    small, large = rest[counts <= _LARGE], rest[counts > _LARGE]
    found[small] = shapely.hausdorff_distance(before[small], after[small]) * feet
    for row in large.tolist():
        found[row] = _strayed(before[row], after[row]) * feet
    return found


def _strayed(before: Any, after: Any) -> float:
    """Greatest distance of either outline's vertices from the other outline, by an index of its segments."""
    greatest = 0.0
    for one, other in ((before, after), (after, before)):
        lines = _segments(other)
        points = shapely.points(shapely.get_coordinates(one))
        _, distance = shapely.STRtree(lines).query_nearest(points, return_distance=True, all_matches=False)
        greatest = max(greatest, float(distance.max()))
    return greatest


def _segments(shape: Any) -> Any:
    rings = shapely.get_rings(shapely.get_parts(shape))
    points, ring = shapely.get_coordinates(rings, return_index=True)
    inside = np.flatnonzero(ring[1:] == ring[:-1])
    return shapely.linestrings(np.stack([points[inside], points[inside + 1]], axis=1))


def tolerance_of(shift: Any, stated: float | None) -> float:
    """Return how far an outline may stray and be the same, in feet.

    The stated accuracy, else 1 ft. Where the delivery was drawn anew, so that more than half of a hundred parcels or
    more strayed, three times what 95 % of them strayed, at most 5 ft.

    Examples
    --------
    >>> tolerance_of(np.zeros(500), None), tolerance_of(np.full(500, 1.5), None), tolerance_of(np.zeros(2), 20.0)
    (1.0, 4.5, 20.0)
    """
    least = LEAST_FT if stated is None else stated
    moved = shift[np.isfinite(shift)]
    if len(moved) < _ENOUGH or np.median(moved) <= 0.0:
        return least
    return float(max(least, min(MOST_FT, 3 * np.quantile(moved, 0.95))))


@dataclass(frozen=True, eq=False)
class Links:
    """Which loose parcels after came from which loose parcels before, by ground.

    Parameters
    ----------
    before, after : array of int
        Rows of the parcels linked.
    area : array of float
        Their common ground, square feet; stacked parcels share theirs evenly.
    """

    before: Any
    after: Any
    area: Any


def link(before: Parcels, after: Parcels, old: Any, new: Any, *, tolerance: float, feet: float) -> Links:
    """Link parcels by the ground that they have in common.

    A strip no wider than the tolerance links nothing; nor does a strip that two neighbours exchange while each keeps its
    number and most of its ground.

    Parameters
    ----------
    old, new : array of int
        Rows of the parcels that are not matched yet.
    """
    old, new = (rows[~shapely.is_missing(side.grounds[rows])] for side, rows in ((before, old), (after, new)))
    if not len(old) or not len(new):
        nothing = np.zeros(0, dtype=int)
        return Links(nothing, nothing, np.zeros(0))
    at, found = shapely.STRtree(after.grounds[new]).query(before.grounds[old], predicate="intersects")
    one, two = old[at], new[found]
    common = shapely.intersection(before.grounds[one], after.grounds[two])
    area = shapely.area(common) * feet**2
    width = 2 * area / np.maximum(shapely.length(common) * feet, 1e-12)
    of_parent, of_child = area / before.areas[one], area / after.areas[two]
    most = (of_parent >= _MOST) | (of_child >= _MOST)
    linked = (area > 0) & (most | ((width > tolerance) & ((of_parent >= _DESCENT) | (of_child >= _DESCENT))))
    own = (before.names[one] == after.names[two]) & (before.kinds[one] == "parcel") & (after.kinds[two] == "parcel")
    stays = set(one[linked & own & most].tolist()), set(two[linked & own & most].tolist())
    neighbours = np.array([b in stays[0] and a in stays[1] for b, a in zip(one.tolist(), two.tolist(), strict=True)], dtype=bool)  # fmt: skip
    linked &= own | ~neighbours | most
    one, two, area = one[linked], two[linked], area[linked]
    crowd = _crowd(before, old)[one] * _crowd(after, new)[two]
    return Links(one, two, area / crowd)


def _crowd(side: Parcels, rows: Any) -> Any:
    """How many of the rows stand on the same ground as each."""
    count = np.ones(len(side), dtype=float)
    for group in stacks(side.grounds, rows):
        count[group] = len(group)
    return count
