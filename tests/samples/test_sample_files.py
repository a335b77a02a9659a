"""The files of the samples: the scripts make the same ones each time, small, with the warts that a county's files have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data"
SCRIPTS = {"cedar-hollow": "make_cedar_hollow.py", "heron-bay": "make_heron_bay.py"}


@pytest.fixture(scope="module", params=list(SCRIPTS))
def remade(request, tmp_path_factory):
    """The folder of a sample beside the one that its script makes now."""
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([sys.executable, str(HERE / SCRIPTS[request.param]), str(folder)], check=True)
    return DATA / request.param, folder


def test_script_makes_the_committed_files(remade):
    committed, made = remade
    by_hand = {"geocheck.yaml", "EXPECTED.md", "EXPECTED.csv"}
    names = {path.name for path in committed.iterdir() if path.is_file()}
    assert names - by_hand == {path.name for path in made.iterdir()}
    for path in made.iterdir():
        if path.suffix == ".gpkg":
            continue
        if path.suffix == ".geojson":  # The last digits of longitude and latitude are PROJ's.
            assert gpd.read_file(path).geom_equals_exact(gpd.read_file(committed / path.name), 1e-8).all()
        else:
            assert path.read_bytes() == (committed / path.name).read_bytes(), path.name


def test_geopackages_hold_the_same_layers_rows_and_ground(remade):
    committed, made = remade
    for path in sorted(made.glob("*.gpkg")):
        if path.name == "ledger.gpkg":
            continue
        layers = gpd.list_layers(path)["name"].tolist()
        assert layers == gpd.list_layers(committed / path.name)["name"].tolist()
        for layer in layers:
            now, then = (gpd.read_file(folder / path.name, layer=layer) for folder in (made, committed))
            pd.testing.assert_frame_equal(
                pd.DataFrame(now.drop(columns="geometry")), pd.DataFrame(then.drop(columns="geometry"))
            )
            assert now.geom_equals_exact(then, 1e-9).all()


def test_ledger_holds_the_decisions_and_waivers(remade):
    from geocheck.ledger import open_ledger

    def acts(folder):
        return [
            {key: value for key, value in act.to_dict().items() if key != "recorded_at"}
            for act in open_ledger(str(folder / "ledger.gpkg")).acts()
        ]

    committed, made = remade
    assert acts(committed) == acts(made) != []


@pytest.mark.parametrize("sample", list(SCRIPTS))
def test_sample_is_small(sample):
    files = [path for path in (DATA / sample).iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000


def test_shapefiles_carry_the_warts_of_a_county():
    folder = DATA / "cedar-hollow"
    parcels = gpd.read_file(folder / "parcels.shp", encoding="cp1252")
    ids = parcels["PARCELID"]
    assert 100 <= len(parcels) <= 120
    assert parcels.geometry.isna().sum() == 1 and ids.isna().sum() == 1 and (ids == "ROW").sum() == 1
    assert sorted(ids[ids.duplicated()]) == ["0131-08-0004", "0136-00-0004"]
    crossing = parcels[~parcels.geometry.is_valid & parcels.geometry.notna()]
    assert list(crossing["PARCELID"]) == ["0138-00-0001"]
    stacked = parcels[ids.isin(["0137-01-0001", "0137-01-0002"])]
    assert stacked.geometry.iloc[0].equals(stacked.geometry.iloc[1])
    stale = parcels[(parcels["Shape_Area"] / parcels.geometry.area - 1).abs() > 0.01]
    # The ring that crosses itself has no area by the shoelace formula; its ground has.
    assert set(stale["PARCELID"]) == {"0134-00-0003", "0138-00-0001"}
    assert not (folder / "municipality.cpg").exists()
    assert "Town of Grünwald" in set(gpd.read_file(folder / "municipality.shp")["MUNI_NAME"])
