"""Rasters as fields of numbers over a grid, read in windows: cover, the difference of two surfaces, slope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pyproj

from geocheck.model.ground import Ground, Layer
from geocheck.model.problem import EngineError
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT

__all__ = ["Cover", "Difference", "Field", "Gradient", "Grid", "opened"]

#: Bytes of raster blocks that are kept.
CACHE = 128_000_000

_VERTICAL = {"ft": INTERNATIONAL_FOOT, "ftUS": US_SURVEY_FOOT, "m": Fraction(1)}
_SPELLINGS = {
    "metre": "m", "meter": "m", "metres": "m", "meters": "m", "m": "m", "foot": "ft", "feet": "ft", "ft": "ft",
    "international foot": "ft", "us survey foot": "ftUS", "us_survey_foot": "ftUS", "foot_us": "ftUS", "us-ft": "ftUS",
    "ftus": "ftUS", "us survey feet": "ftUS", "us foot": "ftUS",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of equal size, rows from north to south, columns from west to east.

    Parameters
    ----------
    left, top : float
        Upper left corner.
    width, height : float
        Size of a cell, both positive.
    rows, columns : int
        How many.
    """

    left: float
    top: float
    width: float
    height: float
    rows: int
    columns: int


class Field(Protocol):
    """Numbers over a grid."""

    @property
    def grid(self) -> Grid:
        """The grid."""
        ...

    @property
    def crs(self) -> Any:
        """Its horizontal reference system."""
        ...

    def read(self, row: int, column: int, rows: int, columns: int) -> np.ndarray:
        """Return the numbers of a window, which may reach beyond the grid; NaN where there is no data."""
        ...


@dataclass(frozen=True, eq=False)
class Band:
    """One band of a raster file, north up however the file is stored: a `Field`."""

    data: Any
    grid: Grid
    crs: Any
    south_up: bool = False
    scale: float = 1.0
    offset: float = 0.0
    number: int = 1

    def read(self, row: int, column: int, rows: int, columns: int) -> np.ndarray:
        """Return the numbers of a window."""
        from rasterio.windows import Window

        result = np.full((rows, columns), np.nan)
        top, left = max(row, 0), max(column, 0)
        bottom, right = min(row + rows, self.grid.rows), min(column + columns, self.grid.columns)
        if top >= bottom or left >= right:
            return result
        first = self.grid.rows - bottom if self.south_up else top
        found = self.data.read(self.number, window=Window(left, first, right - left, bottom - top), masked=True)
        numbers = np.where(np.ma.getmaskarray(found), np.nan, found.data.astype(float))
        numbers = numbers * self.scale + self.offset
        result[top - row : bottom - row, left - column : right - column] = numbers[::-1] if self.south_up else numbers
        return result


@contextmanager
def opened(layer: Layer, like: Band | None = None) -> Iterator[Band]:
    """Open a raster layer; with ``like``, resampled onto the grid of another where the grids differ.

    Raises
    ------
    EngineError
        If the file cannot be read, is rotated, or has no reference system.
    """
    import rasterio
    from rasterio.enums import Resampling
    from rasterio.errors import RasterioIOError
    from rasterio.vrt import WarpedVRT

    with ExitStack() as stack:
        # GDAL would keep a twentieth of the machine's memory full of blocks that are read once.
        stack.enter_context(rasterio.Env(GDAL_CACHEMAX=CACHE))
        try:
            data = stack.enter_context(rasterio.open(layer.source.path))
        except RasterioIOError as error:
            raise EngineError(f"{layer.role}: cannot read the raster {layer.source.source}: {error}") from error
        band = _band(layer, data)
        if like is None or (band.grid == like.grid and band.crs == like.crs):
            yield band
            return
        transform = rasterio.Affine(like.grid.width, 0, like.grid.left, 0, -like.grid.height, like.grid.top)
        options = {
            "src_crs": band.crs.to_wkt(), "crs": like.crs.to_wkt(), "transform": transform, "width": like.grid.columns,
            "height": like.grid.rows, "resampling": Resampling.bilinear, "dtype": "float64", "nodata": float("nan"),
        }  # fmt: skip
        if data.nodata is not None:
            options["src_nodata"] = data.nodata
        with WarpedVRT(data, **options) as warped:
            yield Band(warped, like.grid, like.crs, False, band.scale, band.offset, band.number)


def _band(layer: Layer, data: Any) -> Band:
    place = data.transform
    if place.b or place.d or place.a <= 0 or place.e == 0:
        raise EngineError(
            f"{layer.role}: {layer.source.source} is rotated or mirrored; warp it to a north-up grid first, as with gdalwarp"
        )
    own = data.crs.to_wkt() if data.crs else ""
    used = layer.source.crs if layer.source.crs and (layer.source.override_crs or not own) else own
    if not used:
        raise EngineError(f"{layer.role}: {layer.source.source} has no reference system; state one as its crs")
    crs = pyproj.CRS(used)
    crs = crs.sub_crs_list[0] if crs.is_compound else crs
    south_up = place.e > 0
    top = place.f + place.e * data.height if south_up else place.f
    grid = Grid(place.c, top, place.a, abs(place.e), data.height, data.width)
    number = int(layer.source.layer or 1)
    return Band(data, grid, crs, south_up, data.scales[number - 1] or 1.0, data.offsets[number - 1], number)


def vertical_metres(layer: Layer, data: Any) -> float:
    """Return metres in one vertical unit of a surface: as stated, else as its reference system or its band says.

    Raises
    ------
    EngineError
        If nothing says it: a volume in a guessed unit would be a wrong number.
    """
    if layer.source.vertical_unit:
        return float(_VERTICAL[layer.source.vertical_unit])
    if data.crs:
        for part in pyproj.CRS(data.crs.to_wkt()).sub_crs_list:
            if part.is_vertical:
                return float(part.axis_info[0].unit_conversion_factor)
    number = int(layer.source.layer or 1)
    said = (data.units[number - 1] or "").strip() if data.units else ""
    unit = _SPELLINGS.get(said.lower())
    if unit is None:
        also = f" (its band says {said!r})" if said else ""
        raise EngineError(
            f"{layer.role}: nothing says the vertical unit of {layer.source.source}{also}; state vertical_unit: ft, ftUS or m"
        )
    return float(_VERTICAL[unit])


@dataclass(frozen=True, eq=False)
class Cover:
    """Percent covered: the band's own percentages, or 100 where its class counts and 0 elsewhere: a `Field`.

    Percentages outside 0 to 100 are codes, not ground, and count as no data.
    """

    band: Band
    classes: tuple[int, ...]

    @property
    def grid(self) -> Grid:
        """Grid of the band."""
        return self.band.grid

    @property
    def crs(self) -> Any:
        """Reference system of the band."""
        return self.band.crs

    def read(self, row: int, column: int, rows: int, columns: int) -> np.ndarray:
        """Return the percentages of a window."""
        numbers = self.band.read(row, column, rows, columns)
        if self.classes:
            return np.where(np.isnan(numbers), np.nan, 100.0 * np.isin(numbers, self.classes))
        return np.where((numbers < 0) | (numbers > 100), np.nan, numbers)


@dataclass(frozen=True, eq=False)
class Difference:
    """Height of fill (``way`` 1) or depth of cut (-1) in feet, 0 where there is none: a `Field`."""

    proposed: Band
    existing: Band
    feet: tuple[float, float]
    way: int

    @property
    def grid(self) -> Grid:
        """Grid of the proposed surface."""
        return self.proposed.grid

    @property
    def crs(self) -> Any:
        """Reference system of the proposed surface."""
        return self.proposed.crs

    def read(self, row: int, column: int, rows: int, columns: int) -> np.ndarray:
        """Return the heights of a window."""
        window = (row, column, rows, columns)
        rise = self.proposed.read(*window) * self.feet[0] - self.existing.read(*window) * self.feet[1]
        return np.where(np.isnan(rise), np.nan, np.maximum(self.way * rise, 0.0))


@dataclass(frozen=True, eq=False)
class Gradient:
    """Slope in percent, or 1 where it is at least ``limit`` and 0 elsewhere: a `Field`.

    Horn's method weighs the eight neighbours of a cell; a cell that lacks one has no slope.
    """

    band: Band
    rise: float
    run: float
    limit: float | None = None

    @property
    def grid(self) -> Grid:
        """Grid of the surface."""
        return self.band.grid

    @property
    def crs(self) -> Any:
        """Reference system of the surface."""
        return self.band.crs

    def read(self, row: int, column: int, rows: int, columns: int) -> np.ndarray:
        """Return the slopes of a window."""
        z = self.band.read(row - 1, column - 1, rows + 2, columns + 2) * self.rise
        across, down = 8 * self.grid.width * self.run, 8 * self.grid.height * self.run
        east = z[:-2, 2:] + 2 * z[1:-1, 2:] + z[2:, 2:] - z[:-2, :-2] - 2 * z[1:-1, :-2] - z[2:, :-2]
        south = z[2:, :-2] + 2 * z[2:, 1:-1] + z[2:, 2:] - z[:-2, :-2] - 2 * z[:-2, 1:-1] - z[:-2, 2:]
        slope = 100 * np.hypot(east / across, south / down) + 0 * z[1:-1, 1:-1]
        if self.limit is None:
            return np.asarray(slope)
        # A slope this near to the limit is the limit: the arithmetic of sums must not decide.
        return np.where(np.isnan(slope), np.nan, (slope >= self.limit * (1 - 1e-6)).astype(float))


def run_metres(layer: Layer, crs: Any) -> float:
    """Return metres in one horizontal unit of a surface.

    Raises
    ------
    EngineError
        If it is in degrees, in which a slope has no run.
    """
    if crs.is_geographic:
        raise EngineError(
            f"{layer.role}: {layer.source.source} is in degrees, in which a slope has no run; warp it to a projected system"
        )
    return float(crs.axis_info[0].unit_conversion_factor)


def answer_feet(ground: Ground, metres: float) -> float:
    """Return feet of the answers in so many metres, vertically: a basis at an elevation scales only lengths on the ground."""
    return metres / float(ground.foot)


def cells_of(grid: Grid, bounds: np.ndarray) -> np.ndarray:
    """Return first row, first column, last row and last column (excluded) of the cells that boxes meet, within the grid."""
    left, bottom, right, top = bounds.T
    first_row, last_row = np.floor((grid.top - top) / grid.height), np.ceil((grid.top - bottom) / grid.height)
    first_column, last_column = np.floor((left - grid.left) / grid.width), np.ceil((right - grid.left) / grid.width)
    found = np.stack([first_row, first_column, last_row, last_column], axis=1)
    found = np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
    top_ends = np.array([grid.rows, grid.columns, grid.rows, grid.columns])
    return np.asarray(np.clip(found, 0, top_ends).astype(int))
