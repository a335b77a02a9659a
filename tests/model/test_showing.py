"""How the nouns show themselves: one line in a session, a small table in a notebook, and never markup out of data."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from geocheck.model.changes import CHANGES, Change, Descent
from geocheck.model.determination import Determination, ObligationOutcome, Trace, TraceStep
from geocheck.model.ground import Layer, LayerSource
from geocheck.model.memo_fields import FIELDS
from geocheck.model.quantity import Quantity
from geocheck.model.showing import html_table
from geocheck.model.truth import NO, YES, unknown

HOSTILE = "<img src=x onerror='alert(1)'>&\"quoted\""
OPEN = unknown("disturbed_area", "missing")
STEPS = Trace((TraceStep("(1)", YES, f"a = {HOSTILE}"), TraceStep("(2)", OPEN), TraceStep("(3)", NO, note=HOSTILE)))
FOUND = Determination(
    HOSTILE, "us/a",
    (ObligationOutcome("erosion_control", "§ 6", "not_required", NO, "not_required", because=("(1)",)),
     ObligationOutcome("fee", "§ 6", "undetermined", OPEN, "required", True, needs=("disturbed_area",))),
    STEPS,
)  # fmt: skip
LAYER = Layer("parcels", LayerSource("parcels", HOSTILE), None, None, records=1234, used=1200, notes=(HOSTILE,))


def cells(html):
    return re.findall(r"<td[^>]*>(.*?)</td>", html)


@pytest.mark.parametrize("thing", [STEPS, FOUND, LAYER], ids=["trace", "determination", "layer"])
def test_what_stands_in_the_data_is_text_and_never_markup(thing):
    html = thing._repr_html_()
    assert "<img" not in html and "&lt;img" in html and html.count("<table>") == html.count("</table>") == 1


def test_words_that_decide_have_a_colour_and_others_none():
    html = html_table("t", ["a"], [["required"], ["something"], [None], [3]])
    assert cells(html) == ["required", "something", "", "3"] and html.count("background:") == 1


def test_a_trace_and_a_determination_on_one_line():
    assert repr(STEPS) == "<Trace: 3 clauses; yes: (1); unknown: (2)>"
    assert repr(Trace(())) == "<Trace: 0 clauses; yes: none; unknown: none>"
    assert (
        repr(replace(FOUND, site_id="S"))
        == "<Determination of S by us/a: erosion control not required, fee undetermined>"
    )
    assert repr(replace(FOUND, site_id="")) == "<Determination by us/a: erosion control not required, fee undetermined>"


def test_a_determination_as_a_table():
    assert cells(replace(FOUND, site_id="S")._repr_html_()) == [
        "erosion control", "§ 6", "not required", "", "(1)", "",
        "fee", "§ 6", "undetermined", "yes", "", "disturbed area",
    ]  # fmt: skip
    assert [cells(STEPS._repr_html_())[n] for n in (1, 5, 9)] == ["yes", "unknown", "no"]


def test_a_layer_counts_what_was_lost_and_says_what_is_not_stated():
    assert repr(replace(LAYER, source=LayerSource("parcels"))) == "<Layer parcels: 1,234 records, 1,200 used; derived>"
    lossy = replace(LAYER, repaired=3, without_geometry=2, lost=1, source=LayerSource("parcels", "a.shp"))
    assert repr(lossy) == "<Layer parcels: 1,234 records, 1,200 used, 3 repaired, 2 without geometry, 1 lost; a.shp>"
    assert cells(replace(lossy, notes=())._repr_html_())[5:] == [
        " (file)", "accuracy", "not stated", "date", "not stated", "coverage", "not stated",
    ]  # fmt: skip
    stated = LayerSource("parcels", "a.shp", accuracy=Quantity(Fraction(5), "ft"), date="2026-01-01", coverage="extent")
    system = SimpleNamespace(name="Washington County")
    assert cells(replace(lossy, source=stated, crs=system, notes=("n",))._repr_html_())[5:] == [
        "Washington County (file)", "accuracy", "5 ft", "date", "2026-01-01", "coverage", "extent", "note", "n",
    ]  # fmt: skip


def test_changes_of_parcels_and_fields_of_memos_are_plain_values():
    change = Change("P-1", "split", children=("P-2", "P-3"), share=(0.25, 0.75), area_before_ft2=100.0)
    assert change.to_dict()["share"] == (0.25, 0.75) and change.change in CHANGES
    assert Descent("P-1", "P-2", 25.0, 0.25, 1.0).to_dict() == {
        "parent": "P-1", "child": "P-2", "area_ft2": 25.0, "share_of_parent": 0.25, "share_of_child": 1.0,
    }  # fmt: skip
    assert all(re.fullmatch("[a-z_]+", name) and words for name, words in FIELDS.items())
