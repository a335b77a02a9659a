"""Laws that every judgement keeps: more is known, never otherwise; narrower is never turned; an order of facts is none."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geocheck.model.facts import Fact
from geocheck.model.quantity import Quantity
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance

IDS = ["us/wi/washington-county-village/87-5", "us/wi/river-hills/6.04"]
SIZES = {"ft2": [0, 100, 3999, 4000, 20000, 43560, 90000], "yd3": [0, 100, 200, 400, 401], "ft": [0, 99, 100, 300],
         "each": [0, 4, 5, 6], "%": [0, 1, 100]}  # fmt: skip


def known_fact(declared, rng):
    if not declared.unit:
        return Fact(declared.name, declared.kind, rng.random() < 0.4)
    value = Fraction(rng.choice(SIZES[declared.unit]))
    spread = rng.choice([Fraction(0), Fraction(0), value / 1000, value / 5])
    low, best, high = (Quantity(v, declared.unit) for v in (value - spread, value, value + spread))
    return Fact(declared.name, declared.kind, best, low, high)


def sheet(ordinance, rng, share=0.3):
    """Facts of which some are left out, and the same with them supplied."""
    whole = {d.name: known_fact(d, rng) for d in ordinance.needs()}
    decided = {d.name for d in ordinance.needs() if d.kind == "decided"}
    return whole, {name: f for name, f in whole.items() if name in decided or rng.random() > share}


def chosen(ordinance, rng):
    return {s.name: rng.choice(s.names) for s in ordinance.settings if rng.random() < 0.6}


@pytest.mark.parametrize("which", IDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_supplying_a_missing_fact_never_changes_what_is_known(which, seed):
    rng, ordinance = random.Random(seed), load_ordinance(which)
    whole, part = sheet(ordinance, rng)
    picked = chosen(ordinance, rng)
    before = judge_site(ordinance, part, settings=picked)
    after = judge_site(ordinance, whole, settings=picked)
    for was, now in zip(before.obligations, after.obligations, strict=True):
        assert was.outcome == "undetermined" or now.outcome == was.outcome
    for was, now in zip(before.trace.steps, after.trace.steps, strict=True):
        assert was.truth.is_unknown or now.truth == was.truth


@pytest.mark.parametrize("which", IDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_number_within_its_known_bounds_never_changes_what_the_bounds_settle(which, seed):
    rng, ordinance = random.Random(seed), load_ordinance(which)
    whole, part = sheet(ordinance, rng, 0.5)
    bounded, nothing = dict(part), dict(part)
    for name in whole.keys() - part.keys():
        fact = whole[name]
        if isinstance(fact.value, Quantity):
            far = Quantity(fact.value.value * rng.choice([1, 2, 10]), fact.value.unit)
            near = Quantity(fact.value.value / rng.choice([1, 2, 10]), fact.value.unit)
            low, high = rng.choice([(near, far), (near, None), (None, far)])
            bounded[name] = Fact(name, fact.kind, None, low, high, status="missing")
            whole[name] = replace(fact, low=fact.value, high=fact.value)
    judged = [judge_site(ordinance, facts) for facts in (nothing, bounded, whole)]
    for less, more in itertools.pairwise(judged):
        for was, now in zip(less.obligations, more.obligations, strict=True):
            assert was.outcome == "undetermined" or now.outcome == was.outcome
            assert was.best_estimate == "undetermined" or now.best_estimate == was.best_estimate
        for was, now in zip(less.trace.steps, more.trace.steps, strict=True):
            assert was.truth.is_unknown or now.truth == was.truth


@pytest.mark.parametrize("which", IDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_narrowing_an_interval_never_turns_what_is_known(which, seed):
    rng, ordinance = random.Random(seed), load_ordinance(which)
    facts, _ = sheet(ordinance, rng, 0)

    def narrowed(fact):
        if not isinstance(fact.value, Quantity):
            return fact
        part = Fraction(rng.random())
        value = Quantity(fact.low.value + (fact.high.value - fact.low.value) * part, fact.value.unit)
        return replace(fact, value=value, low=value, high=value)

    before = judge_site(ordinance, facts)
    after = judge_site(ordinance, {name: narrowed(fact) for name, fact in facts.items()})
    for was, now in zip(before.obligations, after.obligations, strict=True):
        assert was.outcome == "undetermined" or now.outcome == was.outcome
        assert was.outcome == "undetermined" or was.best_estimate == was.outcome


@pytest.mark.parametrize("which", IDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_making_a_choice_never_changes_what_is_known(which, seed):
    rng, ordinance = random.Random(seed), load_ordinance(which)
    _, facts = sheet(ordinance, rng)
    before = judge_site(ordinance, facts)
    after = judge_site(ordinance, facts, settings={s.name: rng.choice(s.names) for s in ordinance.settings})
    for was, now in zip(before.obligations, after.obligations, strict=True):
        assert was.outcome == "undetermined" or now.outcome == was.outcome


@pytest.mark.parametrize("which", IDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_what_is_needed_settles_it_and_nothing_else_is_asked(which, seed):
    rng, ordinance = random.Random(seed), load_ordinance(which)
    whole, part = sheet(ordinance, rng)
    picked = {s.name: rng.choice(s.names) for s in ordinance.settings}
    found = judge_site(ordinance, part, settings=picked)
    for outcome in found.obligations:
        assert (outcome.outcome == "undetermined") == bool(outcome.needs) == bool(outcome.gaps)
        sharp = {
            n: replace(f, low=f.value, high=f.value) if isinstance(f.value, Quantity) else f for n, f in whole.items()
        }
        settled = judge_site(
            ordinance, {**part, **{name: sharp[name] for name in outcome.needs if name in sharp}}, settings=picked
        )
        again = settled[outcome.obligation]
        assert again.outcome != "undetermined" or {gap.reason for gap in again.gaps} == {"undefined"}


@pytest.mark.parametrize("which", IDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_only_what_is_reserved_can_be_changed_by_a_decision(which, seed):
    rng, ordinance = random.Random(seed), load_ordinance(which)
    whole, _ = sheet(ordinance, rng, 0)
    decided = [d.name for d in ordinance.needs() if d.kind == "decided"]
    facts = {name: fact for name, fact in whole.items() if name not in decided}
    before = judge_site(ordinance, facts)
    some = {name: Fact(name, "decided", True) for name in decided if rng.random() < 0.5}
    after = judge_site(ordinance, {**facts, **some})
    for was, now in zip(before.obligations, after.obligations, strict=True):
        if was.outcome != now.outcome:
            reserved = {
                n for label in was.reserved for c in ordinance.clause(label).conditions for n in ordinance.names_of(c)
            }
            assert reserved & set(some)
