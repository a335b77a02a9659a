"""From layers to outcomes: bases of area, thresholds, plans, phases, settings, decisions."""

from __future__ import annotations

import math
import random
from datetime import date

import pytest
from shapely.affinity import rotate
from shapely.geometry import LineString, box

from geocheck.ledger import open_ledger
from geocheck.model.acts import Act

VILLAGE = "us/wi/washington-county-village/87-5"
RIVER_HILLS = "us/wi/river-hills/6.04"
ACRE = math.sqrt(43_560)


def of_site(result, site="S"):
    return result.of(site)[0]


def clause(result, label, site="S"):
    return str(of_site(result, site).trace[label].truth)


def disturbed(result, name="disturbed_area", site="S"):
    return result.findings.facts.of("site", site)[name]


def one_acre(world, *lines, crs=8104):
    made = world(8104).say(f"ordinances: [{RIVER_HILLS}]", *lines).state(S={})
    acre = box(362356.0122531394, 184801.60097804462, 362356.0122531394 + ACRE, 184801.60097804462 + ACRE)
    made.add("disturbance", {"S": acre}, move=False)
    return made.add("municipality", [acre.buffer(5000)], move=False)


def test_under_auto_an_acre_of_grid_is_within_tolerance(world):
    result = one_acre(world).run()
    fact = disturbed(result)
    ends = [float(q.to("acre").value) for q in (fact.value, fact.low, fact.high)]
    assert ends == pytest.approx([0.999923, 0.999623, 1.000223], abs=2e-6)
    outcome = of_site(result)["post_construction_stormwater"]
    assert clause(result, "(1)[a]") == "unknown"
    assert outcome.outcome == "undetermined" and outcome.borderline and outcome.best_estimate == "not_required"


@pytest.mark.parametrize(
    "lines, truth",
    [
        (("area_basis: grid", "measure_crs: EPSG:8104"), "yes"),
        (("area_basis: grid", "measure_crs: EPSG:2289"), "no"),
        (("area_basis: grid", "measure_crs: EPSG:3071"), "no"),
        (("area_basis: ellipsoidal",), "no"),
        (("area_basis: ground", "elevation: 900 ft"), "yes"),
    ],
    ids=["grid-8104", "grid-2289", "grid-3071", "ellipsoidal", "ground"],
)
def test_the_adopted_basis_decides(world, lines, truth):
    assert clause(one_acre(world, *lines).run(), "(1)[a]") == truth


@pytest.mark.parametrize("angle", [0.0, 17.3, 44.9, 61.02, 89.99])
def test_a_threshold_does_not_depend_on_the_angle(world, grid, angle):
    spot = random.Random(angle)
    shape = rotate(box(0, 0, 80, 50), angle)
    for lines, truth in ((grid(8104), "yes"), ((), "unknown")):
        made = world().say(f"ordinances: [{VILLAGE}]", *lines).state(S={})
        made.add("disturbance", {"S": made.put(shape, 362356 + spot.uniform(-50, 50), 184801)}, move=False)
        result = made.run()
        assert clause(result, "(1)(a)") == truth
        if not lines:
            fact = disturbed(result)
            ends = [float(q.value) for q in (fact.value, fact.low, fact.high)]
            assert ends == pytest.approx([3999.69, 3998.49, 4000.89], abs=0.01)


def test_a_combined_zone_frees_from_subsection_1(world, grid):
    made = world().say(f"ordinances: [{VILLAGE}]", *grid(8104)).state(S={})
    made.add("disturbance", {"S": box(0, 0, 250, 150)})
    made.add("shoreland", [box(0, 0, 200, 150)]).add("floodplain", [box(50, 0, 250, 150)])
    result = made.run()
    assert float(disturbed(result, "disturbed_area_in_zones").value.value) == pytest.approx(37_500)
    assert float(disturbed(result, "disturbed_area_outside_zones").value.value) == 0
    assert clause(result, "(3)(b)2") == "yes"
    assert of_site(result)["erosion_control"].outcome == "not_required"


def test_a_missing_layer_is_never_a_no(world):
    made = world().say(f"ordinances: [{VILLAGE}]").state(S={})
    made.add("disturbance", {"S": box(0, 0, 250, 150)}).add("floodplain", [box(9000, 0, 9250, 150)])
    result = made.run()
    assert disturbed(result, "disturbed_area_in_floodplain").value.value == 0
    fact = disturbed(result, "disturbed_area_in_zones")
    assert fact.value is None and fact.status == "missing" and "no shoreland" in fact.note
    assert clause(result, "(3)(b)2") == "unknown"
    assert of_site(result)["erosion_control"].outcome == "undetermined"


def test_smaller_sites_of_a_plan_add_up(world):
    made = world().say(f"ordinances: [{VILLAGE}]").state(A={}, B={}, C={})
    made.add(
        "disturbance",
        {"A": box(0, 0, 110, 110), "B": box(200, 0, 310, 110), "C": box(400, 0, 510, 110)},
        keys="plan: PLAN",
        PLAN=["P", "P", None],
    )
    roofs = [box(5, 5, 105, 105), box(205, 5, 305, 110), box(405, 5, 505, 105)]
    made.add("impervious", roofs, keys="status: S", S=["proposed"] * 3)
    for role in ("shoreland", "wetland", "floodplain"):
        made.add(role, [box(9000, 0, 9250, 150)])
    made.add("channels", [LineString([(9000, 0), (9250, 150)])]).add("parcels", {"1": box(0, 0, 600, 200)}).add(
        "parcels_before", {"1": box(0, 0, 600, 200)}
    )
    result = made.run()
    assert clause(result, "(2)(c)", "A") == clause(result, "(2)(c)", "B") == "yes"
    assert clause(result, "(2)(c)", "C") == "no"
    assert float(result.findings.facts.of("plan", "P")["impervious_area_added_of_plan"].value.value) == pytest.approx(
        20_500, rel=1e-3
    )
    assert result.of("A")[0]["stormwater_management"].outcome == "required"
    assert result.of("C")[0]["stormwater_management"].outcome == "not_required"


def test_two_phases_make_an_acre(world):
    made = world().say(f"ordinances: [{RIVER_HILLS}]").state(A={}, B={}, C={})
    half = box(0, 0, 160, 160)
    from shapely.affinity import translate

    grounds = {"A": half, "B": translate(half, 300), "C": translate(half, 600)}
    made.add("disturbance", grounds, keys="plan: PLAN, phase: PHASE", PLAN=["P", "P", "P"], PHASE=["1", "2", None])
    made.add("municipality", [box(-5000, -5000, 5000, 5000)])
    result = made.run()
    assert clause(result, "(1)[a]", "A") == clause(result, "(1)[a]", "B") == "yes"
    assert float(disturbed(result, "disturbed_area_of_all_phases", "A").value.value) == pytest.approx(51_200, rel=1e-3)
    assert float(disturbed(result, "disturbed_area_of_all_phases", "C").value.value) == pytest.approx(76_800, rel=1e-3)


def test_acts_on_file_are_respected_from_their_day(world):
    made = world().say(f"ordinances: [{VILLAGE}]", "ledger: ledger.gpkg", "as_of: 2026-10-01").state(S={}, T={})
    made.add("disturbance", {"S": box(0, 0, 20, 20), "T": box(100, 0, 200, 100)})
    ledger = open_ledger(made.folder / "ledger.gpkg")
    ledger.record(Act("decision", "S", "Engineer", "2026-09-01", fact="authority_finds_erosion_risk"))
    ledger.record(Act("waiver", "T", "Board", "2026-12-01", ordinance=VILLAGE, obligation="permit", ground="(4)(a)1"))
    result = made.run()
    assert clause(result, "(1)(d)", "S") == "yes"
    assert of_site(result, "T")["permit"].outcome != "waived"
    assert result.findings.as_of == date(2026, 10, 1)
    made.top[2] = "as_of: 2026-12-02"
    assert of_site(made.run(), "T")["permit"].outcome == "waived"


def test_outside_the_village_nothing_binds(world):
    made = world().say(f"ordinances: [{RIVER_HILLS}]").state(IN={}, OUT={})
    made.add("disturbance", {"IN": box(0, 0, 300, 300), "OUT": box(9000, 0, 9300, 300)}).add(
        "municipality", [box(-5000, -5000, 5000, 5000)]
    )
    result = made.run()
    assert disturbed(result, "share_in_jurisdiction", "OUT").value.value == 0
    assert of_site(result, "OUT").outcomes == {
        "post_construction_stormwater": "not_required",
        "protective_area": "not_required",
    }
    assert clause(result, "(1)[a]", "IN") == "yes"


def test_without_a_status_what_is_added_is_not_known(world):
    made = world().say(f"ordinances: [{VILLAGE}]").state(S={}).add("disturbance", {"S": box(0, 0, 200, 200)})
    made.add("impervious", [box(0, 0, 150, 150)], KIND=["roof"])
    result = made.run()
    fact = disturbed(result, "impervious_area_added_of_plan")
    assert fact.value is None and fact.status == "missing" and "status" in fact.note
    assert float(disturbed(result, "disturbed_area").value.value) > 0
    assert clause(result, "(2)(c)") == "unknown"


def test_a_statement_about_the_plan_is_heard_and_one_against_the_ground_is_named(world):
    stated = {"small_parcels_created_of_plan": "6 each", "disturbed_area": "99 ft2"}
    made = (
        world()
        .say(f"ordinances: [{VILLAGE}]")
        .state(S=stated, T={})
        .add("disturbance", {"S": box(0, 0, 90, 90), "T": box(100, 0, 190, 90)})
    )
    result = made.run()
    assert clause(result, "(2)(a)") == "yes" and clause(result, "(2)(a)", "T") == "unknown"
    assert float(disturbed(result).value.value) == pytest.approx(8100, rel=1e-3)
    assert any("site S: disturbed_area is stated as 99 ft2" in note for note in result.findings.notes)


def test_a_run_that_judges_nothing_says_so(world):
    result = world().add("disturbance", {"S": box(0, 0, 90, 90)}).run()
    assert any("no ordinance is named" in note for note in result.findings.notes)


ZONED = """\
cite: § 1
title: Zones
in_force: not established
obligations: {permit: § 2}
clauses:
- {at: (1), says: x, when: disturbed_area_in_zones >= 1 acre, imposes: [permit]}
"""


@pytest.mark.parametrize(
    "zones, acres, wet, truth",
    [
        ((), 2, 0, "unknown"),
        (("wetland", "floodplain"), 2, 1.2, "yes"),
        (("wetland", "floodplain"), 2, 0.5, "unknown"),
        (("wetland", "floodplain"), 0.9, 0.5, "no"),
    ],
)
def test_what_a_missing_layer_leaves_of_a_number_settles_what_it_can(world, zones, acres, wet, truth):
    """Without the shoreland layer, ground in wetland or floodplain is in the zones all the same."""
    made = world().say("ordinances: [law.yaml]")
    (made.folder / "law.yaml").write_text(ZONED, encoding="utf-8")
    made.add("disturbance", {"S": box(0, 0, 435.6 * acres, 100)})
    for zone in zones:
        made.add(zone, [box(-50, -50, 435.6 * wet, 150)])
    result = made.run()
    fact = disturbed(result, "disturbed_area_in_zones")
    assert fact.value is None and fact.status == "missing"
    assert clause(result, "(1)") == truth
