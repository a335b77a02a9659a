"""From square units of the run's system to the units of the answers, and what is too narrow to be ground."""

from __future__ import annotations

import numpy as np
import shapely

from geocheck.model.ground import Ground, Subjects
from geocheck.model.quantity import UNITS, Quantity

__all__ = ["NOISE_FEET", "accuracy_of", "factor", "length_in_units", "noise", "relative_shift", "without_noise"]

#: Ground narrower than this, in feet, is the noise of coordinates: reprojection and rounding, never a line of land.
NOISE_FEET = 0.01


def factor(unit: str, ground: Ground) -> float:
    """Return what one (square, cubic) unit of the run's system is in a unit of length, area or volume."""
    dimension, size, system = UNITS[unit]
    power = {"length": 1, "area": 2, "volume": 3}[dimension]
    linear = ground.feet if system == "foot" else float(ground.metres_per_unit) * ground.scale
    return linear**power / float(size)


def length_in_units(length: Quantity, ground: Ground) -> float:
    """Return a length in units of the run's system."""
    return float(length.to("ft", ground.foot).value) / ground.feet


def noise(ground: Ground) -> float:
    """Return the width of noise in units of the run's system."""
    return NOISE_FEET / ground.feet


def accuracy_of(role: str, ground: Ground) -> float:
    """Return the stated accuracy of a layer in units of the run's system; 0 where none is stated."""
    stated = ground.layers[role].source.accuracy
    return length_in_units(stated, ground) if stated is not None else 0.0


def relative_shift(role: str, subjects: Subjects, ground: Ground) -> float:
    """Return by how much a layer may lie off the subjects' ground through datum operations, in units of the run's system.

    Layers that came through the same operation are off together, and not from each other.
    """
    layer = ground.layers[role]
    owns = [ground.layers[own] for own in subjects.grounds if own in ground.layers]
    if not owns:
        owns = [ground.layers[own] for own in ("disturbance", "parcels") if own in ground.layers][:1]
    per_unit = float(ground.metres_per_unit)
    together = [
        0.0
        if own.datum_operation == layer.datum_operation and own.datum_operation
        else own.shift_doubt + layer.shift_doubt
        for own in owns
    ]
    return max(together, default=layer.shift_doubt) / per_unit


def without_noise(shapes: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the shapes with those that are nowhere wider than noise made empty, and which they were.

    The mean width of a polygon is twice its area over its perimeter; every part of a shape has to be that narrow.
    """
    parts, rows = shapely.get_parts(shapes, return_index=True)
    wide = 2 * shapely.area(parts) >= width * shapely.length(parts)
    any_wide = np.bincount(rows, weights=wide, minlength=len(shapes)) > 0
    narrow = ~any_wide & (shapely.area(shapes) > 0)
    kept = np.array(shapes, dtype=object)
    kept[narrow] = shapely.from_wkt("POLYGON EMPTY")
    return kept, narrow
