"""Facts one by one, in columns and on a sheet; what is not known stays so on the way to a file and back."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from fractions import Fraction

import pytest

from geocheck.model.facts import COLUMNS, Fact, FactColumn, FactSheet, FactTable, yes_or_no
from geocheck.model.quantity import Quantity


@pytest.mark.parametrize(
    "kind, status, said", [("guessed", "", "unknown kind 'guessed'"), ("stated", "lost", "unknown status 'lost'")]
)
def test_a_fact_is_of_a_kind_and_a_status_that_are_known(kind, status, said):
    with pytest.raises(ValueError, match=said):
        Fact("grows_crops", kind, None, status=status)


@pytest.mark.parametrize(
    "given, read",
    [("Yes", True), (" y ", True), ("T", True), (1, True), (1.0, True), (True, True), ("N", False), (0, False), ("False", False),
     (None, None), ("", None), ("?", None), (float("nan"), None), ("<Null>", None)],
)  # fmt: skip
def test_yes_no_and_not_known_as_tables_write_them(given, read):
    assert yes_or_no(given) is read


@pytest.mark.parametrize("word", ["maybe", "2", "yess"])
def test_what_is_neither_yes_nor_no_is_refused(word):
    with pytest.raises(ValueError, match="neither yes nor no"):
        yes_or_no(word)


def test_a_number_without_ends_is_exact_and_ends_without_a_number_have_their_unit():
    four = Quantity(Fraction(4), "ft2")
    exact = Fact("disturbed_area", "measured", four)
    assert exact.low == exact.high == four and exact.unit == "ft2" and exact.status == "measured"
    bounded = Fact("disturbed_area", "measured", None, four)
    assert bounded.unit == "ft2" and bounded.status == "missing" and bounded.high is None
    assert Fact("grows_crops", "stated", True).unit == Fact("disturbed_area", "measured", None).unit == ""


AREA = FactColumn(
    "disturbed_area", "measured", "ft2", [4000.0, None, float("nan")], [3990.0, 100.0, None], [4010.0, None, None],
    ["measured", "failed", "missing"], "sites.shp", ["", "no ground", ""],
)  # fmt: skip
CROPS = FactColumn("grows_crops", "stated", "", [True, None, 0], statuses="")
SHEET = FactSheet(
    [FactTable("site", ["S-1", "S-2", "S-3"], {"disturbed_area": AREA, "grows_crops": CROPS})], date(2026, 3, 1)
)


def test_a_column_gives_the_fact_of_each_row():
    first, second, third = (AREA.at(row) for row in range(3))
    assert (first.low, first.value, first.high) == tuple(Quantity(Fraction(n), "ft2") for n in (3990, 4000, 4010))
    assert (second.value, second.low, second.high) == (None, Quantity(Fraction(100), "ft2"), None)
    assert (second.status, second.note, third.status) == ("failed", "no ground", "missing")
    assert (third.value, third.low, third.unit) == (None, None, "")
    assert [CROPS.at(row).value for row in range(3)] == [True, None, False]
    assert [CROPS.at(row).status for row in range(3)] == ["stated", "missing", "stated"]


def test_a_sheet_finds_a_subject_and_has_nothing_of_others():
    assert SHEET.of("site", "S-2")["disturbed_area"].note == "no ground"
    assert SHEET.of("site", "S-3")["grows_crops"].value is False
    for subject, identifier in (("site", "S-9"), ("plan", "S-1")):
        with pytest.raises(KeyError):
            SHEET.of(subject, identifier)
    assert len(SHEET.table("parcel")) == 0 and len(SHEET.table("site")) == 3


def test_a_sheet_as_csv_has_a_row_a_fact_and_blanks_for_what_is_not_known():
    rows = list(csv.DictReader(io.StringIO(SHEET.to_csv())))
    assert list(rows[0]) == list(COLUMNS) and len(rows) == 6
    assert rows[0] == {
        "subject": "site", "subject_id": "S-1", "fact": "disturbed_area", "kind": "measured", "value": "4000.0",
        "unit": "ft2", "low": "3990.0", "high": "4010.0", "status": "measured", "source": "sites.shp", "note": "",
    }  # fmt: skip
    assert [row["value"] for row in rows] == ["4000.0", "yes", "", "", "", "no"]
    assert (rows[2]["low"], rows[2]["high"], rows[2]["unit"]) == ("100.0", "", "ft2")


def test_a_sheet_as_json_has_the_day_and_nulls_for_what_is_not_known():
    plain = json.loads(SHEET.to_json())
    assert plain["as_of"] == "2026-03-01" and len(plain["facts"]) == 6
    assert [fact["value"] for fact in plain["facts"]] == [4000.0, True, None, None, None, False]
    assert json.loads(FactSheet([]).to_json()) == {"as_of": None, "facts": []}
