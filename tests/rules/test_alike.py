"""Sites that are alike share an answer: never their numbers, and never one that is not theirs."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from geocheck.model.determination import Waiver
from geocheck.model.facts import Fact
from geocheck.model.quantity import Quantity
from geocheck.rules.hearing import docket_of
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance

IDS = ["us/wi/washington-county-village/87-5", "us/wi/river-hills/6.04", "us/wi/dane-county/14"]
SIZES = {"ft2": [0, 3999, 4000, 20000, 43560], "yd3": [0, 200, 400, 401], "ft": [0, 100, 300], "each": [0, 5],
         "%": [0, 10, 100], "acre": [0, 1, 5]}  # fmt: skip


def any_sheet(ordinance, rng):
    facts = {}
    for declared in ordinance.needs():
        if rng.random() < 0.4:
            continue
        value = rng.random() < 0.3
        if declared.unit:
            best = Fraction(rng.choice(SIZES.get(declared.unit, [0, 1, 100]))) + rng.choice([0, 0, 7])
            spread = rng.choice([0, 0, 1, 50])
            low, value, high = (Quantity(n, declared.unit) for n in (max(best - spread, 0), best, best + spread))
            facts[declared.name] = Fact(declared.name, declared.kind, value, low, high)
        else:
            facts[declared.name] = Fact(declared.name, declared.kind, value)
    return facts


@pytest.mark.parametrize("which", IDS)
def test_an_answer_does_not_depend_on_who_was_judged_before(which):
    ordinance, rng = load_ordinance(which), random.Random(7)
    sheets = [any_sheet(ordinance, rng) for _ in range(300)]
    docket = docket_of(ordinance, ())
    docket.alike.clear()
    together = [judge_site(ordinance, sheet, site_id=str(n)) for n, sheet in enumerate(sheets)]
    assert docket.alike
    for n, sheet in enumerate(sheets):
        docket.alike.clear()
        assert judge_site(ordinance, sheet, site_id=str(n)) == together[n]


def test_alike_sites_keep_their_own_numbers(village):
    def area(square_feet):
        size = Quantity(square_feet, "ft2")
        return {"disturbed_area": Fact("disturbed_area", "measured", size, size, size)}

    first, second = judge_site(village, area(5000)), judge_site(village, area(6000))
    assert first.obligations is second.obligations
    assert "5,000 ft2" in first.trace["(1)(a)"].facts_seen and "6,000 ft2" in second.trace["(1)(a)"].facts_seen


def test_a_waiver_is_not_shared(village):
    ground = village.waiver_grounds[0]
    waiver = Waiver("erosion_control", "Village Engineer", "2026-03-01", ground)
    size = Quantity(5000, "ft2")
    facts = {"disturbed_area": Fact("disturbed_area", "measured", size, size, size)}
    plain = judge_site(village, facts)
    waived = judge_site(village, facts, waivers=[waiver])
    assert plain.obligations != waived.obligations
    assert judge_site(village, facts).obligations == plain.obligations


def test_straddling_intervals_tell_their_own_numbers(village):
    def area(low, high):
        ends = [Quantity(n, "ft2") for n in ((low + high) // 2, low, high)]
        return {"disturbed_area": Fact("disturbed_area", "measured", *ends)}

    first, second = judge_site(village, area(3900, 4100)), judge_site(village, area(3800, 4200))
    notes = [{gap.note for gap in found.trace["(1)(a)"].truth.gaps} for found in (first, second)]
    assert notes[0] != notes[1] and "3,900" in str(notes[0]) and "3,800" in str(notes[1])
