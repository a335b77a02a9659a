"""One world saved in eight reference systems: the same numbers and the same outcomes."""

from __future__ import annotations

import geopandas
import pytest
from pyproj import Geod
from shapely.geometry import LineString, box

VILLAGE = "us/wi/washington-county-village/87-5"
SYSTEMS = [8104, 7582, 3071, 2289, 26916, 5070, 4326, 3857]


def made_in(world, system):
    made = world(8104).say(f"ordinances: [{VILLAGE}]").state(S={}, T={})
    layers = {
        "parcels": ({"P": box(0, 0, 400, 300), "Q": box(400, 0, 900, 300)}, {}),
        "disturbance": ({"S": box(20, 20, 120, 95), "T": box(500, 20, 540, 60)}, {}),
        "shoreland": ([box(100, 0, 300, 300)], {}),
        "wetland": ([box(60, 0, 130, 50)], {}),
        "floodplain": ([box(510, 0, 900, 300)], {}),
        "impervious": (
            [box(30, 30, 60, 60), box(505, 25, 530, 50)],
            {"keys": "status: S", "S": ["existing", "proposed"]},
        ),
        "channels": ([LineString([(0, 50), (900, 55)])], {}),
    }
    for role, (shapes, more) in layers.items():
        values = list(shapes.values()) if isinstance(shapes, dict) else shapes
        moved = list(geopandas.GeoSeries([made.put(shape) for shape in values], crs=8104).to_crs(system))
        made.add(
            role,
            dict(zip(shapes, moved, strict=True)) if isinstance(shapes, dict) else moved,
            move=False,
            crs=system,
            **more,
        )
    return made


@pytest.fixture(scope="module")
def results():
    return {}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_world_is_the_same_in_every_system(world, results, system):
    result = made_in(world, system).run()
    facts = {
        (row.subject_id, row.fact): float(row.value)
        for row in result.facts.itertuples()
        if row.kind == "measured" and row.status == "measured"
    }
    outcomes = dict(
        zip(
            zip(result.determinations.site_id, result.determinations.obligation, strict=True),
            result.determinations.outcome,
            strict=True,
        )
    )
    first_facts, first_outcomes = results.setdefault("first", (facts, outcomes))
    assert facts.keys() == first_facts.keys() and len(facts) > 20
    for key, value in facts.items():
        assert value == pytest.approx(first_facts[key], rel=5e-4, abs=0.5), key
    assert outcomes == first_outcomes
    areas = result.parcels.area_ft2.tolist()
    assert areas == pytest.approx([120_000, 150_000], rel=5e-4)


def test_the_ellipsoidal_area_is_geods(world):
    result = made_in(world, 8104).run()
    degrees = result.parcels.to_crs(4326).geometry
    geod = Geod(ellps="GRS80")
    for shape, area in zip(degrees, result.parcels.area_ft2, strict=True):
        metres = abs(geod.geometry_area_perimeter(shape)[0])
        assert area == pytest.approx(metres * (3937 / 1200) ** 2, rel=1e-6)
