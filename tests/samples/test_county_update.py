"""The two deliveries of the county: the script makes the same files, and an update finds what was drawn into them."""

from __future__ import annotations

import csv
import importlib.util
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path

import geopandas as gpd
import pytest

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data" / "county-update"
FIVE_ACRES = 5 * 43_560


@pytest.fixture(scope="module")
def drawn():
    """The script as a module: the parcels as they were drawn."""
    sys.path.insert(0, str(HERE))
    try:
        spec = importlib.util.spec_from_file_location("make_county_update", HERE / "make_county_update.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(HERE))
    return module


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """The project's folder after both deliveries, and what came of the second."""
    import geocheck
    from geocheck.assess.nightly import update

    folder = tmp_path_factory.mktemp("county") / "county-update"
    shutil.copytree(DATA, folder, ignore=shutil.ignore_patterns("parcels_2026*"))
    for year in (2025, 2026):
        shutil.copy(DATA / "deliveries" / f"parcels_{year}-10-01.zip", folder / "deliveries")
        night = update(replace(geocheck.open_project(folder / "county.yaml"), as_of=date(year, 10, 1)))
    return folder, night


def rows(folder, name):
    with (folder / "out" / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_script_makes_the_committed_files(tmp_path):
    subprocess.run([sys.executable, str(HERE / "make_county_update.py"), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert made | {Path("county.yaml")} == {path.relative_to(DATA) for path in DATA.rglob("*") if path.is_file()}
    for name in made - {Path("zones.gpkg")}:
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes(), name
    for layer in ("wetlands", "floodplain", "shoreland"):
        now, then = (gpd.read_file(folder / "zones.gpkg", layer=layer) for folder in (tmp_path, DATA))
        assert now.geom_equals_exact(then, 1e-9).all()


def test_every_change_that_was_drawn_is_found_and_no_other(taken, drawn):
    folder, night = taken
    found = rows(folder, "changes.csv")
    told = Counter((row["change"], row["parents"].count(";") + bool(row["parents"])) for row in found)
    stay = set(drawn.first()) & set(drawn.second())
    assert told == {
        ("unchanged", 0): len(stay) - 2, ("attributes only", 0): 1, ("merged", 0): 2, ("merged", 2): 1,
        ("renumbered", 1): 1, ("split", 0): 2, ("split", 1): 8,
    }  # fmt: skip
    assert night.summary["parcels"] == len(drawn.second()) == len(gpd.read_file(DATA / "deliveries" / "parcels_2026-10-01.zip"))  # fmt: skip
    shifts = [float(row["shift_ft"]) for row in found if row["change"] == "unchanged"]
    assert 0.02 < min(shifts) <= max(shifts) < 0.06, "every corner was moved, none by an inch"
    for row in found:
        if (row["change"] == "split" and row["children"]) or (row["change"] == "merged" and row["parents"]):
            assert sum(map(float, row["share"].split("; "))) == pytest.approx(1, abs=1e-6)


def test_the_orchard_trips_the_subdivision_clause_and_the_meadow_does_not(taken, drawn):
    folder, _ = taken
    new = [name for name in drawn.second() if name.startswith("0142-")]
    assert len(new) == 6 and max(drawn.second()[name][0].area for name in new) < FIVE_ACRES
    changed = rows(folder, "changed_determinations.csv")
    assert {row["site_id"] for row in changed} == {site.id for site in drawn.SITES if site.plan == "P-ORCHARD"}
    assert {row["after"] for row in changed} == {"required"}
    assert {row["obligation"] for row in changed} == {"stormwater_management", "permit", "financial_guarantee", "fee"}
    assert all("0 each → at least 6 each; now by (2)(a)" in row["because"] for row in changed)
