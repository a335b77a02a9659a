"""Judging: outcomes, reasons, reserved clauses, waivers, settings."""

from __future__ import annotations

import pytest

import geocheck
from geocheck.model.determination import Waiver
from geocheck.model.problem import LedgerError, RuleFileError, UnitError

VILLAGE = "us/wi/washington-county-village/87-5"
RIVER_HILLS = "us/wi/river-hills/6.04"

SMALL = {
    "disturbed_area": "1_000 ft2", "disturbed_area_in_zones": "0 ft2", "disturbed_area_outside_zones": "1_000 ft2",
    "excavated_volume": "0 yd3", "filled_volume": "0 yd3", "disturbed_channel_length": "0 ft", "small_parcels_created": 0,
    "builds_road": False, "impervious_area_added": "0 ft2", "grows_crops": False, "by_state_agency": False,
    "one_or_two_family_building": False, "designed_by_land_conservation": False, "village_or_county_work": False,
}  # fmt: skip
BIG = {**SMALL, "disturbed_area": "9_000 ft2", "disturbed_area_outside_zones": "9_000 ft2"}
ACRE = {
    "disturbed_area": "2 acre", "connected_impervious_area": "20_000 ft2", "impervious_area": "30_000 ft2",
    "agricultural_facility": False, "underground_utility": False, "mmsd_chapter_13_quantity_exempt": False,
    "mmsd_chapter_13_applies": False, "share_in_jurisdiction": "100 %", "by_state_agency": False,
}  # fmt: skip
ALL = ("erosion_control", "stormwater_management", "permit", "financial_guarantee", "fee")


def outcomes(**changes):
    return geocheck.judge({**SMALL, **changes}, VILLAGE).outcomes


@pytest.mark.parametrize(
    "low, outcome", [("3_999.996 ft2", "required"), ("3_999.9 ft2", "not_required"), ("4_000 ft2", "required")]
)
def test_within_a_millionth_the_threshold_is_the_threshold(low, outcome):
    assert outcomes(disturbed_area=low)["erosion_control"] == outcome


@pytest.mark.parametrize(
    "facts, clause, truth",
    [
        ({"disturbed_area": "4_000 ft2"}, "(1)(a)", "yes"),
        ({"excavated_volume": "400 yd3"}, "(1)(b)", "no"),
        ({"excavated_volume": "400.0004 yd3"}, "(1)(b)", "no"),
        ({"excavated_volume": "400.01 yd3"}, "(1)(b)", "yes"),
        (
            {
                "disturbed_area": "43_560 ft2",
                "disturbed_area_in_zones": "43_560 ft2",
                "disturbed_area_outside_zones": "0 ft2",
            },
            "(3)(b)2.",
            "no",
        ),
    ],
)
def test_exactly_at_a_threshold_the_words_of_the_text_decide(facts, clause, truth):
    assert str(geocheck.judge({**SMALL, **facts}, VILLAGE).trace[clause].truth) == truth


def test_the_acre_and_ten_percent_of_river_hills():
    facts = {**ACRE, "disturbed_area": "43_560 ft2", "connected_impervious_area": "4_356 ft2"}
    trace = geocheck.judge(facts, RIVER_HILLS).trace
    assert str(trace["(1)[a]"].truth) == "yes"
    assert str(trace["(1)[b]1."].truth) == "no"


def test_an_interval_that_straddles_is_borderline_and_the_best_value_is_shown():
    facts = {**ACRE, "disturbed_area": "43_556.6 ± 13 ft2"}
    found = geocheck.judge(facts, RIVER_HILLS)["post_construction_stormwater"]
    assert (found.outcome, found.best_estimate, found.borderline) == ("undetermined", "not_required", True)
    assert found.needs == ("disturbed_area_of_all_phases",)
    assert "43,543.6 to 43,569.6 ft2" in found.gaps[0].note or "acre" in found.gaps[0].note


def test_percent_of_the_disturbed_ground_not_of_anything_else():
    facts = {
        **ACRE,
        "disturbed_area": "15_000 ft2",
        "connected_impervious_area": "1_000 ft2",
        "impervious_area": "2_000 ft2",
    }
    assert str(geocheck.judge(facts, RIVER_HILLS).trace["(1)[b]1."].truth) == "yes"


def test_nothing_disturbed_has_no_percentage():
    step = geocheck.judge({**ACRE, "disturbed_area": "0 ft2"}, RIVER_HILLS).trace["(1)[b]1."]
    assert [gap.reason for gap in step.truth.gaps] == ["undefined"]


def test_a_missing_fact_is_unknown_and_a_decision_not_on_file_is_no_and_reserved():
    found = geocheck.judge({}, VILLAGE)
    assert set(found.outcomes.values()) == {"undetermined"}
    assert str(found.trace["(1)(a)"].truth) == "unknown"
    assert str(found.trace["(1)(d)"].truth) == "no"
    assert "(1)(d)" in found.reserved and "(2)(d)" in found.reserved
    assert "disturbed_area" in found.needs and "authority_finds_erosion_risk" not in found.needs


def test_a_decision_given_as_unknown_is_unknown():
    found = geocheck.judge({**SMALL, "authority_finds_erosion_risk": None}, VILLAGE)
    assert found.outcomes["erosion_control"] == "undetermined"
    assert found.outcomes["stormwater_management"] == "not_required"


def test_what_is_settled_reserves_nothing_that_cannot_change_it():
    found = geocheck.judge(BIG, VILLAGE)["erosion_control"]
    assert found.outcome == "required" and found.because == ("(1)(a)",)
    assert found.reserved == ("(4)(a)",)
    small = geocheck.judge(SMALL, VILLAGE)
    assert small["erosion_control"].reserved == ("(1)(d)",)
    assert small["permit"].reserved == ("(1)(d)", "(2)(d)")
    house = geocheck.judge({**BIG, "one_or_two_family_building": True}, VILLAGE)["erosion_control"]
    assert (house.outcome, house.because, house.reserved) == ("not_required", ("(1)(a)", "(3)(b)1."), ("(3)(b)1.",))
    assert house.instead == ("Wisconsin Uniform Dwelling Code",)


def test_lifting_a_clause_is_not_lifting_obligations():
    house = {**BIG, "one_or_two_family_building": True, "impervious_area_added": "20_000 ft2"}
    found = geocheck.judge(house, VILLAGE)
    assert [name for name in ALL if found.outcomes[name] == "required"] == list(ALL[1:])
    assert found["permit"].because == ("(2)(c)",)
    agreed = geocheck.judge({**BIG, "designed_by_land_conservation": True}, VILLAGE)
    assert agreed.outcomes["erosion_control"] == "required"
    assert {agreed.outcomes[name] for name in ("permit", "financial_guarantee", "fee")} == {"not_required"}
    assert agreed["permit"].because == ("(1)(a)", "(3)(c)1.")


def test_an_exemption_without_a_trigger_is_named_and_a_site_without_either_has_no_reason():
    assert geocheck.judge({**SMALL, "grows_crops": True}, VILLAGE)["permit"].because == ("(3)(a)1.",)
    assert geocheck.judge(SMALL, VILLAGE)["permit"].because == ()


@pytest.mark.parametrize(
    "inside, outside, unset, wholly, portion",
    [
        ("37_500 ft2", "0 ft2", "yes", "yes", "yes"),
        ("30_000 ft2", "3_000 ft2", "unknown", "no", "yes"),
        ("30_000 ft2", "5_000 ft2", "no", "no", "no"),
        ("0 ft2", "3_000 ft2", "no", "no", "no"),
        (None, "0 ft2", "unknown", "yes", "unknown"),
    ],
)
def test_a_reading_that_is_not_set_is_judged_under_every_choice(inside, outside, unset, wholly, portion):
    facts = {
        **SMALL,
        "disturbed_area": "37_500 ft2",
        "disturbed_area_in_zones": inside,
        "disturbed_area_outside_zones": outside,
    }
    found = [
        str(geocheck.judge(facts, VILLAGE, settings=settings).trace["(3)(b)2."].truth)
        for settings in ({}, {"within_zone": "wholly"}, {"within_zone": "portion"})
    ]
    assert found == [unset, wholly, portion]


def test_what_needs_a_decision_says_which():
    facts = {**SMALL, "disturbed_area": "33_000 ft2", "disturbed_area_in_zones": "30_000 ft2"}
    found = geocheck.judge({**facts, "disturbed_area_outside_zones": "3_000 ft2"}, VILLAGE)["erosion_control"]
    assert found.needs == ("within_zone",)
    assert [(gap.fact, gap.reason) for gap in found.gaps] == [("within_zone", "needs a decision")]
    assert not found.borderline


def test_a_waiver_waives_what_binds_and_says_what_still_does():
    waiver = {"obligation": "permit", "by": "Village Administrator", "on": "2026-05-04", "ground": "(4)(a)1"}
    found = geocheck.judge(BIG, VILLAGE, waivers=[waiver])
    assert found.outcomes["permit"] == found.best_estimate["permit"] == "waived"
    assert found.outcomes["erosion_control"] == "required"
    assert found["permit"].because == ("(1)(a)", "(4)(a)1.")
    assert "87-8(1)(a)" in found["permit"].note and found["permit"].waiver.by == "Village Administrator"
    assert geocheck.judge({}, VILLAGE, waivers=[waiver]).outcomes["permit"] == "waived"
    assert geocheck.judge(SMALL, VILLAGE, waivers=[waiver]).outcomes["permit"] == "not_required"


@pytest.mark.parametrize(
    "change, said",
    [
        ({"obligation": "permits"}, "Did you mean permit?"),
        ({"ground": "(4)(a)5"}, r"no ground on which permit is waived in § 87-5"),
        ({"ground": "(3)(a)1."}, "no ground"),
        ({"by": ""}, "lacks by"),
        ({"on": "4 May"}, "YYYY-MM-DD"),
        ({"when": "2026"}, "no key when"),
    ],
)
def test_a_waiver_that_does_not_fit_is_refused(change, said):
    waiver = {"obligation": "permit", "by": "Administrator", "on": "2026-05-04", "ground": "(4)(a)1", **change}
    with pytest.raises(LedgerError, match=said.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?")):
        geocheck.judge(BIG, VILLAGE, waivers=[waiver])


def test_river_hills_has_no_waiver():
    waiver = Waiver("protective_area", "Board", "2026-01-01", "(3)")
    with pytest.raises(LedgerError, match="There are: none"):
        geocheck.judge(ACRE, RIVER_HILLS, waivers=[waiver])


def test_exempt_by_connected_imperviousness_the_protective_area_still_binds():
    found = geocheck.judge({**ACRE, "connected_impervious_area": "100 ft2"}, RIVER_HILLS)
    assert found.outcomes == {"post_construction_stormwater": "not_required", "protective_area": "required"}


def test_outside_the_village_nothing_binds_and_the_clause_says_why():
    found = geocheck.judge({**ACRE, "share_in_jurisdiction": "0 %"}, RIVER_HILLS)
    assert set(found.outcomes.values()) == {"not_required"}
    assert found["protective_area"].because == ("(1)[a]", "(2)")


def test_where_the_share_is_not_known_the_clauses_are_seen_and_the_outcome_is_open():
    facts = {name: value for name, value in ACRE.items() if name != "share_in_jurisdiction"}
    found = geocheck.judge(facts, RIVER_HILLS)
    assert str(found.trace["(1)[a]"].truth) == "yes"
    assert found.outcomes["protective_area"] == "undetermined"
    assert found["protective_area"].needs == ("share_in_jurisdiction",)


def test_one_site_stands_for_plan_and_phases_until_one_is_given():
    found = geocheck.judge(ACRE, RIVER_HILLS)
    assert "taken from disturbed_area" in found.trace["(1)[a]"].note
    found = geocheck.judge({**ACRE, "impervious_area_of_all_phases": "5 acre"}, RIVER_HILLS)
    assert str(found.trace["(1)[a]"].truth) == "unknown"
    found = geocheck.judge({**ACRE, "disturbed_area_of_all_phases": None}, RIVER_HILLS)
    assert str(found.trace["(1)[a]"].truth) == "unknown"


@pytest.mark.parametrize(
    "facts, error, said",
    [
        ({"disturbed_aria": "1 ft2"}, RuleFileError, "Did you mean disturbed_area"),
        ({"disturbed_area": "10 yd3"}, UnitError, "an area in ft2; 10 yd3 is a volume"),
        ({"disturbed_area": 4000}, UnitError, "has no unit"),
        ({"disturbed_area": "4000"}, UnitError, "has no unit"),
        ({"disturbed_area": True}, UnitError, "is a number in ft2"),
        ({"disturbed_area": "-4 ft2"}, UnitError, "below zero"),
        ({"grows_crops": "maybe"}, UnitError, "yes or no"),
        ({"grows_crops": "3 ft2"}, UnitError, "yes or no"),
    ],
)
def test_a_fact_that_does_not_fit_is_refused(facts, error, said):
    with pytest.raises(error, match=said):
        geocheck.judge(facts, VILLAGE)


def test_a_setting_that_does_not_fit_is_refused():
    with pytest.raises(RuleFileError, match="Choices: wholly, portion"):
        geocheck.judge({}, VILLAGE, settings={"within_zone": "partly"})
    with pytest.raises(RuleFileError, match="Did you mean within_zone"):
        geocheck.judge({}, VILLAGE, settings={"within_zones": "wholly"})


def test_no_road_is_no_foot_of_road_but_an_unknown_length_stays_unknown():
    assert str(geocheck.judge(SMALL, VILLAGE).trace["(2)(b)"].truth) == "no"
    assert str(geocheck.judge({**SMALL, "new_road_length": None}, VILLAGE).trace["(2)(b)"].truth) == "unknown"
    assert str(geocheck.judge({"new_road_length": "3 ft"}, VILLAGE).trace["(2)(b)"].truth) == "yes"


def test_metres_meet_feet_through_either_foot():
    acre = "4046.8564224 m2"  # exactly 43,560 international square feet, 4 ppm less in survey feet
    found = geocheck.judge({**ACRE, "disturbed_area": acre}, RIVER_HILLS)
    assert found.outcomes["protective_area"] == "undetermined" and found["protective_area"].borderline
    assert geocheck.judge({**ACRE, "disturbed_area": "4_050 m2"}, RIVER_HILLS).outcomes["protective_area"] == "required"


def test_a_determination_is_plain_values():
    plain = geocheck.judge(BIG, VILLAGE).to_dict()
    assert plain["obligations"][0]["outcome"] == "required"
    assert len(plain["trace"]) == 27


def test_a_receipt_given_is_kept_and_one_is_made_otherwise(village):
    from geocheck.model.determination import Receipt
    from geocheck.rules.judge import judge_site

    given = Receipt({"engine": "reference"})
    assert judge_site(village, {}, receipt=given).receipt is given
    made = judge_site(village, {}, settings={"within_zone": "wholly"}).receipt
    assert made.parts["setting within_zone"] == "wholly" and village.fingerprint in made.parts.values()
