"""Overlaps against QGIS: native:calculatevectoroverlaps on the same ground, in the same system and basis."""

from __future__ import annotations

import os
import shutil
import subprocess

import geopandas
import numpy as np
import pytest

import geocheck

# Debian's wrapper adds an option that its own program does not know; the program itself is beside it.
PROGRAM = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
pytestmark = [
    pytest.mark.real_data,
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="qgis_process is not installed"),
]

# QGIS brings a Python of its own, which an environment that is active here would lead astray.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
ENVIRONMENT |= {"QT_QPA_PLATFORM": "offscreen", "PATH": os.defpath}

PLACES = {
    "cambridge": (
        "EPSG:2249",
        "{data}/cambridge_ma/parcels_FY2014.topojson",
        ', id: ML, crs: "EPSG:4326"',
        "{{source: {data}/cambridge_ma/fema_100yr.geojson}}",
    ),
    "vernonia": (
        "EPSG:2838",
        "{data}/vernonia_or/annexations_v2.geojson",
        "",
        "{{source: {data}/vernonia_or/flood_zones_v3.geojson, where: \"zone <> 'X'\"}}",
    ),
}


@pytest.mark.parametrize("place", list(PLACES))
def test_overlaps_agree_with_qgis(real_data, tmp_path, place):
    system, parcels, keys, flood = PLACES[place]
    (tmp_path / "geocheck.yaml").write_text(
        f"name: {place}\narea_basis: grid\nmeasure_crs: {system}\nfoot: us_survey\nlayers:\n"
        f"  parcels: {{source: {parcels.format(data=real_data)}{keys}}}\n"
        f"  floodplain: {flood.format(data=real_data)}\n"
    )
    result = geocheck.run(geocheck.open_project(tmp_path))
    ground = result.findings.ground
    own = result.parcels[result.parcels.status.isin(["ok", "repaired"])]
    own[["record", "geometry"]].to_file(tmp_path / "parcels.gpkg")
    zone = ground.layers["floodplain"].frame[["geometry"]].dropna()
    zone.to_file(tmp_path / "floodplain.gpkg")
    subprocess.run(
        [PROGRAM, "run", "native:calculatevectoroverlaps", "--ELLIPSOID=NONE", "--INPUT=parcels.gpkg",
         "--LAYERS=floodplain.gpkg", "--OUTPUT=out.gpkg"],
        cwd=tmp_path, env=ENVIRONMENT, check=True, capture_output=True, timeout=900,
    )  # fmt: skip
    theirs = geopandas.read_file(tmp_path / "out.gpkg").set_index("record").floodplain_area * ground.feet**2
    ours = own.set_index("record").floodplain_area_ft2
    both = theirs.index[(theirs > 1) | (ours.reindex(theirs.index) > 1)]
    assert len(both) > 15
    assert np.allclose(ours[both], theirs[both], rtol=1e-4, atol=0)
