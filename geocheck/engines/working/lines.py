"""The lines and the records of a layer that lie in some ground, one subject at a time."""

from __future__ import annotations

import numpy as np
import shapely

__all__ = ["has_ground", "lines_only", "measured_length"]


def lines_only(shapes: np.ndarray) -> np.ndarray:
    """Return the lines among shapes and collections, each on its own; points and polygons have no length to count."""
    parts = shapely.get_parts(shapes)
    for _ in range(8):  # collections may nest
        nested = shapely.get_type_id(parts) > 3
        if not nested.any():
            break
        parts = np.r_[parts[~nested], shapely.get_parts(parts[nested])]
    return np.asarray(parts[np.isin(shapely.get_type_id(parts), (1, 2)) & ~shapely.is_empty(parts)], dtype=object)


def measured_length(lines: np.ndarray) -> float:
    """Return the length of lines, coincident stretches counted once."""
    if not len(lines):
        return 0.0
    return float(shapely.length(shapely.union_all(lines)))


def has_ground(records: np.ndarray, shapes: np.ndarray, width: float) -> np.ndarray:
    """Tell which records have more than noise in common with a shape: area, or length, or a point, by their dimension."""
    common = shapely.intersection(records, shapes)
    dimension = shapely.get_dimensions(records)
    area, edge = shapely.area(common), shapely.length(common)
    polygon = (area > 0) & (2 * area >= width * edge)
    line = edge > width
    point = ~shapely.is_empty(common)
    return np.asarray(np.select([dimension == 2, dimension == 1, dimension == 0], [polygon, line, point], False))
