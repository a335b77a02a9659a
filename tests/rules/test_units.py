"""What goes together: dimensions of products, quotients, sums, tables."""

from __future__ import annotations

import pytest

from geocheck.rules.expr import parse_condition
from geocheck.rules.units import TRUTH, kind_of, problems_of_conditions, product_of, quotient_of


@pytest.mark.parametrize(
    "text, kind",
    [
        ("disturbed_area", "area"),
        ("disturbed_area / parcel_area", "percent"),
        ("disturbed_area / disturbed_channel_length", "length"),
        ("excavated_volume / disturbed_area", "length"),
        ("excavated_volume / new_road_length", "area"),
        ("new_road_length * 20 ft", "area"),
        ("disturbed_area * 1 ft", "volume"),
        ("10 % * parcel_area", "area"),
        ("parcel_area * 10 %", "area"),
        ("parcel_area / 10 %", "area"),
        ("small_parcels_created * 1 acre", "area"),
        ("parcel_area / small_parcels_created", "area"),
        ("small_parcels_created / small_parcels_created", "percent"),
        ("-filled_volume", "volume"),
        ("excavated_volume - filled_volume", "volume"),
        ("disturbed_area > 1 acre", TRUTH),
        ("disturbed_area > 1 ha", TRUTH),
        ("grows_crops", TRUTH),
        ("always", TRUTH),
        ("not grows_crops or builds_road", TRUTH),
        ("share_in_jurisdiction * 10 %", "percent"),
        ("share_in_jurisdiction / small_parcels_created", "percent"),
    ],
)
def test_it_goes_together(text, kind, village):
    found = []
    assert kind_of(parse_condition(text).node, village, found.append) == kind
    assert found == []


@pytest.mark.parametrize(
    "text, code, said",
    [
        ("excavated_volume > 4_000 ft2", "incompatible-units", "volume is compared with area"),
        ("disturbed_area / parcel_area > 1 each", "incompatible-units", "percent is compared with count"),
        ("disturbed_area < 10 %", "incompatible-units", "area is compared with percent"),
        ("disturbed_area + excavated_volume > 1 ft2", "incompatible-units", "volume is added to area"),
        ("disturbed_area - new_road_length > 1 ft2", "incompatible-units", "length is taken from area"),
        ("disturbed_area * parcel_area > 1 ft2", "incompatible-units", "area multiplied by area"),
        ("new_road_length / parcel_area > 1 ft2", "incompatible-units", "length divided by area"),
        ("share_in_jurisdiction / parcel_area > 1 %", "incompatible-units", "percent divided by area"),
        ("grows_crops > 1 ft2", "not-a-number", "yes or no"),
        ("grows_crops + 1 ft2 > 1 ft2", "not-a-number", "yes or no"),
        ("-(builds_road) > 1 ft2", "not-a-number", "yes or no"),
        ("disturbed_area and grows_crops", "not-a-condition", "a number (area)"),
        ("not disturbed_area", "not-a-condition", "a number (area)"),
        ("any and grows_crops", "not-a-condition", "any stands alone"),
        ("disturbd_area > 1 ft2", "unknown-name", "neither a shared fact"),
    ],
)
def test_it_does_not_go_together(text, code, said, village):
    found = []
    kind_of(parse_condition(text).node, village, found.append)
    assert [(problem.code, said in problem.message) for problem in found] == [(code, True)]


def test_a_misspelt_name_is_underlined_with_a_suggestion(village):
    found = []
    kind_of(parse_condition("grows_crops or disturbd_area > 1 ft2").node, village, found.append)
    assert found[0].show().splitlines()[1:] == [
        "    grows_crops or disturbd_area > 1 ft2",
        "                   ^^^^^^^^^^^^^",
        "  Did you mean disturbed_area?",
    ]


@pytest.mark.parametrize("left", ["length", "area", "volume", "percent", "count"])
@pytest.mark.parametrize("right", ["length", "area", "volume", "percent", "count"])
def test_division_undoes_multiplication(left, right):
    product = product_of(left, right)
    if product is not None and left not in ("percent", "count") and right not in ("percent", "count"):
        assert quotient_of(product, right) == left
        assert product_of(right, left) == product


TERMS = """
terms:
  a: {cite: x, means: b}
  b: {cite: x, means: a > 1 ft2}
  mixed: {cite: x, less_of: [disturbed_area, 10 yd3]}
  truths: {cite: x, greater_of: [grows_crops, builds_road]}
  rows:
    cite: x
    table: [{where: disturbed_area, is: 1 ft2}, {otherwise: 2 yd3}]
  fine: {cite: x, table: [{where: grows_crops, is: 1 ft2}, {otherwise: 2 acre}]}
  steps: {cite: x, means: disturbed_area, rounded: {to: 1 yd3}}
clauses:
- {at: (1), when: fine > disturbed_area, imposes: [permit, fee]}
- {at: (2), when: fine}
- {at: (3), when: nothing_such > 1 ft2}
"""


def test_terms_are_looked_through(problems):
    found = [(p.code, p.place.line) for p in problems(TERMS) if p.severity == "error"]
    codes = [code for code, _ in found]
    assert codes.count("circular-term") == 2
    assert codes.count("incompatible-units") == 3
    assert "not-a-number" in codes and codes.count("not-a-condition") == 2 and "unknown-name" in codes


def test_both_chapters_go_together(village, river_hills):
    assert problems_of_conditions(village) == problems_of_conditions(river_hills) == []


def test_what_is_wrong_in_a_term_is_said_once_however_often_it_is_used(problems):
    found = problems("""
        terms: {ground: {cite: x, means: disturbd_area}}
        clauses:
        - {at: (1), says: x, when: ground > 1 ft2, imposes: [permit, fee]}
        - {at: (2), says: x, when: ground > 2 ft2, imposes: [fee]}
    """)
    assert [p.code for p in found if p.severity == "error"] == ["unknown-name"]
