"""JSON: any table as a list of objects, one a row; unknown is null."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table, a row a line."""
    from geocheck.reports.lines import json_lines, save_lines  # pandas is loaded when something is written

    with (folder / name).open("wb") as file:
        file.write(b"[")
        save_lines(file, json_lines(tables.rows(name.removesuffix(".json"))))
        file.write(b"\n]\n")


OUTPUT = Output(
    says="tables as JSON: a list of rows, unknown is null",
    names=tuple(f"{table}.json" for table in TABLES),
    write=write,
)
