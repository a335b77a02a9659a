"""Every check on the shelf catches the text that it must catch, and leaves alone the one that it must not."""

from __future__ import annotations

import importlib

import pytest

from geocheck.rules.checks import CHECKS, Check
from geocheck.rules.read import read_ordinance

#: A made-up chapter without a fault.
SOUND = """\
cite: § 1
title: Ponds and ditches
in_force: 2020-01-01
obligations: {permit: § 2, plan: § 3}
facts:
  clerk_objects: {kind: decided, asks: Has the clerk objected?}
settings:
  which_year: {asks: Which year counts?, cite: (1)(c), choices: {dry: the dry one, wet: the wet one}}
terms:
  moved: {cite: § 4, means: excavated_volume + filled_volume}
clauses:
- at: (1)
  says: What needs a permit.
  when: any
  imposes: [permit, plan]
  clauses:
  - {at: (a), says: Half an acre., when: disturbed_area >= 0.5 acre}
  - {at: (b), says: Much earth., when: moved > 400 yd3}
  - at: (c)
    says: A road, by the year that counts.
    reading: {says: The text names no year., setting: which_year}
    under: {which_year: {dry: {when: builds_road}, wet: {when: builds_road and grows_crops}}}
- {at: (2), says: A plan for agencies., when: by_state_agency, imposes: [plan]}
- at: (3)
  says: Houses are free of (1).
  when: one_or_two_family_building
  unless: clerk_objects
  lifts: [(1)]
  instead: the building code
- {at: (4), says: Fees are in the code., not_modelled: The code was not read.}
sites:
  quiet: {disturbed_area: 100 ft2, excavated_volume: 0 yd3, filled_volume: 0 yd3, builds_road: no, grows_crops: no,
    by_state_agency: no, one_or_two_family_building: no}
cases:
- {at: (1)(a), site: quiet, facts: {disturbed_area: 21_780 ft2}, expect: {(1)(a): yes, permit: required, plan: required}}
- {at: (1)(a), site: quiet, facts: {disturbed_area: 21_779 ft2}, expect: {(1)(a): no, permit: not_required}}
- {at: (1)(a), site: quiet, facts: {disturbed_area: 21_781 ft2}, expect: {(1)(a): yes}}
- {at: (1)(b), site: quiet, facts: {filled_volume: 400 yd3}, expect: {(1)(b): no}}
- {at: (1)(b), site: quiet, facts: {filled_volume: 399 yd3}, expect: {(1)(b): no}}
- {at: (1)(b), site: quiet, facts: {filled_volume: 401 yd3}, expect: {(1)(b): yes, permit: required}}
- {at: (1)(c), site: quiet, facts: {builds_road: yes}, expect: {(1)(c): unknown, permit: undetermined}}
- {at: (1)(c), site: quiet, settings: {which_year: dry}, facts: {builds_road: yes}, expect: {(1)(c): yes}}
- {at: (1)(c), site: quiet, settings: {which_year: wet}, facts: {builds_road: yes}, expect: {(1)(c): no}}
- {at: (1)(c), site: quiet, settings: {which_year: wet}, facts: {grows_crops: yes}, expect: {(1)(c): no}}
- {at: (2), site: quiet, facts: {by_state_agency: yes}, expect: {(2): yes, plan: required, permit: not_required}}
- at: (3)
  site: quiet
  facts: {by_state_agency: yes, one_or_two_family_building: yes, disturbed_area: 1 acre}
  expect: {(3): yes, plan: required, permit: not_required, instead: the building code}
- at: (3)
  site: quiet
  facts: {one_or_two_family_building: yes, clerk_objects: yes, disturbed_area: 1 acre}
  expect: {(3): no, plan: required, permit: required}
"""

#: check -> (what is changed in the sound text, into what it must catch), (… into what looks like it and is sound).
TRIED = {
    "circular_term": (
        ("means: excavated_volume + filled_volume}", "means: excavated_volume + moved}"),
        ("means: excavated_volume + filled_volume}", "means: filled_volume + excavated_volume}"),
    ),
    "clause_without_case": (
        ("- {at: (2), site: quiet, facts: {by_state_agency: yes}, expect: {(2): yes, plan", "- {at: (1), site: quiet, facts: {by_state_agency: yes}, expect: {plan"),
        ("not_modelled: The code was not read.", "not_modelled: Nobody has read it."),
    ),
    "clause_without_words": (("says: Much earth., ", ""), ("says: Much earth., ", "says: Earth., ")),
    "count_without_sense": (
        ("facts:\n", "facts:\n  over_years: {kind: measured, unit: ft2, since: 2001-08-22, counts: disturbed_aera, asks: How much since?}\n"),
        ("facts:\n", "facts:\n  over_years: {kind: measured, unit: ft2, since: 2001-08-22, counts: disturbed_area, asks: How much since?}\n"),
    ),
    "duplicate_label": (("at: (b), says: Much", "at: (a), says: Much"), ("at: (2), says: A plan", "at: ( 2 ), says: A plan")),
    "implied_trigger": (
        ("when: moved > 400 yd3", "when: disturbed_area > 2 acre"),
        ("when: moved > 400 yd3", "when: disturbed_area_of_plan > 2 acre"),
    ),
    "incompatible_units": (("moved > 400 yd3", "moved > 400 ft2"), ("moved > 400 yd3", "moved > 10_800 ft3")),
    "kind_without_sense": (
        ("kind: decided, asks: Has", "kind: decided, unit: ft, asks: Has"),
        ("kind: decided, asks: Has", "kind: stated, asks: Has"),
    ),
    "label_out_of_order": (
        ("at: (2), says: A plan", "at: (5), says: A plan"),
        ("at: (2), says: A plan", "at: ( 2 ), says: A plan"),
    ),
    "lifts_circle": (("lifts: [(1)]", "lifts: [(1), (3)]"), ("lifts: [(1)]", "lifts: [(1), (2)]")),
    "lifts_without_case": (
        ("(3): yes, plan: required, permit: not_required, instead", "(3): yes, permit: not_required, instead"),
        ("lifts: [(1)]", "lifts: all"),
    ),
    "never_applies": (
        ("when: one_or_two_family_building", "when: one_or_two_family_building and disturbed_area < 0 ft2"),
        ("when: one_or_two_family_building", "when: one_or_two_family_building and disturbed_area < 1 ft2"),
    ),
    "never_imposed": (("plan: § 3}", "plan: § 3, fee: § 4}"), ("plan: § 3}", "plan: § 4}")),
    "never_used": (
        ("facts:\n", "facts:\n  mayor_agrees: {kind: decided, asks: Does the mayor agree?}\n"),
        ("kind: decided, asks", "kind: stated, asks"),
    ),
    "part_without_case": (
        ("clerk_objects: yes, disturbed_area: 1 acre}\n  expect: {(3): no, plan: required, permit: required}", "disturbed_area: 1 acre}\n  expect: {(3): yes}"),
        ("expect: {(3): no, plan: required, permit: required}", "expect: {permit: required}"),
    ),
    "threshold_without_case": (("21_779 ft2", "19_000 ft2"), ("21_779 ft2", "21_000 ft2")),
    "unknown_in_case": (("plan: required, permit: not_required}}", "plan: required, permitt: not_required}}"), ("(1)(c): unknown", "( 1 ) (c): unknown")),
    "unknown_name": (("when: by_state_agency", "when: by_state_agencies"), ("when: by_state_agency", "when: (by_state_agency)")),
    "unknown_obligation": (("imposes: [permit, plan]", "imposes: [permit, plans]"), ("lifts: [(1)]", "lifts: [( 1 )]")),
    "unknown_setting": (
        ("choices: {dry: the dry one, wet: the wet one}", "choices: {}"),
        ("choices: {dry: the dry one, wet: the wet one}", "choices: {wet: the wet one, dry: the dry one}"),
    ),
    "unmodelled_clause": (
        (", not_modelled: The code was not read.", ""),
        (", not_modelled: The code was not read.", ", carried_by: [(1)]"),
    ),
}  # fmt: skip

#: What reading alone must find: code -> what is changed into what.
READ = {
    "missing-unit": ("disturbed_area >= 0.5 acre", "disturbed_area >= 0.5"),
    "unknown-unit": ("disturbed_area >= 0.5 acre", "disturbed_area >= 0.5 akre"),
    "unknown-key": ("  unless: clerk", "  unles: clerk"),
    "duplicate-key": ("title: Ponds", "cite: § 2\ntitle: Ponds"),
    "missing-key": ("title: Ponds and ditches\n", ""),
    "wrong-shape": ("imposes: [permit, plan]\n  clauses:\n", "imposes: [permit, plan]\n  clauses: none\n  cases:\n"),
    "wrong-kind": ("kind: decided", "kind: ruled"),
    "in-force": ("2020-01-01", "2020-1-1"),
    "unknown-site": ("site: quiet, facts: {filled_volume: 401", "site: quite, facts: {filled_volume: 401"),
    "clause-without-citation": ("at: (b), says: Much", "says: Much"),
    "syntax": ("moved > 400 yd3", "moved > > 400 yd3"),
}


@pytest.fixture
def codes(tmp_path):
    def codes(text):
        file = tmp_path / "law.yaml"
        file.write_text(text, encoding="utf-8")
        return [problem.code for problem in read_ordinance(file, thorough=True)[1]]

    return codes


def changed(change):
    old, new = change
    assert SOUND.count(old) >= 1, old
    return SOUND.replace(old, new, 1)


def test_the_sound_text_is_sound(codes):
    assert codes(SOUND) == []


@pytest.mark.parametrize("name", CHECKS.names())
def test_it_defines_what_the_shelf_expects_and_says_what_it_is(name):
    check = CHECKS.load(name)
    assert isinstance(check, Check)
    assert check.code == name.replace("_", "-")
    assert check.finds.endswith(".") and importlib.import_module(f"geocheck.rules.checks.{name}").__doc__
    assert check.severity in ("error", "warning")


@pytest.mark.parametrize("name", CHECKS.names())
def test_it_catches_what_it_must(name, codes):
    assert name.replace("_", "-") in codes(changed(TRIED[name][0]))


@pytest.mark.parametrize("name", CHECKS.names())
def test_it_leaves_alone_what_is_sound(name, codes):
    assert name.replace("_", "-") not in codes(changed(TRIED[name][1]))


@pytest.mark.parametrize("code", READ)
def test_reading_finds_it(code, codes):
    assert code in codes(changed(READ[code]))


def test_a_problem_is_underlined_where_it_stands(tmp_path):
    file = tmp_path / "law.yaml"
    file.write_text(changed(("disturbed_area >= 0.5 acre", "disturbed_area >= 0.5")), encoding="utf-8")
    (problem,) = [p for p in read_ordinance(file)[1] if p.code == "missing-unit"]
    shown = problem.show().splitlines()
    assert shown[1][shown[2].index("^") :][: shown[2].count("^")] == "0.5"


def test_every_check_and_no_other_is_tried():
    assert sorted(TRIED) == CHECKS.names()
