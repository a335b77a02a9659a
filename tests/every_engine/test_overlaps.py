"""Every engine measures the same hand-drawn ground alike: overlaps, shares, coverage, and what it refuses."""

from __future__ import annotations

import math

import pytest
import shapely
from shapely import MultiPolygon, Polygon, box

from geocheck.measures import MEASURES
from geocheck.measures.language import (
    Area,
    Both,
    Measure,
    Member,
    Outside,
    PercentOf,
)
from geocheck.measures.language import Layer as Leaf
from geocheck.model.problem import EngineError
from tests.worlds import ask, engines, ground, layer, member, overlap, subjects


@engines
@pytest.mark.parametrize("turn", range(4))
def test_a_shared_point_plays_no_part_in_an_overlap(engine, turn):
    a = Polygon([(0, 0), (0, 3), (2, 3), (2, 1), (1, 2)])
    b = Polygon([(0, 0), (0, 1), (2, 1), (2, 0)])
    a, b = (shapely.affinity.rotate(shape, 90 * turn, origin=(0, 0)) for shape in (a, b))
    assert overlap(engine, [a, b], [b]) == pytest.approx([0.25, 2], rel=1e-12)


@engines
def test_neighbours_are_no_members(engine):
    parcels = [box(0, 0, 10, 10), box(10, 0, 20, 10), box(20, 0, 30, 10), box(10, 10, 20, 20), box(40, 0, 50, 10)]
    assert member(engine, parcels, [box(10, 0, 20, 10)]) == ["touching", "inside", "touching", "touching", "outside"]
    assert list(overlap(engine, parcels, [box(10, 0, 20, 10)])) == [0, 100, 0, 0, 0]


@engines
def test_a_hole_on_the_edge_of_its_shell_stays_a_hole(engine):
    c_shape = box(0, 0, 100, 100) - Polygon([(0, 25), (50, 25), (50, 75), (0, 75)])
    assert overlap(engine, [box(-10, -10, 110, 110)], [c_shape]) == pytest.approx([7500])


@engines
@pytest.mark.parametrize(
    ("zone", "area"),
    [
        ([box(0, 0, 60, 100), box(40, 0, 100, 100)], 10_000),
        ([box(0, 0, 50, 50)] * 3, 2_500),
        ([box(0, 0, 60, 60), box(40, 40, 100, 100), box(0, 40, 60, 100)], 3 * 3600 - 2 * 1200 + 0),
        ([box(0, 0, 50, 100), box(50, 0, 100, 100)], 10_000),
    ],
    ids=["two overlap", "three alike", "a chain", "side by side"],
)
def test_overlapping_polygons_of_one_layer_count_once(engine, zone, area):
    expected = shapely.union_all(zone).intersection(box(0, 0, 100, 100)).area
    assert overlap(engine, [box(0, 0, 100, 100)], zone) == pytest.approx([expected], rel=1e-12)
    if area != 3 * 3600 - 2 * 1200:
        assert expected == area


@engines
def test_a_zone_of_several_layers_is_a_union(engine):
    site = [box(0, 0, 250, 150)]
    where = ground(
        layer("shoreland", (box(0, 0, 200, 150),)), layer("floodplain", (box(50, 0, 250, 150),)), layer("wetland", ())
    )
    names = ["in_shoreland", "in_floodplain", "in_zones", "outside_zones"]
    measures = [MEASURES.load(f"disturbed_area_{name}") for name in names]
    answers = engine.measure(measures, subjects(site, "disturbance", "site"), where)
    assert [answers[m.name].values[0] for m in measures] == pytest.approx([30_000, 30_000, 37_500, 0], abs=0)


@engines
def test_overlapping_parts_of_one_record_count_once(engine):
    # The union of a site's parts is made before it is measured; in a layer it is made here.
    parts = MultiPolygon([box(0, 0, 10, 10), box(5, 0, 15, 10)])
    union = shapely.union_all(shapely.get_parts(parts))
    assert ask(engine, Area(Leaf("disturbance")), subjects([union], "disturbance"), ground()).values[0] == 150


@engines
@pytest.mark.parametrize("angle", range(0, 90, 7))
def test_a_rectangle_has_one_area_at_any_angle(engine, angle):
    turned = shapely.affinity.rotate(box(362356, 184801, 362436, 184851), angle, origin=(362356, 184801))
    answers = ask(engine, Area(Leaf("disturbance")), subjects([turned], "disturbance", "site"), ground())
    assert answers.values[0] == pytest.approx(4000, rel=1e-6)
    assert answers.lows[0] == answers.values[0] == answers.highs[0]


# Impervious surfaces (ground, connected) on a lot of 40,000 square feet, 10,000 of them along the water, 15,000 disturbed.
SHARES = [
    pytest.param([(box(0, 150, 20, 200), True), (box(180, 150, 200, 200), False)], (5, 20, 100 / 15), id="all in the strip"),
    pytest.param([(box(0, 150, 20, 200), False), (box(0, 60, 20, 110), True)], (5, 10, 100 * 200 / 15_000), id="half of it"),
    pytest.param([(box(0, 100, 150, 200), True)], (37.5, 75, 100), id="all that is disturbed"),
    pytest.param([(box(0, 150, 40, 200), True), (box(20, 150, 60, 200), True)], (7.5, 30, 20), id="roofs that overlap"),
]  # fmt: skip


@engines
@pytest.mark.parametrize(("surfaces", "shares"), SHARES)
def test_three_percentages_have_three_denominators(engine, surfaces, shares):
    lot, disturbed = box(0, 0, 200, 200), box(0, 100, 150, 200)
    shapes, connected = zip(*surfaces, strict=True)
    where = ground(layer("lakes", (box(-500, 150, 700, 650),)), layer("impervious", shapes, connected=connected))
    who = subjects([lot], disturbance=[disturbed])
    strip = Both(Leaf("parcels"), Leaf("lakes"))
    impervious = Leaf("impervious")
    of_lot = PercentOf(Both(Leaf("parcels"), impervious), Leaf("parcels"))
    of_strip = PercentOf(Both(strip, impervious), strip)
    only = Leaf("impervious", only=(("connected", (True,)),))
    of_disturbance = PercentOf(Both(Leaf("disturbance"), only), Leaf("disturbance"))
    found = [ask(engine, reading, who, where, "%").values[0] for reading in (of_lot, of_strip, of_disturbance)]
    assert found == pytest.approx(shares)


@engines
def test_a_share_of_nothing_is_undefined(engine):
    where = ground(layer("municipality", (box(0, 0, 10, 10),)))
    share = MEASURES.load("share_in_jurisdiction")
    answers = engine.measure([share], subjects([shapely.Polygon(), box(5, 0, 15, 10)], "disturbance", "site"), where)
    found = answers["share_in_jurisdiction"]
    assert math.isnan(found.values[0]) and found.notes[0] and not found.failures
    assert found.values[1] == pytest.approx(50)


@engines
def test_no_ground_is_not_empty_ground(engine):
    where = ground(layer("floodplain", (box(0, 0, 10, 10),)))
    answers = ask(
        engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), subjects([None, Polygon(), box(0, 0, 5, 5)]), where
    )
    assert math.isnan(answers.values[0]) and answers.failures == {0: "no ground"}
    assert list(answers.values[1:]) == [0, 25]
    assert list(answers.covered) == [True, True, True]


@engines
def test_an_empty_layer_reads_zero_and_outside(engine):
    assert list(overlap(engine, [box(0, 0, 10, 10)], [])) == [0]
    assert member(engine, [box(0, 0, 10, 10)], []) == ["outside"]


@engines
def test_ground_outside_coverage_is_not_checked(engine):
    where = ground(layer("floodplain", (box(0, 0, 30, 30),), None, box(0, 0, 100, 100)))
    parcels = [box(0, 0, 10, 10), box(90, 0, 110, 10), box(90, 0, 100 + 1e-6, 10), box(200, 0, 210, 10)]
    area = ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), subjects(parcels), where)
    assert list(area.covered) == [True, True, True, False]
    assert [math.isnan(value) for value in area.values] == [False, False, False, True]
    membership = ask(engine, Member(Leaf("parcels"), Leaf("floodplain")), subjects(parcels), where)
    assert list(membership.values) == ["inside", "not checked", "outside", "not checked"]


@engines
def test_ground_partly_beyond_coverage_opens_the_interval(engine):
    where = ground(layer("floodplain", (box(85, 0, 200, 10),), None, box(0, 0, 100, 100)))
    parcels = subjects([box(80, 0, 110, 10)])
    inside = ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), parcels, where)
    assert (inside.lows[0], inside.values[0], inside.highs[0]) == pytest.approx((250, 250, 300))
    outside = ask(engine, Area(Outside(Leaf("parcels"), Leaf("floodplain"))), parcels, where)
    assert (outside.lows[0], outside.values[0], outside.highs[0]) == pytest.approx((0, 50, 50))
    assert inside.notes == {0: "33.3 % of the ground lies beyond what the layers cover"}
    assert list(ask(engine, Member(Leaf("parcels"), Leaf("floodplain")), parcels, where).values) == ["partly"]
    beyond = subjects([box(190, 0, 210, 10), box(300, 0, 310, 10)])
    found = ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), beyond, where)
    assert list(found.covered) == [True, False]
    assert (found.lows[0], found.values[0], found.highs[0]) == pytest.approx((100, 100, 200))
    share = PercentOf(Both(Leaf("parcels"), Leaf("floodplain")), Leaf("parcels"))
    assert list(ask(engine, share, parcels, where).covered) == [False]


@engines
def test_a_role_without_layer_is_refused(engine):
    with pytest.raises(EngineError, match=r"asked needs the layer floodplain, which this run does not have"):
        ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), subjects([box(0, 0, 1, 1)]), ground())


@engines
def test_two_measures_of_one_name_are_refused(engine):
    one = Measure("twice", "ft2", Area(Leaf("parcels")), "?")
    with pytest.raises(EngineError, match="asked twice in one call: twice"):
        engine.measure([one, one], subjects([box(0, 0, 1, 1)]), ground())


@engines
def test_no_subjects_give_no_answers(engine):
    where = ground(layer("floodplain", (box(0, 0, 10, 10),)))
    answers = ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), subjects([]), where)
    assert len(answers.values) == len(answers.covered) == 0
