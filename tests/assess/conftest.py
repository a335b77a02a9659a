"""Small worlds as files: a project in a folder, run as a user would run it."""

from __future__ import annotations

from pathlib import Path

import geopandas
import pytest
import shapely
from shapely.affinity import translate
from shapely.geometry import box

#: Inside the area of use of each system: where the worlds of `cases` are put.
OFFSETS = {8104: (362000, 184000), 2289: (2451000, 524000), 3071: (667000, 329000)}
VILLAGE = "us/wi/washington-county-village/87-5"
RIVER_HILLS = "us/wi/river-hills/6.04"
#: What an ordinary applicant states under § 87-5 and § 6.04: none of the exemptions.
ORDINARY = {
    "grows_crops": "no", "by_state_agency": "no", "one_or_two_family_building": "no", "builds_road": "no",
    "designed_by_land_conservation": "no", "village_or_county_work": "no", "excavated_volume": "0 yd3",
    "filled_volume": "0 yd3", "agricultural_facility": "no", "underground_utility": "no",
    "mmsd_chapter_13_applies": "no", "mmsd_chapter_13_quantity_exempt": "no",
}  # fmt: skip


class World:
    """A project under construction in a folder."""

    def __init__(self, folder: Path, crs: int) -> None:
        self.folder, self.crs = folder, crs
        self.layers: dict[str, str] = {}
        self.top: list[str] = []

    def put(self, geometry, dx=None, dy=None):
        """Move plane geometry into the system's area of use."""
        x, y = OFFSETS[self.crs]
        return translate(geometry, x if dx is None else dx, y if dy is None else dy)

    def add(self, role, geometries, *, move=True, crs=None, keys="", **columns):
        """Write one layer as a GeoPackage and name it in the project."""
        if isinstance(geometries, dict):
            columns = {"ID": list(geometries), **columns}
            geometries = list(geometries.values())
            keys = f"id: ID, {keys}" if keys else "id: ID"
        placed = [self.put(g) if move and g is not None else g for g in geometries]
        frame = geopandas.GeoDataFrame(columns, geometry=placed, crs=crs or self.crs)
        frame.to_file(self.folder / f"{role}.gpkg", layer=role)
        self.layers[role] = f"  {role}: {{source: {role}.gpkg{', ' + keys if keys else ''}}}"
        return self

    def say(self, *lines):
        """Add lines to the top level of the project file."""
        self.top += lines
        return self

    def state(self, **facts):
        """State facts for sites: ``state(S1={"grows_crops": "yes"})``, over what is ordinary."""
        rows = ["site_id,fact,value"]
        for site, own in facts.items():
            rows += [f"{site},{name},{value}" for name, value in {**ORDINARY, **own}.items()]
        (self.folder / "statements.csv").write_text("\n".join(rows) + "\n")
        self.top.append("statements: statements.csv")
        return self

    def project(self) -> Path:
        """Write the project file and return its path."""
        path = self.folder / "geocheck.yaml"
        path.write_text("\n".join(["name: a small world", *self.top, "layers:", *self.layers.values(), ""]))
        return path

    def run(self):
        """Run the project."""
        import geocheck

        return geocheck.run(geocheck.open_project(self.project()))


@pytest.fixture
def world(tmp_path):
    """Return a maker of worlds: ``world(8104)``."""
    made = iter(range(1000))

    def make(crs=8104):
        folder = tmp_path / f"world{next(made)}"
        folder.mkdir()
        return World(folder, crs)

    return make


@pytest.fixture
def grid():
    """Lines that measure in the layers' own system, as `cases` means its areas."""
    return lambda crs: ("area_basis: grid", f"measure_crs: EPSG:{crs}")


__all__ = ["box", "shapely"]
