"""The map of a run: a layer for each sort of ground, literal names, nothing fetched but the library that draws it."""

from __future__ import annotations

import re
import sys

import geopandas
import pytest
from shapely.geometry import box

import geocheck
from geocheck.assess.displays import map_of
from geocheck.model.problem import GeocheckError

folium = pytest.importorskip("folium")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("map")
    x, y = 362000, 184000
    hostile = "<script>alert(1)</script>"
    frames = {
        "sites": geopandas.GeoDataFrame({"ID": [hostile, "S-2"]}, geometry=[box(x, y, x + 90, y + 90), box(x + 200, y, x + 210, y + 10)], crs=8104),
        "parcels": geopandas.GeoDataFrame({"PIN": ["0001"]}, geometry=[box(x, y, x + 150, y + 150)], crs=8104),
        "wetlands": geopandas.GeoDataFrame({"T": ["E"]}, geometry=[box(x + 50, y, x + 100, y + 100)], crs=8104),
    }  # fmt: skip
    for name, frame in frames.items():
        frame.to_file(folder / f"{name}.gpkg")
    (folder / "geocheck.yaml").write_text(
        "ordinances: [us/wi/washington-county-village/87-5]\nlayers:\n  disturbance: {source: sites.gpkg, id: ID}\n"
        "  parcels: {source: parcels.gpkg, id: PIN}\n  wetland: {source: wetlands.gpkg}\n"
    )
    return geocheck.run(geocheck.open_project(folder))


def test_layers_can_be_switched_and_no_tiles_are_fetched(result):
    text = result.map().get_root().render()
    for name in ("wetland", "parcels", "sites: undetermined"):
        assert name in text
    assert "L.control.layers" in text and "tileLayer" not in text
    assert "<script>alert(1)" not in text


def test_a_large_map_is_drawn_by_lonboard(result):
    lonboard = pytest.importorskip("lonboard")
    drawn = map_of(result.findings, large=True)
    assert isinstance(drawn, lonboard.Map) and len(drawn.layers) == 3


@pytest.mark.parametrize(("module", "large"), [("folium", False), ("lonboard", True)])
def test_what_is_missing_is_named(result, monkeypatch, module, large):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(GeocheckError, match=f"pip install .*{'notebook' if module == 'folium' else module}"):
        map_of(result.findings, large=large)


def test_results_determinations_traces_and_layers_show_themselves(result):
    shown = [result, result.of("S-2")[0], result.of("S-2")[0].trace, result.findings.layers["wetland"]]
    for one in shown:
        assert len(repr(one)) < 600 and repr(one).startswith("<")
        assert re.search("<table|<p>", one._repr_html_())
    assert "&lt;script&gt;" in result._repr_html_() and "<script>" not in result._repr_html_()


def test_a_run_takes_a_path_and_its_frames_measure_themselves(result, tmp_path_factory):
    folder = next(path.parent for path in tmp_path_factory.getbasetemp().glob("map*/geocheck.yaml"))
    again = geocheck.run(folder / "geocheck.yaml")
    assert again.outcomes() == result.outcomes()
    assert again.sites.geocheck.area().area_ft2.tolist() == pytest.approx(again.sites.disturbed_area_ft2.tolist())
