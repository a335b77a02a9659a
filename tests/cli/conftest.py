"""The command line in this process: its exit code, what it printed, what it complained about."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import geopandas
import pytest
from shapely.geometry import box


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def geocheck_command(monkeypatch, capsys):
    """Return a function that runs ``geocheck WORDS`` and tells how it ended."""
    from geocheck.cli import main

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["geocheck", *map(str, words)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return run


@pytest.fixture
def layers(tmp_path):
    """Write parcels, sites and wetlands as shapefiles and return their folder."""
    x, y = 362000, 184000
    frames = {
        "parcels": geopandas.GeoDataFrame(
            {"PIN": ["0001", "0002"]},
            geometry=[box(x, y, x + 200, y + 200), box(x + 200, y, x + 400, y + 200)],
            crs=8104,
        ),
        "sites": geopandas.GeoDataFrame({"ID": ["S-1"]}, geometry=[box(x + 10, y + 10, x + 110, y + 110)], crs=8104),
        "wetlands": geopandas.GeoDataFrame({"T": ["E2K"]}, geometry=[box(x + 100, y, x + 150, y + 200)], crs=8104),
    }
    folder = tmp_path / "layers"
    folder.mkdir()
    for name, frame in frames.items():
        frame.to_file(folder / f"{name}.shp")
    return folder
