"""Another chapter on the sample's ground: what only that chapter asks is measured, as plain shapely measures it, and judged."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import geopandas as gpd
import pytest

import geocheck

SAMPLE = Path(__file__).parents[2] / "data" / "cedar-hollow"
DANE = "us/wi/dane-county/14"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dane") / "cedar-hollow"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("out"))
    project = folder / "geocheck.yaml"
    text = project.read_text(encoding="utf-8")
    project.write_text(re.sub(r"^ordinances: .*$", f"ordinances: [{DANE}]", text, flags=re.M), encoding="utf-8")
    return geocheck.run(geocheck.open_project(folder))


@pytest.fixture(scope="module")
def plain():
    """The ground of sites with sound outlines, and the water, in the feet of one system."""

    def read(name):
        return gpd.read_file(SAMPLE / f"{name}.shp").to_crs(8104).dropna(subset="geometry")

    def whole(name):
        return read(name).make_valid().union_all()

    shapes = {}
    for site, records in read("sites").groupby("SITE_ID"):
        if records.is_valid.all():
            shapes[site] = records.union_all()
    return shapes, whole("lakes"), whole("streams"), whole("wetlands")


def measured(result, name):
    facts = result.facts
    found = facts[(facts.fact == name) & (facts.subject == "site") & (facts.status == "measured")]
    return dict(zip(found.subject_id, found.value.astype(float), strict=True))


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("disturbed_area_in_lake_ring", lambda lakes, *_: lakes.buffer(1_000, 256).difference(lakes.buffer(300, 256))),
        ("disturbed_area_near_water", lambda lakes, streams, _: lakes.union(streams).buffer(300, 256)),
        ("disturbed_area_near_wetland", lambda _, __, wetlands: wetlands.buffer(75, 256)),
    ],
    ids=["the ring", "near water", "near wetland"],
)
def test_it_is_measured_as_plain_shapely_measures_it(result, plain, name, zone):
    shapes, *layers = plain
    ground = zone(*layers)
    found = {site: value for site, value in measured(result, name).items() if site in shapes}
    assert len(found) > 20
    assert any(found.values()) or "wetland" in name  # no site of the sample lies so near to one
    for site, value in found.items():
        assert value == pytest.approx(shapes[site].intersection(ground).area, rel=2e-3, abs=1), site


def test_the_ring_is_judged(result):
    determinations = result.determinations
    shoreland = determinations[determinations.obligation == "shoreland_erosion_control_permit"]
    outcomes = dict(zip(shoreland.site_id, shoreland.outcome, strict=True))
    near = measured(result, "disturbed_area_near_water")
    assert any(near.values())
    # An exemption that nobody has answered keeps open what is triggered; what is not triggered is free.
    for site, area in near.items():
        if area > 0:
            assert outcomes[site] == "undetermined", site
