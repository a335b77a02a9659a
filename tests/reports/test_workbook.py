"""geocheck.xlsx and columns.csv: text stays text, numbers numbers, nothing becomes a formula, every column is explained."""

from __future__ import annotations

import csv
import sys
import zipfile
from xml.etree import ElementTree as ET

import pytest

from geocheck import reports
from geocheck.model.problem import OutputError
from geocheck.reports import workbook
from geocheck.reports.tables import Tables

SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture(scope="module")
def book(findings, tmp_path_factory):
    pytest.importorskip("xlsxwriter", reason="needs the extra: report")
    folder = tmp_path_factory.mktemp("xlsx")
    reports.write(findings, folder, ["geocheck.xlsx", "columns.csv"])
    return folder / "geocheck.xlsx"


def sheets(path):
    """Cells by sheet, read from the file's own XML: (type, text) by row."""
    with zipfile.ZipFile(path) as parts:
        names = [sheet.get("name") for sheet in ET.fromstring(parts.read("xl/workbook.xml")).iter(f"{SPACE}sheet")]
        for number, name in enumerate(names, start=1):
            root = ET.fromstring(parts.read(f"xl/worksheets/sheet{number}.xml"))
            rows = []
            for row in root.iter(f"{SPACE}row"):
                cells = {}
                for cell in row:
                    column = "".join(letter for letter in cell.get("r") if letter.isalpha())
                    text = "".join(t.text or "" for t in cell.iter() if t.tag in (f"{SPACE}t", f"{SPACE}v"))
                    cells[column] = (cell.get("t", "n"), text, cell.find(f"{SPACE}f") is not None)
                rows.append(cells)
            yield name, rows


def test_identifiers_are_text_cells_with_exactly_their_text_and_no_cell_is_a_formula(book, awkward_names):
    found = dict(sheets(book))
    assert not any(formula for rows in found.values() for row in rows for _, _, formula in row.values())
    ids = [row["A"] for row in found["sites"][1:8]]
    assert [kind for kind, _, _ in ids] == ["inlineStr"] * 7
    assert [text for _, text, _ in ids] == list(awkward_names)
    assert found["parcels"][1]["B"][:2] == ("inlineStr", '=HYPERLINK("x")')
    assert found["parcels"][3]["B"][:2] == ("inlineStr", "00000002")


def test_no_name_becomes_a_link(book):
    with zipfile.ZipFile(book) as parts:
        assert not any(
            b"hyperlink" in parts.read(name).lower() for name in parts.namelist() if name.endswith("sheet1.xml")
        )
        assert not any("rels" in name and "sheet" in name for name in parts.namelist())


def test_numbers_are_numbers_and_unknown_is_blank(book, findings):
    rows = dict(sheets(book))["parcels"]
    heads = {text: column for column, (_, text, _) in rows[0].items()}
    assert rows[1][heads["area_ft2"]][:2] == ("n", "90000")
    assert float(rows[1][heads["zones_area_ft2"]][1]) == 30000.123456
    assert heads["area_ft2"] not in rows[2]


def test_each_sheet_has_the_csv_s_columns_and_rows(book, findings, tmp_path):
    found = dict(sheets(book))
    for table in ("determinations", "sites", "parcels", "facts", "trace", "questions", "layers", "repairs"):
        frame = Tables(findings).rows(table)
        assert [text for _, text, _ in found[table][0].values()] == list(frame.columns)
        assert len(found[table]) == len(frame) + 1


def test_the_workbook_is_opened_by_another_library(book):
    openpyxl = pytest.importorskip("openpyxl")
    opened = openpyxl.load_workbook(book)
    assert opened["sites"].freeze_panes == "B2"
    assert opened["sites"]["A3"].value == "=1+1"
    assert opened["sites"]["A3"].data_type != "f"


def test_names_that_xml_or_excel_would_change_come_through(build_findings, tmp_path):
    names = ("_x0041_", "a\u0001b", "  spaces  ", "http://x.org", "@SUM(1)", "+1", "-1", "1e5", "TRUE")
    pytest.importorskip("xlsxwriter", reason="needs the extra: report")
    openpyxl = pytest.importorskip("openpyxl")
    reports.write(
        build_findings(len(names), names), tmp_path, ["geocheck.xlsx", "sites.csv", "sites.json", "report.html"]
    )
    sheet = openpyxl.load_workbook(tmp_path / "geocheck.xlsx")["sites"]
    got = [sheet.cell(row, 1).value for row in range(2, len(names) + 2)]
    assert [openpyxl.utils.escape.unescape(text) for text in got] == [
        name.replace("\ud800", "\\ud800") for name in names
    ]


def test_without_xlsxwriter_the_message_says_what_to_install(findings, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(OutputError, match=r"pip install 'geocheck\[report\]'"):
        reports.write(findings, tmp_path, ["geocheck.xlsx", "facts.csv"])
    assert list(tmp_path.iterdir()) == []


def test_a_table_longer_than_a_sheet_is_refused_with_the_way_out(findings, tmp_path, monkeypatch):
    pytest.importorskip("xlsxwriter", reason="needs the extra: report")
    monkeypatch.setattr(workbook, "MOST_ROWS", 20)
    with pytest.raises(OutputError, match=r"determinations has 27 rows .* determinations\.csv or"):
        reports.write(findings, tmp_path, ["geocheck.xlsx"])


def test_the_dictionary_explains_every_column_of_every_table(book, findings):
    with (book.parent / "columns.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["meaning"] for row in rows)
    tables = Tables(findings)
    for table in dict.fromkeys(row["table"] for row in rows):
        assert [row["column"] for row in rows if row["table"] == table] == list(tables.rows(table).columns)
