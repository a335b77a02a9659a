"""CSV: every table as UTF-8 text, a header row, identifiers exactly as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.reports.columns import TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


#: In the name of a table that is meant for Excel.
EXCEL = ".excel"


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table; unknown is an empty cell."""
    from geocheck.reports.lines import save_csv  # pandas is loaded when something is written, not for --help

    table = name.removesuffix(".csv").removesuffix(EXCEL)
    for_excel = name.endswith(f"{EXCEL}.csv")
    frame = tables.rows(table)
    save_csv(_harmless(frame) if for_excel else frame, folder / name, mark=for_excel)


def _harmless(frame: Any) -> Any:
    """The same with an apostrophe before texts that Excel would take for a formula and work out."""
    frame = frame.copy(deep=False)
    for column in frame.columns:
        if frame[column].dtype.kind not in "fiub":
            frame[column] = [
                f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
                for cell in frame[column].tolist()
            ]
    return frame


OUTPUT = Output(
    says="tables as CSV: UTF-8, one header row, unknown is an empty cell; <table>.excel.csv for Excel: with its byte order mark, formulas made harmless",
    names=tuple(f"{table}{kind}.csv" for kind in ("", EXCEL) for table in TABLES),
    write=write,
    default=tuple(f"{table}.csv" for table in TABLES if table not in ("sites", "zones")),
)
