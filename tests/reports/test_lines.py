"""Whole columns written at a time say what Python's own writers say cell by cell."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geocheck.reports.cells import plain_rows, text_columns
from geocheck.reports.lines import csv_lines, json_lines, save_csv, save_lines

texts = st.one_of(
    st.none(), st.text(max_size=12), st.sampled_from(['"', ",", "a\nb", "\r", "=1+1", "ünïcödé 🌊", "\x07", "\\"])
)
numbers = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, -0.0, 1e-7, 1e300, 4000.0, 0.1234567]))
mixed = st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
rows = st.lists(st.tuples(texts, numbers, mixed, texts), max_size=8)


def frame_of(cells):
    columns = list(zip(*cells, strict=True)) or [()] * 4
    return pd.DataFrame(
        {
            "id": pd.Series(columns[0], dtype=object),
            "area_acre": pd.Series(columns[1], dtype="float64"),
            "value": pd.Series([None if c is None else c for c in columns[2]], dtype=object),
            "note": pd.Series(columns[3], dtype="str"),
        }
    )


@given(rows)
def test_csv_is_that_of_the_csv_module(cells):
    frame = frame_of(cells)
    written = io.BytesIO()
    save_lines(written, csv_lines(frame))
    read = list(csv.reader(io.StringIO(written.getvalue().decode(), newline="")))
    assert read == [list(row) for row in zip(*text_columns(frame), strict=True)]


@given(rows)
def test_json_is_that_of_the_json_module(cells):
    frame = frame_of(cells)
    written = io.BytesIO()
    save_lines(written, json_lines(frame))
    told = json.loads(f"[{written.getvalue().decode()}]", parse_constant=pytest.fail)
    assert told == plain_rows(frame)


def test_half_a_character_is_written_as_an_escape(tmp_path):
    save_csv(pd.DataFrame({"a": pd.Series(["\ud83c", "ok"], dtype=object), "b": [1.0, np.nan]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "a,b\n\\ud83c,1\nok,\n"


def test_the_mark_of_excel_stands_before_the_head(tmp_path):
    save_csv(pd.DataFrame({"a,b": ["x"]}), tmp_path / "a.csv", mark=True)
    assert (tmp_path / "a.csv").read_bytes() == b'\xef\xbb\xbf"a,b"\nx\n'
