"""Regions as overlay of aligned arrays: what Both, Either, Outside and Near mean, in plain shapely."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import shapely

from geocheck.engines.working.overlay import EMPTY, Failures, ground_only, overlay, slices, threaded
from geocheck.engines.working.units import length_in_units
from geocheck.measures.language import Both, Either, Layer, Near, Outside, Region
from geocheck.model.ground import Ground, Subjects

__all__ = ["QUARTER", "bound", "evaluate", "grow", "leaves", "reach", "thin_leaves", "zone_leaves"]

#: Segments that stand for a quarter of a circle where ground is grown: 0.02 ft off at a distance of 300 ft.
QUARTER = 48

#: Gives the geometries of a leaf, grown by a distance. The sign is +1 where growing the leaf grows the region, -1 where it
#: shrinks it. With a distance lines and points count too: what is near a stream's centre line is near the stream.
ShapesOf = Callable[[Layer, int, float], np.ndarray]

#: Gives the geometries of a whole part of a region that needs no evaluation with the rest, or None.
KnownOf = Callable[[Region, int], np.ndarray | None]


def leaves(region: Region) -> Iterator[tuple[Layer, int]]:
    """Yield each leaf with its sign: +1 where it adds to the region, -1 where it takes away."""
    if isinstance(region, Layer):
        yield region, 1
    elif isinstance(region, Both):
        yield from leaves(region.first)
        yield from leaves(region.second)
    elif isinstance(region, Either):
        for part in region.regions:
            yield from leaves(part)
    elif isinstance(region, Outside):
        yield from leaves(region.first)
        yield from ((leaf, -sign) for leaf, sign in leaves(region.second))
    else:
        yield from leaves(region.region)


def zone_leaves(region: Region, subjects: Subjects) -> list[Layer]:
    """Return the distinct leaves that mean whole layers."""
    return list(dict.fromkeys(leaf for leaf, _ in leaves(region) if leaf.role not in subjects.grounds))


def thin_leaves(region: Region) -> set[Layer]:
    """Return the leaves whose lines and points count too, because what matters is what is near them."""
    if isinstance(region, Near):
        parts = region.region.regions if isinstance(region.region, Either) else (region.region,)
        return {part for part in parts if isinstance(part, Layer)} | thin_leaves(region.region)
    if isinstance(region, Layer):
        return set()
    parts = region.regions if isinstance(region, Either) else (region.first, region.second)
    return set().union(*(thin_leaves(part) for part in parts))


def bound(region: Region, subjects: Subjects) -> frozenset[str] | None:
    """Return the own roles whose ground together holds the whole region; None where a whole layer may reach beyond."""
    if isinstance(region, Layer):
        return frozenset({region.role}) if region.role in subjects.grounds else None
    if isinstance(region, Both):
        first, second = bound(region.first, subjects), bound(region.second, subjects)
        if first is None or second is None:
            return second if first is None else first
        return min(first, second, key=len)
    if isinstance(region, Either):
        parts = [bound(part, subjects) for part in region.regions]
        known = [part for part in parts if part is not None]
        return frozenset().union(*known) if len(known) == len(parts) else None
    if isinstance(region, Outside):
        return bound(region.first, subjects)
    return None


def reach(region: Region, ground: Ground) -> float:
    """Return how far from a place ground can lie and still decide what the region is there, in the run's units."""
    if isinstance(region, Layer):
        return 0.0
    if isinstance(region, Near):
        return length_in_units(region.distance, ground) + reach(region.region, ground)
    parts = region.regions if isinstance(region, Either) else (region.first, region.second)
    return max(reach(part, ground) for part in parts)


def evaluate(
    region: Region,
    shapes_of: ShapesOf,
    ground: Ground,
    rows: np.ndarray,
    failures: Failures,
    sign: int = 1,
    lines: bool = False,
    known_of: KnownOf | None = None,
) -> np.ndarray:
    """Return the region of each row, from the geometries of its leaves.

    Parameters
    ----------
    region : Region
        What to evaluate.
    shapes_of : callable
        Leaf, sign and distance to an array of geometries, one a row.
    rows : ndarray of int
        Rows of the subjects, for the failures.
    lines : bool
        Where one leaf is given as lines, its outline: keep the lines on the boundary of what is taken away.
    known_of : callable or None
        Part and sign to the geometries of a part that is known already.
    """

    def of(part: Region, way: int) -> np.ndarray:
        known = known_of(part, way) if known_of is not None else None
        if known is not None:
            return known
        return evaluate(part, shapes_of, ground, rows, failures, way, lines, known_of)

    tidy = (lambda shapes: shapes) if lines else ground_only
    if isinstance(region, Layer):
        return shapes_of(region, sign, 0.0)
    if isinstance(region, Both):
        return tidy(overlay(shapely.intersection, of(region.first, sign), of(region.second, sign), rows, failures))
    if isinstance(region, Either):
        parts = [of(part, sign) for part in region.regions]
        whole = parts[0] if parts else np.full(len(rows), EMPTY, dtype=object)
        for part in parts[1:]:
            whole = tidy(overlay(shapely.union, whole, part, rows, failures))
        return whole
    if isinstance(region, Outside):
        first, second = of(region.first, sign), of(region.second, -sign)
        rest = overlay(shapely.difference, first, second, rows, failures)
        if lines:
            along = overlay(shapely.intersection, first, shapely.boundary(second), rows, failures)
            return overlay(shapely.union, rest, along, rows, failures)
        return tidy(rest)
    distance = length_in_units(region.distance, ground)
    inner = region.region.regions if isinstance(region.region, Either) else (region.region,)
    if not all(isinstance(part, Layer) for part in inner):
        return grow(of(region.region, sign), distance, QUARTER)
    near = [shapes_of(part, sign, distance) for part in inner if isinstance(part, Layer)]
    whole = near[0]
    for part in near[1:]:
        whole = tidy(overlay(shapely.union, whole, part, rows, failures))
    return whole


def grow(shapes: np.ndarray, distance: float, quarter: int = 8) -> np.ndarray:
    """Return the shapes with all ground within a distance; without their rim where the distance is negative."""
    if distance == 0 or not len(shapes):
        return shapes

    def work(block: slice) -> np.ndarray:
        return np.asarray(shapely.buffer(shapes[block], distance, quad_segs=quarter), dtype=object)

    return np.concatenate(threaded(work, slices(len(shapes))))
