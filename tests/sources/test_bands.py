"""Rasters looked at before they are read: the band that is meant, the grid, the system, and numbers that look like something else."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio
from rasterio.enums import ColorInterp
from rasterio.transform import Affine, from_origin

from geocheck.model.ground import LayerSource
from geocheck.model.problem import SourceError
from geocheck.sources.raster import read_raster

UP = from_origin(667000, 329100, 10, 10)
HALVES = np.repeat([[0.0] * 5 + [100.0] * 5], 10, axis=0)


@pytest.fixture
def write(tmp_path):
    def write(*bands, crs="EPSG:3071", transform=UP, said=(), alpha=False, dtype="float32", **more):
        path = tmp_path / "cover.tif"
        height, width = bands[0].shape
        with rasterio.open(path, "w", driver="GTiff", height=height, width=width, count=len(bands), dtype=dtype, crs=crs, transform=transform, **more) as file:  # fmt: skip
            for number, numbers in enumerate(bands, 1):
                file.write(numbers.astype(dtype), number)
            for number, word in enumerate(said, 1):
                file.set_band_description(number, word)
            if alpha:
                file.colorinterp = [ColorInterp.gray, ColorInterp.alpha]
        return str(path)

    return write


def source(path, **keys):
    return LayerSource("cover_raster", path, **keys)


def test_a_band_of_several_must_be_named(write):
    path = write(HALVES, HALVES * 0, said=("roofs", "trees"))
    with pytest.raises(SourceError, match=r"2 bands and none is named.*\n.*1 \(roofs\), 2 \(trees\)"):
        read_raster(source(path))
    for word, band in (("1", "1"), ("2", "2"), ("roofs", "1"), ("trees", "2")):
        layer = read_raster(source(path, layer=word))
        assert layer.source.layer == band and f"band {band}" in layer.name
    for word in ("3", "0", "grass"):
        with pytest.raises(SourceError, match=f"no band '{word}'"):
            read_raster(source(path, layer=word))


def test_transparency_is_no_band(write):
    assert read_raster(source(write(HALVES, HALVES * 0 + 255, alpha=True))).source.layer == "1"


def test_the_named_band_is_measured(write):
    import pyproj
    import shapely

    from geocheck.engines import ENGINES
    from geocheck.measures.language import Layer as Leaf
    from geocheck.measures.language import Measure, Share
    from geocheck.model.ground import Ground, Subjects
    from geocheck.model.quantity import US_SURVEY_FOOT

    path = write(HALVES * 0, HALVES)
    asked = Measure("share", "%", Share(Leaf("cover_raster"), Leaf("disturbance")), "?")
    site = Subjects("site", ["S"], {"disturbance": [shapely.box(667045, 329045, 667065, 329065)]})
    for band, share in (("1", 0), ("2", 75)):
        where = Ground({"cover_raster": read_raster(source(path, layer=band))}, pyproj.CRS(3071), 1, "grid", US_SURVEY_FOOT, 1.0, 0.0)  # fmt: skip
        for engine in ENGINES.names():
            found = ENGINES.load(engine).measure([asked], site, where)["share"]
            assert found.values[0] == pytest.approx(share), engine


@pytest.mark.parametrize(
    "transform",
    [Affine(10, 1, 667000, 1, -10, 329100), Affine(-10, 0, 667100, 0, -10, 329100), Affine(0, 10, 667000, 10, 0, 329000)],
    ids=["turned a little", "mirrored", "on its side"],
)  # fmt: skip
def test_a_rotated_raster_is_refused(write, transform):
    with pytest.raises(SourceError, match="rotated"):
        read_raster(source(write(HALVES, transform=transform)))


def test_a_raster_with_its_south_up_is_read(write):
    assert read_raster(source(write(HALVES, transform=Affine(10, 0, 667000, 0, 10, 329000)))).crs.to_epsg() == 3071


def test_the_system_of_a_raster_is_stated_or_its_own_and_never_both(write):
    path = write(HALVES)
    assert read_raster(source(path, crs="EPSG:3071")).crs_from == "file"
    with pytest.raises(SourceError, match="two-systems"):
        read_raster(source(path, crs="EPSG:8104"))
    layer = read_raster(source(path, crs="EPSG:8104", override_crs=True))
    assert (layer.crs.to_epsg(), layer.crs_from) == (8104, "overridden")
    path = write(HALVES, crs=None)
    with pytest.raises(SourceError, match="no-system"):
        read_raster(source(path))
    assert read_raster(source(path, crs="EPSG:3071")).crs_from == "asserted"


RNG = np.random.default_rng(4)
SPARSE = np.zeros((1500, 1500))
SPARSE[701, 703] = 80.0  # a sample of every third cell does not see it
SPARSE[::3, ::3] = 1.0


@pytest.mark.parametrize(
    ("numbers", "keys", "word"),
    [
        pytest.param(HALVES / 100, {}, "run from 0 to 1", id="shares"),
        pytest.param((HALVES > 0) * 1.0, {}, "run from 0 to 1", id="a mask"),
        pytest.param(RNG.random((40, 40)), {}, "run from 0 to 1", id="shares at random"),
        pytest.param(np.where(HALVES > 0, 24, 41), {}, "codes of land cover", id="land cover"),
        pytest.param(RNG.choice([11, 21, 22, 42, 81, 95], (40, 40)), {}, "codes of land cover", id="more land cover"),
        pytest.param((HALVES > 0) * 1.0, {"classes": (1,)}, "", id="a mask, and said so"),
        pytest.param(np.where(HALVES > 0, 24, 41), {"classes": (22, 24)}, "", id="land cover, and said so"),
        pytest.param(HALVES, {}, "", id="nothing and all"),
        pytest.param(HALVES * 0, {}, "", id="nothing anywhere"),
        pytest.param(HALVES * 0 + 42, {}, "", id="42 everywhere"),
        pytest.param(RNG.integers(0, 101, (40, 40)), {}, "", id="percent"),
        pytest.param(SPARSE, {}, "", id="percent, few above 1"),
    ],
)
def test_numbers_that_are_no_percent_are_asked_about(write, numbers, keys, word):
    notes = [n for n in read_raster(source(write(numbers), **keys)).notes if n.endswith("?")]
    assert [word in n for n in notes] == [True] * bool(word)


def test_a_surface_is_not_asked_for_percent(write):
    layer = read_raster(LayerSource("surface_existing", write(HALVES / 100)))
    assert not any(n.endswith("?") for n in layer.notes)
