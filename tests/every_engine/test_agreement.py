"""Every engine agrees with the reference on random ground, and adds up."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from shapely import Point, Polygon, box

from geocheck.engines import ENGINES
from geocheck.measures.language import (
    Area,
    Both,
    Count,
    Either,
    Gain,
    Length,
    Measure,
    Member,
    Near,
    Outside,
    PercentOf,
)
from geocheck.measures.language import Layer as Leaf
from geocheck.model.quantity import Quantity
from tests.worlds import ZONES, engines, ground, layer, subjects


@st.composite
def polygons(draw, extent=100.0):
    """Draw simple polygons: stars around a centre, boxes, rings, on a grid often enough that edges coincide."""
    x, y = (draw(st.integers(0, int(extent))) * 1.0 for _ in range(2))
    kind = draw(st.sampled_from(["box", "star", "ring"]))
    if kind == "box":
        return box(x, y, x + draw(st.integers(1, 60)), y + draw(st.integers(1, 60)))
    radii = draw(st.lists(st.floats(2, 50, allow_nan=False), min_size=3, max_size=12))
    angles = np.linspace(0, 2 * np.pi, len(radii), endpoint=False) + draw(st.floats(0, 1))
    star = Polygon(np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)]))
    if kind == "ring":
        return star.buffer(3) - Point(x, y).buffer(1.5)
    return star


some = st.lists(polygons(), min_size=0, max_size=5)
# Without shrinking: on overlay it takes minutes and ends in ground as odd as it began.
random_ground = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)

#: Arcs are chords of a 192th of a circle: engines that grow ground in another order differ by that much along an edge.
ARCS = 1 - math.cos(math.pi / 192)

CANDIDATES = {
    "in a zone": Area(Both(Leaf("parcels"), Leaf("floodplain"))),
    "in zones": Area(Both(Leaf("parcels"), ZONES)),
    "outside zones": Area(Outside(Leaf("parcels"), ZONES)),
    "zone less zone": Area(Both(Leaf("parcels"), Outside(Leaf("floodplain"), Leaf("wetland")))),
    "both zones": Area(Both(Both(Leaf("floodplain"), Leaf("wetland")), Leaf("parcels"))),
    "near": Area(Both(Leaf("parcels"), Near(Leaf("wetland"), Quantity(Fraction(10), "ft")))),
    "ring": Area(
        Both(
            Leaf("parcels"),
            Outside(
                Near(Leaf("wetland"), Quantity(Fraction(20), "ft")), Near(Leaf("wetland"), Quantity(Fraction(5), "ft"))
            ),
        )
    ),
    "own near": Area(Both(Leaf("floodplain"), Near(Leaf("parcels"), Quantity(Fraction(10), "ft")))),
    "gain": Gain(Both(Leaf("parcels"), Leaf("floodplain")), Both(Leaf("parcels"), Leaf("wetland"))),
    "share": PercentOf(Both(Leaf("parcels"), Leaf("floodplain")), Leaf("parcels")),
    "count": Count(Leaf("wetland"), Leaf("parcels")),
    "length": Length(Leaf("streams"), Both(Leaf("parcels"), Leaf("floodplain"))),
    "member": Member(Leaf("parcels"), Leaf("floodplain")),
    "member of zones": Member(Leaf("parcels"), ZONES),
    "member of a ring": Member(Leaf("parcels"), Outside(Leaf("floodplain"), Leaf("wetland"))),
}


def measures():
    return [
        Measure(
            name,
            {PercentOf: "%", Count: "each", Length: "ft", Member: ""}.get(type(reading), "ft2"),
            reading,
            "?",
        )
        for name, reading in CANDIDATES.items()
    ]


@pytest.mark.parametrize("name", [name for name in ENGINES.names() if name != "reference"])
@pytest.mark.parametrize(("accuracy", "own"), [(None, 0.0), (3, 0.0), (None, 2.0), (3, 2.0)])
@random_ground
@given(parcels=some, flood=some, wet=some, shore=some, sort=st.sampled_from(["parcel", "site"]))
def test_every_engine_agrees_with_the_reference(name, accuracy, own, parcels, flood, wet, shore, sort):
    zones = {"floodplain": flood, "wetland": wet, "shoreland": shore}
    streams = tuple(shapely.LineString(shapely.get_coordinates(shape)[:4] + 0.37) for shape in flood + wet)
    layers = [layer(role, tuple(shapes), accuracy) for role, shapes in zones.items()]
    where = ground(*layers, layer("streams", streams), doubt=0.0003)
    who = subjects(parcels, sort=sort, accuracy=own)
    mine, theirs = (ENGINES.load(one).measure(measures(), who, where) for one in (name, "reference"))
    for key in CANDIDATES:
        assert not mine[key].failures and not theirs[key].failures
        if isinstance(CANDIDATES[key], Member):
            assert list(mine[key].values) == list(theirs[key].values), key
            continue
        slack = 20 * ARCS * 1000 if "near" in key or "ring" in key else 1e-6
        for series in ("values", "lows", "highs"):
            # Growing ground passes over what is shallower than a hundredth of the distance: so far may ends part.
            ends = 0.0 if series == "values" else 0.01 * (accuracy or 0) * 400
            np.testing.assert_allclose(
                getattr(mine[key], series),
                getattr(theirs[key], series),
                rtol=1e-7,
                atol=slack + ends,
                err_msg=f"{key} {series}",
            )


@engines
@random_ground
@given(parcels=some, flood=some, wet=some)
def test_overlays_add_up(engine, parcels, flood, wet):
    where = ground(layer("floodplain", tuple(flood)), layer("wetland", tuple(wet)))
    p, f, w = Leaf("parcels"), Leaf("floodplain"), Leaf("wetland")
    readings = {
        "all": p, "in": Both(p, f), "out": Outside(p, f), "w": Both(p, w), "either": Both(p, Either((f, w))),
        "both": Both(p, Both(f, w)), "only w": Outside(Both(p, w), f),
    }  # fmt: skip
    asked = [Measure(name, "ft2", Area(region), "?") for name, region in readings.items()]
    found = {name: a.values for name, a in engine.measure(asked, subjects(parcels), where, intervals=False).items()}
    close = {"rtol": 1e-9, "atol": 1e-7}
    np.testing.assert_allclose(found["in"] + found["out"], found["all"], **close)
    np.testing.assert_allclose(found["in"] + found["w"], found["either"] + found["both"], **close)
    np.testing.assert_allclose(found["in"] + found["only w"], found["either"], **close)
    assert (found["in"] <= found["all"] * (1 + 1e-9)).all()


def test_the_shelf_holds_the_reference_and_the_local_engine():
    assert {"local", "reference"} <= set(ENGINES.names())
    for name in ENGINES.names():
        assert ENGINES.load(name).name == name
