"""Every engine tells inside, partly, touching and outside alike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyproj
import pytest
import shapely
from shapely import Point, box

from geocheck.measures import MEASURES
from geocheck.measures.language import (
    Area,
    Both,
    Near,
)
from geocheck.measures.language import Layer as Leaf
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from tests.worlds import ask, engines, ground, layer, member, overlap, subjects


@engines
def test_an_overlap_within_the_accuracy_of_the_line_is_touching(engine):
    parcel, zone = [box(0, 0, 1000, 1000)], [box(999.7, 0, 2000, 1000)]
    assert overlap(engine, parcel, zone) == pytest.approx([300])
    assert member(engine, parcel, zone, 40) == ["touching"]
    assert member(engine, parcel, zone) == ["partly"]


@engines
@pytest.mark.parametrize(
    ("zone", "accuracy", "expected"),
    [
        (box(995, 0, 2000, 1000), 40, "touching"),
        (box(955, 0, 2000, 1000), 40, "partly"),
        (box(999.995, 0, 2000, 1000), None, "touching"),
        (box(999.98, 0, 2000, 1000), None, "partly"),
        (box(400, 400, 430, 430), 40, "partly"),
        (box(0, 0, 1000, 1000), 40, "inside"),
        (box(0.005, 0.005, 999.995, 1000), None, "inside"),
        (box(0.05, 0.05, 999.95, 1000), None, "partly"),
        (box(1001, 0, 2000, 1000), 40, "outside"),
    ],
    ids=[
        "5 ft of 40", "45 ft of 40", "0.005 ft", "0.02 ft", "small wetland amid the parcel", "same outline",
        "noise all around", "more than noise all around", "1 ft away",
    ],
)  # fmt: skip
def test_membership_turns_at_the_tolerance(engine, zone, accuracy, expected):
    assert member(engine, [box(0, 0, 1000, 1000)], [zone], accuracy) == [expected]


@engines
def test_noise_of_reprojection_makes_no_member(engine):
    to_state = pyproj.Transformer.from_crs(8104, 3071, always_xy=True)
    back = pyproj.Transformer.from_crs(3071, 8104, always_xy=True)
    a, b = box(362000, 184000, 362500, 184500), box(362500, 184000, 363000, 184500)

    def carried(shape):
        rounded = shapely.transform(shape, lambda xy: np.round(np.column_stack(to_state.transform(*xy.T)), 3))
        return shapely.transform(rounded, lambda xy: np.column_stack(back.transform(*xy.T)))

    zone = carried(a)
    assert 0 < b.intersection(zone).area < 1
    for accuracy in (None, 1, 40):
        assert member(engine, [a, b], [zone], accuracy) == ["inside", "touching"]
    where = ground(layer("floodplain", (zone,)), layer("wetland", ()), layer("shoreland", ()))
    outside = MEASURES.load("disturbed_area_outside_zones")
    found = engine.measure([outside], subjects([a, b], "disturbance", "site"), where)[outside.name]
    assert found.values[0] == found.highs[0] == 0 and "noise" in found.notes[0]
    assert found.values[1] == pytest.approx(250_000)


@engines
def test_a_doubtful_datum_leaves_no_plain_inside_or_outside_near_the_line(engine):
    zone = [box(0, 0, 1000, 1000)]
    parcels = [box(100, 100, 200, 200), box(5, 100, 200, 200), box(1005, 0, 1100, 100), box(1100, 0, 1200, 100)]
    shift = 10 * float(US_SURVEY_FOOT)
    assert member(engine, parcels, zone, None, shift) == ["inside", "partly", "touching", "outside"]
    assert member(engine, parcels, zone) == ["inside", "inside", "outside", "outside"]


@engines
def test_near_a_line_or_a_point_is_near(engine):
    where = ground(layer("streams", (shapely.LineString([(0, -500), (0, 600)]), Point(150, 50)), 2))
    near = Area(Both(Leaf("parcels"), Near(Leaf("streams"), Quantity(Fraction(20), "ft"))))
    answers = ask(engine, near, subjects([box(0, 0, 100, 100), box(140, 40, 160, 60), box(300, 0, 400, 9)]), where)
    assert answers.values == pytest.approx([2000, 400, 0])
    assert answers.lows[0] == pytest.approx(1800) and answers.highs[0] == pytest.approx(2200)
    assert (answers.lows[2], answers.highs[2]) == (0, 0)


@engines
def test_a_line_is_no_ground(engine):
    where = ground(layer("streams", (shapely.LineString([(0, -500), (50, 600)]),), 5))
    answers = ask(engine, Area(Both(Leaf("parcels"), Leaf("streams"))), subjects([box(0, 0, 100, 100)]), where)
    assert (answers.lows[0], answers.values[0], answers.highs[0]) == (0, 0, 0)
