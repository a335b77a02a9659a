"""Makes ``data/heron-bay``: run it with the folder to write to; the same files come out each time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import shapely
from make_drawing import SampleSite, as_multi, blob, placed, record_acts, turned, write_csv, write_geopackage
from make_shapefile import LINE, Field, Row, write_shapefile
from pyproj import Transformer
from shapely.geometry import LineString, Polygon, box, mapping
from shapely.geometry.base import BaseGeometry

CRS = "EPSG:8160"
OFFSET = (596000.0, 346000.0)
STATED = (
    "agricultural_facility",
    "underground_utility",
    "above_ground_utility_structure",
    "mmsd_chapter_13_applies",
    "mmsd_chapter_13_quantity_exempt",
    "by_state_agency",
)
YES, UNKNOWN = True, None

# --- ground, in local feet (east, north) from the village's corner ---------------------------------------------------
VILLAGE = Polygon([(0, 0), (4800, 0), (4800, 5600), (700, 5600), (0, 5200)])
NEIGHBOUR = box(-3000, -600, 0, 5000)
SHORE = LineString(
    [(3700, -400), (3640, 400), (3780, 1200), (3690, 2100), (3820, 3000), (3700, 3900), (3600, 4700), (3720, 6000)]
)
LAKE = Polygon([*SHORE.coords, (5800, 6000), (5800, -400)])
CREEK = LineString([(1500, 5600), (1750, 4900), (2350, 4500), (2960, 4420), (3660, 4240)])
WETLANDS = [("HW-1", "less susceptible", blob(2200, 4760, 260, 120)), ("HW-2", "fen", blob(3350, 3300, 120, 170))]
PHOTOGRAPHED = box(-2900, -500, 5500, 4500)
ESTATE, CLUB, FARM = box(100, 3100, 1060, 3900), box(1120, 3100, 2860, 3900), box(100, 3960, 2860, 5400)


def lot(column: int, row: int) -> Polygon:
    """Return the lot of 400 × 360 ft at a column (0 to 5) and row (0 to 6) west of the lake."""
    return box(100 + 460 * column, 100 + 420 * row, 500 + 460 * column, 460 + 420 * row)


def lake_lots() -> list[BaseGeometry]:
    """Return the twelve lots between Shore Drive and the water."""
    return [box(2920, 100 + 440 * i, 5800, 540 + 440 * i).difference(LAKE) for i in range(12)]


def _on(column: int, row: int, width: float, height: float, degrees: float = 0.0) -> Polygon:
    centre = lot(column, row).centroid
    return turned(centre.x, centre.y, width, height, degrees)


SITES = [
    SampleSite("HB-01", "Guest house", _on(0, 0, 130, 130)),
    SampleSite("HB-02", "School", _on(1, 0, 280, 250)),
    SampleSite("HB-03", "House and meadow", _on(2, 0, 260, 250)),
    SampleSite("HB-04", "Estate", turned(580, 3500, 750, 700)),
    SampleSite("HB-05A", "Close, first phase", _on(3, 0, 175, 175), plan="P-CLOSE", phase="1"),
    SampleSite("HB-05B", "Close, second phase", _on(4, 0, 160, 165), plan="P-CLOSE", phase="2"),
    SampleSite("HB-06A", "Mews, north house", _on(3, 1, 175, 175), plan="P-MEWS"),
    SampleSite("HB-06B", "Mews, south house", _on(4, 1, 160, 165), plan="P-MEWS"),
    SampleSite("HB-07", "Barnyard", turned(600, 4250, 500, 300), stated={"agricultural_facility": YES}),
    SampleSite("HB-08", "Water main", box(150, 3010, 1450, 3050), stated={"underground_utility": YES}),
    SampleSite("HB-09", "Lift station", _on(5, 0, 300, 150),
               stated={"underground_utility": YES, "above_ground_utility_structure": YES}),
    SampleSite("HB-10", "Row houses", _on(0, 1, 220, 220), stated={"mmsd_chapter_13_quantity_exempt": YES}),
    SampleSite("HB-11", "Art centre", _on(1, 1, 220, 220)),
    SampleSite("HB-12", "Clinic", _on(2, 1, 165, 132), stated={"mmsd_chapter_13_applies": YES}),
    SampleSite("HB-13", "Parking court", _on(5, 1, 100, 130)),
    SampleSite("HB-14", "State laboratory", _on(0, 2, 300, 290), stated={"by_state_agency": YES}),
    SampleSite("HB-15", "Warehouse beyond the line", turned(-1500, 2000, 300, 290)),
    SampleSite("HB-16", "Chapel", _on(1, 2, 250, 174, 5)),
    SampleSite("HB-17", "Studio", _on(2, 2, 240, 250)),
    SampleSite("HB-18", "Workshop", _on(3, 2, 165, 132), stated={"mmsd_chapter_13_applies": UNKNOWN}),
    SampleSite("HB-19", "Depot turned to lawn", _on(4, 2, 350, 320)),
    SampleSite("HB-20", "Riding hall", turned(700, 4800, 260, 220)),
    SampleSite("HB-21", "Boat club", box(3390, 1450, 3600, 1700)),
]  # fmt: skip
DECISIONS = [
    ("HB-11", "special_exception_granted", YES, "Village Board", "2026-06-17", "SE-2026-02.pdf", "Special exception for the art centre"),
    ("HB-13", "board_finds_runoff_danger", YES, "Village Board", "2026-08-19", "minutes-2026-08-19.pdf",
     "Majority vote after consulting the Village Engineer and Public Works: the culvert below is at capacity"),
]  # fmt: skip


def impervious() -> Iterator[tuple[BaseGeometry, str, str | None]]:
    """Yield surfaces: ground, status, connected. Each lies inside its site unless it says otherwise."""

    def part(site: str, width: float, height: float, dx: float = 0, dy: float = 0) -> Polygon:
        centre = {s.id: s.ground for s in SITES}[site].centroid
        return turned(centre.x + dx, centre.y + dy, width, height)

    yield part("HB-01", 60, 40), "existing", "yes"
    yield part("HB-02", 250, 70), "proposed", "yes"
    yield part("HB-02", 100, 50, dy=90), "proposed", "no"
    yield part("HB-03", 78, 50), "proposed", "yes"
    yield part("HB-03", 130, 70, dy=80), "proposed", "no"
    yield part("HB-04", 600, 70), "proposed", "yes"
    yield part("HB-04", 100, 100, dy=200), "proposed", "no"
    for site in ("HB-05A", "HB-05B", "HB-06A", "HB-06B"):
        yield part(site, 80, 50), "proposed", "yes"
    yield part("HB-07", 200, 100), "proposed", "yes"
    yield box(200, 3020, 525, 3040), "existing", "yes"
    yield part("HB-09", 120, 50), "proposed", "yes"
    for site in ("HB-10", "HB-11"):
        yield part(site, 100, 80), "proposed", "yes"
    yield part("HB-12", 75, 40), "proposed", "yes"
    yield part("HB-13", 50, 40), "proposed", "true"
    yield part("HB-14", 200, 100), "proposed", "Y"
    yield part("HB-15", 200, 100), "proposed", "yes"
    yield part("HB-16", 100, 60), "proposed", "yes"
    yield part("HB-17", 60, 50), "proposed", "yes"
    yield part("HB-17", 80, 60, dy=70), "proposed", "?"
    yield part("HB-18", 75, 40), "proposed", "yes"
    yield part("HB-19", 250, 200), "removed", "yes"
    yield part("HB-19", 80, 70), "proposed", "yes"
    yield part("HB-19", 100, 90, dy=90), "proposed", "no"
    yield part("HB-21", 125, 80, dx=40), "proposed", "yes"
    for column, row in ((0, 3), (2, 3), (4, 3), (1, 4), (3, 4), (5, 4), (0, 5), (2, 5), (4, 6)):
        x, y = lot(column, row).centroid.coords[0]
        yield turned(x, y, 90, 60, 7 * column), "existing", "no"
        yield turned(x, y - 105, 14, 150), "existing", "yes" if row < 6 else None


# --- files -----------------------------------------------------------------------------------------------------------


def _parcels(folder: Path) -> None:
    grounds: list[tuple[str, BaseGeometry, str]] = [
        (f"042-{10 * row + column:04d}-000", lot(column, row), "1") for row in range(7) for column in range(6)
    ]
    grounds += [(f"043-{i:04d}-000", ground, "1") for i, ground in enumerate(lake_lots())]
    grounds += [("044-0001-000", ESTATE, "1"), ("044-0002-000", CLUB, "2"), ("044-0003-000", FARM, "4,5")]
    frame = _frame(
        {
            "TAXKEY": [i for i, *_ in grounds],
            "PROPCLASS": [classes for *_, classes in grounds],
            "GISACRES": [round(ground.area / 43560, 2) for _, ground, _ in grounds],
        },
        [as_multi(ground) for _, ground, _ in grounds],
    )
    zoning = _frame({"DISTRICT": ["R-1", "A-1"]}, [as_multi(box(0, 0, 2890, 3930)), as_multi(FARM)])
    write_geopackage(folder / "parcels.gpkg", {"parcels": frame, "zoning": zoning})


def _frame(columns: dict[str, list[Any]], shapes: list[BaseGeometry]) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(columns, geometry=[placed(shape, OFFSET) for shape in shapes], crs=CRS)


def _geojson(path: Path, rows: list[tuple[dict[str, Any], BaseGeometry]]) -> None:
    """Write longitude and latitude to nine decimals (a tenth of a millimetre)."""
    to_degrees = Transformer.from_crs(CRS, "EPSG:4326", always_xy=True).transform
    features = [
        {
            "type": "Feature",
            "properties": properties,
            "geometry": mapping(shapely.transform(placed(shape, OFFSET), to_degrees, interleaved=False)),
        }
        for properties, shape in rows
    ]
    text = json.dumps({"type": "FeatureCollection", "name": path.stem, "features": features}, indent=1, ensure_ascii=False,
                      default=list)  # fmt: skip
    rounded = json.loads(text, parse_float=lambda number: round(float(number), 9))
    path.write_text(json.dumps(rounded, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def make(folder: Path) -> None:
    """Write the layers and tables of Heron Bay into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    _parcels(folder)
    surfaces = list(impervious())
    frame = _frame(
        {"STATUS": [status for _, status, _ in surfaces], "CONN": [connected for *_, connected in surfaces]},
        [shape for shape, *_ in surfaces],
    )
    write_geopackage(folder / "impervious.gpkg", {"impervious_2026": frame})
    _geojson(
        folder / "municipality.geojson",
        [({"NAME": "Heron Bay", "TYPE": "village"}, VILLAGE), ({"NAME": "Alder Point", "TYPE": "city"}, NEIGHBOUR)],
    )
    _geojson(folder / "wetlands.geojson", [({"WET_ID": i, "KIND": kind}, shape) for i, kind, shape in WETLANDS])
    _geojson(folder / "photo_coverage.geojson", [({"FLIGHT": "2026-04"}, PHOTOGRAPHED)])
    write_shapefile(folder / "lakes.shp", [Field("NAME")], [Row(LAKE, ["Heron Lake"])], crs=CRS, offset=OFFSET)
    write_shapefile(
        folder / "streams.shp", [Field("NAME")], [Row(CREEK, ["Alder Creek"])], crs=CRS, offset=OFFSET, shape_type=LINE
    )
    fields = [Field("SITE", width=10), Field("PLAN_", width=10), Field("PHASE", width=4), Field("PROJECT", width=40),
              Field("RECEIVED", "D", 8)]  # fmt: skip
    rows = [Row(s.ground, [s.id, s.plan, s.phase, s.project, date(2026, 8, 1)]) for s in SITES]
    write_shapefile(folder / "sites.shp", fields, rows, crs=CRS, offset=OFFSET)
    write_csv(
        folder / "statements.csv",
        ["site_id", "fact", "value"],
        [[site.id, fact, site.stated.get(fact, False)] for site in SITES for fact in STATED],
    )
    record_acts(folder, DECISIONS, [])


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "data" / "heron-bay")
