"""Rasters: shares of cover, cut and fill, slopes; on files as they come."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pyproj
import pytest
import rasterio
import shapely
from rasterio.transform import Affine, from_origin
from shapely import Point, Polygon, box

from geocheck.engines import ENGINES
from geocheck.engines.working.grids import opened
from geocheck.engines.working.zonal import by_cell, by_tile
from geocheck.measures import MEASURES
from geocheck.measures.language import Layer as Leaf
from geocheck.measures.language import Measure, Share, Slope, Steep
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.problem import EngineError
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity

METRES, FEET = pyproj.CRS(3071), pyproj.CRS(2289)
engines = pytest.mark.parametrize("engine", [ENGINES.load(name) for name in ENGINES.names()], ids=ENGINES.names())


@pytest.fixture
def write(tmp_path):
    def written(
        name, numbers, left=0.0, top=100.0, cell=10.0, crs=METRES, nodata=None, south_up=False, unit=None, **more
    ):
        numbers = np.asarray(numbers)
        place = from_origin(left, top, cell, cell)
        if south_up:
            numbers = numbers[::-1]
            place = Affine(cell, 0, left, 0, cell, top - cell * len(numbers))
        path = tmp_path / f"{name}.tif"
        with rasterio.open(
            path, "w", driver="GTiff", height=numbers.shape[0], width=numbers.shape[1], count=1, dtype=numbers.dtype,
            crs=crs.to_wkt() if crs is not None else None, transform=place, nodata=nodata, **more,
        ) as file:  # fmt: skip
            file.write(numbers, 1)
            if unit:
                file.set_band_unit(1, unit)
        return str(path)

    return written


def ground(crs=METRES, doubt=0.0, **sources):
    layers = {role: Layer(role, source, None, None) for role, source in sources.items()}
    metres = Fraction(crs.axis_info[0].unit_conversion_factor).limit_denominator(10**9)
    metres = US_SURVEY_FOOT if metres != 1 else Fraction(1)
    return Ground(layers, crs, metres, "grid", US_SURVEY_FOOT, 1.0, doubt)


def ask(engine, reading, unit, shapes, where):
    measure = Measure("asked", unit, reading, "?")
    return engine.measure(
        [measure], Subjects("site", [str(i) for i in range(len(shapes))], {"disturbance": shapes}), where
    )["asked"]


SHARE = Share(Leaf("cover_raster"), within=Leaf("disturbance"))

# Left half 0, right half 100, the upper left pixel without data.
HALVES = np.repeat([[0.0] * 5 + [100.0] * 5], 10, axis=0)
HALVES[0, 0] = -1
SHAPES = [box(51, 51, 54, 54), box(45, 45, 65, 65), box(-5, 85, 15, 105), box(200, 200, 210, 210)]


@engines
@pytest.mark.parametrize("south_up", [False, True])
def test_pixels_count_by_the_share_inside(engine, write, south_up):
    path = write("cover", HALVES, nodata=-1, south_up=south_up)
    answers = ask(engine, SHARE, "%", SHAPES, ground(cover_raster=LayerSource("cover_raster", path)))
    assert answers.values[:2] == pytest.approx([100, 75], rel=1e-6)
    assert np.isnan(answers.values[2:]).all()
    assert answers.notes[2] == "insufficient data: 31.2 % of the ground has data"
    assert answers.notes[3] == "insufficient data: none of the ground has data"
    assert not answers.failures


@engines
def test_classes_count_as_covered(engine, write):
    path = write("cover", np.array([[11, 21, 22, 23]] * 4, dtype="uint8"), top=40.0, nodata=0)
    where = ground(cover_raster=LayerSource("cover_raster", path, classes=(22, 23)))
    answers = ask(engine, SHARE, "%", [box(0, 0, 40, 40), box(5, 5, 25, 30), box(0, 0, 19, 9)], where)
    assert answers.values == pytest.approx([50, 25, 0], rel=1e-6, abs=1e-9)


@engines
def test_percentages_that_are_codes_are_no_data(engine, write):
    numbers = np.full((10, 10), 40, dtype="uint8")
    numbers[:, 5:] = 127
    where = ground(cover_raster=LayerSource("cover_raster", write("cover", numbers)))
    answers = ask(engine, SHARE, "%", [box(0, 0, 40, 40), box(30, 0, 70, 40)], where)
    assert answers.values[0] == 40 and math.isnan(answers.values[1]) and "50 %" in answers.notes[1]


@engines
def test_a_little_missing_opens_the_interval(engine, write):
    numbers = np.full((10, 10), 40.0)
    numbers[0, 0] = np.nan
    where = ground(cover_raster=LayerSource("cover_raster", write("cover", numbers)))
    answers = ask(engine, SHARE, "%", [box(0, 0, 100, 100)], where)
    assert (answers.lows[0], answers.values[0], answers.highs[0]) == pytest.approx((39.6, 40, 40.6), rel=1e-5)
    assert answers.notes[0] == "99 % of the ground has data"


@engines
def test_a_raster_in_another_system_is_read_where_it_lies(engine, write):
    feet = pyproj.CRS(8104)
    carry = pyproj.Transformer.from_crs(feet, METRES, always_xy=True)
    middle = np.array(carry.transform(362_400, 184_800))
    left, top = np.floor(middle / 10) * 10 + (-500, 500)
    x, _ = np.meshgrid(left + 5 + 10 * np.arange(100), top - 5 - 10 * np.arange(100))
    numbers = np.where(x > middle[0], 100.0, 0.0)
    where = ground(feet, cover_raster=LayerSource("cover_raster", write("cover", numbers, left, top)))
    shape = box(362_300, 184_700, 362_500, 184_900)
    [value] = ask(engine, SHARE, "%", [shape], where).values
    there = shapely.transform(shape, lambda xy: np.column_stack(carry.transform(*xy.T)))
    edge = np.floor(middle[0] / 10) * 10 if middle[0] % 10 < 5 else np.ceil(middle[0] / 10) * 10
    plain = there.intersection(box(edge, top - 1000, left + 1000, top)).area / there.area
    assert value == pytest.approx(100 * plain, rel=1e-4)


@engines
@pytest.mark.parametrize("fault", ["missing", "rotated", "no system"])
def test_a_raster_that_cannot_answer_fails_every_subject_and_says_why(engine, write, tmp_path, fault):
    path = write("cover", HALVES, crs=None if fault == "no system" else METRES)
    if fault == "rotated":
        with rasterio.open(path, "r+") as file:
            file.transform = Affine(10, 1, 0, 1, -10, 100)
    if fault == "missing":
        path = str(tmp_path / "nowhere.tif")
    where = ground(cover_raster=LayerSource("cover_raster", path))
    said = {"missing": "cannot read", "rotated": "rotated", "no system": "no reference system"}[fault]
    assert said in ask(engine, SHARE, "%", [box(0, 0, 9, 9)], where).failures[0]
    if fault != "missing":
        with pytest.raises(EngineError, match=said), opened(where.layers["cover_raster"]):
            pass


def test_a_stated_system_is_used_where_the_file_has_none(write):
    path = write("cover", HALVES, nodata=-1, crs=None)
    where = ground(cover_raster=LayerSource("cover_raster", path, crs="EPSG:3071"))
    assert ask(ENGINES.load("local"), SHARE, "%", SHAPES[:2], where).values == pytest.approx([100, 75])


# --- cut and fill ---------------------------------------------------------------------------------------------------

CUBIC_FEET = 27.0


def surfaces(write, existing, proposed, unit="ftUS", crs=FEET, cell=2.0, **more):
    made = {
        role: LayerSource(role, write(role, numbers.astype("float64"), cell=cell, crs=crs, **more), vertical_unit=unit)
        for role, numbers in (("surface_existing", existing), ("surface_proposed", proposed))
    }
    return ground(crs, **made)


def volumes(engine, where, shape, crs=FEET):
    measures = [MEASURES.load("excavated_volume"), MEASURES.load("filled_volume")]
    answers = engine.measure(measures, Subjects("site", ["S"], {"disturbance": [shape]}), where)
    return [answers[measure.name] for measure in measures]


def centres(size, cell=2.0, top=100.0):
    return np.meshgrid(cell * (np.arange(size) + 0.5), top - cell * (np.arange(size) + 0.5))


@engines
def test_a_prism_of_cut_and_one_of_fill(engine, write):
    x, _ = centres(50)
    proposed = np.where(x < 40, -3.0, 2.0)
    cut, fill = volumes(engine, surfaces(write, 0 * x, proposed), box(10, 10, 90, 60))
    assert cut.values[0] == pytest.approx(30 * 50 * 3 / CUBIC_FEET, rel=1e-6)
    assert fill.values[0] == pytest.approx(50 * 50 * 2 / CUBIC_FEET, rel=1e-6)


def test_a_wedge_a_cone_and_a_dome(write):
    engine = ENGINES.load("local")
    x, y = centres(200, 0.5)
    wedge = volumes(engine, surfaces(write, 0 * x, 0.1 * (x - 50), cell=0.5), box(0, 0, 100, 100))
    for answers in wedge:
        assert answers.values[0] == pytest.approx(0.1 * 50**2 / 2 * 100 / CUBIC_FEET, rel=1e-3)
    radius = np.hypot(x - 50, y - 50)
    cone = np.maximum(10 * (1 - radius / 40), 0)
    assert volumes(engine, surfaces(write, 0 * x, cone, cell=0.5), box(0, 0, 100, 100))[1].values[0] == pytest.approx(
        math.pi * 40**2 * 10 / 3 / CUBIC_FEET, rel=1e-3
    )
    dome = np.sqrt(np.maximum(30.0**2 - radius**2, 0))
    found = volumes(engine, surfaces(write, 0 * x, -dome, cell=0.5), Point(50, 50).buffer(45, quad_segs=64))
    assert found[0].values[0] == pytest.approx(2 / 3 * math.pi * 30**3 / CUBIC_FEET, rel=1e-3)
    assert found[1].values[0] == 0


@engines
@pytest.mark.parametrize(("unit", "feet"), [("ft", 0.3048), ("ftUS", 1200 / 3937), ("m", 1.0)])
def test_vertical_units_become_the_answers_feet(engine, write, unit, feet):
    x, _ = centres(50)
    fill = volumes(engine, surfaces(write, 0 * x, 0 * x + 1, unit), box(0, 0, 54, 50))[1].values[0]
    assert fill == pytest.approx(100 * feet / (1200 / 3937), rel=1e-9)


@engines
@pytest.mark.parametrize(
    ("crs", "unit", "feet"),
    [("EPSG:2289+6360", "", 1.0), ("EPSG:2289", "metre", 3937 / 1200), ("EPSG:2289", "US survey foot", 1.0)],
)
def test_the_file_may_say_its_vertical_unit(engine, write, crs, unit, feet):
    x, _ = centres(50)
    sources = {
        role: LayerSource(role, write(role, 0 * x + height, cell=2.0, crs=pyproj.CRS(crs), unit=unit))
        for role, height in (("surface_existing", 0.0), ("surface_proposed", 1.0))
    }
    answers = volumes(engine, ground(pyproj.CRS(2289), **sources), box(0, 0, 54, 50))[1]
    assert answers.values[0] == pytest.approx(100 * feet, rel=1e-6), answers.failures


@engines
def test_a_vertical_unit_that_nothing_says_is_never_guessed(engine, write):
    x, _ = centres(50)
    for answers in volumes(engine, surfaces(write, 0 * x, 0 * x + 1, unit=""), box(0, 0, 54, 50)):
        assert math.isnan(answers.values[0]) and "state vertical_unit" in answers.failures[0]


@engines
def test_surfaces_on_different_grids_are_brought_together(engine, write):
    x, y = centres(50)
    fine_x, fine_y = centres(200, 0.5)
    crs = pyproj.CRS(2289)
    sources = {
        "surface_existing": LayerSource("surface_existing", write("a", 0.02 * x + 0.01 * y, cell=2.0, crs=crs), vertical_unit="ftUS"),
        "surface_proposed": LayerSource("surface_proposed", write("b", 0.02 * fine_x + 0.01 * fine_y + 1, cell=0.5, crs=crs), vertical_unit="ftUS"),
    }  # fmt: skip
    fill = volumes(engine, ground(crs, **sources), box(10, 10, 64, 60))[1]
    assert fill.values[0] == pytest.approx(54 * 50 / CUBIC_FEET, rel=1e-3)


@engines
def test_a_hole_in_a_surface_is_said_and_a_large_one_leaves_the_volume_unknown(engine, write):
    x, _ = centres(50)
    small, large = 0 * x + 1.0, 0 * x + 1.0
    small[25, 25], large[10:40, 10:40] = -9999, -9999
    answers = volumes(engine, surfaces(write, 0 * x, small, nodata=-9999), box(0, 0, 54, 100))[1]
    whole = 54 * 100 / CUBIC_FEET
    assert answers.values[0] == pytest.approx(whole - 4 / CUBIC_FEET, rel=1e-6)
    assert answers.highs[0] == pytest.approx(whole, rel=1e-5) and "% of the ground has data" in answers.notes[0]
    answers = volumes(engine, surfaces(write, 0 * x, large, nodata=-9999), box(0, 0, 54, 100))[1]
    assert math.isnan(answers.values[0]) and "insufficient data" in answers.notes[0]


@engines
def test_volumes_of_a_surface_in_metres_under_a_site_in_feet(engine, write):
    feet = pyproj.CRS(8104)
    carry = pyproj.Transformer.from_crs(feet, METRES, always_xy=True)
    x, y = carry.transform(362_400, 184_800)
    left, top = np.floor(x) - 100, np.floor(y) + 100
    flat = np.zeros((200, 200))
    sources = {
        role: LayerSource(role, write(role, flat + height, left, top, 1.0), vertical_unit="m")
        for role, height in (("surface_existing", 0.0), ("surface_proposed", 1.0))
    }
    shape = box(362_350, 184_750, 362_450, 184_850)
    fill = volumes(engine, ground(feet, **sources), shape)[1].values[0]
    assert fill == pytest.approx(10_000 * 3937 / 1200 / CUBIC_FEET, rel=1e-5)


# --- slope ----------------------------------------------------------------------------------------------------------


@engines
def test_slopes_of_a_plane_and_of_two(engine, write):
    x, y = centres(50)
    crs = pyproj.CRS(2289)

    def source(numbers):
        return ground(crs, surface_existing=LayerSource("surface_existing", write("s", numbers, cell=2.0, crs=crs), vertical_unit="ftUS"))  # fmt: skip

    surface, within = Leaf("surface_existing"), Leaf("disturbance")
    site = [box(10, 10, 90, 90)]
    plane = source(0.12 * x + 0.16 * y)
    assert ask(engine, Slope(surface, within), "%", site, plane).values[0] == pytest.approx(20, rel=1e-6)
    steep = Steep(surface, within, Quantity(Fraction(20), "%"))
    assert ask(engine, steep, "ft2", site, plane).values[0] == pytest.approx(6400, rel=1e-6)
    broken = source(np.where(x < 50, 0.05 * x, 2.5 + 0.3 * (x - 50)))
    assert ask(engine, Slope(surface, within, "max"), "%", site, broken).values[0] == pytest.approx(30, rel=1e-6)
    assert ask(engine, steep, "ft2", site, broken).values[0] == pytest.approx(80 * 40, rel=0.06)
    assert ask(engine, Slope(surface, within), "%", site, broken).values[0] == pytest.approx(17.5, rel=0.01)


@engines
def test_a_surface_in_degrees_has_no_slope(engine, write):
    path = write("s", np.zeros((9, 9)), -88, 43, 0.001, pyproj.CRS(4326))
    where = ground(surface_existing=LayerSource("surface_existing", path, vertical_unit="m"))
    answers = ask(engine, Slope(Leaf("surface_existing"), Leaf("disturbance")), "%", [box(0, 0, 1, 1)], where)
    assert "in degrees" in answers.failures[0]


# --- size -----------------------------------------------------------------------------------------------------------


def test_tiles_change_nothing_and_agree_with_plain_cells(write):
    rng = np.random.default_rng(5)
    numbers = rng.uniform(0, 100, (70, 90))
    numbers[rng.uniform(size=numbers.shape) < 0.1] = np.nan
    path = write("cover", numbers, -13.0, 400.0, 5.0)
    where = ground(cover_raster=LayerSource("cover_raster", path))
    shapes = np.array(
        [Polygon(np.column_stack([x + r * np.cos(a), y + r * np.sin(a)]))
         for x, y in rng.uniform(0, 400, (40, 2))
         for a, r in [(np.sort(rng.uniform(0, 2 * np.pi, 9)), rng.uniform(2, 120, 9))]], dtype=object
    )  # fmt: skip
    shapes = shapely.make_valid(shapes)
    with opened(where.layers["cover_raster"]) as band:
        plain, whole, tiled = by_cell(band, shapes), by_tile(band, shapes), by_tile(band, shapes, 16)
    for name in ("total", "data"):
        np.testing.assert_allclose(getattr(whole, name), getattr(plain, name), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(getattr(tiled, name), getattr(plain, name), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(tiled.most, whole.most)


# getrusage would not do: a new process inherits the peak of the one that started it, here that of a large test run.
MEASURE_IN_LITTLE_MEMORY = """
import re, sys
from pathlib import Path
import pyproj
from shapely import box
from geocheck.engines import ENGINES
from geocheck.measures.language import Layer as Leaf, Measure, Share
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects

path, side = sys.argv[1], int(sys.argv[2])
where = Ground({"cover_raster": Layer("cover_raster", LayerSource("cover_raster", path), None, None)}, pyproj.CRS(3071))
shapes = [box(15_100, 14_600, 15_200, 14_700), box(100, 100, side - 100, side - 100)]
measure = Measure("share", "%", Share(Leaf("cover_raster"), within=Leaf("disturbance")), "?")
answers = ENGINES.load("local").measure([measure], Subjects("site", ["1", "2"], {"disturbance": shapes}), where)["share"]
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(answers.values[0], answers.notes[1], int(peak) // 1024, sep="|")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_a_huge_raster_needs_no_memory_of_its_size(tmp_path):
    path, side = tmp_path / "huge.tif", 30_000  # 7.2 GB of numbers
    with rasterio.open(path, "w", driver="GTiff", height=side, width=side, count=1, dtype="float64", crs=METRES.to_wkt(),
                       transform=from_origin(0, side, 1, 1), tiled=True, sparse_ok=True, nodata=0) as file:  # fmt: skip
        file.write(np.full((512, 512), 50.0), 1, window=rasterio.windows.Window(15_000, 15_000, 512, 512))
    command = [sys.executable, "-c", MEASURE_IN_LITTLE_MEMORY, str(path), str(side)]
    value, note, megabytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("|")
    assert float(value) == 50 and "insufficient data" in note
    assert int(megabytes) < 1000
