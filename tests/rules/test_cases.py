"""Cases: what is run, what is said where one does not hold, and what planting a slip in the file makes of them."""

from __future__ import annotations

import pytest

from geocheck.model.condition import Name, Number, Rounded, Row, Table, text_of
from geocheck.model.quantity import Quantity
from geocheck.rules.altering import alterations, altered_nodes
from geocheck.rules.cases import disagreements, name_of_case
from geocheck.rules.expr import parse_condition

LAW = """
clauses:
- {at: (1), says: x, when: disturbed_area > 1 acre, imposes: [permit, fee]}
- {at: (2), says: x, when: any, waives: [fee], clauses: [{at: (a), says: x}]}
- {at: (3), says: x, still_binds: {fee: § 9, permit: § 8}}
cases:
- {at: (1), shows: an acre and more, facts: {disturbed_area: 2 acre}, expect: {(1): yes, permit: not_required}}
- {at: (1), facts: {disturbed_area: 2 acre}, expect: {(1): true, instead: nothing, still_binds: nothing}}
- at: (2)(a)
  facts: {disturbed_area: 2 acre}
  waivers: [{obligation: fee, by: Board, on: 2026-01-01, ground: (2)(a)}]
  expect: {(2)(a): true, fee: waived, still_binds: § 8}
"""


def test_what_does_not_hold_is_said(law):
    found = law(LAW)
    said = [[str(wrong) for wrong in disagreements(found, case)] for case in found.cases]
    assert said == [
        ["permit is required; the case expects not_required"], [], ["still_binds is § 9; the case expects § 8"],
    ]  # fmt: skip
    assert [name_of_case(case) for case in found.cases] == ["(1): an acre and more", "(1)", "(2)(a)"]


@pytest.mark.parametrize(
    "text, changed",
    [
        ("-(3 ft)", ["-3.3 ft", "-2.7 ft"]),
        ("not grows_crops", ["grows_crops"]),
        ("0 ft", []),
        ("5 each", ["6 each", "4 each"]),
        ("always", []),
        ("all", ["any"]),
    ],
)
def test_each_slip_of_the_pen(text, changed):
    assert [text_of(node) for _, _, node in altered_nodes(parse_condition(text).node)] == changed


def test_a_number_is_looked_for_inside_what_is_rounded():
    node = Rounded(parse_condition("disturbed_area + 10 ft2").node, Quantity(1, "ft2"), "up")
    assert [text_of(n) for _, _, n in altered_nodes(node)] == [
        "(disturbed_area + 11 ft2) rounded up to 1 ft2", "(disturbed_area + 9 ft2) rounded up to 1 ft2",
    ]  # fmt: skip
    assert list(altered_nodes(Name("grows_crops"))) == []


def test_what_a_waiver_leaves_standing_is_changed_one_by_one(law):
    found = law(LAW)
    left = [a.ordinance.clause("(3)").still_binds for a in alterations(found) if a.clause == "(3)"]
    assert left == [(("permit", "§ 8"),), (("fee", "§ 9"),)]
    assert len({a.ordinance.fingerprint for a in alterations(found)}) == len(list(alterations(found)))


def test_the_rest_of_a_table_is_changed_too():
    rows = Table((Row(Name("grows_crops"), Number(Quantity(2, "ft2"))),), Number(Quantity(10, "ft2")))
    assert [text_of(n) for _, _, n in altered_nodes(rows)] == [
        "2.2 ft2 where grows_crops; otherwise 10 ft2", "1.8 ft2 where grows_crops; otherwise 10 ft2", "; otherwise 10 ft2",
        "2 ft2 where grows_crops; otherwise 11 ft2", "2 ft2 where grows_crops; otherwise 9 ft2",
    ]  # fmt: skip
