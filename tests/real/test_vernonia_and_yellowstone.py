"""Flood zones of structures in Vernonia, Oregon; overlapping fires in Yellowstone."""

from __future__ import annotations

from collections import Counter

import geopandas
import pytest
import shapely

import geocheck
from geocheck.model.ground import LayerSource
from geocheck.sources.read import read_layer

pytestmark = pytest.mark.real_data
ZONES = {"AE": "AE", "AE Floodway": "AE (Regulatory Floodway)", "X": "X (Shaded)"}


@pytest.mark.parametrize("version, count, differ", [(1, 286, 17), (2, 287, 18), (3, 287, 18)], ids=["v1", "v2", "v3"])
def test_structures_lie_in_the_zones_that_the_city_names(real_data, version, count, differ):
    folder = real_data / "vernonia_or"
    layer = read_layer(LayerSource("floodplain", source=str(folder / "flood_zones_v3.geojson")), keep_fields=True)
    structures = geopandas.read_file(folder / f"ORACLE_structures_v{version}.geojson").to_crs(layer.crs)
    zones = layer.frame["field:zone"].tolist()
    at, of = shapely.STRtree(layer.frame.geometry.to_numpy()).query(
        structures.geometry.to_numpy(), predicate="intersects"
    )
    found = dict(zip(at.tolist(), (ZONES.get(zones[row], zones[row]) for row in of.tolist()), strict=True))
    pairs = Counter(
        (said, found.get(row, "no polygon")) for row, said in enumerate(structures.flood_zone) if said != found.get(row)
    )
    assert len(structures) == count and count - sum(pairs.values()) == 269
    assert sum(pairs.values()) == differ
    assert pairs[("AE", "X (Shaded)")] == differ - 9


def test_overlapping_fires_are_a_union(real_data, tmp_path):
    fires = real_data / "yellowstone/ynp_fires_1984_2022.gpkg"
    frame = geopandas.read_file(fires)
    geopandas.GeoDataFrame({"ID": ["park"]}, geometry=[shapely.box(*frame.total_bounds)], crs=frame.crs).to_file(
        tmp_path / "park.gpkg"
    )
    (tmp_path / "geocheck.yaml").write_text(
        "name: Yellowstone\narea_basis: grid\nmeasure_crs: EPSG:32100\nlayers:\n"
        f"  parcels: {{source: park.gpkg, id: ID}}\n  wetland: {{source: {fires}, layer: mtbs_perims}}\n"
    )
    result = geocheck.run(geocheck.open_project(tmp_path))
    row = result.parcels.iloc[0]
    assert row.wetland_area_ft2 / 43_560 == pytest.approx(1_411_482, rel=2e-5)
    assert result.findings.layers["wetland"].used == 61
    assert frame.area.sum() / 4046.8564224 == pytest.approx(1_489_434, rel=1e-5)
