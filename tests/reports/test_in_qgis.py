"""The GeoPackage and the project in real QGIS: layers valid, styled, drawn, and as many features as the CSVs have rows."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from geocheck import reports

PYTHON = "/usr/bin/python3"
LOOK = Path(__file__).with_name("qgis_looks_at_it.py")
CSVS = [
    "determinations.csv",
    "facts.csv",
    "trace.csv",
    "questions.csv",
    "layers.csv",
    "repairs.csv",
    "parcels.csv",
    "sites.csv",
    "zones.csv",
]


def has_qgis():
    if not Path(PYTHON).exists():
        return False
    return subprocess.run([PYTHON, "-c", "import qgis.core"], capture_output=True, check=False).returncode == 0


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("qgis_process") is None or not has_qgis(), reason="needs QGIS"),
]


@pytest.fixture(scope="module")
def looked(findings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("qgis")
    reports.write(findings, folder, ["geocheck.gpkg", "surroundings.gpkg", "geocheck.qgz", *CSVS])
    # Moved as a whole: the project finds its layers beside it.
    moved = folder.rename(folder.with_name("moved elsewhere"))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [PYTHON, str(LOOK), str(moved)], capture_output=True, text=True, env=environment, timeout=300, check=True
    )
    return moved, json.loads(done.stdout.strip().splitlines()[-1])


def count(path):
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.DictReader(file))


def test_the_project_opens_in_order_in_its_system(looked):
    _, told = looked
    assert told["read"] and told["crs"]
    assert told["title"] == "Cedar Hollow <sample> & Co"
    assert list(told["layers"])[:5] == [f"geocheck_{name}" for name in ("sites", "parcels", "lines", "zones", "areas")]


def test_every_layer_is_valid_and_has_as_many_features_as_the_csv_has_rows(looked):
    folder, told = looked
    assert all(layer["valid"] for layer in told["layers"].values())
    for name in CSVS:
        assert told["layers"][f"geocheck_{name.removesuffix('.csv')}"]["count"] == count(folder / name), name


def test_every_layer_is_drawn_with_its_style(looked):
    _, told = looked
    spatial = {name: layer for name, layer in told["layers"].items() if layer["spatial"]}
    assert len(spatial) == 5
    for name, layer in spatial.items():
        assert layer["renderer"] == "categorizedSymbol", name
        assert layer["errors"] == 0 and layer["colours"] > 2, name
        assert layer["crs"] and layer["tip"] and layer["form"] >= 1, name
    assert spatial["geocheck_sites"]["labels"] and spatial["geocheck_parcels"]["labels"]
    sites = spatial["geocheck_sites"]
    assert "87-5 permit" in sites["aliases"]
    assert sites["widgets"]["87-5_permit"] == "ValueMap"
    assert {"not required": "not_required"} in sites["values"]["87-5_permit"]
    assert spatial["geocheck_parcels"]["widgets"]["wetland_member"] == "ValueMap"


def test_hostile_names_come_through_literally(looked, awkward_names):
    _, told = looked
    assert told["layers"]["geocheck_sites"]["ids"][: len(awkward_names)] == list(awkward_names)


def test_the_same_findings_make_the_same_project(findings, tmp_path):
    for name in ("one", "two"):
        reports.write(findings, tmp_path / name, ["geocheck.qgz"])
    assert (tmp_path / "one" / "geocheck.qgz").read_bytes() == (tmp_path / "two" / "geocheck.qgz").read_bytes()
    assert zipfile.ZipFile(tmp_path / "one" / "geocheck.qgz").namelist() == ["geocheck.qgs"]
