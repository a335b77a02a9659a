"""What a determination says beside its outcomes, to the letter: because, instead, reserved, needs, notes, best estimates."""

from __future__ import annotations

import pytest

import geocheck
from geocheck.model.determination import Receipt
from geocheck.model.problem import RuleFileError
from geocheck.rules.given import facts_given
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance, read_ordinance

WAYS = "settings: {ways: {asks: Which?, choices: {one: a, two: b}}}\n"


def test_a_clause_with_a_condition_of_its_own_decides_itself_whatever_stands_below_it(law):
    found = law("""
        clauses:
        - at: (1)
          says: x
          when: grows_crops
          imposes: [permit, fee]
          clauses: [{at: (a), says: x, when: builds_road}, {at: (b), says: x, when: by_state_agency}]
        - at: (2)
          says: x
          when: any
          lifts: [fee]
          clauses: [{at: (a), says: x, when: builds_road}, {at: (b), says: x, when: by_state_agency}]
    """)
    d = geocheck.judge({"grows_crops": True, "builds_road": True, "by_state_agency": False}, found)
    assert (d["permit"].because, d["fee"].because) == (("(1)",), ("(1)", "(2)(a)"))


INSTEAD = """
clauses:
- {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
- {at: (2), says: x, when: builds_road, imposes: [permit]}
- {at: (3), says: x, when: by_state_agency, lifts: [(1)], instead: the state's law}
- {at: (4), says: x, when: agricultural_facility, lifts: all, instead: the farm law}
"""


@pytest.mark.parametrize(
    "crops, road, state, farm, permit, instead",
    [
        (True, False, True, False, "not_required", ("the state's law",)),
        # Required through the second trigger: no other law takes over.
        (True, True, True, False, "required", ()),
        # Nothing holds that an exemption could free from, and none holds.
        (False, False, False, False, "not_required", ()),
        # An exemption that holds where nothing binds still names its law.
        (False, False, False, True, "not_required", ("the farm law",)),
        (True, True, True, True, "not_required", ("the state's law", "the farm law")),
        (True, False, None, False, "undetermined", ()),
    ],
)
def test_the_law_that_takes_over_is_named_where_nothing_binds(law, crops, road, state, farm, permit, instead):
    found = law(INSTEAD)
    facts = {"grows_crops": crops, "builds_road": road, "by_state_agency": state, "agricultural_facility": farm}
    outcome = geocheck.judge(facts, found)["permit"]
    assert (outcome.outcome, outcome.instead) == (permit, instead)


def test_under_an_open_reading_only_what_all_of_them_say_is_said(law):
    found = law(
        WAYS
        + """
clauses:
- {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
- at: (2)
  says: x
  lifts: all
  under:
    ways: {one: {when: builds_road, instead: one law}, two: {when: builds_road, instead: another law}}
- {at: (3), says: x, when: builds_road, lifts: all, instead: common law}
"""
    )
    facts = {"grows_crops": True, "builds_road": True}
    assert geocheck.judge(facts, found)["permit"].instead == ("common law",)
    assert geocheck.judge(facts, found, settings={"ways": "one"})["permit"].instead == ("one law", "common law")


def test_the_law_of_a_clause_above_holds_for_those_below_unless_they_name_their_own(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
        - at: (2)
          says: x
          when: any
          lifts: all
          instead: the law above
          clauses: [{at: (a), says: x, when: builds_road}, {at: (b), says: x, when: by_state_agency, instead: its own law}]
        - {at: (3), says: x, when: agricultural_facility, limits: all, instead: the law of the place}
    """)
    facts = {"grows_crops": True, "agricultural_facility": True}
    judged = [
        geocheck.judge({**facts, "builds_road": road, "by_state_agency": state}, found)["fee"].instead
        for road, state in ((True, False), (False, True), (True, True))
    ]
    assert judged == [("the law above",), ("its own law",), ("the law above", "its own law")]
    away = geocheck.judge(
        {**facts, "agricultural_facility": False, "builds_road": False, "by_state_agency": False}, found
    )["fee"]
    assert away.instead == ("the law of the place",) and away.because == ("(1)", "(3)")


def test_a_threshold_in_metres_and_a_number_in_feet_meet_through_either_foot_and_the_best_value_decides(law):
    found = law("clauses:\n- {at: (1), says: x, when: disturbed_area >= 1_000 m2, imposes: [permit, fee]}\n")
    # 1,000 m2 are 10,763.867 US survey and 10,763.910 international square feet.
    for feet, outcome, best in (
        ("10_763.95", "required", "required"), ("10_763.88", "undetermined", "required"), ("10_763.8", "not_required", "not_required"),
    ):  # fmt: skip
        judged = geocheck.judge({"disturbed_area": f"{feet} ft2"}, found)["permit"]
        assert (judged.outcome, judged.best_estimate, judged.borderline) == (outcome, best, outcome == "undetermined")


def test_a_number_in_metres_and_a_threshold_in_feet_too(law):
    found = law("clauses:\n- {at: (1), says: x, when: disturbed_area >= 10_763.88 ft2, imposes: [permit, fee]}\n")
    judged = geocheck.judge({"disturbed_area": "1_000 m2"}, found)["permit"]
    assert (judged.outcome, judged.best_estimate) == ("undetermined", "not_required")


def test_what_is_reserved_rests_on_each_site_s_own_numbers(law):
    """Two sites for which every condition is known alike, and differs once a decision is open."""
    found = law(
        "clauses:\n- {at: (1), says: x, when: board_finds_runoff_danger and disturbed_area >= 1 acre, imposes: [permit, fee]}\n"
    )
    for _ in range(2):
        for area, reserved in (("2 acre", ("(1)",)), ("0.5 acre", ()), ("3 acre", ("(1)",))):
            outcome = geocheck.judge({"disturbed_area": area}, found)["permit"]
            assert (outcome.outcome, outcome.reserved) == ("not_required", reserved)


def test_a_decision_that_was_taken_is_not_reserved(law):
    found = law("clauses:\n- {at: (1), says: x, when: board_finds_runoff_danger, imposes: [permit, fee]}\n")
    assert geocheck.judge({}, found)["permit"].reserved == ("(1)",)
    for taken, outcome in ((True, "required"), (False, "not_required")):
        judged = geocheck.judge({"board_finds_runoff_danger": taken}, found)["permit"]
        assert (judged.outcome, judged.reserved) == (outcome, ())


def test_what_may_be_waived_is_reserved_where_it_binds_or_may(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
        - {at: (2), says: x, waives: [fee], clauses: [{at: (a), says: x}]}
        - {at: (3), says: x, waives: all, clauses: [{at: (a), says: x}]}
    """)
    for crops, permit, fee in ((True, ("(3)",), ("(2)", "(3)")), (None, ("(3)",), ("(2)", "(3)")), (False, (), ())):
        judged = geocheck.judge({"grows_crops": crops}, found)
        assert (judged["permit"].reserved, judged["fee"].reserved) == (permit, fee)
    waiver = {"obligation": "fee", "by": "Board", "on": "2026-01-01", "ground": "(2)(a)"}
    waived = geocheck.judge({"grows_crops": True}, found, waivers=[waiver])["fee"]
    assert (waived.outcome, waived.reserved, waived.because) == ("waived", (), ("(1)", "(2)(a)"))
    assert (waived.best_estimate, waived.truth.is_yes, waived.note) == ("waived", True, "")
    open_one = geocheck.judge({"grows_crops": None}, found, waivers=[waiver])["fee"]
    assert (open_one.outcome, open_one.needs, open_one.because) == ("waived", (), ("(2)(a)",))


def test_what_waivers_leave_standing_is_said_of_each_obligation(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
        - {at: (2), says: x, waives: all, clauses: [{at: (a), says: x}]}
        - {at: (3), says: x, still_binds: {fee: § 7, all: § 8}}
    """)
    waivers = [{"obligation": o, "by": "Board", "on": "2026-01-01", "ground": "(2)(a)"} for o in ("permit", "fee")]
    judged = geocheck.judge({"grows_crops": True}, found, waivers=waivers)
    assert (judged["permit"].note, judged["fee"].note) == ("still binds: § 8", "still binds: § 7; § 8")
    assert (
        geocheck.judge({"grows_crops": False}, found, waivers=waivers)["fee"].note
        == "a waiver is on file; it was not needed"
    )
    assert geocheck.judge({"grows_crops": True}, found)["fee"].note == ""


def test_what_could_settle_it_stands_in_the_order_in_which_it_is_asked_for(law):
    found = law(
        WAYS
        + """
clauses:
- {at: (1), says: x, when: grows_crops or builds_road, imposes: [permit, fee]}
- {at: (2), says: x, not_modelled: Not read., lifts: [fee]}
- {at: (3), says: x, under: {ways: {one: {when: always, lifts: all}, two: {}}}, when: by_state_agency, lifts: all}
"""
    )
    judged = geocheck.judge({"by_state_agency": False}, found)
    assert judged["fee"].needs == ("grows_crops", "builds_road", "(2)", "ways")
    assert judged["permit"].needs == ("grows_crops", "builds_road", "ways")
    assert [(gap.fact, gap.reason) for gap in judged["fee"].gaps] == sorted(
        [("(2)", "not modelled"), ("builds_road", "missing"), ("grows_crops", "missing"), ("ways", "needs a decision")]
    )
    assert not judged["fee"].borderline


def test_a_determination_names_site_ordinance_and_what_it_is_made_of(law):
    found = law(
        WAYS
        + "clauses:\n- {at: (1), says: x, when: grows_crops, imposes: [permit, fee], under: {ways: {one: {}, two: {}}}}\n"
    )
    facts = facts_given({"grows_crops": True}, found)
    plain = judge_site(found, facts, settings={"ways": "one", "another": "x"})
    assert (plain.site_id, plain.ordinance) == ("", found.id)
    assert plain.receipt.parts == {f"ordinance {found.id}": found.fingerprint, "setting ways": "one"}
    given = judge_site(found, facts, site_id="S", receipt=Receipt({"a": "b"}))
    assert (given.site_id, given.receipt.parts) == ("S", {"a": "b"})
    assert (given["fee"].section, given["permit"].obligation) == ("§ 3", "permit")
    # Facts that nobody asks for change nothing.
    assert judge_site(found, {**facts, "nobody": facts["grows_crops"]}).outcomes == plain.outcomes


def test_a_limit_that_is_a_list_names_itself_and_its_law_where_nothing_in_the_list_holds(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
        - at: (2)
          says: x
          when: any
          limits: all
          instead: the law of the place
          clauses: [{at: (a), says: x, when: builds_road}, {at: (b), says: x, when: by_state_agency}]
    """)
    away = geocheck.judge({"grows_crops": True, "builds_road": False, "by_state_agency": False}, found)["fee"]
    assert (away.outcome, away.because, away.instead) == ("not_required", ("(1)", "(2)"), ("the law of the place",))
    here = geocheck.judge({"grows_crops": True, "builds_road": True, "by_state_agency": False}, found)["fee"]
    assert (here.outcome, here.because, here.instead) == ("required", ("(1)",), ())


def test_too_near_to_call_is_borderline_whatever_else_is_missing(law):
    found = law(
        "clauses:\n- {at: (1), says: x, when: disturbed_area >= 1 acre or grows_crops, imposes: [permit, fee]}\n"
    )
    for area, crops, borderline in (
        ("43_560 ± 10 ft2", None, True),
        ("43_560 ± 10 ft2", False, True),
        ("2 ft2", None, False),
    ):
        outcome = geocheck.judge({"disturbed_area": area, "grows_crops": crops}, found)["permit"]
        assert (outcome.outcome, outcome.borderline) == ("undetermined", borderline)
    sure = geocheck.judge({"disturbed_area": "43_560 ± 10 ft2", "grows_crops": True}, found)["permit"]
    assert (sure.outcome, sure.borderline) == ("required", False)


def test_what_officials_may_invoke_of_an_ordinance_taken_in_stands_in_a_fixed_order(write, tmp_path):
    clauses = "".join(
        f"- {{at: ({n}), says: x, when: board_finds_runoff_danger, imposes: [fee]}}\n" for n in range(1, 9)
    )
    write(f"clauses:\n{clauses}", "us/b/1/2020-01-01.yaml")
    write("clauses:\n- {at: (20), says: x, when: authority_finds_erosion_risk, imposes: [fee]}\n"
          "- {at: (30), says: x, incorporates: us/b/1, imposes: [fee, permit]}\n", "us/a/1/2020-01-01.yaml")  # fmt: skip
    found = load_ordinance("us/a/1", folder=tmp_path)
    assert geocheck.judge({}, found)["fee"].reserved == ("(20)", *(f"({n})" for n in range(1, 9)))


def test_a_finding_that_no_waiver_names_was_not_made(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
        - {at: (2), says: x, waives: [fee], clauses: [{at: (a), says: x}, {at: (b), says: x}]}
    """)
    waiver = {"obligation": "fee", "by": "Board", "on": "2026-01-01", "ground": "(2)(b)"}
    for waivers, truths in (((), ["no", "no"]), ([waiver], ["no", "yes"])):
        trace = geocheck.judge({"grows_crops": True}, found, waivers=waivers).trace
        assert [str(trace[label].truth) for label in ("(2)(a)", "(2)(b)")] == truths


@pytest.mark.parametrize("lifts, label", [("(1)", "(1)"), ("(2)", "(2)")])
def test_a_circle_names_the_clause_that_takes_itself_away(write, lifts, label):
    found, _ = read_ordinance(write(f"""
        clauses:
        - {{at: (1), says: x, when: grows_crops, imposes: [permit, fee], lifts: ["{lifts}"]}}
        - {{at: (2), says: x, when: grows_crops, imposes: [permit], lifts: ["{lifts}"]}}
    """))  # fmt: skip
    with pytest.raises(RuleFileError) as caught:
        judge_site(found, facts_given({"grows_crops": True}, found))
    assert str(caught.value).endswith(f": {label} takes itself away, through what it lifts")
