"""The accessor on GeoDataFrames: as a run measures, held to plain geometry; refusals say what to do."""

from __future__ import annotations

import doctest
import subprocess
import sys

import geopandas
import pytest
from shapely.geometry import LineString, Polygon, box

from geocheck.assess import accessor
from geocheck.model.problem import GroundError

X, Y = 362_000, 184_000


def frame(*shapes, crs=8104, **columns):
    return geopandas.GeoDataFrame(columns, geometry=list(shapes), crs=crs)


@pytest.fixture
def sites():
    return frame(box(X, Y, X + 100, Y + 50), box(X + 400, Y, X + 420, Y + 20)).set_axis(["A", "B"])


def test_its_examples_run():
    assert doctest.testmod(accessor).failed == 0


def test_an_area_is_that_on_the_ellipsoid(sites):
    measured = sites.geocheck.area()
    assert measured.index.tolist() == ["A", "B"]
    expected = sites.to_crs(5070).area.to_numpy() * (3937 / 1200) ** 2  # an equal-area system of another making
    assert measured.area_ft2.to_numpy() == pytest.approx(expected, rel=2e-6)
    assert measured.low_ft2.lt(measured.area_ft2).all() and measured.high_ft2.gt(measured.area_ft2).all()


@pytest.mark.parametrize("crs", [8104, 3071, 4326])
def test_an_overlap_does_not_depend_on_the_system_of_the_other(sites, crs):
    zone = frame(box(X + 50, Y - 10, X + 300, Y + 300), box(X + 60, Y, X + 90, Y + 40)).to_crs(crs)
    measured = sites.geocheck.overlap(zone)
    assert measured.pct.tolist() == pytest.approx([50, 0], abs=1e-3)
    assert measured.member.tolist() == ["partly", "outside"]


def test_a_grid_is_measured_as_the_grid_says(sites):
    measured = sites.geocheck.area(basis="grid", measure_crs="EPSG:8104")
    assert measured.area_ft2.tolist() == pytest.approx([5000, 400], rel=1e-9)


def test_accuracy_makes_the_interval_and_the_tolerance(sites):
    zone = frame(box(X + 100, Y, X + 300, Y + 50))
    assert sites.geocheck.overlap(zone, accuracy="2 ft", other_accuracy="5 ft").member.tolist() == [
        "touching",
        "outside",
    ]
    narrow, wide = (sites.geocheck.area(accuracy=text) for text in ("1 ft", "5 ft"))
    assert (wide.high_ft2 - wide.low_ft2 > narrow.high_ft2 - narrow.low_ft2).all()


def test_ground_near_and_lines_within(sites):
    zone = frame(box(X + 120, Y - 500, X + 300, Y + 500))
    assert sites.geocheck.near(zone, "50 ft").pct.iloc[0] == pytest.approx(30, abs=0.01)
    line = frame(LineString([(X - 100, Y + 10), (X + 410, Y + 10)]))
    assert sites.geocheck.length(line).length_ft.tolist() == pytest.approx([100, 10], rel=1e-4)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda s: s.set_crs(None, allow_override=True), "set_crs"),
        (lambda s: s.drop(columns="geometry"), "not a GeoDataFrame"),
        (lambda s: s.set_crs(4326, allow_override=True), "in degrees"),
        (lambda s: frame(Polygon([(X, Y), (X + 10, Y + 10), (X + 10, Y), (X, Y + 10)])), "make_valid"),
    ],
    ids=["no system", "no geometry", "wrong system", "crosses itself"],
)
def test_what_cannot_be_measured_says_what_to_do(sites, wrong, said):
    with pytest.raises(GroundError, match=said):
        geopandas.pd.DataFrame(wrong(sites)).geocheck.area() if said == "not a GeoDataFrame" else wrong(
            sites
        ).geocheck.area()
    if said != "not a GeoDataFrame":
        with pytest.raises(GroundError, match=said):
            sites.geocheck.overlap(wrong(sites))


def test_a_distance_is_a_length(sites):
    with pytest.raises(GroundError, match="300 ft"):
        sites.geocheck.near(sites, "2 acre")


def test_importing_the_notebook_module_brings_the_accessor():
    code = "import geopandas, geocheck.notebook; print(hasattr(geopandas.GeoDataFrame, 'geocheck'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"
