"""The 95 % interval holds the truth about 95 times in 100, and overlay keeps its laws on many pairs."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon, box

from geocheck.engines import ENGINES
from geocheck.engines.working.outline import deviation, edges_of
from geocheck.measures.language import Area, Both, Either, Layer, Measure, Outside

OWN = Measure("own", "ft2", Area(Layer("parcels")), "?")
IN = Measure("in", "ft2", Area(Both(Layer("parcels"), Layer("floodplain"))), "?")
OUT = Measure("out", "ft2", Area(Outside(Layer("parcels"), Layer("floodplain"))), "?")
ACCURACY = 5.0  # feet, 95 %, so that one axis deviates by 5 / 2.4477


def parcels(rng, count, vertices=(4, 14), size=(60, 300)):
    """Draw parcels in a row, each far from the next."""
    shapes = []
    for place in range(count):
        n = rng.integers(*vertices)
        angles = np.sort((np.arange(n) + rng.uniform(-0.3, 0.3, n)) * 2 * np.pi / n)
        radii = rng.uniform(0.75, 1.0, n) * rng.uniform(*size)
        shapes.append(Polygon(np.column_stack([1000 * place + radii * np.cos(angles), radii * np.sin(angles)])))
    return np.array(shapes, dtype=object)


def jittered(rng, shapes, sigma):
    """Move every vertex on its own; a ring's last vertex is its first."""

    def moved(shape):
        points = shapely.get_coordinates(shape)[:-1]
        return Polygon(points + rng.normal(0, sigma, points.shape))

    return np.array([moved(shape) for shape in shapes], dtype=object)


def held(truth, answers):
    return np.mean((answers.lows <= truth) & (truth <= answers.highs))


@pytest.mark.parametrize(
    ("vertices", "size"), [((4, 14), (60, 300)), ((4, 5), (60, 300)), ((20, 60), (100, 300)), ((4, 8), (12, 20))],
    ids=["parcels", "four corners", "many vertices", "small"],
)  # fmt: skip
def test_the_interval_of_an_outline_holds_the_truth(world, vertices, size):
    rng = np.random.default_rng(11)
    true = parcels(rng, 2000, vertices, size)
    seen = jittered(rng, true, ACCURACY / 2.4477)
    # As in a survey the outline that is seen is the true one with errors; a few of the smallest cross themselves.
    sound = shapely.is_valid(seen)
    assert sound.mean() > 0.95
    who = world.subjects(seen[sound], accuracy=ACCURACY)
    answers = ENGINES.load("local").measure([OWN], who, world.ground())["own"]
    assert 0.93 <= held(shapely.area(true[sound]), answers) <= 0.97


def test_the_interval_of_a_part_in_a_zone_holds_the_truth(world):
    rng = np.random.default_rng(12)
    true = parcels(rng, 2000)
    seen = jittered(rng, true, ACCURACY / 2.4477)
    where = world.ground(world.layer("floodplain", [box(-1e6, 15, 1e7, 1e6)]))
    answers = ENGINES.load("local").measure([IN, OUT], world.subjects(seen, accuracy=ACCURACY), where)
    cut = shapely.intersection(true, box(-1e6, 15, 1e7, 1e6))
    assert 0.93 <= held(shapely.area(cut), answers["in"]) <= 0.97
    assert 0.93 <= held(shapely.area(true) - shapely.area(cut), answers["out"]) <= 0.97


@pytest.mark.parametrize("accuracy", [1.0, 10.0])
def test_the_deviation_is_that_of_many_draws(accuracy):
    rng = np.random.default_rng(13)
    shape = parcels(rng, 1)[0] - box(-20, -20, 20, 20)
    stated = deviation(edges_of(np.array([shape])), accuracy, [(1.0, None)])[0]
    rings = [shapely.get_coordinates(ring)[:-1] for ring in (shape.exterior, *shape.interiors)]

    def area(points):
        x, y = points.T
        return 0.5 * np.abs((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())

    drawn = [
        area(rings[0] + rng.normal(0, accuracy / 2.4477, rings[0].shape))
        - area(rings[1] + rng.normal(0, accuracy / 2.4477, rings[1].shape))
        for _ in range(8_000)
    ]
    assert stated == pytest.approx(np.std(drawn), rel=0.03)


def test_a_zone_line_that_lies_off_by_its_accuracy_stays_in_the_interval(world):
    rng = np.random.default_rng(14)
    shapes = parcels(rng, 400)
    for angle, offset in zip(rng.uniform(0, 2 * np.pi, 8), rng.uniform(-80, 80, 8), strict=True):
        # A half plane per parcel, and the same moved by all of its accuracy.
        normal = np.array([np.cos(angle), np.sin(angle)])

        def half(shift, normal=normal, offset=offset):
            along = np.array([-normal[1], normal[0]])
            rings = [
                Polygon(
                    [m + 450 * along, m - 450 * along, m - 450 * along - 450 * normal, m + 450 * along - 450 * normal]
                )
                for m in np.arange(len(shapes))[:, None] * [1000.0, 0.0] + (offset + shift) * normal
            ]
            return np.array(rings, dtype=object)

        where = world.ground(world.layer("floodplain", list(half(0.0)), 7))
        answers = ENGINES.load("local").measure([IN], world.subjects(shapes), where)["in"]
        for shift in (-7.0, -3.0, 3.0, 7.0):
            truth = shapely.area(shapely.intersection(shapes, half(shift)))
            assert ((answers.lows <= truth + 1e-6) & (truth <= answers.highs + 1e-6)).all()


@pytest.mark.slow
def test_overlay_keeps_its_laws_on_ten_thousand_pairs(world):
    rng = np.random.default_rng(15)
    count = 10_000

    def stars(spread):
        n = rng.integers(3, 25, count)
        centres = np.arange(count)[:, None] * [400.0, 0.0] + rng.uniform(-spread, spread, (count, 2))
        return [
            Polygon(np.column_stack([c[0] + r * np.cos(a), c[1] + r * np.sin(a)]))
            for c, k in zip(centres, n, strict=True)
            for a, r in [(np.linspace(0, 2 * np.pi, k, endpoint=False), rng.uniform(10, 100, k))]
        ]

    first, second, third = stars(20), stars(60), stars(90)
    where = world.ground(world.layer("floodplain", second), world.layer("wetland", third))
    p, f, w = Layer("parcels"), Layer("floodplain"), Layer("wetland")
    regions = {
        "in": Both(p, f), "out": Outside(p, f), "w": Both(p, w), "either": Both(p, Either((f, w))),
        "both": Both(p, Both(f, w)), "neither": Outside(p, Either((f, w))), "only": Both(p, Outside(f, w)),
    }  # fmt: skip
    asked = [Measure(name, "ft2", Area(region), "?") for name, region in regions.items()]
    found = ENGINES.load("local").measure(asked, world.subjects(first), where, intervals=False)
    area = {name: answers.values for name, answers in found.items()} | {"all": shapely.area(first)}
    assert not any(answers.failures for answers in found.values())
    close = {"rtol": 1e-9, "atol": 1e-6}
    np.testing.assert_allclose(area["in"] + area["out"], area["all"], **close)
    np.testing.assert_allclose(area["in"] + area["w"], area["either"] + area["both"], **close)
    np.testing.assert_allclose(area["either"] + area["neither"], area["all"], **close)
    np.testing.assert_allclose(area["only"] + area["both"], area["in"], **close)
    np.testing.assert_allclose(area["in"], shapely.area(shapely.intersection(first, second)), **close)
