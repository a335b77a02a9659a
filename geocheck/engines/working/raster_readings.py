"""What rasters answer: shares of cover, cut and fill, slopes; and how much of the ground had data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyproj
import shapely

from geocheck.engines.working.found import Found
from geocheck.engines.working.grids import (
    Cover,
    Difference,
    Field,
    Gradient,
    answer_feet,
    opened,
    run_metres,
    vertical_metres,
)
from geocheck.engines.working.sight import Sight
from geocheck.engines.working.units import factor
from geocheck.measures.language import Cut, Fill, Share, Slope, Steep
from geocheck.model.ground import Ground
from geocheck.model.problem import EngineError
from geocheck.model.quantity import UNITS

__all__ = ["ENOUGH", "RasterReading", "read_raster"]

RasterReading = Share | Cut | Fill | Slope | Steep

#: Share of the ground that must have data; with less the answer is unknown.
ENOUGH = 0.95

#: Longest stretch of an outline, in metres, that is taken as straight in another reference system.
STRAIGHT = 300.0


def read_raster(reading: RasterReading, unit: str, sight: Sight) -> Found:
    """Return what a raster reading finds, with the share of ground that had data said where it was not all.

    A field in another reference system is read through the subjects' outlines brought into that system; areas are those
    of the run's system.
    """
    setting = sight.setting
    shapes = sight.shapes(reading.within)
    areas = shapely.area(shapes)
    try:
        with field_of(reading, setting.ground) as field:
            there = _carried(shapes, setting.ground, field.crs)
            sums = sight.sums(field, there)
            cells = shapely.area(there) / (field.grid.width * field.grid.height)
    except EngineError as error:
        # The layer is there and cannot answer: said at every subject, so that what needs no raster is still measured.
        blank = np.full(len(areas), np.nan)
        return Found(blank, blank.copy(), blank.copy(), failures=dict.fromkeys(range(len(areas)), str(error)))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(cells > 0, np.minimum(sums.data / cells, 1.0), np.nan)
        mean = np.where(sums.data > 0, sums.total / sums.data, np.nan)
    share = np.where(np.abs(share - 1) < 1e-5, 1.0, share)  # coverage fractions are single precision
    gap = np.nan_to_num(1 - share)
    notes = {
        int(row): f"{100 * share[row]:.3g} % of the ground has data"
        for row in np.flatnonzero((share < 1) & (areas > 0))
    }
    whole = np.where(np.isnan(share), 0.0, areas * share)  # ground with data, square units of the run's system
    basis = setting.ground.doubt
    if isinstance(reading, Share):
        values, lows, highs = mean, mean * share, mean * share + 100 * gap
    elif isinstance(reading, Slope):
        values = mean if reading.statistic == "mean" else sums.most
        lows, highs = values.copy(), values.copy()
    elif isinstance(reading, Steep):
        scale = factor(unit, setting.ground)
        values = np.nan_to_num(mean) * whole * scale
        lows, highs = values * (1 - basis), np.minimum(values + areas * gap * scale, areas * scale) * (1 + basis)
    else:
        scale = setting.ground.feet**2 / float(UNITS[unit][1])
        values = np.nan_to_num(mean) * whole * scale
        open_ = np.nan_to_num(sums.most) * areas * gap * scale
        lows, highs = values * (1 - basis), (values + open_) * (1 + basis)
    empty = areas == 0
    if not isinstance(reading, Share | Slope):
        for series in (values, lows, highs):
            series[empty] = 0.0
    scarce = ~empty & ~(share >= ENOUGH)
    for row in np.flatnonzero(scarce):
        said = f"{100 * share[row]:.3g} %" if share[row] > 0 else "none"
        notes[int(row)] = f"insufficient data: {said} of the ground has data"
    for series in (values, lows, highs):
        series[scarce] = np.nan
    return Found(values, lows, highs, notes)


@contextmanager
def field_of(reading: RasterReading, ground: Ground) -> Iterator[Field]:
    """Open the rasters of a reading as the field that it sums.

    Raises
    ------
    EngineError
        If a raster cannot be read or does not say what its numbers mean.
    """
    if isinstance(reading, Share):
        layer = ground.layers[reading.raster.role]
        with opened(layer) as band:
            yield Cover(band, tuple(layer.source.classes))
    elif isinstance(reading, Slope | Steep):
        layer = ground.layers[reading.surface.role]
        with opened(layer) as band:
            limit = float(reading.at_least.value) if isinstance(reading, Steep) else None
            yield Gradient(band, vertical_metres(layer, band.data), run_metres(layer, band.crs), limit)
    else:
        existing, proposed = (ground.layers[leaf.role] for leaf in (reading.existing, reading.proposed))
        with opened(proposed) as after, opened(existing) as own, opened(existing, after) as before:
            units = vertical_metres(proposed, after.data), vertical_metres(existing, own.data)
            feet = answer_feet(ground, units[0]), answer_feet(ground, units[1])
            yield Difference(after, before, feet, 1 if isinstance(reading, Fill) else -1)


def _carried(shapes: np.ndarray, ground: Ground, crs: object) -> np.ndarray:
    """Return the shapes in a raster's reference system."""
    if pyproj.CRS(ground.crs) == crs:
        return shapes
    carry = pyproj.Transformer.from_crs(ground.crs, crs, always_xy=True)
    fine = shapely.segmentize(shapes, STRAIGHT / float(ground.metres_per_unit))
    return np.asarray(shapely.transform(fine, lambda xy: np.column_stack(carry.transform(*xy.T))), dtype=object)
