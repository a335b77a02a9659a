"""CSV: every table as UTF-8 text, a header row, identifiers exactly as they are."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table; unknown is an empty cell."""
    from geocheck.reports.cells import text_columns  # pandas is loaded when something is written, not for --help

    frame = tables.rows(name.removesuffix(".csv"))
    with (folder / name).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(frame.columns)
        writer.writerows(zip(*text_columns(frame), strict=True))


OUTPUT = Output(
    says="tables as CSV: UTF-8, one header row, unknown is an empty cell",
    names=tuple(f"{table}.csv" for table in TABLES),
    write=write,
    default=tuple(f"{table}.csv" for table in TABLES if table not in ("sites", "zones")),
)
