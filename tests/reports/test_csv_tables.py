"""The CSVs: exact columns, identifiers as they are, unknown empty, every row in a row out."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geocheck import reports
from geocheck.model.facts import FactColumn, FactSheet, FactTable
from geocheck.reports import tables
from geocheck.reports.cells import number_text, number_texts

HEADERS = {
    "facts": "subject,subject_id,fact,kind,value,unit,low,high,status,source,note",
    "determinations": "site_id,ordinance,obligation,outcome,best_estimate,borderline,because,instead,reserved,needs",
    "trace": "site_id,ordinance,clause,truth,facts_seen,note",
    "questions": "site_id,fact,kind,asks,decides",
    "layers": "role,source,layer,crs,crs_from,datum_operation,datum_accuracy_m,records,used,repaired,without_geometry,lost,"
    "accuracy,coverage,date,sha256,note",
    "repairs": "role,record,id,problem,action,area_before,area_after,doubt",
}


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def out(findings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("csv")
    reports.write(findings, folder, [name for name in reports.output_names() if name.endswith(".csv")])
    return folder


@pytest.mark.parametrize("table", list(HEADERS))
def test_columns_are_those_of_the_contract_in_its_order(out, table):
    assert (out / f"{table}.csv").read_text(encoding="utf-8").splitlines()[0] == HEADERS[table]


@pytest.mark.parametrize("table", list(HEADERS))
def test_an_empty_run_has_the_same_columns(bare_findings, tmp_path, table):
    reports.write(bare_findings, tmp_path, [f"{table}.csv"])
    assert (tmp_path / f"{table}.csv").read_text() == HEADERS[table] + "\n"


def test_facts_agree_with_the_sheet_one_by_one(findings, out):
    """The sheet yields its facts one at a time; the file is made column by column."""
    rows = read(out / "facts.csv")
    expected = list(findings.facts.rows())
    assert len(rows) == len(expected)
    for row, (subject, identifier, fact) in zip(rows, expected, strict=True):
        assert (row["subject"], row["subject_id"], row["fact"], row["kind"]) == (
            subject,
            identifier,
            fact.name,
            fact.kind,
        )
        assert (row["status"], row["source"], row["note"]) == (fact.status, fact.source, fact.note)
        plain = fact.to_dict()
        for key in ("value", "low", "high"):
            if plain[key] is None:
                assert row[key] == ""
            elif isinstance(plain[key], bool):
                assert row[key] == ("yes" if plain[key] else "no")
            else:
                assert float(row[key]) == pytest.approx(plain[key], abs=1e-6)


def test_unknown_is_an_empty_cell_with_a_status_and_never_zero(out):
    unknown = [row for row in read(out / "facts.csv") if row["status"] in ("missing", "outside coverage", "failed")]
    assert unknown
    assert {(row["value"], row["low"], row["high"]) for row in unknown} == {("", "", "")}
    lost = read(out / "parcels.csv")[1]
    assert lost["status"] == "no geometry"
    assert {lost[name] for name in lost if name.endswith(("_ft2", "_pct", "_acre"))} == {""}


def test_identifiers_come_through_literally(out, awkward_names):
    for table in ("determinations", "trace", "sites"):
        assert list(dict.fromkeys(row["site_id"] for row in read(out / f"{table}.csv")))[:7] == list(awkward_names)
    parcels = read(out / "parcels.csv")
    assert [row["parcel_id"] for row in parcels[:3]] == ['=HYPERLINK("x")', "", "00000002"]


def test_every_parcel_record_is_a_row_in_order_and_the_counts_add_up(findings, out):
    rows = read(out / "parcels.csv")
    assert [row["record"] for row in rows] == [str(n) for n in range(1, len(findings.parcels) + 1)]
    assert sum(Counter(row["status"] for row in rows).values()) == findings.layers["parcels"].records


def test_acres_and_square_feet_agree(out):
    pairs = [(float(r["area_acre"]), float(r["area_ft2"])) for r in read(out / "parcels.csv") if r["area_ft2"]]
    assert pairs
    assert all(abs(acre * 43560 - feet) <= 0.001 for acre, feet in pairs)


def test_lists_are_separated_and_booleans_are_words(out):
    rows = read(out / "determinations.csv")
    waived = next(row for row in rows if row["site_id"] == "219E01BE" and row["obligation"] == "erosion_control")
    assert waived["because"] == "(1)(a); (1)(b)"
    assert {row["borderline"] for row in rows} == {"yes", "no"}
    assert {row["outcome"] for row in rows} == {"required", "not_required", "waived", "undetermined"}


def test_the_layer_s_own_system_and_counts_are_told(out):
    rows = {row["role"]: row for row in read(out / "layers.csv")}
    assert rows["parcels"]["crs"] == "EPSG:8104"
    assert (rows["parcels"]["records"], rows["parcels"]["without_geometry"]) == ("9", "1")
    assert rows["parcels"]["accuracy"] == "5 ft"
    assert rows["lakes"]["accuracy"] == "not stated"


def test_decides_names_obligations(out):
    assert read(out / "questions.csv")[0]["decides"] == "us/wi/washington-county-village/87-5: erosion_control"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_numbers_are_written_unrounded_to_a_thousandth(value):
    text = number_text(value)
    assert abs(float(text) - value) <= max(5.1e-7, abs(value) * 1e-15)
    assert "e" not in text
    assert not text.endswith((".", ".0"))


@given(st.lists(st.floats(allow_infinity=False), max_size=20), st.sampled_from([6, 9]))
def test_many_numbers_are_written_as_one_is(values, decimals):
    values = [value for value in values if not abs(value) > 1e300]
    for text, value in zip(number_texts(values, decimals), values, strict=True):
        assert "e" not in text
        if value != value:
            assert text == ""
        else:
            assert float(text) == pytest.approx(
                float(number_text(value, decimals)), abs=1.01 * 10.0**-decimals, rel=1e-14
            )


@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.floats(0, 1e9)), st.one_of(st.none(), st.booleans()), st.text(max_size=8)),
        min_size=1, max_size=6,
    )
)  # fmt: skip
def test_any_sheet_becomes_the_same_rows_as_the_sheet_says(rows):
    areas, words, ids = zip(*rows, strict=True)
    known = np.array([np.nan if area is None else area for area in areas])
    columns = {
        "disturbed_area": FactColumn("disturbed_area", "measured", "ft2", known, known - 1, known + 1, source="s"),
        "grows_crops": FactColumn("grows_crops", "stated", "", words, notes=list(ids)),
    }
    sheet = FactSheet([FactTable("site", ids, columns), FactTable("plan", [], {})])

    class Found:
        facts = sheet

    frame = tables.facts(Found())
    assert len(frame) == 2 * len(rows)
    assert frame["subject_id"].tolist() == [name for name in ids for _ in range(2)]
    for row, (area, word, note) in enumerate(rows):
        got = frame.iloc[2 * row], frame.iloc[2 * row + 1]
        assert (got[0]["value"] is None) if area is None else got[0]["value"] == area
        assert got[0]["status"] == ("missing" if area is None else "measured")
        assert got[1]["value"] is word
        assert got[1]["note"] == note


def test_a_table_for_excel_has_its_mark_and_no_formula(findings, tmp_path, awkward_names):
    reports.write(findings, tmp_path, ["determinations.excel.csv", "facts.excel.csv"])
    data = (tmp_path / "determinations.excel.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    with (tmp_path / "determinations.excel.csv").open(encoding="utf-8-sig", newline="") as file:
        ids = list(dict.fromkeys(row["site_id"] for row in csv.DictReader(file)))
    assert ids[: len(awkward_names)] == [f"'{name}" if name.startswith("=") else name for name in awkward_names]
    with (tmp_path / "facts.excel.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["low"] for row in csv.DictReader(file) if row["fact"] == "disturbed_area_in_zones"} >= {"-1"}
