"""The table judge says what the row judge says, on random sheets with gaps, intervals, waivers and settings."""

from __future__ import annotations

import random
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geocheck.model.determination import Waiver
from geocheck.model.facts import FactColumn, FactTable
from geocheck.model.problem import UnitError
from geocheck.rules.array_values import ArrayValues
from geocheck.rules.columns import judge_table
from geocheck.rules.expr import parse_condition
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance

IDS = ["us/wi/washington-county-village/87-5", "us/wi/river-hills/6.04"]

#: A made-up chapter with everything in the language.
EVERYTHING = """
cite: § 9
title: All of the language
in_force: 2020-01-01
obligations: {permit: § 1, plan: § 2}
settings:
  ways: {asks: Which way?, choices: {one: the first, two: the second, three: neither}}
  side: {asks: Which side?, choices: {left: the left, right: the right}}
facts:
  lots: {kind: stated, unit: each, asks: How many lots?}
  slope_share: {kind: stated, unit: "%", asks: What share is steep?}
  change: {kind: stated, unit: ft2, asks: By how much?, may_be_negative: yes}
  ruled: {kind: decided, asks: Has it been ruled?}
terms:
  limit:
    cite: (9)
    table:
    - {where: grows_crops, is: 50 yd3}
    - {where: parcel_area > 1 acre and not builds_road, is: 100 yd3}
    - {otherwise: 1 each * 200 yd3}
  small: {cite: (9), less_of: [10 % * parcel_area, 40_000 ft2]}
  large: {cite: (9), greater_of: [small, change]}
  acres: {cite: (9), means: disturbed_area, rounded: {to: 0.01 acre}}
  up: {cite: (9), means: disturbed_area, rounded: {to: 100 ft2, how: up}}
  down: {cite: (9), means: disturbed_area / parcel_area, rounded: {to: 1 %, how: down}}
  use:
    cite: (9)
    table: [{where: disturbed_area > 2_000 ft2, is: by_state_agency}, {where: ruled, is: grows_crops}, {otherwise: builds_road}]
clauses:
- at: (1)
  when: any
  imposes: [permit]
  clauses:
  - {at: (a), when: excavated_volume + filled_volume > limit}
  - {at: (b), when: disturbed_area - large >= 0 ft2}
  - {at: (c), when: acres == 0.25 acre or up != 4_000 ft2}
  - {at: (d), when: down < slope_share and change / lots < 5_000 ft2}
  - {at: (e), when: use and not (100 m2 > change), unless: ruled}
- at: (2)
  when: all
  imposes: [permit, plan]
  clauses:
  - {at: (a), when: disturbed_area / change > 50 % or lots * 1_000 ft2 <= parcel_area}
  - {at: (b), when: -change < disturbed_area}
- {at: (3), when: grows_crops, lifts: [(1)(a), plan]}
- {at: (4), when: by_state_agency, unless: ruled, lifts: [(3)], reaches: [(2)]}
- at: (5)
  when: builds_road
  lifts: [permit]
  under:
    ways:
      one: {}
      two: {when: always, reaches: [(1)]}
      three: {when: lots >= 5 each, lifts: [plan]}
- at: (6)
  when: any
  under: {side: {left: {}, right: {lifts: [permit]}}}
  clauses: [{at: (a), when: slope_share > 25 %}]
- {at: (7), when: share_in_jurisdiction > 0 %, limits: all}
- {at: (8), when: all, lifts: [permit], clauses: [{at: (a), not_modelled: nobody knows}, {at: (b), when: grows_crops},
   {at: (c), carried_by: [(1)]}]}
- at: (9)
  when: any
  imposes: [plan]
  clauses:
  - {at: (a), when: any, waives: [permit], clauses: [{at: 1.}, {at: 2.}]}
  - {at: (b), still_binds: {permit: § 3}}
- {at: (12), incorporates: us/nowhere, unless: builds_road, lifts: [plan]}
- {at: (10), incorporates: us/wi/washington-county-village/87-5, imposes: [plan], unless: ruled}
- {at: (11), incorporates: {ordinance: us/wi/river-hills/6.04, obligation: protective_area}, lifts: [permit]}
"""


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    file = tmp_path_factory.mktemp("law") / "everything.yaml"
    file.write_text(EVERYTHING, encoding="utf-8")
    return load_ordinance(file)


SPECIAL = {
    "ft2": [
        0,
        1,
        4000,
        4000 * (1 + 1e-6),
        4000 * (1 - 1e-6),
        3999.997,
        20000,
        43560,
        43559.99,
        43559.9,
        100,
        10890,
        1,
        5e5,
    ],
    "yd3": [0, 50, 100, 200, 400, 400.0004, 150],
    "ft": [0, 100, 99.9999, 1e-9],
    "each": [0, 1, 4, 5, 6],
    "%": [0, 10, 25, 9.99999, 100],
}


def table_of(ordinance, rows, rng):
    """A random table: exact, wide, missing, failed, decided, undecided; some columns left out, some in other units."""
    columns = {}
    for declared in ordinance.needs():
        if rng.random() < 0.07:
            continue
        blank = rng.choice([0.0, 0.1, 0.5])
        if not declared.unit:
            values = [None if rng.random() < blank else rng.random() < 0.4 for _ in range(rows)]
            words = [
                rng.choice(["missing", "failed", "outside coverage"]) if v is None else declared.kind for v in values
            ]
            kind = rng.choice([declared.kind, "stated"]) if declared.kind == "decided" else declared.kind
            statuses = rng.choice([words, ""])
            columns[declared.name] = FactColumn(declared.name, kind, "", values, statuses=statuses)
            continue
        unit = declared.unit
        pool = SPECIAL[unit]
        values = [
            rng.choice(pool) if rng.random() < 0.7 else rng.random() * 3 * max(pool) ** rng.random()
            for _ in range(rows)
        ]
        if declared.signed:
            values = [value * rng.choice([1, 1, -1]) for value in values]
        spreads = [rng.choice([0, 0, 1e-7, 1e-3, 0.3]) * abs(value) for value in values]
        if rng.random() < 0.1 and unit == "ft2":
            unit, values = rng.choice([("m2", values), ("acre", [value / 43560 for value in values])])
            spreads = [spread / 10 for spread in spreads]
        if rng.random() < 0.15:
            values = [Fraction(value).limit_denominator(1000) for value in values]
        lows = [
            value - Fraction(s) if isinstance(value, Fraction) else value - s
            for value, s in zip(values, spreads, strict=True)
        ]
        highs = [
            value + Fraction(s) if isinstance(value, Fraction) else value + s
            for value, s in zip(values, spreads, strict=True)
        ]
        gone = [rng.random() < blank / 2 for _ in range(rows)]
        values = [None if g else v for g, v in zip(gone, values, strict=True)]
        statuses = [rng.choice(["missing", "failed", "outside coverage"]) if g else "measured" for g in gone]
        lows = [
            None if (g and rng.random() < 0.5) or rng.random() < 0.1 else v for g, v in zip(gone, lows, strict=True)
        ]
        sharp = rng.random() < 0.3
        columns[declared.name] = FactColumn(
            declared.name, declared.kind, unit, values, None if sharp else lows, None if sharp else highs, statuses
        )
    return FactTable("site", [f"S-{n}" for n in range(rows)], columns)


def waivers_for(ordinance, table, rng):
    grounds, names = ordinance.waiver_grounds, [o.name for o in ordinance.obligations if o.name != "plan"]
    if not grounds:
        return {}
    return {
        site: [Waiver(rng.choice(names), "Board", "2026-01-01", rng.choice(grounds))]
        for site in table.ids
        if rng.random() < 0.2
    }


def settings_for(ordinance, rng):
    return {s.name: rng.choice(s.names) for s in ordinance.settings if rng.random() < 0.5}


def assert_equal(ordinance, table, waivers, chosen):
    verdicts = judge_table(ordinance, table, waivers_by_site=waivers, settings=chosen)
    for row, site in enumerate(table.ids):
        found = judge_site(ordinance, table.facts_at(row), waivers=waivers.get(site, ()), settings=chosen)
        for outcome in found.obligations:
            verdict = verdicts[outcome.obligation]
            told = (verdict.outcome[row], verdict.best_estimate[row], bool(verdict.borderline[row]))
            assert told == (outcome.outcome, outcome.best_estimate, outcome.borderline), (
                site,
                outcome,
                table.facts_at(row),
            )


@pytest.mark.parametrize("which", [*IDS, "everything"])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_rows_and_columns_agree(which, everything, seed):
    rng = random.Random(seed)
    ordinance = everything if which == "everything" else load_ordinance(which)
    table = table_of(ordinance, 8 if which == "everything" else 24, rng)
    assert_equal(ordinance, table, waivers_for(ordinance, table, rng), settings_for(ordinance, rng))


@pytest.mark.slow
@pytest.mark.parametrize("which", [*IDS, "everything"])
def test_rows_and_columns_agree_on_twenty_thousand_sheets(which, everything):
    rng = random.Random(20_000)
    ordinance = everything if which == "everything" else load_ordinance(which)
    tables = {"everything": 20}.get(which, 90)
    for _ in range(tables):
        table = table_of(ordinance, 100, rng)
        assert_equal(ordinance, table, waivers_for(ordinance, table, rng), settings_for(ordinance, rng))


def test_an_empty_table_has_empty_verdicts(village):
    verdicts = judge_table(village, FactTable("site", [], {}))
    assert verdicts["permit"].outcome.tolist() == []


def test_a_column_of_the_wrong_kind_is_refused(village):
    wrong = FactColumn("disturbed_area", "measured", "yd3", [1.0])
    with pytest.raises(UnitError, match="disturbed_area is a number in ft2; volume in yd3"):
        judge_table(village, FactTable("site", ["S"], {"disturbed_area": wrong}))
    wrong = FactColumn("grows_crops", "stated", "ft2", [1.0])
    with pytest.raises(UnitError, match="grows_crops is yes or no"):
        judge_table(village, FactTable("site", ["S"], {"grows_crops": wrong}))


def test_arrays_lists_and_words_for_all_read_alike(village):
    rows = {
        "disturbed_area": [5000.0, None, 100.0],
        "grows_crops": [True, None, False],
        "authority_finds_erosion_risk": [None] * 3,
    }
    for statuses in ("", "missing", ["missing", "failed", "missing"]):
        columns = {
            "disturbed_area": FactColumn("disturbed_area", "measured", "ft2", rows["disturbed_area"]),
            "grows_crops": FactColumn("grows_crops", "stated", "", rows["grows_crops"]),
            "authority_finds_erosion_risk": FactColumn(
                "authority_finds_erosion_risk", "decided", "", [None] * 3, statuses=statuses
            ),
        }
        assert_equal(village, FactTable("site", ["a", "b", "c"], columns), {}, {})
    columns["grows_crops"] = FactColumn("grows_crops", "stated", "", np.array([True, False, False]))
    columns["disturbed_area"] = FactColumn("disturbed_area", "measured", "ft2", np.array([5000.0, np.nan, -3.0]))
    assert_equal(village, FactTable("site", ["a", "b", "c"], columns), {}, {})
    # A column of nothing says nothing, whatever its unit.
    for unit in ("", "yd3", "ft2"):
        columns["disturbed_area"] = FactColumn("disturbed_area", "measured", unit, [None] * 3)
        columns["grows_crops"] = FactColumn("grows_crops", "stated", unit, [None] * 3)
        assert_equal(village, FactTable("site", ["a", "b", "c"], columns), {}, {})


def test_a_name_that_nobody_declared_or_a_node_of_the_wrong_kind_is_refused(village):
    values = ArrayValues(village, FactTable("site", ["S"], {}))
    for text in ("nobody_declared", "nobody_declared > 1 ft2"):
        with pytest.raises(UnitError, match="is not a fact of"):
            values.truth(parse_condition(text).node)
    with pytest.raises(UnitError, match="is not a condition"):
        values.truth(parse_condition("1 ft2").node)
    with pytest.raises(UnitError, match="is not a number"):
        values.amount(parse_condition("always").node)


def million(ordinance, rows=1_000_000):
    rng = np.random.default_rng(1)
    columns = {}
    for declared in ordinance.needs():
        if declared.unit:
            values = rng.gamma(0.7, {"ft2": 9_000, "yd3": 200, "ft": 40, "each": 2, "%": 30}[declared.unit], rows)
            columns[declared.name] = FactColumn(
                declared.name, declared.kind, declared.unit, values, values * 0.99, values * 1.01
            )
        else:
            columns[declared.name] = FactColumn(declared.name, declared.kind, "", rng.random(rows) < 0.2)
    return FactTable("site", range(rows), columns)


@pytest.mark.slow
def test_a_million_sites_in_a_second(village):
    table = million(village)
    best = min(_seconds(village, table) for _ in range(3))
    assert best < 1.0, f"{best:.2f} s"


def _seconds(ordinance, table):
    begin = time.process_time()
    judge_table(ordinance, table)
    return time.process_time() - begin


WAIVED = """
obligations: {permit: § 1, plan: § 2, fee: § 3, notice: § 4}
clauses:
- {at: (1), says: x, when: grows_crops, imposes: [permit]}
- {at: (2), says: x, when: any, waives: [permit], clauses: [{at: (a), says: x, imposes: [fee]}, {at: (b), says: x}]}
- {at: (3), says: x, still_binds: {permit: § 9}, imposes: [plan]}
- {at: (4), says: x, carried_by: [(1)], imposes: [notice]}
"""


@pytest.mark.parametrize("taken_in", [False, True], ids=["itself", "taken in by another"])
def test_a_waiver_on_file_brings_about_what_its_finding_does_and_is_none_of_an_ordinance_taken_in(
    taken_in, write, tmp_path
):
    write(WAIVED, "us/b/1/2020-01-01.yaml")
    clauses = "".join(
        f"- {{at: ({n}), says: x, incorporates: {{ordinance: us/b/1, obligation: {name}}}, imposes: [{name}]}}\n"
        for n, name in enumerate(("permit", "plan", "fee", "notice"), 1)
    ) + "- {at: (5), says: x, when: any, waives: [permit], clauses: [{at: (a), says: x}, {at: (b), says: x}]}\n"  # fmt: skip
    write(
        f"obligations: {{permit: § 1, plan: § 2, fee: § 3, notice: § 4}}\nclauses:\n{clauses}", "us/a/1/2020-01-01.yaml"
    )
    ordinance = load_ordinance("us/a/1" if taken_in else "us/b/1", folder=tmp_path)
    ground = "(5)" if taken_in else "(2)"
    table = FactTable("site", ["none", "a", "b"], {"grows_crops": FactColumn("grows_crops", "stated", "", [True] * 3)})
    on_file = {name: [Waiver("permit", "Board", "2026-01-01", f"{ground}({name})")] for name in "ab"}
    found = judge_table(ordinance, table, waivers_by_site=on_file)
    rows = {name: judge_site(ordinance, table.facts_at(n), waivers=on_file.get(name, ())).outcomes
            for n, name in enumerate(table.ids)}  # fmt: skip
    assert {n: {o: v.outcome[i] for o, v in found.items()} for i, n in enumerate(table.ids)} == rows
    expected = {
        "none": ("required", "not_required", "not_required", "required"),
        "a": (
            "waived",
            "not_required" if taken_in else "required",
            "not_required" if taken_in else "required",
            "required",
        ),
        "b": ("waived", "not_required" if taken_in else "required", "not_required", "required"),
    }
    assert {name: tuple(outcomes.values()) for name, outcomes in rows.items()} == expected
