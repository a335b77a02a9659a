"""What the errors of an outline's vertices do to an area.

The errors of the vertices are taken as independent and round. For a whole polygon the variance of its area is then
``sigma**2 / 4`` times the sum of the squared distances between the two neighbours of each vertex, and a term of second
order (N. R. Chrisman and B. S. Yandell, Effects of point error on area calculations: a statistical model, Surveying and
Mapping 48, 1988, 241-246). Where a zone bounds the region too, each edge counts only where it bounds the region.

An accuracy is the radius that holds 95 % of the horizontal errors: 2.4477 times the deviation along one axis (Federal
Geographic Data Committee, National Standard for Spatial Data Accuracy, FGDC-STD-007.3-1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

__all__ = ["HALF_WIDTH", "PER_AXIS", "Edges", "deviation", "edges_of"]

#: From the radius that holds 95 % of round errors to the deviation along one axis.
PER_AXIS = 1 / 2.4477

#: Half width of a 95 % interval, in deviations.
HALF_WIDTH = 1.96


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of some polygons, ground to the left of each.

    Parameters
    ----------
    starts, ends : ndarray, shape (n, 2)
        Ends of each edge.
    next_of : ndarray of int
        The edge that begins where each edge ends.
    owners : ndarray of int
        Entry of the polygon that each edge belongs to.
    count : int
        How many polygons.
    """

    starts: np.ndarray
    ends: np.ndarray
    next_of: np.ndarray
    owners: np.ndarray
    count: int


def edges_of(polygons: np.ndarray) -> Edges:
    """Return the edges of polygons; edges without length are left out."""
    turned = shapely.orient_polygons(polygons)
    parts, owners = shapely.get_parts(turned, return_index=True)
    rings, part_of = shapely.get_rings(parts, return_index=True)
    points, ring_of = shapely.get_coordinates(rings, return_index=True)
    moved = np.r_[True, (points[1:] != points[:-1]).any(axis=1) | (ring_of[1:] != ring_of[:-1])][: len(points)]
    points, ring_of = points[moved], ring_of[moved]
    joined = ring_of[1:] == ring_of[:-1]
    starts, ends, ring = points[:-1][joined], points[1:][joined], ring_of[1:][joined]
    index = np.arange(len(ring))
    last = np.r_[ring[1:] != ring[:-1], True][: len(ring)]
    firsts = np.flatnonzero(np.r_[True, ring[1:] != ring[:-1]][: len(ring)])
    next_of = index + 1
    next_of[last] = firsts
    return Edges(starts, ends, next_of, owners[part_of[ring]], len(polygons))


def deviation(edges: Edges, accuracy: float, sections: Sequence[tuple[float, np.ndarray | None]]) -> np.ndarray:
    """Return the deviation of an area, in square units, one a polygon.

    Parameters
    ----------
    edges : Edges
        The outlines.
    accuracy : float
        Radius that holds 95 % of the horizontal errors of a vertex.
    sections : sequence of (float, ndarray of lines or None)
        What of each polygon's outline bounds a region, and how often that region counts; None: all of it.

    Examples
    --------
    >>> square = edges_of(np.array([shapely.box(0, 0, 100, 100)]))
    >>> float(deviation(square, 2.4477, [(1, None)])[0].round(2))  # sqrt(4 * (100² + 100²) / 4 + 4 / 2)
    141.43
    """
    sigma = accuracy * PER_AXIS
    weights = np.zeros((2, len(edges.starts)))
    for times, lines in sections:
        weights += times * (np.full((2, len(edges.starts)), 0.5) if lines is None else _weights(edges, lines))
    along = edges.ends - edges.starts
    outward = np.column_stack([along[:, 1], -along[:, 0]])
    pull = outward * weights[1][:, None]
    pull[:] += (outward * weights[0][:, None])[edges.next_of]
    second = 0.5 * sigma**4 * (weights.sum(axis=0) ** 2)
    variance = sigma**2 * (pull**2).sum(axis=1) + second
    return np.sqrt(np.bincount(edges.owners, weights=variance, minlength=edges.count))


def _weights(edges: Edges, lines: np.ndarray) -> np.ndarray:
    """Return, for each edge, how much of a movement of its start, and of its end, moves the region."""
    count = len(edges.starts)
    starts, ends, owners = _stretches(lines)
    edge = _edge_of(edges, (starts + ends) / 2, owners)
    along = edges.ends[edge] - edges.starts[edge]
    places = [((points - edges.starts[edge]) * along).sum(axis=1) / (along**2).sum(axis=1) for points in (starts, ends)]
    low, high = np.minimum(*places).clip(0, 1), np.maximum(*places).clip(0, 1)
    to_end = (high**2 - low**2) / 2
    return np.stack([np.bincount(edge, weights, count) for weights in (high - low - to_end, to_end)])


def _stretches(lines: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return start, end and entry of every straight stretch of lines."""
    parts, owner = shapely.get_parts(lines, return_index=True)
    nested = shapely.get_type_id(parts) > 3
    if nested.any():
        inner, index = shapely.get_parts(parts[nested], return_index=True)
        parts, owner = np.r_[parts[~nested], inner], np.r_[owner[~nested], owner[nested][index]]
    line = np.isin(shapely.get_type_id(parts), (1, 2))
    points, part = shapely.get_coordinates(parts[line], return_index=True)
    joined = (part[1:] == part[:-1]) & (points[1:] != points[:-1]).any(axis=1)
    return points[:-1][joined], points[1:][joined], owner[line][part[1:][joined]]


def _edge_of(edges: Edges, points: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Return the edge of its polygon that each point on an outline lies on: the nearest."""
    counts = np.bincount(edges.owners, minlength=edges.count)
    firsts = np.cumsum(counts) - counts
    entry = np.repeat(np.arange(len(points)), counts[owners])
    if not len(entry):
        return np.empty(0, dtype=int)
    heads = np.cumsum(counts[owners]) - counts[owners]
    edge = np.arange(len(entry)) - np.repeat(heads - firsts[owners], counts[owners])
    start, along = edges.starts[edge], edges.ends[edge] - edges.starts[edge]
    place = (((points[entry] - start) * along).sum(axis=1) / (along**2).sum(axis=1)).clip(0, 1)
    off = ((points[entry] - start - place[:, None] * along) ** 2).sum(axis=1)
    nearest = np.minimum.reduceat(off, heads)
    best = np.flatnonzero(off == nearest[entry])
    return np.asarray(edge[best[np.unique(entry[best], return_index=True)[1]]])
