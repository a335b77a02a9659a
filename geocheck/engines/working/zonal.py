"""Sums of a field over polygons, each cell by the share of it that lies inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from geocheck.engines.working.grids import Field, cells_of

__all__ = ["TILE", "Sums", "by_cell", "by_tile"]

#: Cells along the side of a window that is in memory at a time: 32 MB of numbers.
TILE = 2048


@dataclass(frozen=True, eq=False)
class Sums:
    """What a field holds in each polygon.

    Parameters
    ----------
    total : ndarray of float
        Sum of the numbers, each times the share of its cell inside; cells are the unit of area.
    data : ndarray of float
        Cells with data, counted by their shares.
    most : ndarray of float
        Largest number with ground inside; NaN where there is no data.
    """

    total: np.ndarray
    data: np.ndarray
    most: np.ndarray


def by_tile(field: Field, shapes: np.ndarray, tile: int = TILE) -> Sums:
    """Return the sums by exactextract, tile by tile: memory does not grow with the raster."""
    sums = Sums(np.zeros(len(shapes)), np.zeros(len(shapes)), np.full(len(shapes), np.nan))
    spans = cells_of(field.grid, shapely.bounds(shapes))
    rows = np.flatnonzero((spans[:, 2] > spans[:, 0]) & (spans[:, 3] > spans[:, 1]))
    tiles: dict[tuple[int, int], list[int]] = {}
    for row in rows:
        top, left, bottom, right = spans[row]
        for i in range(top // tile, (bottom - 1) // tile + 1):
            for j in range(left // tile, (right - 1) // tile + 1):
                tiles.setdefault((i, j), []).append(int(row))
    for (i, j), members in sorted(tiles.items()):
        chosen = np.array(members)
        _add_tile(field, shapes, chosen, spans[chosen], (i * tile, j * tile, tile), sums)
    return sums


def _add_tile(
    field: Field, shapes: np.ndarray, chosen: np.ndarray, spans: np.ndarray, tile: tuple[int, int, int], sums: Sums
) -> None:
    import geopandas as gpd
    from exactextract import exact_extract
    from exactextract.raster import NumPyRasterSource

    # Only what the members of the tile reach is read.
    top, left = max(spans[:, 0].min(), tile[0]), max(spans[:, 1].min(), tile[1])
    bottom, right = min(spans[:, 2].max(), tile[0] + tile[2]), min(spans[:, 3].max(), tile[1] + tile[2])
    numbers = field.read(int(top), int(left), int(bottom - top), int(right - left))
    if np.isnan(numbers).all():
        return
    grid = field.grid
    source = NumPyRasterSource(
        numbers,
        xmin=grid.left + left * grid.width,
        xmax=grid.left + right * grid.width,
        ymin=grid.top - bottom * grid.height,
        ymax=grid.top - top * grid.height,
        nodata=np.nan,
        srs_wkt=field.crs.to_wkt(),
    )
    zones = gpd.GeoDataFrame(geometry=gpd.GeoSeries(shapes[chosen], crs=field.crs))
    found = exact_extract(source, zones, ["sum", "count", "max"], output="pandas")
    count = found["count"].to_numpy(dtype=float, na_value=0.0)
    some = count > 0
    rows = chosen[some]
    sums.data[rows] += count[some]
    sums.total[rows] += found["sum"].to_numpy(dtype=float, na_value=0.0)[some]
    sums.most[rows] = np.fmax(sums.most[rows], found["max"].to_numpy(dtype=float, na_value=np.nan)[some])


def by_cell(field: Field, shapes: np.ndarray) -> Sums:
    """Return the sums by plain overlay of every cell with every polygon: slow, and what the others have to agree with."""
    sums = Sums(np.zeros(len(shapes)), np.zeros(len(shapes)), np.full(len(shapes), np.nan))
    grid = field.grid
    for row, (shape, span) in enumerate(zip(shapes, cells_of(grid, shapely.bounds(shapes)), strict=True)):
        top, left, bottom, right = span.tolist()
        if bottom <= top or right <= left:
            continue
        numbers = field.read(top, left, bottom - top, right - left)
        y, x = np.mgrid[top:bottom, left:right]
        cells = shapely.box(
            grid.left + x * grid.width,
            grid.top - (y + 1) * grid.height,
            grid.left + (x + 1) * grid.width,
            grid.top - y * grid.height,
        )
        inside = shapely.area(shapely.intersection(cells, shape)) / (grid.width * grid.height)
        known = ~np.isnan(numbers) & (inside > 0)
        sums.data[row] = inside[known].sum()
        sums.total[row] = (inside[known] * numbers[known]).sum()
        sums.most[row] = numbers[known].max(initial=-np.inf) if known.any() else np.nan
    return sums
