"""Makes ``data/cedar-hollow``: run it with the folder to write to; the same files come out each time."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import geopandas as gpd
import make_cedar_ground as ground
import shapely
from make_cedar_sites import DECISIONS, SITES, STATED, WAIVERS, impervious
from make_drawing import as_multi, placed, record_acts, write_csv, write_geopackage
from make_shapefile import LINE, WINDOWS_1252, Field, Row, write_shapefile

CRS = "EPSG:8104"
OFFSET = (360000.0, 182000.0)

_PARCEL_FIELDS = [
    Field("PARCELID", width=20), Field("SITEADRESS", width=40), Field("PROPCLASS", width=20), Field("AUXCLASS", width=10),
    Field("GISACRES", width=12), Field("PARCELDATE", "D", 8), Field("CONAME", width=20), Field("MUNINAME", width=30),
    Field("Shape_Leng", "N", 19, 6), Field("Shape_Area", "N", 19, 6),
]  # fmt: skip


def _parcel_row(lot: ground.Lot) -> Row:
    # A ring that crosses itself has no area by the shoelace formula; the county's software gives the ground's.
    area = None if lot.ground is None else shapely.make_valid(lot.ground).area * lot.area_factor
    exempt = {"Village park": "X4", "Well field": "X4"}.get(lot.address)
    acres = None if area is None else f"{abs(area) / 43560:.3f}"
    length = None if lot.ground is None else lot.ground.length
    return Row(lot.ground, [lot.id, lot.address, lot.classes, exempt, acres, date(2026, 9, 30), "WASHINGTON",
                            "VILLAGE OF CEDAR HOLLOW", length, area])  # fmt: skip


def _shapefile(folder: Path, name: str, fields: list[Field], rows: list[Row], **how: object) -> None:
    write_shapefile(folder / f"{name}.shp", fields, rows, crs=CRS, offset=OFFSET, **how)  # type: ignore[arg-type]


def _public_layers(folder: Path) -> None:
    for name, lots in (("parcels", ground.parcels()), ("parcels_before", ground.parcels_before())):
        _shapefile(folder, name, _PARCEL_FIELDS, [_parcel_row(lot) for lot in lots], cpg="1252")
    # No .cpg: only the language byte of the DBF says how the umlaut is written.
    muni = [Row(ground.VILLAGE, ["Village of Cedar Hollow", "V"]), Row(ground.TOWN, ["Town of Grünwald", "T"])]
    _shapefile(folder, "municipality", [Field("MUNI_NAME", width=40), Field("CTV", width=1)], muni,
               cpg=None, language=WINDOWS_1252)  # fmt: skip
    wetlands = [Row(g, [i, c, g.area / 43560], reversed_rings=i != "W-01") for i, c, g in ground.WETLANDS]
    _shapefile(folder, "wetlands", [Field("WET_ID"), Field("WETCODE", width=10), Field("ACRES", "N", 12, 3)], wetlands)
    _shapefile(folder, "shoreland", [Field("ZONE", width=20)], [Row(ground.SHORELAND, ["SHORELAND"])])
    lake = [Row(ground.LAKE, ["Hollow Lake", 706, 7061])]
    water = [Field("WATERBODY_", width=40), Field("HYDROTYPE", "N", 5), Field("HYDROCODE", "N", 6)]
    _shapefile(folder, "lakes", water, lake)
    streams = [Row(ground.RUN, ["Cedar Run", 508, 200]), Row(ground.OUTLET, ["Hollow Outlet", 508, 200])]
    _shapefile(folder, "streams", water, streams, shape_type=LINE)
    channels = [Row(line, [i, sort]) for i, sort, line in ground.CHANNELS]
    _shapefile(folder, "channels", [Field("CHAN_ID"), Field("TYPE", width=20)], channels, shape_type=LINE)
    roads = [Row(line, [name, "existing"]) for name, (_, line) in ground.STREETS.items()]
    roads += [Row(line, [name, "proposed"]) for name, line in ground.NEW_ROADS.items()]
    _shapefile(folder, "roads", [Field("ROADNAME", width=40), Field("STATUS", width=12)], roads, shape_type=LINE,
               cpg=None, language=WINDOWS_1252)  # fmt: skip
    _shapefile(folder, "flood_panel", [Field("FIRM_PAN", width=20)], [Row(ground.PANEL, ["99999C0123X"])])


def _flood(folder: Path) -> None:
    zones = [
        ("AE", "FLOODWAY", "T", ground.FLOODWAY), ("AE", None, "T", ground.FRINGE), ("A", None, "T", ground.POND_FLOOD),
        ("X", "0.2 PCT ANNUAL CHANCE FLOOD HAZARD", "F", ground.SHADED),
        ("X", "AREA OF MINIMAL FLOOD HAZARD", "F", ground.MINIMAL),
    ]  # fmt: skip
    frame = gpd.GeoDataFrame(
        {
            "DFIRM_ID": ["99999C"] * len(zones),
            "FLD_AR_ID": [f"99999C_{i}" for i in range(1, len(zones) + 1)],
            "FLD_ZONE": [zone for zone, *_ in zones],
            "ZONE_SUBTY": [subtype for _, subtype, *_ in zones],
            "SFHA_TF": [inside for *_, inside, _ in zones],
            "STATIC_BFE": [-9999.0] * len(zones),
        },
        geometry=[as_multi(placed(shape, OFFSET)) for *_, shape in zones],
        crs=CRS,
    )
    panel = gpd.GeoDataFrame({"FIRM_PAN": ["99999C0123X"]}, geometry=[placed(ground.PANEL, OFFSET)], crs=CRS)
    write_geopackage(folder / "flood.gpkg", {"S_FLD_HAZ_AR": frame, "S_FIRM_PAN": panel})


def _impervious(folder: Path) -> None:
    surfaces = list(impervious())
    frame = gpd.GeoDataFrame(
        {
            "SURF_ID": [f"I-{i:03d}" for i in range(1, len(surfaces) + 1)],
            "STATUS": [status for _, status, *_ in surfaces],
            "CONNECTED": [connected for _, _, connected, _ in surfaces],
            "NOTE": [note for *_, note in surfaces],
        },
        geometry=[placed(shape, OFFSET) for shape, *_ in surfaces],
        crs=CRS,
    )
    write_geopackage(folder / "impervious.gpkg", {"impervious": frame})


def _sites(folder: Path) -> None:
    fields = [
        Field("SITE_ID", width=12), Field("PLAN_ID", width=12), Field("PHASE", width=6), Field("PROJECT", width=40),
        Field("AG", width=1), Field("CUT_CY", "N", 10, 1), Field("FILL_CY", "N", 10, 1),
        # DISTURBED_AREA_SQFT and APPLICATION_DATE, as a shapefile cuts them.
        Field("DISTURBED_", "N", 12, 0), Field("APPLICATIO", "D", 8),
    ]  # fmt: skip
    rows = [
        Row(s.ground, [s.id, s.plan, s.phase, s.project, s.crops, s.cut, s.fill, s.ground.area, date(2026, 7, 1)])
        for s in SITES
    ]
    _shapefile(folder, "sites", fields, rows)
    statements = [
        [site.id, fact, site.stated.get(fact, False)]
        for site in SITES
        for fact in (*STATED, *(name for name in site.stated if name not in STATED))
    ]
    write_csv(folder / "statements.csv", ["site_id", "fact", "value"], statements)
    record_acts(folder, DECISIONS, WAIVERS)


def make(folder: Path) -> None:
    """Write the layers and tables of Cedar Hollow into ``folder``."""
    _public_layers(folder)
    _flood(folder)
    _impervious(folder)
    _sites(folder)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "data" / "cedar-hollow")
