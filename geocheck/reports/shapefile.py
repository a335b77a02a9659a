"""Shapefile: fixed, unique field names of at most ten characters, and beside it what they stand for."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import GEOMETRY_TABLES, column_of
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

#: Bytes that a text field of a DBF holds.
WIDEST = 254

# Field names that never change. Those of obligations follow from the chapter: 87-5_permit is 875_PERMIT.
_SHORT = {
    "record": "RECORD", "parcel_id": "PARCEL_ID", "status": "STATUS", "area_ft2": "AREA_FT2", "area_acre": "AREA_ACRE",
    "shoreland_area_ft2": "SHORE_FT2", "shoreland_pct": "SHORE_PCT", "shoreland_member": "SHORE_MEM",
    "wetland_area_ft2": "WETLD_FT2", "wetland_pct": "WETLD_PCT", "wetland_member": "WETLD_MEM",
    "floodplain_area_ft2": "FLOOD_FT2", "floodplain_pct": "FLOOD_PCT", "floodplain_member": "FLOOD_MEM",
    "zones_area_ft2": "ZONES_FT2", "zones_pct": "ZONES_PCT", "zones_member": "ZONES_MEM",
    "impervious_area_ft2": "IMPV_FT2", "impervious_pct": "IMPV_PCT",
    "site_id": "SITE_ID", "plan": "PLAN", "phase": "PHASE", "disturbed_area_ft2": "DIST_FT2",
    "role": "ROLE", "id": "ID", "source": "SOURCE", "date": "DATE", "accuracy": "ACCURACY", "sha256": "SHA256",
}  # fmt: skip
_OBLIGATIONS = {
    "erosion_control": "EROSN", "stormwater_management": "STORM", "permit": "PERMIT", "financial_guarantee": "GUARAN",
    "fee": "FEE", "post_construction_stormwater": "POSTCN", "protective_area": "PROTAR",
}  # fmt: skip


def short_name(name: str) -> str:
    """Return the field name of a column: at most ten characters, the same in every run.

    Names that are not fixed are cut, and end in three characters made from the whole name, so that two that begin
    alike differ.

    Examples
    --------
    >>> short_name("shoreland_area_ft2"), short_name("87-5_erosion_control")
    ('SHORE_FT2', '875_EROSN')
    >>> short_name("disturbed_area_sqft"), short_name("disturbed_area_acres")
    ('DISTUR_IYL', 'DISTUR_EWS')
    """
    if name in _SHORT:
        return _SHORT[name]
    chapter, _, obligation = name.partition("_")
    chapter = "".join(letter for letter in chapter if letter.isalnum())
    known = _OBLIGATIONS.get(obligation)
    if known is not None and chapter.isascii() and len(chapter) + 1 + len(known) <= 10:
        return f"{chapter.upper()}_{known}"
    letters = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name).upper().strip("_")
    return f"{letters[:6].rstrip('_')}_{_mark(name)}"


def _mark(name: str) -> str:
    value = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return "".join(chr(ord("A") + value // 26**place % 26) for place in range(3))


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return the field name of each column, unique within the table whatever its columns."""
    taken: dict[str, str] = {}
    for name in names:
        short, spare = short_name(name), 0
        while short in taken.values():
            spare += 1
            short = f"{short_name(name)[: 10 - len(str(spare)) - 1]}_{spare}"
        taken[name] = short
    return taken


def _fitting(text: str) -> str:
    """Cut a text to what a DBF field holds, at a whole character."""
    told = text.encode(errors="replace")
    return text if len(told) <= WIDEST else told[:WIDEST].decode(errors="ignore")


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table with geometry, and ``<name>.fields.csv`` with short and long field names."""
    from geocheck.reports.exported import exported, gdal_write  # GIS libraries are loaded when something is written

    table = name.removesuffix(".shp")
    frame = exported(tables, table)
    columns = [column for column in frame.columns if column != frame.geometry.name]
    shorts = short_names(columns)
    cut = {}
    for column in columns:
        if frame[column].dtype.kind not in "fiub":
            whole = frame[column].tolist()
            fitting = [_fitting(text) if isinstance(text, str) else None for text in whole]
            cut[column] = sum(isinstance(text, str) and text != fit for text, fit in zip(whole, fitting, strict=True))
            frame[column] = fitting
    gdal_write(frame.rename(columns=shorts), folder / name, "ESRI Shapefile", encoding="UTF-8", geometry_type="Polygon")
    with (folder / f"{table}.fields.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("short", "long", "meaning", "note"))
        for column in columns:
            note = f"{cut[column]} values cut to {WIDEST} bytes; whole in {table}.csv" if cut.get(column) else ""
            writer.writerow((shorts[column], column, column_of(table, column).meaning, note))


OUTPUT = Output(
    says="sites, parcels and zones as shapefiles, with <name>.fields.csv: short and long field names",
    names=tuple(f"{table}.shp" for table in GEOMETRY_TABLES),
    write=write,
    beside=(".shx", ".dbf", ".prj", ".cpg", ".fields.csv", ".qix", ".sbn", ".sbx", ".shp.xml"),
)
