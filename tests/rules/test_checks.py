"""What each check says, of mistakes of every sort that it knows; that each catches and spares is tried for all at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from geocheck.model.problem import Place
from geocheck.rules.checks.duplicate_label import CHECK as DUPLICATE
from geocheck.rules.read import read_ordinance

SOUND = """\
facts:
  clerk_objects: {kind: decided, asks: Has the clerk objected?}
settings:
  which_year: {asks: Which year counts?, cite: (1)(b), choices: {dry: the dry one, wet: the wet one}}
clauses:
- at: (1)
  says: What needs a permit.
  when: any
  imposes: [permit, fee]
  clauses:
  - {at: (a), says: Half an acre., when: disturbed_area >= 0.5 acre}
  - at: (b)
    says: A road, by the year that counts.
    reading: {says: The text names no year., setting: which_year}
    under: {which_year: {dry: {when: builds_road}, wet: {when: builds_road and grows_crops}}}
- {at: (2), says: A fee for agencies., when: by_state_agency, imposes: [fee]}
- {at: (3), says: Houses are free of (1)., when: one_or_two_family_building, unless: clerk_objects, lifts: [(1)]}
- {at: (4), says: What waivers leave., still_binds: {permit: § 9}}
sites:
  quiet: {disturbed_area: 100 ft2, builds_road: no, grows_crops: no, by_state_agency: no, one_or_two_family_building: no}
cases:
- {at: (1)(a), site: quiet, facts: {disturbed_area: 21_780 ft2}, expect: {(1)(a): yes, permit: required, fee: required}}
- {at: (1)(b), site: quiet, settings: {which_year: dry}, facts: {builds_road: yes}, expect: {(1)(b): yes}}
- {at: (3), site: quiet, facts: {by_state_agency: yes, one_or_two_family_building: yes, disturbed_area: 1 acre},
   expect: {permit: not_required, fee: required}}
"""

FACTS = "facts:\n"
OVER = "  over_years: {{kind: {}, counts: {}, asks: How much over the years?}}\n"


@pytest.mark.parametrize(
    "old, new, code, said",
    [
        ("kind: decided, asks", "kind: measured, asks", "kind-without-sense", "clerk_objects is measured and has no unit"),
        ("kind: decided, asks", "kind: decided, unit: ft, asks", "kind-without-sense", "a number is never no"),
        (FACTS, FACTS + OVER.format("measured, unit: ft2, since: 2001-08-22", "disturbed_aera"), "count-without-sense",
         "over_years counts 'disturbed_aera', and no such number is measured"),
        (FACTS, FACTS + OVER.format("measured, unit: ft2, since: 2001-08-22", "grows_crops"), "count-without-sense",
         "over_years counts 'grows_crops', and no such number is measured"),
        (FACTS, FACTS + OVER.format("measured, unit: ft2", "disturbed_area"), "count-without-sense", "does not say from which day on"),
        (FACTS, FACTS + OVER.format("stated, unit: ft2, since: 2001-08-22", "disturbed_area"), "count-without-sense", "and is stated"),
        (FACTS, FACTS + OVER.format("measured, unit: yd3, since: 2001-08-22", "disturbed_area"), "count-without-sense",
         "over_years is a number in yd3 and counts disturbed_area, which is one in ft2"),
        (FACTS, FACTS + OVER.format("measured, unit: acre, since: 2001-08-22", "disturbed_area"), "count-without-sense",
         "over_years is a number in acre and counts disturbed_area, which is one in ft2"),
        (FACTS, FACTS + OVER.format("measured, unit: acre, since: 2001-08-22", "disturbed_area_of_plan"), "count-without-sense",
         "the sites of the plan are added up anyway"),
        ("at: (b)\n", "at: b.\n", "label-out-of-order", "b. is written unlike (a) beside it"),
        ("at: (b)\n", "at: (7)\n", "label-out-of-order", "(a), (7) do not count in one way"),
        ("at: (2), says", "at: (1), says", "duplicate-label", "(1) is the label of line "),
        ("when: one_or_two_family_building,", "when: not builds_road and disturbed_area < 0.5 acre,", "never-applies",
         "(3) can never matter: where it holds, nothing holds that it lifts"),
        ("unless: clerk_objects", "unless: one_or_two_family_building", "never-applies", "(3) can never apply"),
        ("facts: {builds_road: yes}", "facts: {bilds_road: yes}", "unknown-in-case", "there is no fact 'bilds_road'"),
        ("facts: {builds_road: yes}", "facts: {builds_road: 3 ft}", "unknown-in-case", "builds_road is yes or no"),
        ("(1)(a): yes", "(1)(a): maybe", "unknown-in-case", "(1)(a) is never 'maybe'"),
        ("permit: required, ", "permit: require, ", "unknown-in-case", "permit is never 'require'"),
        ("permit: required, ", "permitt: required, ", "unknown-in-case", "there is no clause or obligation 'permitt'"),
        ("{at: (3), site", "{at: (9), site", "unknown-in-case", "there is no clause '(9)'"),
        ("settings: {which_year: dry}", "settings: {which_year: damp}", "unknown-in-case", "which_year: damp is no setting and choice"),
        ("settings: {which_year: dry}", "settings: {which: dry}", "unknown-in-case", "which: dry is no setting and choice"),
        ("still_binds: {permit", "still_binds: {permitt", "unknown-obligation", "(4) still_binds 'permitt'"),
        ("setting: which_year}\n    under: {which_year", "setting: which_year}\n    under: {what_year", "unknown-setting",
         "(1)(b) stands under the setting 'what_year', and there is none"),
        ("setting: which_year}", "setting: whose_year}", "unknown-setting", "the setting 'whose_year', and there is none"),
        ("dry: {when", "dri: {when", "unknown-setting", "'dri' is no choice of the setting which_year"),
        (", wet: {when: builds_road and grows_crops}", "", "unknown-setting", "(1)(b) does not say how it stands under wet"),
        ("choices: {dry: the dry one, wet: the wet one}", "choices: {dry: the dry one}", "unknown-setting", "has 1 choices"),
        ("says: A fee for agencies., when", "says: A fee for agencies., not_modelled: Not read., when", "unmodelled-clause",
         "(2) has a condition and is declared not to be modelled"),
        ("when: by_state_agency", "when: all", "unmodelled-clause", "(2) holds when all of the clauses below it do, and there are none"),
        ("by_state_agency, imposes: [fee]", "by_state_agency, imposes: [fees]", "unknown-obligation", "(2) imposes 'fees'"),
        ("(3), site: quiet, facts: {by_state_agency: yes, ", "(3), site: quiet, facts: {", "lifts-without-case",
         "(3) lifts clauses ((1)); lifting permit, fee would differ, and no case shows where"),
    ],
)  # fmt: skip
def test_it_says_what_is_wrong(problems, old, new, code, said):
    assert old in SOUND and not [p for p in problems(SOUND) if p.code == code and said in p.message]
    found = problems(SOUND.replace(old, new, 1))
    assert [p for p in found if p.code == code and said in p.message], [p.show() for p in found]


def test_lifting_clauses_and_obligations_at_once_needs_no_case_between(problems):
    untold = SOUND.replace(', fee: required}}\n"""', "}}").replace("not_required, fee: required", "not_required")
    assert [p for p in problems(untold) if p.code == "lifts-without-case"]
    both = untold.replace("lifts: [(1)]", 'lifts: ["(1)", fee]')
    assert not [p for p in problems(both) if p.code == "lifts-without-case"]


def test_lifting_in_other_words_that_would_go_in_a_circle_needs_no_case_either(problems):
    text = """
        clauses:
        - {at: (1), when: grows_crops, imposes: [permit]}
        - {at: (2), when: builds_road, imposes: [permit, fee], lifts: [permit]}
        cases:
        - {at: (2), facts: {grows_crops: no, builds_road: yes}, expect: {fee: required}}
    """
    codes = [p.code for p in problems(text)]
    assert "lifts-without-case" not in codes and "lifts-circle" not in codes


def test_two_clauses_of_one_label_made_by_a_program_have_no_lines(village):
    first = replace(village.clauses[0], place=Place())
    (problem, *_) = DUPLICATE.look(replace(village, clauses=(first, first)))
    assert problem.message == "(1) is the label of another clause too"


@pytest.fixture
def taken_in(write):
    """An ordinance that takes in another, beside it."""

    def taken_in(condition, expected):
        write(
            f"clauses:\n- {{at: (1), says: x, when: {condition}, imposes: [permit, fee]}}\n", "us/b/1/2020-01-01.yaml"
        )
        return write(f"""\
            clauses:
            - {{at: (1), says: As in the other., incorporates: us/b/1, imposes: [permit, fee]}}
            cases:
            - {{at: (1), facts: {{grows_crops: yes}}, expect: {{{expected}}}}}
            """, "us/a/1/2020-01-01.yaml")  # fmt: skip

    return taken_in


@pytest.mark.parametrize(
    "other, case, codes",
    [
        ("grows_crops", "permit: required, fee: required", []),
        ("grows_crops", "permit: required", ["part-without-case"]),
        # What it takes in cannot be read: linting that file says why, and no case of this one can be right.
        ("grows_corps", "permit: required", []),
    ],
    ids=["told", "untold", "broken"],
)
def test_cases_of_an_ordinance_that_takes_in_another_beside_it(taken_in, other, case, codes):
    found = read_ordinance(taken_in(other, case), "us/a/1", thorough=True)[1]
    assert [p.code for p in found] == codes


@pytest.mark.parametrize(
    "first, second, said",
    [
        ("imposes: [permit, fee]", "imposes: [permit, fee]", True),
        ("imposes: [permit, fee]", "imposes: [permit]", True),
        ("imposes: [permit]", "imposes: [permit, fee]", False),
        ("imposes: [fee], lifts: all", "imposes: [fee], lifts: [permit]", True),
        ("imposes: [fee], lifts: [permit]", "imposes: [fee], lifts: all", False),
        ("imposes: [permit, fee]", "imposes: [permit], instead: another law", False),
        ("says: x", "imposes: [permit, fee]", False),
    ],
)
def test_a_narrower_trigger_adds_nothing_where_the_wider_does_all_that_it_does(problems, first, second, said):
    found = problems(f"""
        clauses:
        - {{at: (1), when: disturbed_area > 1 acre, {first}}}
        - {{at: (2), when: disturbed_area > 2 acre, {second}}}
        - {{at: (3), when: builds_road, imposes: [permit, fee]}}
    """)
    assert [p.message.split(":")[0] for p in found if p.code == "implied-trigger"] == ["(2) adds nothing"] * said


@pytest.mark.parametrize(
    "condition, missing",
    [
        ("share_in_jurisdiction >= 100 %", "exactly at, just under"),
        ("share_in_jurisdiction >= 50 %", "exactly at, just under, just over"),
        ("impervious_area / parcel_area > 100 %", "exactly at, just under, just over"),
        ("100 % <= share_in_jurisdiction", "exactly at, just under"),
        ("disturbed_area > 0 ft2", "exactly at, just over"),
        ("impervious_area_added > 0 ft2", "exactly at, just under, just over"),
    ],
)
def test_what_cannot_be_just_beyond_a_threshold_needs_no_case_there(problems, condition, missing):
    found = problems(f"clauses:\n- {{at: (1), says: x, when: {condition}, imposes: [permit, fee]}}\n")
    (said,) = [p.message for p in found if p.code == "threshold-without-case"]
    assert said.startswith(f"no case is {missing} the threshold")


@pytest.mark.parametrize(
    "text, said",
    [
        ("{at: (1), says: Ponds, lakes., when: grows_crops, imposes: [permit, fee]}", "a clause has no key 'lakes.'"),
        ("{at: (1), says: x, when: grows_crops, imposes: [permit, fee]}\ncases:\n- {at: (1), facts: {disturbed_area: 4,000 ft2}, expect: {(1): no}}",
         "'000 ft2' has no value"),
    ],
)  # fmt: skip
def test_a_text_cut_off_by_a_comma_is_told_so(problems, text, said):
    found = [p for p in problems(f"clauses:\n- {text}\n") if p.code == "unknown-key"]
    assert [(p.message, p.remedy.split(":")[0]) for p in found] == [(said, "A comma inside {} ends a value")]


def test_a_key_with_a_colon_and_no_value_is_none_cut_off(problems):
    found = problems("settings: {ways: {asks: Which?, choices: {one: a, two: }}}\n"
                     "clauses:\n- {at: (1), says: x, when: grows_crops, imposes: [permit, fee], under: {ways: {one: {}, two: }}}\n")  # fmt: skip
    assert not [p for p in found if p.code == "unknown-key"]


def test_of_a_clause_that_no_case_is_about_only_that_is_said_and_of_a_kind_what_case_shows_it(problems):
    found = problems("""
        facts:
          is_pond: {kind: stated, asks: Is it a pond?}
          clerk_objects: {kind: decided, asks: Has the clerk objected?}
        clauses:
        - {at: (1), says: x, when: is_pond, unless: clerk_objects, imposes: [permit, fee]}
        - {at: (2), says: x, when: builds_road and grows_crops, imposes: [fee]}
        cases:
        - {at: (1), facts: {is_pond: yes, clerk_objects: no, builds_road: no}, expect: {permit: required, fee: required}}
        - {at: (1), facts: {is_pond: yes, clerk_objects: yes, builds_road: no}, expect: {permit: not_required}}
    """)
    about = [(p.code, p.message.split(":")[0]) for p in found if "(2)" in p.message]
    assert about == [("clause-without-case", "no case is about (2)")]
    kinds = {p.message.split(":")[0]: p.remedy for p in found if p.code == "part-without-case"}
    assert kinds["is_pond"] == "Add a case that leaves it out and expects unknown."
    assert kinds["clerk_objects"] == "Add a case that leaves it out and expects no."
