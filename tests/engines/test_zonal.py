"""Shares of a cover raster are those of exactextract itself, asked about the file on its own."""

from __future__ import annotations

from fractions import Fraction

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import rasterio
import shapely
from exactextract import exact_extract
from rasterio.transform import from_origin
from shapely import Polygon, box

from geocheck.engines import ENGINES
from geocheck.measures.language import Layer as Leaf
from geocheck.measures.language import Measure, Share
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.quantity import US_SURVEY_FOOT

SHARE = Measure("share", "%", Share(Leaf("cover_raster"), Leaf("disturbance")), "?")
LEFT, TOP = 667000.0, 329900.0


def random_shapes(rng, count):
    """Stars, boxes smaller than a cell, rings with holes, and shapes in two parts."""
    shapes = []
    for kind in rng.integers(0, 4, count):
        x, y = LEFT + rng.uniform(50, 850), TOP - rng.uniform(50, 850)
        angles = np.linspace(0, 2 * np.pi, rng.integers(3, 12), endpoint=False)
        radii = rng.uniform(5, 45, len(angles))
        star = Polygon(np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)]))
        if kind == 1:
            star = box(x, y, x + rng.uniform(0.5, 6), y + rng.uniform(0.5, 6))
        elif kind == 2:
            star = shapely.difference(star.buffer(4), shapely.Point(x, y).buffer(2))
        elif kind == 3:
            star = shapely.union(star, box(x + 50, y, x + 58, y + 3))
        shapes.append(star)
    return np.array(shapes, dtype=object)


@pytest.mark.parametrize(
    ("cell", "dtype", "nodata", "scarce"),
    [(10.0, "float32", None, 0.0), (7.5, "uint8", 255, 0.02), (30.0, "float64", -9999.0, 0.1), (2.0, "int16", -1, 0.0)],
    ids=["floats", "bytes", "coarse with gaps", "fine"],
)
@pytest.mark.parametrize("engine", ENGINES.names())
def test_shares_equal_exactextracts_own(tmp_path, cell, dtype, nodata, scarce, engine):
    rng = np.random.default_rng(21)
    size = int(900 / cell)
    numbers = rng.integers(0, 101, (size, size)).astype(dtype)
    if scarce:
        numbers[rng.uniform(size=numbers.shape) < scarce] = nodata
    path = tmp_path / "cover.tif"
    with rasterio.open(path, "w", driver="GTiff", height=size, width=size, count=1, dtype=dtype, crs="EPSG:3071",
                       transform=from_origin(LEFT, TOP, cell, cell), nodata=nodata) as file:  # fmt: skip
        file.write(numbers, 1)
    shapes = random_shapes(rng, 60)
    crs = pyproj.CRS(3071)
    layer = Layer("cover_raster", LayerSource("cover_raster", str(path)), None, crs)
    where = Ground({"cover_raster": layer}, crs, Fraction(1), "grid", US_SURVEY_FOOT, 1.0, 0.0)
    who = Subjects("site", [str(i) for i in range(len(shapes))], {"disturbance": list(shapes)})
    found = ENGINES.load(engine).measure([SHARE], who, where)["share"]
    theirs = exact_extract(
        str(path), gpd.GeoDataFrame(geometry=list(shapes), crs=crs), ["mean", "count"], output="pandas"
    )
    share = theirs["count"].to_numpy(float) * cell**2 / shapely.area(shapes)
    enough = share >= 0.95
    assert enough.sum() > 5 and (enough.all() or scarce)
    np.testing.assert_allclose(found.values[enough], theirs["mean"].to_numpy(float)[enough], rtol=1e-4, atol=1e-4)
    assert np.isnan(found.values[~enough & (np.abs(share - 0.95) > 1e-4)]).all()
