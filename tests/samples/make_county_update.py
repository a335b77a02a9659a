"""Makes ``data/county-update``: run it with the folder to write to; the same files come out each time."""

from __future__ import annotations

import sys
import zipfile
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import geopandas as gpd
import numpy as np
import shapely
from make_drawing import SampleSite, as_multi, blob, placed, turned, write_csv, write_geopackage
from make_shapefile import Field, Row, write_shapefile
from shapely.geometry import Polygon, box

CRS = "EPSG:8104"
OFFSET = (372000.0, 191000.0)
NO = (
    "grows_crops", "by_state_agency", "one_or_two_family_building", "builds_road", "designed_by_land_conservation",
    "village_or_county_work",
)  # fmt: skip
NOTHING = {"new_road_length": "0 ft", "disturbed_channel_length": "0 ft", "small_parcels_created": "0 each",
           "impervious_area_added": "2_000 ft2", "excavated_volume": "20 yd3", "filled_volume": "10 yd3"}  # fmt: skip

# --- ground, in local feet (east, north) -----------------------------------------------------------------------------
ORCHARD, MEADOW, RIDGE = box(0, 0, 1320, 660), box(1320, 0, 2640, 660), box(0, 660, 1320, 1980)
WETLAND = blob(1900, 1500, 300, 200)
CREEK = box(1320, 1900, 2640, 1980)
SITES = [
    SampleSite("CU-1", "Orchard Lane, first house", turned(330, 330, 60, 50), plan="P-ORCHARD"),
    SampleSite("CU-2", "Orchard Lane, second house", turned(990, 330, 60, 50), plan="P-ORCHARD"),
    SampleSite("CU-3", "Garage", turned(1400, 780, 50, 40)),
    SampleSite("CU-4", "Shop on two lots", turned(1620, 780, 100, 60)),
    SampleSite("CU-5", "Barn on the ridge", turned(400, 1500, 120, 80)),
]


def lot(column: int, row: int) -> Polygon:
    """Return the lot of 150 × 240 ft at a column (1 to 8) and row (0 or 1) along Meadow Street."""
    return box(1170 + 150 * column, 660 + 240 * row, 1320 + 150 * column, 900 + 240 * row)


def first() -> dict[str, tuple[Polygon, str]]:
    """Return the parcels of 2025: identifier to ground and class."""
    found = {f"0140-0{row}-{column:04d}": (lot(column, row), "1") for row in range(2) for column in range(1, 9)}
    return found | {"0141-00-0001": (ORCHARD, "4"), "0141-00-0002": (MEADOW, "4"), "0141-00-0003": (RIDGE, "4")}


def second() -> dict[str, tuple[Polygon, str]]:
    """Return the parcels of 2026: a merge, a new number, a class, a split, a subdivision; and every vertex elsewhere."""
    found = first()
    found["0140-00-0002"] = (shapely.union_all([found[name][0] for name in ("0140-00-0002", "0140-00-0003")]), "2")
    del found["0140-00-0003"]
    found["0140-09-0106"] = found.pop("0140-01-0006")
    found["0140-01-0004"] = (found["0140-01-0004"][0], "2")
    del found["0141-00-0002"], found["0141-00-0001"]
    found["0141-00-0021"], found["0141-00-0022"] = (box(1320, 0, 2112, 660), "4"), (box(2112, 0, 2640, 660), "4")
    found |= {f"0142-00-{i + 1:04d}": (box(220 * i, 0, 220 * (i + 1), 660), "1") for i in range(6)}
    return {name: (exported_again(ground), sort) for name, (ground, sort) in found.items()}


def exported_again(ground: Polygon) -> Polygon:
    """Return an outline after another program wrote it: moved a little as a whole, and each vertex to a 1/64 of a foot."""
    return shapely.transform(ground, lambda xy: np.round((xy + np.array([0.031, -0.024])) * 64) / 64)


# --- files -----------------------------------------------------------------------------------------------------------


def _delivery(folder: Path, day: date, parcels: dict[str, tuple[Polygon, str]]) -> None:
    fields = [Field("PARCELID", width=20), Field("PROPCLASS", width=4), Field("Shape_Area", "N", 19, 6)]
    rows = [Row(ground, [name, sort, ground.area]) for name, (ground, sort) in sorted(parcels.items())]
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as aside, zipfile.ZipFile(folder / f"parcels_{day}.zip", "w") as packed:
        write_shapefile(Path(aside) / "parcels.shp", fields, rows, crs=CRS, offset=OFFSET, on=day)
        for path in sorted(Path(aside).iterdir()):
            entry = zipfile.ZipInfo(path.name, (day.year, day.month, day.day, 2, 0, 0))
            entry.create_system = 3
            packed.writestr(entry, path.read_bytes())


def make(folder: Path) -> None:
    """Write two deliveries, the zones, the sites and the statements into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    _delivery(folder / "deliveries", date(2025, 10, 1), first())
    _delivery(folder / "deliveries", date(2026, 10, 1), second())
    zones = {"wetlands": WETLAND, "floodplain": CREEK, "shoreland": shapely.buffer(CREEK, 75, join_style="mitre")}
    frames = {
        name: gpd.GeoDataFrame({"NAME": [name]}, geometry=[as_multi(placed(ground, OFFSET))], crs=CRS)
        for name, ground in zones.items()
    }
    write_geopackage(folder / "zones.gpkg", frames)
    fields = [Field("SITE_ID", width=10), Field("PLAN_ID", width=12), Field("PROJECT", width=40)]
    rows = [Row(site.ground, [site.id, site.plan, site.project]) for site in SITES]
    write_shapefile(folder / "sites.shp", fields, rows, crs=CRS, offset=OFFSET)
    stated = {**dict.fromkeys(NO, False), **NOTHING}
    write_csv(
        folder / "statements.csv",
        ["site_id", "fact", "value"],
        [[site.id, fact, value] for site in SITES for fact, value in stated.items()],
    )


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "data" / "county-update")
