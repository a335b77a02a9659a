"""columns.csv: what every column of every table holds, for whoever is handed the CSVs."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import TABLES, column_of
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one row a column, with the columns that this run has."""
    with (folder / name).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "column", "holds", "meaning"))
        for table in TABLES:
            for column in tables.rows(table).columns:
                told = column_of(table, str(column))
                writer.writerow((table, told.name, told.sort, told.meaning))


OUTPUT = Output(says="the data dictionary: what each column of each table holds", names=("columns.csv",), write=write)
