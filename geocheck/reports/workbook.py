"""geocheck.xlsx: a sheet for each table, identifiers as text, nothing from the data ever a formula."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.model.problem import OutputError
from geocheck.reports.columns import column_of
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

#: Rows of a sheet, its head among them, and characters of a cell: limits of the format.
MOST_ROWS = 1_048_576
MOST_CHARACTERS = 32_767

# Sheets in reading order; zones have no columns that a reader of a workbook would miss.
_SHEETS = ("determinations", "sites", "parcels", "facts", "trace", "questions", "layers", "repairs")

#: word -> text and fill, of outcomes and truths.
_COLOURS = {
    "required": ("#8A3B00", "#FBE3D2"), "undetermined": ("#5E4A00", "#FDF2C4"), "waived": ("#6D2A58", "#F5E0EE"),
    "not_required": ("#004C78", "#DCEDF8"), "unknown": ("#5E4A00", "#FDF2C4"),
}  # fmt: skip


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write the workbook.

    Raises
    ------
    OutputError
        If XlsxWriter is not installed, or a table has more rows than a sheet.
    """
    try:
        import xlsxwriter  # type: ignore[import-untyped,import-not-found,unused-ignore]
        from xlsxwriter.exceptions import FileCreateError  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise OutputError(
            f"cannot write {name}: XlsxWriter is not installed; install it with: pip install 'geocheck[report]', "
            "or leave the workbook out"
        ) from error
    for sheet in _SHEETS:
        if len(tables[sheet]) >= MOST_ROWS:
            raise OutputError(
                f"cannot write {name}: {sheet} has {len(tables[sheet]):,} rows and a sheet holds {MOST_ROWS - 1:,}; "
                f"ask for {sheet}.csv or {sheet}.parquet instead"
            )
    settings = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "constant_memory": True,
    }
    book = xlsxwriter.Workbook(folder / name, settings)
    formats = _formats(book)
    for sheet in _SHEETS:
        _sheet(book.add_worksheet(sheet), tables, sheet, formats)
    _meanings(book.add_worksheet("columns"), tables, formats)
    try:
        book.close()
    except FileCreateError as error:
        raise OutputError(f"cannot write {name}: {error}; the older outputs are as they were") from error


def _formats(book: Any) -> dict[str, Any]:
    formats = {
        "head": book.add_format({"bold": True, "bg_color": "#E8ECF0", "bottom": 1, "text_wrap": True, "valign": "top"}),
        "text": book.add_format({"num_format": "@", "valign": "top"}),
        "number": book.add_format({"num_format": "#,##0.000", "valign": "top"}),
        "acre": book.add_format({"num_format": "#,##0.000000", "valign": "top"}),
        "whole": book.add_format({"num_format": "0", "valign": "top"}),
    }
    for word, (ink, fill) in _COLOURS.items():
        formats[word] = book.add_format({"num_format": "@", "valign": "top", "font_color": ink, "bg_color": fill})
    return formats


def _sheet(sheet: Any, tables: Tables, table: str, formats: dict[str, Any]) -> None:
    frame = tables.rows(table)
    names = [str(name) for name in frame.columns]
    sheet.freeze_panes(1, 1)
    for place, name in enumerate(names):
        sheet.set_column(place, place, _width(name))
    for place, name in enumerate(names):
        sheet.write_string(0, place, name, formats["head"])
    columns = [frame[name].tolist() for name in frame.columns]
    looks = [formats["acre" if name.endswith("acre") else "whole" if name == "record" else "number"] for name in names]
    for row, cells in enumerate(zip(*columns, strict=True), start=1):
        for place, cell in enumerate(cells):
            _cell(sheet, row, place, cell, looks[place], formats)
    if names:
        sheet.autofilter(0, 0, max(len(frame), 1), len(names) - 1)


def _cell(sheet: Any, row: int, place: int, cell: Any, look: Any, formats: dict[str, Any]) -> None:
    """A number as a number, all else as text; unknown is left blank."""
    if isinstance(cell, bool):
        sheet.write_string(row, place, "yes" if cell else "no", formats["text"])
    elif isinstance(cell, (int, float)):
        if math.isfinite(cell):
            sheet.write_number(row, place, cell, look)
    elif isinstance(cell, str) and cell:
        text = cell if len(cell) <= MOST_CHARACTERS else cell[: MOST_CHARACTERS - 1] + "…"
        text = text.encode("utf-8", "backslashreplace").decode()
        sheet.write_string(
            row, place, text, formats.get(cell, formats["text"]) if cell in _COLOURS else formats["text"]
        )


def _width(name: str) -> int:
    wide = {
        "asks": 60,
        "facts_seen": 60,
        "note": 60,
        "decides": 40,
        "source": 30,
        "because": 22,
        "instead": 30,
        "needs": 30,
    }
    return wide.get(name, max(11, min(len(name) + 2, 28)))


def _meanings(sheet: Any, tables: Tables, formats: dict[str, Any]) -> None:
    """What every column of every sheet holds."""
    sheet.freeze_panes(1, 0)
    for place, (head, width) in enumerate((("sheet", 16), ("column", 30), ("holds", 14), ("meaning", 90))):
        sheet.set_column(place, place, width)
        sheet.write_string(0, place, head, formats["head"])
    row = 0
    for table in _SHEETS:
        for name in tables.rows(table).columns:
            column = column_of(table, str(name))
            row += 1
            for place, text in enumerate((table, column.name, column.sort, column.meaning)):
                sheet.write_string(row, place, text, formats["text"])


OUTPUT = Output(
    says="all tables in one workbook, a sheet each (needs the extra: report)", names=("geocheck.xlsx",), write=write
)
