"""Ground that was kept in another system, such as a ledger's, brought into the run's."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from geocheck.sources.datum import route
from geocheck.sources.fitting import anchors, region_of
from geocheck.sources.reference import moved
from geocheck.sources.systems import same_system

__all__ = ["brought"]


def brought(shapes: Any, source: Any, target: Any) -> Any:
    """Return shapes in another system, by the way that the run takes between these systems.

    Parameters
    ----------
    shapes : ndarray of shapely geometry or None
        Coordinates in the source system.
    source, target : pyproj.CRS
        The systems.
    """
    shapes = np.asarray(shapes, dtype=object)
    present = shapes[~shapely.is_missing(shapes)]
    if not len(present) or same_system(source, target):
        return shapes
    region = region_of(source, anchors(present))
    assert region is not None, "ground that was kept fitted its system when it was read"
    return moved(shapes, source, target, route(source, target, region))
