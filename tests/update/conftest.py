"""A small county that can be edited and delivered again, night by night."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import geopandas
import numpy as np
import pytest
import shapely
from shapely.geometry import box

X, Y = 362_000.0, 184_000.0
VILLAGE = "us/wi/washington-county-village/87-5"
TABLES = ("facts.csv", "determinations.csv", "parcels.csv", "questions.csv")
LOT = 400.0
#: What an ordinary applicant states: none of the exemptions.
ORDINARY = {
    "grows_crops": "no", "by_state_agency": "no", "one_or_two_family_building": "no", "builds_road": "no",
    "designed_by_land_conservation": "no", "village_or_county_work": "no", "excavated_volume": "0 yd3",
    "filled_volume": "0 yd3", "disturbed_channel_length": "0 ft", "impervious_area_added": "0 ft2",
}  # fmt: skip


class County:
    """A county in a folder: parcels, sites and zones, each a dictionary of identifier to ground (and columns)."""

    def __init__(self, folder: Path, ledger: str = "ledger.gpkg", side: int = 5, ending: str = "gpkg") -> None:
        self.folder, self.ledger, self.ending = folder, ledger, ending
        folder.mkdir(parents=True, exist_ok=True)
        self.parcels = {
            f"P{i:02d}{j:02d}": box(X + i * LOT, Y + j * LOT, X + (i + 1) * LOT, Y + (j + 1) * LOT)
            for i in range(side)
            for j in range(side)
        }
        self.owner = dict.fromkeys(self.parcels, "A")
        middle = [(X + (i + 0.5) * LOT, Y + (i + 0.5) * LOT) for i in range(side)]
        self.sites = {f"S-{n}": box(x - 40, y - 30 - n, x + 40, y + 30) for n, (x, y) in enumerate(middle)}
        self.plans = {f"S-{n}": f"PLAN-{n // 2}" for n in range(side)}
        self.wetlands = {
            "W-1": box(X + 500, Y + 100, X + 900, Y + 640),
            "W-2": box(X + 850, Y + 500, X + 1400, Y + 900),
        }
        self.flood = {"F-1": shapely.Point(X + 1000, Y + 1000).buffer(620, quad_segs=40)}
        self.lines = [
            f"name: a small county\nordinances: [{VILLAGE}]\narea_basis: grid\nmeasure_crs: EPSG:8104\nas_of: 2026-10-15"
        ]
        self.parcels_file, self.id_field, self.crs = f"parcels.{ending}", "PIN", 8104
        self.extra: dict[str, object] = {}

    def write(self) -> Path:
        """Write all files, and return the project's path."""
        columns = {
            self.id_field: list(self.parcels),
            "OWNER": [self.owner.get(k, "A") for k in self.parcels],
            **self.extra,
        }
        self.layer("parcels", self.parcels, columns, file=self.parcels_file)
        self.layer("sites", self.sites, {"ID": list(self.sites), "PLAN": [self.plans.get(k) for k in self.sites]})
        self.layer("wetlands", self.wetlands, {"ID": list(self.wetlands)})
        self.layer("flood", self.flood, {"ID": list(self.flood)})
        stated = [f"{site},{fact},{value}" for site in self.sites for fact, value in ORDINARY.items()]
        (self.folder / "statements.csv").write_text("\n".join(["site_id,fact,value", *stated, ""]))
        path = self.folder / "geocheck.yaml"
        text = "\n".join(
            [
                *self.lines,
                f"ledger: {self.ledger}",
                "statements: statements.csv",
                "layers:",
                f"  parcels: {{source: {self.parcels_file}, id: PIN}}",
                "  disturbance: {source: sites.gpkg, id: ID, plan: PLAN}",
                "  wetland: {source: wetlands.gpkg, accuracy: 4 ft}",
                "  floodplain: {source: flood.gpkg}",
                "",
            ]
        )
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

    def layer(self, name, grounds, columns, file=None):
        path = self.folder / (file or f"{name}.gpkg")
        frame = geopandas.GeoDataFrame(columns, geometry=list(grounds.values()), crs=8104).to_crs(
            self.crs if name == "parcels" else 8104
        )
        aside = path.with_name(f"new-{path.name}")
        frame.to_file(aside, layer=name)
        for made in aside.parent.glob(f"{aside.stem}.*"):
            made.replace(path.with_name(path.stem + made.suffix))

    def update(self, **options):
        """Write and update."""
        from geocheck.assess.nightly import update

        return update(self.write(), **options)

    def rows(self, name):
        """Return the rows of an output."""
        with (self.folder / "out" / name).open() as file:
            return list(csv.DictReader(file))

    def changes(self):
        """Return parcel and change of every row that is not unchanged."""
        return sorted((r["parcel_id"], r["change"]) for r in self.rows("changes.csv") if r["change"] != "unchanged")

    def compare_with_a_full_run(self):
        """Hold every table against a run of everything from nothing."""
        import geocheck

        full = self.folder / "full"
        geocheck.run(geocheck.open_project(self.folder / "geocheck.yaml")).write(full, TABLES, overwrite=True)
        for name in TABLES:
            with (full / name).open() as file:
                wanted = list(csv.DictReader(file))
            got = self.rows(name)
            assert len(got) == len(wanted), name
            for mine, theirs in zip(got, wanted, strict=True):
                assert same(mine, theirs), (name, mine, theirs)


def same(mine, theirs):
    """Tell whether two rows say the same, numbers within 1e-9."""
    return mine.keys() == theirs.keys() and all(cells_agree(mine[key], theirs[key]) for key in mine)


def cells_agree(one, other):
    if one == other:
        return True
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-6)
    except ValueError:
        return False


@pytest.fixture
def county(tmp_path):
    """Return a maker of counties."""

    def make(name="county", **more):
        return County(tmp_path / name, **more)

    return make


@pytest.fixture
def lot():
    """Return the maker of rectangles in feet from the county's corner."""
    return lambda x0, y0, x1, y1: box(X + x0, Y + y0, X + x1, Y + y1)


@pytest.fixture(scope="session")
def county_kind():
    """The class itself, for tests that make many."""
    return County


def shaken(ground, width, seed=0):
    """Move every vertex of a polygon by up to a width."""
    points = shapely.get_coordinates(ground)[:-1]
    return shapely.Polygon(points + np.random.default_rng(seed).uniform(-width, width, points.shape))


@pytest.fixture
def shake():
    """Return the shaker of outlines."""
    return shaken
