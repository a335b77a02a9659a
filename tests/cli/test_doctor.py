"""geocheck doctor: versions, data folders, grids, and what is missing."""

from __future__ import annotations

import json

from click.testing import CliRunner

from geocheck.cli import application
from geocheck.sources import grids


def test_for_a_person():
    done = CliRunner().invoke(application, ["doctor"])
    assert done.exit_code == 0
    for words in ("geocheck", "pyproj", "GDAL:", "PROJ", "us_noaa_conus.tif", "Datum grids"):
        assert words in done.output


def test_for_a_machine():
    found = json.loads(CliRunner().invoke(application, ["doctor", "--json"]).output)
    assert all(found["packages"].values())
    assert set(found["grids"]) == set(grids.GRIDS)


def test_a_grid_that_is_there_is_found(tmp_path, monkeypatch):
    import pyproj

    (tmp_path / "us_noaa_WI.tif").write_bytes(b"x")
    monkeypatch.setattr(pyproj.datadir, "get_user_data_dir", lambda: str(tmp_path))
    found = grids.examine()["grids"]
    assert found["us_noaa_WI.tif"] == str(tmp_path / "us_noaa_WI.tif")
    assert found["us_noaa_conus.tif"] is None or found["us_noaa_conus.tif"] != found["us_noaa_WI.tif"]


def test_a_missing_library_is_named_and_fails(monkeypatch):
    monkeypatch.setattr(grids, "_NEEDED", ("shapely", "no_such_library"))
    done = CliRunner().invoke(application, ["doctor"])
    assert done.exit_code == 1
    assert "no_such_library" in done.output


def test_another_installations_data_is_warned_of(tmp_path, monkeypatch):
    for value in (str(tmp_path), str(tmp_path / "gone")):
        monkeypatch.setenv("PROJ_LIB", value)
        assert any("PROJ_LIB" in w for w in grids.examine()["warnings"])
