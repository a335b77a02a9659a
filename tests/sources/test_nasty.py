"""Real public files that break readers, each as its catalogue entry says; they are not part of the project."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
import shapely

from geocheck.model.ground import LayerSource
from geocheck.model.problem import GroundError, SourceError
from geocheck.sources.read import read_layer, read_layers
from geocheck.sources.records import mark_parcels
from geocheck.sources.reference import bring_together
from geocheck.sources.shp import read_shp

pytestmark = pytest.mark.real_data


def layer(real_data, path, role="wetland", **keys):
    return read_layer(LayerSource(role, str(real_data / path), **keys), keep_fields=True)


#: path, keys, records, used, without geometry, lost, repaired
READ = [
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "polygon"}, 5, 5, 0, 0, 0),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "polygon25D"}, 5, 5, 0, 0, 0),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "null_polygon"}, 5, 0, 5, 0, 0),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "empty_polygon"}, 5, 0, 5, 0, 0),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "hole", "crs": "EPSG:4326", "role": "streams"}, 12, 0, 12, 0, 0),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "several_polygons", "crs": "EPSG:4326"}, 9, 9, 0, 0, 0),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "multipatch"}, 5, 5, 0, 0, 0),
    ("nasty/fiona/multicurve.gml", {"crs": "EPSG:4326", "role": "streams"}, 1, 1, 0, 0, 0),
    ("nasty/fiona/curves_line.csv", {"crs": "EPSG:4326", "role": "streams"}, 9, 9, 0, 0, 0),
    ("nasty/fiona/gre.shp", {}, 1, 1, 0, 0, 0),
    ("nasty/fiona/grenada.geojson", {}, 1, 1, 0, 0, 0),
    ("nasty/fiona/coutwildrnp.zip", {}, 67, 67, 0, 0, 0),
    ("nasty/fiona/issue627.geojson", {}, 3, 3, 0, 0, 0),
    ("nasty/fiona/test_tz.geojson", {}, 1, 0, 0, 1, 0),
    ("nasty/pyogrio/curve.gpkg", {"role": "streams"}, 1, 1, 0, 0, 0),
    ("nasty/pyogrio/curvepolygon.gpkg", {}, 1, 1, 0, 0, 0),
    ("nasty/pyogrio/multisurface.gpkg", {}, 1, 1, 0, 0, 0),
    ("nasty/pyogrio/line_zm.gpkg", {"role": "streams"}, 1, 1, 0, 0, 0),
    ("nasty/pyogrio/test_gpkg_nulls.gpkg", {}, 4, 0, 0, 4, 0),
    ("nasty/gdalraster/multisurface.zip", {}, 5, 5, 0, 0, 0),
    ("nasty/sf/nc.shp", {}, 100, 100, 0, 0, 0),
    ("nasty/sf/nc.gpkg", {}, 100, 100, 0, 0, 0),
    ("nasty/sf/storms_xyzm.shp", {"crs": "EPSG:4326", "role": "streams"}, 71, 71, 0, 0, 0),
    ("nasty/shapefile-rs/multi_polygon.shp", {"crs": "EPSG:4326"}, 1, 1, 0, 0, 0),
    ("nasty/shapefile-rs/file_cp936.shp", {"crs": "EPSG:4326"}, 1, 0, 0, 1, 0),
    ("nasty/pyshp/corrupt_too_long.shp", {"crs": "EPSG:4326", "role": "streams"}, 10, 10, 0, 0, 0),
    ("nasty/pyshp/latin1.shp", {"crs": "EPSG:4326"}, 1, 1, 0, 0, 0),
    ("nasty/pyshp/REL.zip", {}, 1, 1, 0, 0, 0),
    ("cambridge_ma/parcels_FY2013.topojson", {"role": "parcels", "id": "ML"}, 13159, 13159, 0, 0, 24),
    ("cambridge_ma/parcels_FY2014.topojson", {"role": "parcels", "id": "ML"}, 13116, 13115, 1, 0, 37),
    ("cambridge_ma/driveways_2015.topojson", {}, 8802, 8798, 4, 0, 613),
    ("cambridge_ma/driveways_2026.topojson", {}, 8381, 8379, 2, 0, 155),
    ("cambridge_ma/floodplain_2010_obsolete.topojson", {}, 17, 17, 0, 0, 5),
    ("cambridge_ma/road_polygons_2025.topojson", {}, 205, 205, 0, 0, 12),
    ("cambridge_ma/sidewalks_2020.topojson", {}, 4356, 4355, 1, 0, 401),
    ("cambridge_ma/wetlands.geojson", {}, 31, 31, 0, 0, 0),
    ("alexandria_va/buildings.shp", {}, 84, 84, 0, 0, 0),
    ("yellowstone/ynp_fires_1984_2022.gpkg", {}, 61, 61, 0, 0, 0),
    ("river_hills_wi/wards_2022.geojson", {"role": "municipality"}, 2, 2, 0, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("path", "keys", "records", "used", "without", "lost", "repaired"), READ, ids=[f"{r[0]} {r[1].get('layer', '')}" for r in READ])  # fmt: skip
def test_every_record_is_a_row(real_data, path, keys, records, used, without, lost, repaired):
    got = layer(real_data, path, **keys)
    assert (got.records, got.used, got.without_geometry, got.lost) == (records, used, without, lost)
    assert abs(got.repaired - repaired) <= 0.01 * repaired
    assert len(got.frame) == records
    shapes = got.frame.geometry.to_numpy()
    assert (shapely.is_valid(shapes) | shapely.is_missing(shapes)).all()
    assert not shapely.is_empty(shapes).any()


REFUSED = [
    ("nasty/fiona/testopenfilegdb.gdb.zip", {}, SourceError, "several-layers"),
    ("nasty/fiona/testopenfilegdb.gdb.zip", {"layer": "several_polygons"}, GroundError, "no-system"),
    ("nasty/fiona/test_tin.shp", {}, GroundError, "no-system"),
    ("nasty/fiona/multicurve.gml", {"role": "streams"}, GroundError, "no-system"),
    ("nasty/fiona/curves_line.csv", {"role": "streams"}, GroundError, "no-system"),
    ("nasty/sf/storms_xyzm.shp", {"role": "streams"}, GroundError, "no-system"),
    ("nasty/shapefile-rs/polygonm.shp", {}, GroundError, "no-system"),
    ("nasty/shapefile-rs/polygonz.shp", {}, GroundError, "no-system"),
    ("nasty/shapefile-rs/polygon_hole.shp", {}, GroundError, "no-system"),
    ("nasty/shapefile-rs/multipatch.shp", {}, GroundError, "no-system"),
    ("nasty/shapefile-rs/polygonz.shp", {"crs": "EPSG:4326"}, GroundError, "coordinates-misfit"),
    ("nasty/pyshp/REL.zip", {"crs": "EPSG:4326"}, GroundError, "two-systems"),
    ("nasty/pyshp/empty_zipfile.zip", {}, SourceError, "no-layer"),
    ("alexandria_va/dsm.tif", {}, SourceError, "unknown-format"),
    ("cambridge_ma/deed_land_area_FY2013.csv", {"crs": "EPSG:2249"}, SourceError, "no-layer|no-geometry"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "keys", "kind", "code"), REFUSED, ids=[f"{r[0]} {r[3]}" for r in REFUSED])
def test_what_cannot_be_read_is_refused(real_data, path, keys, kind, code):
    with pytest.raises(kind, match=code) as caught:
        layer(real_data, path, **keys)
    assert path.rpartition("/")[2] in str(caught.value)


@pytest.mark.parametrize(
    ("path", "area"),
    [
        pytest.param("nasty/shapefile-rs/polygonm.shp", None, id="M"),
        pytest.param("nasty/shapefile-rs/polygonz.shp", None, id="Z"),
        pytest.param("nasty/shapefile-rs/polygon_hole.shp", None, id="hole"),
        pytest.param("nasty/shapefile-rs/multipatch.shp", None, id="multipatch"),
        pytest.param("nasty/fiona/test_tin.shp", 0.5, id="TIN"),
    ],
)
def test_shapes_without_sidecars(real_data, path, area):
    got = read_shp((real_data / path).read_bytes())
    assert len(got.shapes) == 1
    assert not got.lost
    assert got.shapes[0].area > 0
    if area is not None:
        assert got.shapes[0].area == pytest.approx(area)


def test_pyogrio_agrees_on_sound_shapefiles(real_data):
    import geopandas as gpd

    for path in ("nasty/sf/nc.shp", "nasty/fiona/gre.shp", "alexandria_va/buildings.shp"):
        ours = layer(real_data, path).frame.geometry
        theirs = gpd.read_file(real_data / path).geometry
        assert shapely.area(ours.to_numpy()) == pytest.approx(shapely.area(theirs.to_numpy()), rel=1e-12)
        assert shapely.equals(ours.to_numpy(), theirs.to_numpy()).all()


@pytest.mark.parametrize(
    ("path", "field", "text"),
    [
        ("nasty/shapefile-rs/file_cp936.shp", "TEST", "测试中文"),
        ("nasty/pyshp/latin1.shp", "Name", "Ñandú"),
        ("nasty/fiona/testopenfilegdb.gdb.zip", "str", "foo_é"),
    ],
)
def test_text_beyond_latin(real_data, path, field, text):
    keys = {"layer": "polygon"} if ".gdb" in path else {"crs": "EPSG:4326"}
    assert text in layer(real_data, path, **keys).frame[f"field:{field}"].tolist()


def test_lists_become_text_and_nulls_keep_whole_numbers(real_data):
    assert layer(real_data, "nasty/fiona/issue627.geojson").frame["field:skip_me"].iloc[0] == "1; 2; 3; 4"
    nulls = layer(real_data, "nasty/pyogrio/test_gpkg_nulls.gpkg").frame
    assert str(nulls["field:col_int64"].dtype) == "Int64"
    assert nulls["field:col_int64"].isna().tolist() == [False, False, False, True]


def test_nothing_is_written_beside_the_data(real_data, tmp_path):
    for file in (real_data / "nasty" / "pyshp").iterdir():
        shutil.copy(file, tmp_path)
    before = sorted(p.name for p in tmp_path.iterdir())
    read_layer(LayerSource("wetland", str(tmp_path / "latin1.shp"), crs="EPSG:4326"))
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_collapsed_records_among_polygons(real_data):
    got = layer(real_data, "cambridge_ma/impervious_other_2020.topojson", "impervious")
    counts = got.frame["status"].value_counts()
    assert got.records == 8813
    assert counts["no geometry"] == 21
    assert counts["collapsed"] >= 38  # 29 points and 9 lines; a few polygons have no area either
    assert any("quantised" in n for n in got.notes)


def test_carolina_changes_its_datum_aloud(real_data):
    layers = {"wetland": layer(real_data, "nasty/sf/nc.shp")}
    ground = bring_together(layers, basis="grid", measure_crs="EPSG:2264")
    got = ground.layers["wetland"]
    assert "ballpark" in got.datum_operation
    assert got.datum_accuracy_m is None


def test_cambridge_parcels_are_marked(real_data):
    got = mark_parcels(layer(real_data, "cambridge_ma/parcels_FY2014.topojson", "parcels", id="ML"))
    status = got.frame["status"]
    assert status.str.contains("label").sum() == 6
    repeated = got.frame["id"].value_counts()
    genuine = [i for i, n in repeated.items() if n > 1 and re.search("[0-9]", i)]
    assert "171-1" in genuine
    assert status.str.contains("merged of").sum() == len(genuine)
    assert (got.frame.loc[got.frame["id"] == "---", "subject"] >= 0).all()
    assert status.str.contains("merged|part of|duplicate")[got.frame["id"] == "---"].sum() == 0


def test_river_hills_dissolves_to_its_acres(real_data):
    for year, acres in ((2002, 3373.27), (2011, 3397.16), (2022, 3411.40)):
        layers = read_layers(
            {"municipality": LayerSource("municipality", str(real_data / f"river_hills_wi/wards_{year}.geojson"))}
        )
        ground = bring_together(layers)
        whole = shapely.union_all(ground.layers["municipality"].frame.geometry.to_numpy())
        assert whole.area * ground.feet**2 / 43560 == pytest.approx(acres, abs=0.02)


def test_yellowstone_is_a_union(real_data):
    ground = bring_together({"disturbance": layer(real_data, "yellowstone/ynp_fires_1984_2022.gpkg", "disturbance")}, basis="grid", measure_crs="EPSG:32100")  # fmt: skip
    shapes = ground.layers["disturbance"].frame.geometry.to_numpy()
    acre = (ground.feet**2) / 43560
    assert shapely.area(shapes).sum() * acre == pytest.approx(1_489_434, rel=1e-5)
    assert shapely.union_all(shapes).area * acre == pytest.approx(1_411_482, rel=1e-5)


def test_repairs_of_quantised_parcels_keep_their_ground(real_data):
    got = layer(real_data, "cambridge_ma/parcels_FY2014.topojson", "parcels", id="ML")
    before = np.array([r.area_before for r in got.repairs], dtype=float)
    after = np.array([r.area_after for r in got.repairs], dtype=float)
    assert (np.abs(after - before) <= 0.2 * np.maximum(after, before)).mean() > 0.9
