"""The jurisdiction of River Hills from its wards."""

from __future__ import annotations

import geopandas
import pytest
import shapely
from shapely.geometry import box

import geocheck

pytestmark = pytest.mark.real_data
US_SURVEY_FOOT = 1200 / 3937


def project(folder, data, year, lines=""):
    wards = geopandas.read_file(data / f"river_hills_wi/wards_{year}.geojson").to_crs(8160)
    middle = shapely.union_all(wards.geometry.to_numpy()).representative_point()
    sites = [
        box(middle.x, middle.y, middle.x + 300, middle.y + 300),
        box(middle.x + 60_000, middle.y, middle.x + 60_300, middle.y + 300),
    ]
    geopandas.GeoDataFrame({"ID": ["in", "out"]}, geometry=sites, crs=8160).to_file(folder / "sites.gpkg")
    (folder / "geocheck.yaml").write_text(
        f"""name: River Hills
jurisdiction: {{layer: municipality}}
ordinances: [us/wi/river-hills/6.04]
{lines}
layers:
  municipality: {data}/river_hills_wi/wards_{year}.geojson
  disturbance: {{source: sites.gpkg, id: ID}}
"""
    )
    return geocheck.open_project(folder)


@pytest.mark.parametrize(
    "year, acres", [(2002, 3373.27), (2011, 3397.16), (2022, 3411.40)], ids=["2002", "2011", "2022"]
)
def test_the_wards_dissolve_to_the_village(real_data, tmp_path, year, acres):
    result = geocheck.run(project(tmp_path, real_data, year))
    ground = result.findings.ground
    village = shapely.union_all(ground.layers["municipality"].frame.geometry.to_numpy())
    assert village.geom_type == "Polygon"
    assert village.area * ground.feet**2 / 43_560 == pytest.approx(acres, rel=1e-5)


def test_one_site_in_and_one_out(real_data, tmp_path):
    result = geocheck.run(project(tmp_path, real_data, 2022))
    share = {
        site: float(result.findings.facts.of("site", site)["share_in_jurisdiction"].value.value)
        for site in ("in", "out")
    }
    assert share == pytest.approx({"in": 100, "out": 0})
    assert set(result.of("out")[0].outcomes.values()) == {"not_required"}
