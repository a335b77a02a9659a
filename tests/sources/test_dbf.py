"""DBF cells: exact digits, checked dates, text in any encoding; one bad cell costs a cell."""

from __future__ import annotations

import datetime
import struct

import pandas as pd
import pytest

from geocheck.model.problem import SourceError
from geocheck.sources.columns import text_of

NAME = "Müller & Peña"
SQUARE = [[(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)]]


@pytest.mark.parametrize(
    ("cpg", "language", "codec"),
    [
        pytest.param(None, 0, "cp1252", id="nothing stated"),
        pytest.param(None, 0x57, "cp1252", id="language byte 0x57"),
        pytest.param("1252", 0, "cp1252", id="cpg 1252"),
        pytest.param("ANSI 1252", 0, "cp1252", id="cpg ANSI 1252"),
        pytest.param("UTF-8", 0, "utf-8", id="cpg UTF-8"),
        pytest.param("65001", 0, "utf-8", id="cpg 65001"),
        pytest.param("ISO 8859-1", 0, "latin-1", id="cpg ISO 8859-1"),
        pytest.param("88591", 0x57, "latin-1", id="cpg 88591"),
        pytest.param(None, 0x02, "cp850", id="language byte 850"),
        pytest.param("UTF-8", 0, "cp1252", id="cpg says UTF-8 and lies"),
        pytest.param("1252", 0, "utf-8", id="cpg says 1252 and lies"),
        pytest.param("martian", 0, "utf-8", id="cpg says nothing known"),
        pytest.param(None, 0, "utf-8", id="UTF-8 unstated"),
        pytest.param("", 0x57, "cp1252", id="cpg empty, language byte 0x57"),
        pytest.param("LDID/87", 0, "cp1252", id="cpg names a language byte"),
        pytest.param("28591", 0, "latin-1", id="cpg 28591"),
        pytest.param("10000", 0, "mac_roman", id="cpg 10000"),
        pytest.param("UTF-16", 0, "utf-8", id="cpg says UTF-16, which no table is in"),
        pytest.param("US-ASCII", 0, "cp1252", id="cpg says ASCII and lies"),
        pytest.param("hex", 0, "cp1252", id="cpg says what is no encoding of text"),
    ],
)
def test_text_in_every_encoding(write_shapefile, read, cpg, language, codec):
    path = write_shapefile(
        [SQUARE], fields=[("NAME", "C", 40, 0)], rows=[[NAME.encode(codec)]], cpg=cpg, language=language
    )
    assert read(path).frame["field:NAME"].tolist() == [NAME]


def test_stated_encoding_outranks_the_file(write_shapefile, read):
    path = write_shapefile([SQUARE], fields=[("NAME", "C", 40, 0)], rows=[["Žižkov".encode("cp1250")]], cpg="1252")
    assert read(path, encoding="cp1250").frame["field:NAME"].tolist() == ["Žižkov"]


@pytest.mark.parametrize("word", ["martian", "UTF-16", "hex", "unicode_escape", "cp037"])
def test_an_unknown_stated_encoding_is_refused(write_shapefile, read, word):
    with pytest.raises(SourceError, match=word):
        read(write_shapefile([SQUARE]), encoding=word)


@pytest.mark.parametrize(
    ("word", "language", "text"),
    [("1251", 0, "Привет"), ("866", 0, "Привет"), (None, 0x65, "Привет"), (None, 0xC9, "Привет"), ("936", 0, "中文"),
     ("Big5", 0, "中文"), ("SJIS", 0, "日本"), (None, 0x13, "日本"), ("ISO-8859-15", 0, "5 €"), ("1250", 0, "Žižkov")],
)  # fmt: skip
def test_other_alphabets(write_shapefile, read, word, language, text):
    codec = {"Привет": "cp866" if word == "866" or language == 0x65 else "cp1251", "日本": "cp932", "5 €": "iso8859-15", "Žižkov": "cp1250"}.get(text, "gbk" if word == "936" else "big5")  # fmt: skip
    path = write_shapefile([SQUARE], fields=[("NAME", "C", 40, 0)], rows=[[text.encode(codec)]], cpg=word, language=language)  # fmt: skip
    layer = read(path)
    assert layer.frame["field:NAME"].tolist() == [text]
    assert layer.notes == ()


def test_a_name_cut_inside_its_last_letter(write_shapefile, read):
    cut = "Straße zur Mühleß".encode()[:-1]
    path = write_shapefile([SQUARE], fields=[("NAME", "C", len(cut), 0)], rows=[[cut]], cpg="UTF-8")
    assert read(path).frame["field:NAME"].tolist() == ["Straße zur Mühle"]


@pytest.mark.parametrize(
    ("width", "cells", "ids"),
    [
        pytest.param(12, [b"123456789012", b"", b"7"], ["123456789012", None, "7"], id="wide with null"),
        pytest.param(
            18, [b"900719925474099301", b"***", b"-3"], ["900719925474099301", None, "-3"], id="beyond doubles"
        ),
        pytest.param(
            20, [b"12345678901234567890", b"1", b" "], ["12345678901234567890", "1", None], id="beyond 64 bits"
        ),
        pytest.param(10, [b"0", b"00042", b"x"], ["0", "42", None], id="no number"),
        pytest.param(10, [b"1_000", b"0x10", b"1e3"], [None, None, "1000"], id="no decimal number"),
    ],
)
def test_numeric_identifiers_keep_their_digits(write_shapefile, read, width, cells, ids):
    path = write_shapefile([SQUARE] * 3, fields=[("PIN", "N", width, 0)], rows=[[c.rjust(width)] for c in cells])
    assert read(path, id="PIN").frame["id"].tolist() == ids


def test_text_identifiers_keep_their_zeros(write_shapefile, read):
    path = write_shapefile([SQUARE] * 2, fields=[("PIN", "C", 12, 0)], rows=[[b"000123"], [b""]])
    assert read(path, id="pin").frame["id"].tolist() == ["000123", None]


def test_impossible_dates_cost_a_cell_each(write_shapefile, read):
    cells = [
        b"20240229",
        b"00000000",
        b"20241332",
        b"99990909",
        b"        ",
        b"20230229",
        b"2024????",
        b"2024 2 9",
        b"202402+9",
    ]
    path = write_shapefile([SQUARE] * len(cells), fields=[("WHEN", "D", 8, 0)], rows=[[c] for c in cells])
    layer = read(path)
    day = datetime.date
    assert layer.frame["field:WHEN"].tolist() == [day(2024, 2, 29), None, None, day(9999, 9, 9), *[None] * 5]
    assert any("impossible dates" in n and "record 3" in n and "20241332" in n for n in layer.notes)


def test_numbers_with_decimals_stars_and_exponents(write_shapefile, read):
    cells = [b"1.5", b"**********", b"1.25e+02", b"", b"-0.001"]
    path = write_shapefile([SQUARE] * 5, fields=[("A", "N", 12, 3)], rows=[[c.rjust(12)] for c in cells])
    layer = read(path)
    assert layer.frame["field:A"].fillna(-9).tolist() == [1.5, -9, 125, -9, -0.001]
    assert any("record 2" in n for n in layer.notes)


def test_binary_numbers_of_other_programs(write_shapefile, read):
    fields = [("W", "I", 4, 0), ("D", "B", 8, 0), ("M", "Y", 8, 0), ("MEMO", "M", 10, 0)]
    cells = [[struct.pack("<i", n), struct.pack("<d", n / 4), struct.pack("<q", n * 10_000 + 5_000), b" "] for n in (7, -3)]  # fmt: skip
    layer = read(write_shapefile([SQUARE] * 2, fields=fields, rows=cells))
    assert [layer.frame[f"field:{name}"].tolist() for name in "WDM"] == [[7, -3], [1.75, -0.75], [7.5, -2.5]]
    assert any("MEMO has type M, which is not read" in n for n in layer.notes)


def test_yes_and_no(write_shapefile, read):
    path = write_shapefile([SQUARE] * 4, fields=[("L", "L", 1, 0)], rows=[[c] for c in (b"T", b"n", b"?", b" ")])
    assert read(path).frame["field:L"].tolist() == [True, False, None, None]


def test_a_table_without_rows_costs_no_shape(write_shapefile, read):
    layer = read(write_shapefile([SQUARE] * 3, rows=[]))
    assert layer.records == layer.used == 3
    assert layer.frame["field:ID"].isna().all()
    assert any("3 shapes and the .dbf 0 rows" in n for n in layer.notes)


def test_more_rows_than_shapes_are_rows_without_geometry(write_shapefile, read):
    layer = read(write_shapefile([SQUARE], rows=[[b"1"], [b"2"]]))
    assert layer.frame["status"].tolist() == ["ok", "no geometry"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pd.Series([1.0, None, 2.5]), ["1", None, "2.5"]),
        (pd.Series([123456789012, None], dtype="Int64"), ["123456789012", None]),
        (pd.Series(["  a ", "", None, "0"]), ["a", None, None, "0"]),
        (pd.Series([7, "007", None, 7.0], dtype=object), ["7", "007", None, "7"]),
    ],
    ids=["floats", "whole numbers", "text", "mixed"],
)
def test_text_of(values, texts):
    assert text_of(values).tolist() == texts
