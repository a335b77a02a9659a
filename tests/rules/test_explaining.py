"""A determination in words; what if; how to."""

from __future__ import annotations

import pytest

import geocheck
from geocheck.model.problem import RuleFileError, UnitError
from geocheck.rules.changing import read_changes, what_if
from geocheck.rules.explaining import explain
from geocheck.rules.given import facts_given
from geocheck.rules.judge import judge_site
from geocheck.rules.turning import how_to

SMALL = {
    "disturbed_area": "4_411 ft2", "disturbed_area_in_zones": "0 ft2", "disturbed_area_outside_zones": "4_411 ft2",
    "excavated_volume": "0 yd3", "filled_volume": "0 yd3", "disturbed_channel_length": "0 ft", "small_parcels_created": 0,
    "builds_road": False, "impervious_area_added": "0 ft2", "grows_crops": False, "by_state_agency": False,
    "one_or_two_family_building": False, "designed_by_land_conservation": False, "village_or_county_work": False,
}  # fmt: skip
ACRE = {
    "disturbed_area": "2 acre", "connected_impervious_area": "20_000 ft2", "impervious_area": "30_000 ft2",
    "agricultural_facility": False, "underground_utility": False, "mmsd_chapter_13_quantity_exempt": False,
    "mmsd_chapter_13_applies": False, "share_in_jurisdiction": "100 %", "by_state_agency": False,
}  # fmt: skip


def told(ordinance, facts, **more):
    return explain(geocheck.judge(facts, ordinance, **more), ordinance)


def test_first_the_answer_then_what_decides_with_its_numbers(village):
    facts = {
        **SMALL,
        "disturbed_area": "4_411 ± 30 ft2",
        "one_or_two_family_building": True,
        "impervious_area_added": "5 acre",
    }
    assert told(village, facts, site_id="S-12").splitlines()[:8] == [
        "Site S-12 under § 87-5, Applicability, exemptions and waivers",
        "Erosion control: not required.",
        "Stormwater management, permit, financial guarantee and fee: required.",
        "",
        "What decides:",
        "  (1)(a) At least 4,000 square feet of land surface are disturbed. "
        "[yes: disturbed_area = 4,411 ft2 (4,381 to 4,441); lifted by (3)(b)]",
        "  (2)(c) In the end, at least 20,000 square feet of impervious surface are added, all sites of a common plan together. "
        "[yes: impervious_area_added_of_plan = 5 acre]",
        "  (3)(b)1. Building of one- and two-family houses, unless the building inspector or the village board asks for compliance. "
        "[yes: one_or_two_family_building = yes; inspector_or_board_requests: no decision on file]",
    ]


def test_then_what_does_not_apply_what_is_reserved_and_what_takes_over(village):
    text = told(village, {**SMALL, "one_or_two_family_building": True})
    after = text.split("Does not apply:\n")[1]
    assert "(1)(b) [no: excavated_volume = 0 yd3; filled_volume = 0 yd3]" in after
    assert "Reserved: an official may still invoke:\n  (2)(d) " in after and "(3)(b)1." in after
    assert "Law that takes over:\n  Wisconsin Uniform Dwelling Code" in after
    assert "Read this way:\n  (1)(a) The disturbed surface of the site itself" in after


def test_what_keeps_it_open_and_what_is_missing(river_hills):
    facts = {**ACRE, "disturbed_area": "43_556.6 ± 13 ft2", "mmsd_chapter_13_applies": None}
    text = told(river_hills, facts)
    assert text.splitlines()[1] == "Post construction stormwater and protective area: undetermined."
    assert "disturbed_area_of_all_phases (within tolerance) in (1)[a]" in text
    assert "0.99" in text and "compared with 1 acre" in text
    assert "mmsd_chapter_13_applies (missing) in (1)[c]" in text
    assert "Missing:\n  mmsd_chapter_13_applies: Do the applicability requirements" in text
    text = told(river_hills, {**facts, "mmsd_chapter_13_applies": False})
    assert "undetermined; by the best values alone, not required." in text and "Missing:" not in text


def test_what_is_not_known_and_not_needed(village):
    text = told(village, {**SMALL, "filled_volume": None})
    assert "Not known, and not needed:\n  (1)(b) filled_volume (missing)" in text
    assert "What keeps it open" not in text


def test_a_waiver_is_told_with_its_document(village):
    waiver = {"obligation": "permit", "by": "Board", "on": "2026-05-04", "ground": "(4)(a)1", "document": "W-7"}
    text = told(village, SMALL, waivers=[waiver])
    assert (
        "Permit: waived (waiver by Board on 2026-05-04, (4)(a)1, W-7); still binds: §§ 87-8(1)(a) and 87-9(1)(a)."
        in text
    )
    assert "(4)(a)1. There will be no appreciable effect off the site. [yes]" in text


def test_what_an_exemption_lifted_is_said_beside_it(law):
    found = law("""
        clauses:
        - {at: (1), when: grows_crops, imposes: [permit, fee]}
        - {at: (2), when: builds_road, lifts: [(1)], instead: state law}
    """)
    text = told(found, {"grows_crops": True, "builds_road": True})
    assert "  (1) [yes: grows_crops = yes; lifted by (2)]" in text.splitlines()


def test_an_act_reserved_in_an_ordinance_taken_in_is_told(write, tmp_path):
    from geocheck.rules.read import load_ordinance

    write("clauses:\n- {at: (7), says: x, when: board_finds_runoff_danger, imposes: [fee]}\n", "us/b/1/2020-01-01.yaml")
    write("clauses:\n- {at: (1), says: x, incorporates: us/b/1, imposes: [fee, permit]}\n", "us/a/1/2020-01-01.yaml")
    assert "invoke:\n  (7)" in told(load_ordinance("us/a/1", folder=tmp_path), {})


@pytest.mark.parametrize(
    "changes, turned",
    [
        ({"disturbed_area": "3_900ft2"}, {"erosion_control", "permit", "financial_guarantee", "fee"}),
        (
            {"disturbed_area": "3_900ft2", "impervious_area_added": "1 acre"},
            {"erosion_control", "stormwater_management"},
        ),
        (
            {"working_agreement_in_effect": True, "village_or_county_work": "yes"},
            {"permit", "financial_guarantee", "fee"},
        ),
        ({"disturbed_area": "4_100 ft2"}, set()),
    ],
)
def test_what_if(village, changes, turned):
    found = what_if(village, facts_given(SMALL, village), changes, site_id="S")
    assert set(found.turned) == turned
    assert found.before.outcomes["permit"] == "required" and found.after.site_id == "S"


def test_what_if_a_reading_were_chosen(village):
    facts = facts_given(
        {**SMALL, "disturbed_area_in_zones": "1_000 ft2", "disturbed_area_outside_zones": "3_411 ft2"}, village
    )
    found = what_if(village, facts, {"within_zone": "portion"})
    assert found.turned["erosion_control"] == ("undetermined", "not_required")
    assert found.changes == ("within_zone: portion",)


def test_what_if_ground_that_is_the_same_changes_with_it(river_hills):
    facts = facts_given(ACRE, river_hills)
    found = what_if(river_hills, facts, {"disturbed_area": "0.5 acre"})
    assert found.after.outcomes["protective_area"] == "not_required"
    assert found.changes == ("disturbed_area = 0.5 acre", "disturbed_area_of_all_phases = 0.5 acre")
    facts = facts_given({**ACRE, "disturbed_area_of_all_phases": "3 acre", "impervious_area_of_all_phases": "2 acre",
                         "connected_impervious_area_of_all_phases": "2 acre"}, river_hills)  # fmt: skip
    assert what_if(river_hills, facts, {"disturbed_area": "0.5 acre"}).turned == {}


def test_a_change_that_does_not_fit_is_refused(village):
    facts = facts_given(SMALL, village)
    with pytest.raises(RuleFileError, match="Did you mean disturbed_area"):
        what_if(village, facts, {"disturbd_area": "1 ft2"})
    with pytest.raises(RuleFileError, match="Choices: wholly, portion"):
        what_if(village, facts, {"within_zone": "half"})
    with pytest.raises(UnitError, match="no unit"):
        what_if(village, facts, {"disturbed_area": "3900"})
    with pytest.raises(RuleFileError, match="name=value"):
        read_changes(["disturbed_area 3900"])
    assert read_changes(["a = 1 ft2", "b=yes"]) == {"a": "1 ft2", "b": "yes"}


def turns(ordinance, facts, obligation, outcome, **more):
    given = facts_given(facts, ordinance)
    found = how_to(ordinance, given, obligation, outcome, **more)
    for turn in found:
        if turn.kind in ("setting", "waiver"):
            continue
        # Borne out by judging, and for a number by nothing nearer.
        changed = what_if(ordinance, given, {turn.name: turn.value}, settings=more.get("settings"))
        assert changed.after[obligation].outcome == outcome, turn
    return [(turn.name, turn.value) for turn in found]


def test_the_nearest_number_that_turns_it(village):
    found = how_to(village, facts_given(SMALL, village), "permit", "not_required")
    assert found[0].says == "disturbed_area: 412 ft2 less (from 4,411 to 3,999 ft2)"
    assert found[0].to_dict()["distance"] == pytest.approx(412 / 4411)
    assert turns(village, SMALL, "permit", "not_required") == [
        ("disturbed_area", "3,999 ft2"), ("grows_crops", "yes"), ("by_state_agency", "yes"),
        ("one_or_two_family_building", "yes"), ("designed_by_land_conservation", "yes"),
    ]  # fmt: skip


def test_each_way_to_require_stormwater(village):
    assert turns(village, SMALL, "stormwater_management", "required") == [
        ("small_parcels_created_of_plan", "5 each"), ("new_road_length", "1 ft"),
        ("impervious_area_added_of_plan", "20,000 ft2"), ("builds_road", "yes"), ("authority_finds_runoff_risk", "yes"),
    ]  # fmt: skip


def test_have_the_agreement_in_effect(village):
    found = turns(village, {**SMALL, "village_or_county_work": True}, "fee", "not_required")
    assert ("working_agreement_in_effect", "yes") in found


def test_a_share_turns_by_its_part_and_by_its_whole(river_hills):
    facts = {**ACRE, "disturbed_area": "100_000 ft2", "connected_impervious_area": "12_000 ft2"}
    found = dict(turns(river_hills, facts, "post_construction_stormwater", "not_required"))
    assert found["connected_impervious_area_of_all_phases"] == "9,999 ft2"
    assert found["disturbed_area_of_all_phases"] in ("120,001 ft2", "43,559 ft2")


def test_to_be_sure_of_the_best_value_is_the_nearest_change(village):
    facts = {**SMALL, "disturbed_area": "4_010 ± 25 ft2"}
    found = how_to(village, facts_given(facts, village), "erosion_control", "required")
    assert found[0].says.startswith("disturbed_area: make sure of 4,010 ft2")
    missing = {name: value for name, value in SMALL.items() if name != "disturbed_area"}
    found = how_to(village, facts_given(missing, village), "erosion_control", "not_required")
    assert found[0].name == "disturbed_area"


def test_a_reading_or_a_waiver_may_turn_it(village):
    facts = {**SMALL, "disturbed_area_in_zones": "1_000 ft2", "disturbed_area_outside_zones": "3_411 ft2"}
    assert ("within_zone", "portion") in turns(village, facts, "erosion_control", "not_required")
    assert ("within_zone", "wholly") in turns(village, facts, "erosion_control", "required")
    assert ("(4)(a)3.", "permit") in turns(village, SMALL, "permit", "waived")


def test_nothing_turns_what_is_so_already_or_by_no_single_change(village, law):
    assert turns(village, SMALL, "permit", "required") == []
    found = law("clauses:\n- {at: (1), when: grows_crops and builds_road, imposes: [permit, fee]}\n")
    assert turns(found, {"grows_crops": False, "builds_road": False}, "permit", "required") == []
    assert turns(found, {"grows_crops": False, "builds_road": False}, "permit", "waived") == []


def test_what_is_asked_for_must_be_there(village):
    facts = facts_given(SMALL, village)
    with pytest.raises(RuleFileError, match="Did you mean permit"):
        how_to(village, facts, "permits", "not_required")
    with pytest.raises(RuleFileError, match="Did you mean not_required"):
        how_to(village, facts, "permit", "not required")


def test_questions_are_asked_most_decisive_first(village):
    from geocheck.rules.asking import questions

    facts = {
        name: value for name, value in SMALL.items() if name not in ("disturbed_area", "grows_crops", "filled_volume")
    }
    found = questions(geocheck.judge(facts, village, site_id="S"), village)
    assert [question.fact for question in found] == ["disturbed_area", "filled_volume"] or found[
        0
    ].fact == "disturbed_area"
    assert found[0].decides[0] == "us/wi/washington-county-village/87-5: erosion_control"
    facts = {**SMALL, "grows_crops": None}
    (question,) = questions(geocheck.judge(facts, village), village)
    assert (question.fact, question.kind, len(question.decides)) == ("grows_crops", "stated", 4)
    assert questions(geocheck.judge(SMALL, village), village) == ()


def test_a_site_judged_twice_is_judged_the_same(village):
    facts = facts_given(SMALL, village)
    assert judge_site(village, facts) == judge_site(village, facts)


def test_ground_that_is_the_same_for_plan_and_site_turns_as_one(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: disturbed_area > 1 acre and parcel_area > 2 acre, imposes: [permit, fee]}
        - {at: (2), says: x, when: disturbed_area_of_plan > 3 acre, imposes: [permit]}
    """)
    given = facts_given({"disturbed_area": "4 acre", "parcel_area": "9 acre"}, found)
    assert [(t.name, t.value) for t in how_to(found, given, "permit", "not_required")] == [
        ("disturbed_area", "43,560 ft2")
    ]
    apart = facts_given(
        {"disturbed_area": "4 acre", "disturbed_area_of_plan": "5 acre", "parcel_area": "9 acre"}, found
    )
    assert how_to(found, apart, "permit", "not_required") == ()


def test_a_product_of_two_changes_is_no_line_and_is_not_guessed_at(law):
    found = law("""
        terms: {square: {cite: x, means: new_road_length * new_road_length}}
        clauses:
        - {at: (1), says: x, when: square > 400 ft2, imposes: [permit, fee]}
    """)
    assert how_to(found, facts_given({"new_road_length": "30 ft"}, found), "permit", "not_required") == ()


def test_a_finding_on_which_something_else_is_waived_turns_nothing(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: grows_crops, imposes: [permit, fee]}
        - {at: (2), says: x, when: any, waives: [fee], clauses: [{at: (a), says: Small.}]}
        - {at: (3), says: x, when: any, waives: [permit], clauses: [{at: (a), says: Far away.}]}
    """)
    given = facts_given({"grows_crops": True}, found)
    assert [(t.kind, t.name) for t in how_to(found, given, "permit", "waived")] == [("waiver", "(3)(a)")]
    assert [(t.kind, t.name) for t in how_to(found, given, "fee", "waived")] == [("waiver", "(2)(a)")]
