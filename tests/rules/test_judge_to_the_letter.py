"""What a slip in the judge or the parser would change and broader tests pass over: each test here was seen to catch one."""

from __future__ import annotations

import pytest

import geocheck
from geocheck.model.problem import RuleFileError
from geocheck.rules.expr import DEEPEST, LONGEST, parse_condition
from geocheck.rules.given import facts_given
from geocheck.rules.judge import judge_site
from geocheck.rules.passage import Passage

VILLAGE = "us/wi/washington-county-village/87-5"
PONDS = """
clauses:
- at: (1)
  when: any
  imposes: [permit]
  clauses:
  - {at: (a), when: disturbed_area >= 4_000 ft2}
  - {at: (b), when: filled_volume > 9 yd3}
- {at: (2), when: builds_road, imposes: [fee]}
- at: (3)
  when: any
  lifts: [permit]
  instead: the county's rules
  clauses:
  - {at: (a), when: grows_crops, instead: the farm code}
  - {at: (b), when: by_state_agency}
- at: (4)
  waives: [fee]
  still_binds: {fee: § 9}
  clauses: [{at: (a), says: No effect.}]
"""
QUIET = {"disturbed_area": "5_000 ft2", "filled_volume": "0 yd3", "builds_road": True, "grows_crops": False, "by_state_agency": False}  # fmt: skip
WAIVER = {"obligation": "fee", "by": "Clerk", "on": "2026-01-02", "ground": "(4)(a)"}
SETTINGS = """
settings:
  way: {asks: Which?, choices: {left: l, right: r}}
  year: {asks: When?, choices: {dry: d, wet: w}}
clauses:
- {at: (1), under: {way: {left: {when: builds_road}, right: {when: grows_crops}}}, imposes: [permit, fee]}
- {at: (2), under: {year: {dry: {when: by_state_agency}, wet: {when: not by_state_agency}}}, lifts: [fee]}
"""


@pytest.fixture
def ponds(law):
    return law(PONDS)


def test_without_a_waiver_there_is_no_word_of_one(ponds):
    for facts in (QUIET, {**QUIET, "builds_road": False}):
        assert geocheck.judge(facts, ponds)["fee"].note == ""


def test_a_waiver_that_is_not_needed_is_no_reason(ponds):
    found = geocheck.judge({**QUIET, "builds_road": False}, ponds, waivers=[WAIVER])["fee"]
    assert (found.outcome, found.because) == ("not_required", ())
    assert geocheck.judge(QUIET, ponds, waivers=[WAIVER])["fee"].because == ("(2)", "(4)(a)")


def test_what_is_waived_is_not_borderline(law):
    ponds = law(PONDS.replace("waives: [fee]", "waives: [permit]"))
    facts = {**QUIET, "disturbed_area": "4_010 ± 25 ft2"}
    assert geocheck.judge(facts, ponds)["permit"].borderline
    found = geocheck.judge(facts, ponds, waivers=[{**WAIVER, "obligation": "permit"}])["permit"]
    assert (found.outcome, found.borderline, found.needs) == ("waived", False, ())


def test_what_may_be_waived_by_name_is_reserved(ponds):
    found = geocheck.judge(QUIET, ponds)
    assert (found["fee"].reserved, found["permit"].reserved) == (("(4)",), ())


def test_the_law_that_takes_over_is_the_nearest(ponds):
    assert geocheck.judge({**QUIET, "grows_crops": True}, ponds)["permit"].instead == ("the farm code",)
    assert geocheck.judge({**QUIET, "by_state_agency": True}, ponds)["permit"].instead == ("the county's rules",)


def test_what_is_open_has_a_best_estimate_though_another_is_known(ponds):
    found = geocheck.judge({**QUIET, "disturbed_area": "4_010 ± 25 ft2"}, ponds)
    assert found.outcomes == {"permit": "undetermined", "fee": "required"}
    assert found.best_estimate == {"permit": "required", "fee": "required"}


def test_a_fact_in_metres_has_a_best_estimate_in_one_foot(ponds):
    """371.613 m² are 4,000.009 international and 3,999.993 US survey square feet."""
    found = geocheck.judge({**QUIET, "disturbed_area": "371.613 m2"}, ponds)["permit"]
    assert (found.outcome, found.best_estimate) == ("undetermined", "not_required")


def test_under_open_settings_all_that_is_missing_is_asked_for(law):
    """Each choice rests on another fact: both are needed, and the choice itself only where the answer differs."""
    found = geocheck.judge({"by_state_agency": False}, law(SETTINGS))["permit"]
    assert set(found.needs) == {"builds_road", "grows_crops"}
    one = geocheck.judge({"builds_road": True, "by_state_agency": False}, law(SETTINGS))["permit"]
    assert set(one.needs) == {"grows_crops", "way"}


def test_choices_that_are_unknown_alike_are_not_the_same(law):
    text = SETTINGS.split("  year:")[0] + "clauses:" + SETTINGS.split("clauses:")[1].split("- {at: (2)")[0]
    assert set(geocheck.judge({}, law(text))["permit"].needs) == {"builds_road", "grows_crops"}


def test_a_setting_that_matters_under_one_choice_of_another_needs_a_decision(law):
    """Left, the fee stands or falls with the year; right, nothing imposes it."""
    facts = {"builds_road": True, "grows_crops": False, "by_state_agency": False}
    found = geocheck.judge(facts, law(SETTINGS))
    assert set(found["fee"].needs) == {"way", "year"}
    assert found["permit"].needs == ("way",)


def test_what_a_setting_leaves_open_is_reserved_to_nobody(law):
    text = SETTINGS.replace("wet: {when: not by_state_agency}", "wet: {when: authority_finds_runoff_risk}")
    found = geocheck.judge({"builds_road": True, "grows_crops": False, "by_state_agency": True}, law(text))["fee"]
    assert found.reserved == ("(2)",)


def test_settings_of_other_ordinances_are_passed_over(ponds):
    facts = facts_given(QUIET, ponds)
    assert judge_site(ponds, facts, settings={"within_zone": "wholly"}).outcomes["fee"] == "required"


def test_many_signs_side_by_side_are_not_deep_and_deep_ones_are():
    signs = " + ".join(["-disturbed_area"] * (DEEPEST + 10))
    parse_condition(f"{signs} < 0 ft2")
    denials = " and ".join(["not builds_road"] * (DEEPEST + 10))
    parse_condition(denials)
    groups = " and ".join(["(builds_road)"] * (DEEPEST + 10))
    parse_condition(groups)
    too_deep = "(" * (DEEPEST + 1) + "builds_road" + ")" * (DEEPEST + 1)
    for before in (f"{signs} < 0 ft2", denials, groups):
        with pytest.raises(RuleFileError, match="deep"):
            parse_condition(f"{before} and {too_deep}")


def test_as_deep_and_as_long_as_is_allowed_is_allowed():
    parse_condition("(" * DEEPEST + "builds_road" + ")" * DEEPEST)
    parse_condition("builds_road".ljust(LONGEST))
    with pytest.raises(RuleFileError, match="longer"):
        parse_condition("builds_road".ljust(LONGEST + 1))


@pytest.mark.parametrize(
    "text, at, span",
    [("disturbed_area > 400 yd3", "", "disturbed_area > 400 yd3"), ("builds_road and disturbed_area > 400 yd3", "and ", "disturbed_area > 400 yd3")],
    ids=["all of it", "a part of it"],
)  # fmt: skip
def test_a_node_knows_its_span(text, at, span):
    node = parse_condition(text).node
    node = node.operands[1] if at else node
    place = node.place
    assert text[place.column - 1 :][: place.length] == span


def test_a_node_on_two_lines_is_underlined_to_the_end_of_the_first():
    lines = ["when: disturbed_area", "  > 400 yd3"]
    text = "disturbed_area > 400 yd3"
    positions = [(0, 6 + n) for n in range(15)] + [(1, 2 + n) for n in range(9)]
    place = parse_condition(Passage(text, "law.yaml", positions, lines)).node.place
    assert (place.line, place.column, place.length) == (1, 7, 14)


def test_where_something_is_missing_the_end_is_underlined():
    with pytest.raises(RuleFileError) as caught:
        parse_condition("disturbed_area >  ")
    assert caught.value.problems[0].place.column == 17


def test_a_word_in_capitals_is_said_to_be_no_operator_and_others_are_not():
    with pytest.raises(RuleFileError, match="Write and"):
        parse_condition("builds_road AND grows_crops")
    with pytest.raises(RuleFileError, match="'grows_crops' is not expected here"):
        parse_condition("builds_road grows_crops")


def test_a_millionth_is_a_millionth_of_the_threshold(ponds):
    """Of the larger of the two it would be a hair more, and 9.00000900001 would still be 9."""
    outcomes = [
        str(geocheck.judge({**QUIET, "filled_volume": f"{value} yd3"}, ponds).trace["(1)(b)"].truth)
        for value in ("9.000009", "9.00000900001")
    ]
    assert outcomes == ["no", "yes"]
