"""Whatever was edited, in whatever order: a night ends where a run of everything from nothing ends."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.affinity import translate

EDITS = ("shake", "divide", "join", "move line", "remove", "owner", "site moves", "site comes", "site goes", "plan",
         "wetland grows", "wetland comes", "wetland goes", "flood changes", "accuracy", "nothing", "forget")  # fmt: skip


def apply(county, edit, seed):
    """Make one edit, somewhere."""
    rng = np.random.default_rng(seed)
    names = list(county.parcels)
    name = names[rng.integers(len(names))]
    site = list(county.sites)[rng.integers(len(county.sites))]
    ground = county.parcels[name]
    x0, y0, x1, y1 = ground.bounds
    match edit:
        case "shake":
            for each in names:
                points = shapely.get_coordinates(county.parcels[each])[:-1]
                county.parcels[each] = shapely.Polygon(points + rng.uniform(-0.1, 0.1, points.shape))
        case "divide":
            cut = x0 + (x1 - x0) * rng.uniform(0.2, 0.8)
            del county.parcels[name]
            county.parcels[f"{name}-{seed}a"] = ground.intersection(shapely.box(x0, y0, cut, y1))
            county.parcels[f"{name}-{seed}b"] = ground.intersection(shapely.box(cut, y0, x1, y1))
        case "join":
            other = names[rng.integers(len(names))]
            if other != name:
                county.parcels[name] = shapely.union(ground, county.parcels.pop(other))
        case "move line":
            county.parcels[name] = shapely.intersection(ground, shapely.box(x0, y0, x1 - 12, y1))
        case "remove":
            if len(names) > 22:
                del county.parcels[name]
        case "owner":
            county.owner[name] = str(seed)
        case "site moves":
            county.sites[site] = translate(county.sites[site], *rng.uniform(-300, 300, 2))
        case "site comes":
            x, y = rng.uniform([362_000, 184_000], [363_800, 185_800])
            county.sites[f"N-{seed}"] = shapely.box(x, y, x + 130, y + 90)
        case "site goes":
            if len(county.sites) > 2:
                del county.sites[site]
        case "plan":
            county.plans[site] = f"PLAN-{seed % 3}"
        case "wetland grows":
            one = list(county.wetlands)[-1]
            county.wetlands[one] = shapely.buffer(county.wetlands[one], rng.uniform(-20, 60), quad_segs=3)
        case "wetland comes":
            x, y = rng.uniform([362_000, 184_000], [363_800, 185_800])
            county.wetlands[f"W-{seed}"] = shapely.Point(x, y).buffer(rng.uniform(20, 400), quad_segs=5)
        case "wetland goes":
            if len(county.wetlands) > 1:
                county.wetlands.pop(next(iter(county.wetlands)))
        case "flood changes":
            county.flood["F-1"] = translate(county.flood["F-1"], *rng.uniform(-50, 50, 2))
        case "accuracy":
            path = county.folder / "geocheck.yaml"
            county.lines = [
                line.split("\nimpervious_within")[0] + f"\nimpervious_within: {('disturbance', 'parcels')[seed % 2]}"
                for line in county.lines
            ]
            path.unlink(missing_ok=True)
        case "forget":
            for memory in (county.folder / ".geocheck").glob("*"):
                memory.unlink()


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(EDITS), st.integers(0, 999)), min_size=1, max_size=4), min_size=1, max_size=4
    )
)
def test_a_night_ends_where_a_full_run_ends(county_kind, nights):
    with tempfile.TemporaryDirectory() as folder:
        county = county_kind(Path(folder))
        county.update()
        for edits in nights:
            for edit, seed in edits:
                apply(county, edit, seed)
            county.update(accept="random")
            county.compare_with_a_full_run()


@pytest.mark.parametrize("edit", EDITS)
def test_each_edit_once(county, edit):
    one = county()
    one.update()
    apply(one, edit, 7)
    night = one.update(accept="a test")
    one.compare_with_a_full_run()
    if edit not in ("shake", "flood changes", "forget"):
        assert night.summary["remeasured"] < 30
