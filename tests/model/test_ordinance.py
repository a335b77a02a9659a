"""The ordinance as a tree of its own clauses: labels, forms, names, plain values."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from geocheck.model.condition import All, Children, Condition, Name, Number, text_of
from geocheck.model.ordinance import (
    Case,
    Clause,
    Incorporation,
    Obligation,
    Ordinance,
    Reading,
    Setting,
    Term,
    same_label,
)
from geocheck.model.problem import Place
from geocheck.model.quantity import Quantity
from geocheck.model.vocabulary import VOCABULARY, FactDeclaration, declaration_of


def condition(*names):
    node = Name(names[0]) if len(names) == 1 else All(tuple(map(Name, names)))
    return Condition(text_of(node), node)


OTHER = Ordinance("us/b", "§ 2", "Other", None, (Obligation("fee", "§ 9"),), (
    Clause("(1)", "(1)", when=condition("ruled")),), facts={"ruled": FactDeclaration("ruled", "decided", "", "Ruled?")})  # fmt: skip
LEAF = Clause("1.", "(1)(a)1.", "Leaf.", condition("own", "twice"), condition("grows_crops"))
GROUP = Clause("(a)", "(1)(a)", when=Condition("any", Children("any")), clauses=(LEAF,))
SET = Clause("(b)", "(1)(b)", under=(("s", "x", replace(LEAF, when=condition("builds_road"))), ("s", "y", LEAF)))
TAKEN = Clause("(c)", "(1)(c)", incorporates=Incorporation("us/b", loaded=OTHER))
WAIVES = Clause("(2)", "(2)", waives=("all",), clauses=(Clause("1.", "(2)1."), Clause("2.", "(2)2.")))
LAW = Ordinance(
    "us/a", "§ 1", "Law", date(2020, 1, 1), (Obligation("permit", "§ 6"),),
    (Clause("(1)", "(1)", clauses=(GROUP, SET, TAKEN)), WAIVES),
    facts={"own": FactDeclaration("own", "stated", "", "Own?")},
    settings=(Setting("s", "Which?", {"x": "one", "y": "other"}, "(1)(b)"),),
    terms=(Term("twice", condition("again", "own"), "(3)"), Term("again", condition("by_state_agency"), "(3)")),
    fingerprint="f", places=(("cite", Place("f", 1)),), file="f",
)  # fmt: skip


def test_labels_are_compared_without_their_last_stop():
    assert same_label("(3)(b)2.") == same_label("(3) (B)2")
    assert LAW.clause("(1)(a)1") is LEAF and LAW.clause("(1)(a)1.") is LEAF
    with pytest.raises(KeyError):
        LAW.clause("(9)")


def test_clauses_stand_in_the_order_of_the_text_with_their_depth():
    assert [c.label for c in LAW.every_clause] == [
        "(1)",
        "(1)(a)",
        "(1)(a)1.",
        "(1)(b)",
        "(1)(c)",
        "(2)",
        "(2)1.",
        "(2)2.",
    ]
    assert [LAW.depths[c.label] for c in LAW.every_clause] == [0, 1, 2, 1, 1, 0, 1, 1]
    assert LAW.waiver_grounds == ("(2)1.", "(2)2.")


def test_what_facts_it_rests_on_through_terms_settings_and_what_it_takes_in():
    assert LAW.names_of(condition("twice", "own")) == ("by_state_agency", "own")
    assert LAW.facts_used == ("own", "by_state_agency", "grows_crops", "builds_road", "ruled")
    assert [d.name for d in LAW.needs()] == list(LAW.facts_used)
    assert LAW.needs()[-1].kind == "decided" and LAW.declaration("ruled") is None
    assert LAW.declaration("own").asks == "Own?" and LAW.declaration("grows_crops") is VOCABULARY["grows_crops"]
    assert LAW.loaded == (OTHER,)
    unknown = replace(LAW, clauses=(Clause("(1)", "(1)", when=condition("nobody")),))
    assert unknown.facts_used == ("nobody",) and unknown.needs() == ()


def test_a_circle_of_terms_ends():
    circle = replace(LAW, terms=(Term("twice", condition("again"), ""), Term("again", condition("twice", "own"), "")))
    assert circle.names_of(condition("twice")) == ("own",)


def test_forms_conditions_groups():
    assert SET.forms() == (SET.under[0][2], SET.under[1][2]) and LEAF.forms() == (LEAF,)
    assert [c.text for c in SET.conditions] == ["builds_road", "grows_crops", "own and twice"]
    assert [c.is_group for c in (GROUP, LEAF, LAW.clauses[0], replace(GROUP, when=condition("own")))] == [
        True,
        False,
        True,
        False,
    ]
    assert list(GROUP.walk()) == [GROUP, LEAF]


def test_places_of_keys_and_items():
    lifts = (("lifts", Place("f", 3, 1)), ("lifts", Place("f", 3, 9)))
    clause = Clause("(1)", "(1)", place=Place("f", 1), places=lifts)
    assert [clause.place_of("lifts", n).column for n in (0, 1)] == [1, 9]
    assert clause.place_of("lifts", 2) == clause.place_of("when") == Place("f", 1)
    case = Case("(1)", (), (), place=Place("f", 5), places=(("facts.a", Place("f", 6)),))
    assert case.place_of("facts.a").line == 6 and case.place_of("expect.b").line == 5
    assert LAW.place_of("cite") == Place("f", 1) and LAW.place_of("title") == Place("f")


def test_metres_in_a_threshold_are_noticed_here_and_in_what_is_taken_in():
    metric = Condition("1 m2", Number(Quantity(1, "m2")))
    assert not LAW.has_metric_numbers
    assert replace(LAW, terms=(Term("m", metric, ""),)).has_metric_numbers
    inner = replace(OTHER, clauses=(Clause("(1)", "(1)", when=metric),))
    outer = Ordinance("x", "", "", None, (), (replace(TAKEN, incorporates=Incorporation("us/b", loaded=inner)),))
    assert outer.has_metric_numbers


def test_settings_and_plain_values():
    assert LAW.setting("s").names == ("x", "y") and LAW.setting("t") is None
    plain = json.loads(json.dumps(LAW.to_dict()))
    assert plain["in_force"] == "2020-01-01" and plain["settings"][0]["choices"] == {"x": "one", "y": "other"}
    assert plain["clauses"][0]["clauses"][2] == {
        "label": "(1)(c)",
        "incorporates": {"ordinance": "us/b", "obligation": "", "loaded": True},
    }
    assert plain["terms"][0] == {"name": "twice", "expression": "again and own", "cite": "(3)", "says": ""}
    assert Reading("so", "me", "2020", "s").to_dict() == {"says": "so", "by": "me", "since": "2020", "setting": "s"}
    assert OTHER.to_dict()["in_force"] is None


def test_ordinances_are_told_apart_by_file():
    assert hash(LAW) == hash(replace(LAW, title="Other")) and replace(LAW, title="Other") != LAW


def test_the_vocabulary_says_what_may_be_below_zero():
    signed = {name for name, declared in VOCABULARY.items() if declared.signed}
    assert signed == {"impervious_area_added", "impervious_area_added_of_plan", "impervious_area_added_of_all_phases"}
    assert declaration_of("nobody") is None
    assert VOCABULARY["disturbed_area"].to_dict()["unit"] == "ft2"
