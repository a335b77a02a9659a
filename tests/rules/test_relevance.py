"""What is asked for could change something, and nothing that could is left out: held to trying every answer."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from geocheck.rules import relevance
from geocheck.rules.asking import questions
from geocheck.rules.given import facts_given
from geocheck.rules.judge import judge_site
from geocheck.rules.read import list_ordinances, load_ordinance, read_ordinance
from geocheck.rules.relevance import decisive

FACTS = ("grows_crops", "builds_road", "by_state_agency", "agricultural_facility", "underground_utility")
SIZES = ("disturbed_area", "parcel_area")
VALUES = {
    **dict.fromkeys(FACTS, (True, False)),
    **dict.fromkeys(SIZES, ("0 ft2", "1 acre", "1.5 acre", "2 acre", "3 acre")),
}


def any_condition(rng, depth=0):
    roll = rng.random()
    if depth > 1 or roll < 0.5:
        return rng.choice(FACTS)
    if roll < 0.65:
        return f"{rng.choice(SIZES)} {rng.choice(['>=', '>', '<', '<='])} {rng.choice([1, 2])} acre"
    if roll < 0.72:
        return f"1 acre {rng.choice(['>', '<='])} {rng.choice(SIZES)}"
    inner = [any_condition(rng, depth + 1) for _ in range(2)]
    return rng.choice([f"not ({inner[0]})", "({}) and ({})".format(*inner), "({}) or ({})".format(*inner)])


def any_law(rng):
    clauses = []
    for n in range(1, rng.randint(2, 6)):
        verb = rng.choice(["imposes: [permit, fee]", "imposes: [permit]", "imposes: [fee]", "lifts: [(1)]", "lifts: all", "lifts: [fee]",
                           "limits: [permit]", "imposes: [fee], unless: builds_road"])  # fmt: skip
        if n == 1:
            verb = "imposes: [permit, fee]"
        under = ", under: {ways: {one: {}, two: {when: grows_crops}}}" if rng.random() < 0.1 else ""
        clauses.append(f"- {{at: ({n}), when: {any_condition(rng)}, {verb}{under}}}\n")
    settings = "settings: {ways: {asks: Which?, choices: {one: a, two: b}}}\n" if "under" in "".join(clauses) else ""
    return f"{settings}clauses:\n{''.join(clauses)}"


def by_trial(ordinance, facts):
    """Return, for each open obligation, the missing facts for which two answers lead apart, all others given."""
    missing = [name for name in ordinance.facts_used if facts[name].value is None]
    sheets = {}
    for values in itertools.product(*(VALUES[name] for name in missing)):
        given = facts_given(dict(zip(missing, values, strict=True)), ordinance)
        sheets[values] = judge_site(ordinance, {**facts, **given}).outcomes
    before = judge_site(ordinance, facts)
    found = {o.obligation: set() for o in before.obligations if o.outcome == "undetermined"}
    for place, name in enumerate(missing):
        for values, outcomes in sheets.items():
            for other in VALUES[name]:
                turned = sheets[(*values[:place], other, *values[place + 1 :])]
                for obligation in found:
                    if outcomes[obligation] != turned[obligation]:
                        found[obligation].add(name)
    return found


def made_up(seed, write):
    """Return an ordinance and the facts of a site, some of them missing."""
    rng = random.Random(seed)
    # Of made-up clauses some can never matter, which is refused; it is no matter here.
    ordinance = read_ordinance(write(any_law(rng)))[0]
    missing = rng.sample(ordinance.facts_used, min(len(ordinance.facts_used), 4))
    known = {name: rng.choice(VALUES[name]) for name in ordinance.facts_used if name not in missing}
    return ordinance, facts_given({**known, **dict.fromkeys(missing)}, ordinance), set(missing)


@pytest.mark.parametrize("seeds", [range(n, n + 50) for n in range(0, 400, 50)], ids=str)
def test_a_fact_is_asked_for_exactly_where_two_answers_to_it_may_lead_apart(seeds, write):
    exact = 0
    for seed in seeds:
        ordinance, facts, missing = made_up(seed, write)
        found, tried = decisive(ordinance, facts), by_trial(ordinance, facts)
        assert found.keys() == tried.keys()
        # What rests on known facts beside missing ones counts as open to each of these.
        rests = [set(ordinance.names_of(c)) for clause in ordinance.every_clause for c in clause.conditions]
        pure = all(names <= missing or not names & missing for names in rests)
        exact += pure and bool(found)
        for obligation, names in found.items():
            assert names == tried[obligation] if pure else names >= tried[obligation], (seed, obligation)
    assert exact >= 10


def test_what_another_trigger_settles_is_not_asked_for(law):
    found = law("""
        clauses:
        - {at: (1), says: x, when: disturbed_area >= 1 acre, imposes: [permit, fee]}
        - {at: (2), says: x, when: builds_road, imposes: [permit]}
        - {at: (3), says: x, when: grows_crops, lifts: all}
    """)
    facts = facts_given({"disturbed_area": "2 acre", "builds_road": None, "grows_crops": None}, found)
    determination = judge_site(found, facts)
    assert determination["permit"].needs == ("builds_road", "grows_crops")
    assert decisive(found, facts) == {"permit": {"grows_crops"}, "fee": {"grows_crops"}}
    assert [q.fact for q in questions(determination, found, facts)] == ["grows_crops"]
    assert [q.fact for q in questions(determination, found)] == ["grows_crops", "builds_road"]


def test_under_a_reading_that_is_open_a_fact_that_settles_both_is_asked_for(law):
    found = law("""
        settings: {ways: {asks: Which?, choices: {one: a, two: b}}}
        clauses:
        - {at: (1), says: x, imposes: [permit, fee], under: {ways: {one: {when: disturbed_area > 1 acre}, two: {when: disturbed_area > 2 acre}}}}
        - {at: (2), says: x, when: grows_crops, lifts: [(1)]}
        - {at: (3), says: x, when: builds_road, lifts: [(1)], unless: by_state_agency}
    """)
    facts = facts_given(
        {"disturbed_area": "1.5 acre", "by_state_agency": True, "builds_road": None, "grows_crops": None}, found
    )
    assert decisive(found, facts)["permit"] == {"grows_crops"}
    assert decisive(found, facts, settings={"ways": "two"}) == {}


def test_a_waiver_on_file_leaves_nothing_to_ask(village):
    facts = facts_given({"disturbed_area": "1 acre"}, village)
    assert decisive(village, facts, grounds=frozenset({"(4)(a)1"})).keys() == {o.name for o in village.obligations}


@pytest.mark.parametrize("limit", ["MOST", "MOST_WAYS"])
def test_too_many_answers_to_try_count_as_mattering(law, monkeypatch, limit):
    monkeypatch.setattr(relevance, limit, 0)
    found = law("clauses:\n- {at: (1), says: x, when: grows_crops or not grows_crops, imposes: [permit, fee]}\n")
    assert decisive(found, {}) == {"permit": {"grows_crops"}, "fee": {"grows_crops"}}


@pytest.mark.parametrize("which", list_ordinances())
def test_of_a_site_of_which_nothing_is_known_it_is_found_soon(which, patience):
    ordinance = load_ordinance(which)
    begun = time.process_time()
    found = decisive(ordinance, {})
    assert time.process_time() - begun < 2 * patience
    assert found and all(found.values())


@pytest.mark.parametrize(
    "condition, asked",
    [
        ("always and grows_crops", {"grows_crops"}),
        ("1 ft2 > 2 ft2 or grows_crops", {"grows_crops"}),
        ("1 ft2 > 2 ft2 and grows_crops", set()),
        ("grows_crops or not grows_crops", set()),
        ("disturbed_area > 2 acre and disturbed_area < 1 acre or builds_road", {"builds_road"}),
        ("2 acre < disturbed_area or disturbed_area <= 2 acre", set()),
        ("impervious_area_added < 0 ft2 or impervious_area_added >= 0 ft2", set()),
        ("impervious_area_added < 0 ft2", {"impervious_area_added"}),
        ("excavated_volume + filled_volume > 400 yd3", {"excavated_volume", "filled_volume"}),
    ],
)
def test_what_a_condition_leaves_to_ask(condition, asked, write):
    found, _ = read_ordinance(write(f"clauses:\n- {{at: (1), says: x, when: {condition}, imposes: [permit]}}\n"))
    assert decisive(found, {}).get("permit", set()) == asked


def test_answers_are_kept_for_sites_alike_and_never_too_many(village, monkeypatch):
    sheets = [facts_given({name: None}, village) for name in ("grows_crops", "disturbed_area")]
    sheets += [facts_given({"disturbed_area": f"{n}_000 ft2"}, village) for n in range(3, 6)]
    kept = [decisive(village, sheet) for sheet in sheets]
    assert kept[3] is kept[4] and kept[2] != kept[3]
    monkeypatch.setattr(relevance, "MOST_KEPT", 1)
    relevance._KEPT.clear()
    assert [decisive(village, sheet) for sheet in sheets] == kept
