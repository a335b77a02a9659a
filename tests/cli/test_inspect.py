"""geocheck inspect: what a person and a machine are told."""

from __future__ import annotations

import json

import geopandas as gpd
import pytest
import shapely
from click.testing import CliRunner

from geocheck.cli import application


@pytest.fixture
def parcels(tmp_path):
    shapes = [shapely.box(362000, 184000, 362100, 184100), shapely.Polygon([(362200, 184000), (362300, 184100), (362200, 184100), (362300, 184000)])]  # fmt: skip
    gpd.GeoDataFrame({"PIN": ["1", "2"]}, geometry=shapes, crs=8104).to_file(tmp_path / "parcels.shp")
    return tmp_path / "parcels.shp"


def test_for_a_person(parcels):
    done = CliRunner().invoke(application, ["inspect", str(parcels)])
    assert done.exit_code == 0
    for words in ("shapefile, 1 layer", "2 records", "EPSG:8104", "US survey feet", "PIN (text)", "1 ok, 1 repaired", "record 2: ring crosses itself"):  # fmt: skip
        assert words in done.output


def test_for_a_machine(parcels):
    done = CliRunner().invoke(application, ["inspect", str(parcels), "--json"])
    report = json.loads(done.output)
    assert report["layers"][0]["statuses"] == {"ok": 1, "repaired": 1}


def test_a_missing_file_is_a_clear_refusal(tmp_path):
    done = CliRunner().invoke(application, ["inspect", str(tmp_path / "gone.shp")])
    assert done.exit_code != 0
    assert "no such file" in str(done.exception)
    assert done.exception.exit_code == 3


def test_an_unknown_layer(parcels):
    done = CliRunner().invoke(application, ["inspect", str(parcels), "--layer", "nope"])
    assert "Its layers are parcels" in str(done.exception)
