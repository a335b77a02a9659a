"""geocheck init: a commented project file from a folder of layers."""

from __future__ import annotations

import json

import geopandas as gpd
import shapely
from click.testing import CliRunner

from geocheck.cli import application
from geocheck.model.problem import OutputError


def folder(tmp_path):
    gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[shapely.box(362000, 184000, 362100, 184100)], crs=8104).to_file(
        tmp_path / "parcels.shp"
    )
    return str(tmp_path)


def test_it_writes_and_does_not_overwrite(tmp_path):
    path = tmp_path / "geocheck.yaml"
    done = CliRunner().invoke(application, ["init", folder(tmp_path), "--name", "Elm"])
    assert done.exit_code == 0
    assert "name: Elm" in path.read_text(encoding="utf-8")
    path.write_text("mine", encoding="utf-8")
    again = CliRunner().invoke(application, ["init", str(tmp_path)])
    assert isinstance(again.exception, OutputError)
    assert path.read_text(encoding="utf-8") == "mine"
    CliRunner().invoke(application, ["init", str(tmp_path), "--overwrite"])
    assert "parcels.shp" in path.read_text(encoding="utf-8")


def test_for_a_machine(tmp_path):
    done = CliRunner().invoke(application, ["init", folder(tmp_path), "--json"])
    assert json.loads(done.output)["layers"] == [{"source": "parcels.shp", "layer": "parcels", "role": "parcels", "why": "guessed from its name"}]  # fmt: skip


def test_a_folder_that_is_not_there(tmp_path):
    done = CliRunner().invoke(application, ["init", str(tmp_path / "gone")])
    assert "no such folder" in str(done.exception)
