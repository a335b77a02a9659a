"""CSV: every table as UTF-8 text, a header row, identifiers exactly as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table; unknown is an empty cell."""
    from geocheck.reports.lines import save_csv  # pandas is loaded when something is written, not for --help

    save_csv(tables.rows(name.removesuffix(".csv")), folder / name)


OUTPUT = Output(
    says="tables as CSV: UTF-8, one header row, unknown is an empty cell",
    names=tuple(f"{table}.csv" for table in TABLES),
    write=write,
    default=tuple(f"{table}.csv" for table in TABLES if table not in ("sites", "zones")),
)
