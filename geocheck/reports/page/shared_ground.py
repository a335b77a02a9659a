"""The layers around many sites as whole numbers, told once: the page's script draws each site's map from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from geocheck.reports.page.drawing import Windows, simplified
from geocheck.reports.page.site_map import LEAST, SiteMaps

__all__ = ["shared_ground"]

#: Lines are kept to so much ground, in feet: half a unit of the finest picture.
FINE = LEAST / Windows.wide


def shared_ground(maps: SiteMaps) -> dict[str, Any]:
    """Return all that any site's map shows.

    Returns
    -------
    dict
        ``unit`` and ``feet``: feet in one whole number. ``least``: least width of a map, in whole numbers. ``sites``: for each
        site its shape as below, or null without ground. ``layers``: by role, in the order in which they are drawn, ``[boxes, shapes, points, names]``: bounds and
        a place within of each feature, four and two numbers each; its rings or lines, each a list of x, y and then of steps from
        point to point; and its name, empty but for parcels. All counted from ``origin``.
    """
    present = [ground is not None and not ground.is_empty for ground in maps.grounds]
    if not any(present):
        return {"feet": 1.0, "least": 1, "sites": [None] * len(present), "layers": []}
    unit = FINE / maps.feet
    windows = Windows.around(shapely.bounds(maps.grounds[present]), LEAST / maps.feet)
    frames = shapely.box(*windows.frames.T)
    origin = np.floor(windows.frames.min(axis=0)[:2])
    layers = []
    for role, shapes in maps.shapes():
        tree = shapely.STRtree(shapes)
        rows = np.unique(tree.query(frames)[1])
        if len(rows):
            names = [maps.parcel_ids[row] for row in rows.tolist()] if role == "parcels" and maps.parcel_ids else []
            layers.append((role, *_told(shapes[rows], origin, unit), names))
    sites: list[Any] = [None] * len(present)
    boxes, shapes, points = _told(maps.grounds[present], origin, unit)
    for place, row in enumerate(np.flatnonzero(present).tolist()):
        sites[row] = (boxes[4 * place : 4 * place + 4], shapes[place], points[2 * place : 2 * place + 2])
    return {"feet": FINE, "least": round(LEAST / maps.feet / unit), "sites": sites, "layers": layers}


def _told(shapes: Any, origin: Any, unit: float) -> tuple[list[int], list[list[list[int]]], list[int]]:
    """Bounds, rings or lines, and a place within, of each shape."""
    thin = simplified(shapely.force_2d(shapes), unit)
    parts, whose = shapely.get_parts(shapely.orient_polygons(thin), return_index=True)
    areal, linear = shapely.get_dimensions(parts) == 2, shapely.get_dimensions(parts) == 1
    rings, index = shapely.get_rings(parts[areal], return_index=True)
    lines, whose = np.concatenate((rings, parts[linear])), np.concatenate((whose[areal][index], whose[linear]))
    ground, index = shapely.get_coordinates(lines, return_index=True)
    steps = np.rint((ground - origin) / unit).astype(int)
    first = np.diff(index, prepend=-1) > 0
    steps[1:] -= np.where(first[1:, None], 0, steps[:-1])
    flat, starts = steps.ravel().tolist(), (np.flatnonzero(first) * 2).tolist()
    told: list[list[list[int]]] = [[] for _ in range(len(shapes))]
    for shape, start, end in zip(whose.tolist(), starts, [*starts[1:], len(flat)], strict=True):
        told[shape].append(flat[start:end])
    places = shapely.get_coordinates(shapely.point_on_surface(thin))
    bounds = np.rint((shapely.bounds(thin) - np.tile(origin, 2)) / unit).astype(int)
    return bounds.ravel().tolist(), told, np.rint((places - origin) / unit).astype(int).ravel().tolist()
