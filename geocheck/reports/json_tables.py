"""JSON: any table as a list of objects, one a row; unknown is null."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table, a row a line."""
    from geocheck.reports.cells import plain_rows  # pandas is loaded when something is written, not for --help

    rows = plain_rows(tables.rows(name.removesuffix(".json")))
    with (folder / name).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write("[")
        for place, row in enumerate(rows):
            file.write(",\n" if place else "\n")
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False))
        file.write("\n]\n")


OUTPUT = Output(
    says="tables as JSON: a list of rows, unknown is null",
    names=tuple(f"{table}.json" for table in TABLES),
    write=write,
)
