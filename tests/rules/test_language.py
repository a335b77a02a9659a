"""The verbs: imposes, lifts, limits, reaches, unless, under, incorporates, carried_by, not_modelled, waives."""

from __future__ import annotations

import pytest

import geocheck
from geocheck.model.problem import RuleFileError
from geocheck.rules.choices import MOST_COMBINATIONS, check_settings, choices_under
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance, read_ordinance

YES, NO = {"grows_crops": True}, {"grows_crops": False}


def outcomes(ordinance, **facts):
    return geocheck.judge(facts, ordinance).outcomes


def test_unless_nests_two_deep_and_more(law):
    found = law("""
        clauses:
        - {at: (1), when: always, imposes: [permit, fee]}
        - at: (2)
          when: grows_crops
          lifts: all
          unless: builds_road and not by_state_agency
    """)
    assert outcomes(found, grows_crops=True, builds_road=False)["permit"] == "not_required"
    assert outcomes(found, grows_crops=True, builds_road=True, by_state_agency=False)["permit"] == "required"
    assert outcomes(found, grows_crops=True, builds_road=True, by_state_agency=True)["permit"] == "not_required"
    assert outcomes(found, grows_crops=True, builds_road=True)["permit"] == "undetermined"


def test_an_exemption_may_be_lifted_itself(law):
    found = law("""
        clauses:
        - {at: (1), when: always, imposes: [permit, fee]}
        - {at: (2), when: grows_crops, lifts: [(1)]}
        - {at: (3), when: builds_road, lifts: [(2)]}
    """)
    assert outcomes(found, grows_crops=True, builds_road=False)["permit"] == "not_required"
    d = geocheck.judge({"grows_crops": True, "builds_road": True}, found)
    assert d.outcomes["permit"] == "required" and "lifted by (3)" in d.trace["(2)"].note
    assert outcomes(found, grows_crops=True)["permit"] == "undetermined"


def test_lifting_a_clause_below_a_group_leaves_its_neighbours(law):
    found = law("""
        clauses:
        - at: (1)
          when: any
          imposes: [permit, fee]
          clauses: [{at: (a), when: builds_road}, {at: (b), when: by_state_agency}]
        - {at: (2), when: grows_crops, lifts: [(1)(a)]}
        - {at: (3), when: agricultural_facility, lifts: [(1)]}
    """)
    d = geocheck.judge(
        {"builds_road": True, "by_state_agency": False, "grows_crops": True, "agricultural_facility": False}, found
    )
    assert str(d.trace["(1)(a)"].truth) == "yes" and str(d.trace["(1)"].truth) == "no"
    assert d.outcomes["permit"] == "not_required"
    d = geocheck.judge(
        {"builds_road": True, "by_state_agency": True, "grows_crops": True, "agricultural_facility": False}, found
    )
    assert d["permit"].because == ("(1)(b)",)
    d = geocheck.judge(
        {"builds_road": True, "by_state_agency": True, "grows_crops": False, "agricultural_facility": True}, found
    )
    assert d["permit"].because == ("(1)(a)", "(1)(b)", "(3)") and str(d.trace["(1)"].truth) == "yes"


def test_all_of_the_clauses_below(law):
    found = law("""
        clauses:
        - at: (1)
          when: all
          imposes: [permit, fee]
          clauses: [{at: (a), when: builds_road}, {at: (b), when: by_state_agency}]
    """)
    assert outcomes(found, builds_road=True, by_state_agency=True)["fee"] == "required"
    assert geocheck.judge({"builds_road": True, "by_state_agency": True}, found)["fee"].because == ("(1)(a)", "(1)(b)")
    assert outcomes(found, builds_road=True, by_state_agency=False)["fee"] == "not_required"
    assert outcomes(found, builds_road=False)["fee"] == "not_required"


def test_a_limit_takes_away_where_it_does_not_hold(law):
    found = law("""
        clauses:
        - {at: (1), when: grows_crops, imposes: [permit, fee]}
        - {at: (2), when: builds_road, limits: [permit]}
        - {at: (3), when: by_state_agency, limits: [(1)]}
    """)
    assert outcomes(found, grows_crops=True, builds_road=True, by_state_agency=True) == {
        "permit": "required",
        "fee": "required",
    }
    d = geocheck.judge({"grows_crops": True, "builds_road": False, "by_state_agency": True}, found)
    assert d.outcomes == {"permit": "not_required", "fee": "required"}
    assert d["permit"].because == ("(1)", "(2)")
    assert set(outcomes(found, grows_crops=True, builds_road=True, by_state_agency=False).values()) == {"not_required"}


def test_what_is_not_modelled_leaves_open_what_it_would_do(law):
    found = law("""
        clauses:
        - {at: (1), when: grows_crops, imposes: [permit, fee]}
        - {at: (2), not_modelled: the list was not read, lifts: [permit]}
        - {at: (3), not_modelled: words only}
        - {at: (4), clauses: [{at: (a), not_modelled: words}, {at: (b), carried_by: [(1)]}]}
    """)
    d = geocheck.judge(YES, found)
    assert d.outcomes == {"permit": "undetermined", "fee": "required"}
    assert d["permit"].gaps[0].reason == "not modelled" and d["permit"].needs == ("(2)",)
    assert [str(step.truth) for step in d.trace.steps] == ["yes", "unknown", "unknown", "no", "unknown", "yes"]
    assert geocheck.judge(NO, found).outcomes == {"permit": "not_required", "fee": "not_required"}


def test_several_settings_name_only_the_one_that_matters(law):
    found = law("""
        settings:
          first: {asks: Which?, choices: {a: one, b: other}}
          second: {asks: Which?, choices: {c: one, d: other}}
          idle: {asks: Which?, choices: {e: one, f: other}}
        clauses:
        - {at: (1), when: grows_crops, imposes: [permit, fee]}
        - {at: (2), when: builds_road, under: {first: {a: {lifts: [permit]}, b: {}}}}
        - {at: (3), under: {second: {c: {when: builds_road}, d: {when: grows_crops}}}, lifts: [fee]}
    """)
    d = geocheck.judge({"grows_crops": True, "builds_road": True}, found)
    assert d["permit"].needs == ("first",) and d.outcomes["fee"] == "not_required"
    d = geocheck.judge({"grows_crops": True, "builds_road": False}, found)
    assert d.outcomes["permit"] == "required" and d["fee"].needs == ("second",)
    d = geocheck.judge({"grows_crops": True, "builds_road": True}, found, settings={"first": "a"})
    assert d.outcomes == {"permit": "not_required", "fee": "not_required"}
    assert len(choices_under(found, {})) == 4 and len(choices_under(found, {"second": "c"})) == 2


def open_settings(count):
    settings = "\n".join(f"          s{n}: {{asks: Which?, choices: {{a: x, b: y}}}}" for n in range(count))
    clauses = "\n".join(
        f"        - {{at: ({n}), when: grows_crops, imposes: [permit, fee], under: {{s{n}: {{a: {{}}, b: {{}}}}}}}}"
        for n in range(count)
    )
    return f"        settings:\n{settings}\n        clauses:\n{clauses}\n"


def test_too_many_open_settings_are_refused(law):
    with pytest.raises(RuleFileError, match="512 combinations"):
        judge_site(law(open_settings(9)), {})
    assert len(choices_under(law(open_settings(8)), {})) == MOST_COMBINATIONS == 256
    assert len(choices_under(law(open_settings(9)), {"s3": "a"})) == 256
    with pytest.raises(RuleFileError, match=r"set some of s0, s2, s3, s4, s5, s6, s7, s8, s9$"):
        choices_under(law(open_settings(10)), {"s1": "b"})


@pytest.mark.parametrize("name, remedy", [("s00", "Did you mean s0?"), ("qqqqq", "Its settings: s0, s1.")])
def test_a_setting_that_is_not_there_has_a_suggestion_or_the_list(law, name, remedy):
    with pytest.raises(RuleFileError) as caught:
        check_settings(law(open_settings(2)), {name: "a"})
    assert remedy in str(caught.value)
    assert check_settings(law(open_settings(2)), {name: "a", "s0": "b"}, strict=False) == {"s0": "b"}


def test_a_clause_that_takes_itself_away_is_refused(problems, law):
    text = "clauses:\n- {at: (1), when: grows_crops, imposes: [permit, fee], lifts: [(1)]}\n"
    assert [p.code for p in problems(text) if p.severity == "error"] == ["lifts-circle"]
    with pytest.raises(RuleFileError, match="takes itself away"):
        law(text)


def test_even_unread_by_the_checks_a_circle_ends(write):
    found, _ = read_ordinance(write("clauses:\n- {at: (1), when: grows_crops, imposes: [permit, fee], lifts: [(1)]}\n"))
    with pytest.raises(RuleFileError, match="takes itself away"):
        judge_site(found, {})


def test_another_ordinance_taken_in_by_reference(write, tmp_path):
    write("clauses:\n- {at: (1), says: x, when: disturbed_area > 1 acre, imposes: [permit]}\n"
          "- {at: (2), says: x, when: board_finds_runoff_danger, imposes: [fee]}\n", "us/b/1/2020-01-01.yaml")  # fmt: skip
    write("clauses:\n- {at: (1), says: x, incorporates: {ordinance: us/b/1, obligation: permit}, imposes: [permit]}\n"
          "- {at: (2), says: x, incorporates: us/b/1, imposes: [fee]}\n"
          "- {at: (3), says: x, incorporates: us/c/1, lifts: [fee]}\n", "us/a/1/2020-01-01.yaml")  # fmt: skip
    found = load_ordinance("us/a/1", folder=tmp_path)
    d = geocheck.judge({"disturbed_area": "2 acre"}, found)
    assert d.outcomes == {"permit": "required", "fee": "undetermined"}
    assert [(gap.fact, gap.reason) for gap in d["fee"].gaps] == [("us/c/1", "not loaded")]
    assert "takes in us/b/1" in d.trace["(1)"].note
    d = geocheck.judge({"disturbed_area": "1 ft2"}, found)
    assert d.outcomes == {"permit": "not_required", "fee": "not_required"}
    assert d["fee"].reserved == ("(2)",)
    d = geocheck.judge({"disturbed_area": "1 acre", "board_finds_runoff_danger": True}, found)
    assert d.outcomes == {"permit": "not_required", "fee": "undetermined"}
    near = geocheck.judge({"disturbed_area": "43_570 ± 50 ft2"}, found)["permit"]
    assert near.borderline and near.best_estimate == "required"


def test_a_waiver_clause_for_some_obligations_only(law):
    found = law("""
        clauses:
        - {at: (1), when: always, imposes: [permit, fee]}
        - {at: (2), when: any, waives: [fee], clauses: [{at: 1.}, {at: 2.}]}
        - {at: (3), still_binds: {fee: § 9}}
    """)
    waiver = {"obligation": "fee", "by": "Board", "on": "2026-01-01", "ground": "(2)2"}
    d = geocheck.judge({}, found, waivers=[waiver])
    assert d.outcomes == {"permit": "required", "fee": "waived"}
    assert d["fee"].note == "still binds: § 9" and str(d.trace["(3)"].truth) == "yes"
    assert d["permit"].reserved == ()
    with pytest.raises(geocheck.GeocheckError, match="no ground on which permit is waived"):
        geocheck.judge({}, found, waivers=[{**waiver, "obligation": "permit"}])


def test_of_two_waivers_of_one_obligation_the_later_counts(village):
    waivers = [
        {"obligation": "fee", "by": "First", "on": "2026-02-01", "ground": "(4)(a)1"},
        {"obligation": "fee", "by": "Second", "on": "2026-01-01", "ground": "(4)(a)2"},
    ]
    assert geocheck.judge({"disturbed_area": "1 acre"}, village, waivers=waivers)["fee"].waiver.by == "First"


def test_a_waiver_that_is_not_needed_says_so(village):
    waiver = {"obligation": "fee", "by": "Board", "on": "2026-02-01", "ground": "(4)(a)1"}
    found = geocheck.judge({"grows_crops": True}, village, waivers=[waiver])["fee"]
    assert found.outcome == "not_required" and "not needed" in found.note
