"""Files with geometry: GeoPackage, shapefile, GeoJSON, GeoParquet open, keep ids and rows, and lie where they should."""

from __future__ import annotations

import csv
import json
import sqlite3
import xml.etree.ElementTree as ET

import geopandas as gpd
import pandas as pd
import pyarrow.parquet as pq
import pyogrio
import pytest
import shapely

from geocheck import reports
from geocheck.reports.shapefile import short_name, short_names

TABLES = ("facts", "determinations", "trace", "questions", "layers", "repairs")


@pytest.fixture(scope="module")
def out(findings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ground")
    reports.write(findings, folder, [name for name in reports.output_names() if not name.endswith((".html", ".xlsx"))])
    return folder


def frame_of(out, name):
    if name.endswith("parquet"):
        return gpd.read_parquet(out / name)
    if name.endswith("gpkg"):
        return gpd.read_file(out / "geocheck.gpkg", layer=name.split(".")[0])
    return gpd.read_file(out / name)


FILES = [
    f"{table}.{ending}" for table in ("sites", "parcels", "zones") for ending in ("shp", "geojson", "parquet", "gpkg")
]


@pytest.mark.parametrize("name", FILES)
def test_every_row_is_there_and_lies_where_the_run_has_it(findings, out, name):
    got = frame_of(out, name)
    table = name.split(".")[0]
    if table == "zones":
        frames = [findings.layers[role].frame for role in ("shoreland", "wetland", "floodplain")]
        expected = pd.concat([frame.geometry[frame.geometry.notna()] for frame in frames], ignore_index=True)
    else:
        expected = getattr(findings, table).geometry
    assert len(got) == len(expected)
    back = got.geometry.to_crs(findings.ground.crs)
    assert (back.isna().to_numpy() == expected.isna().to_numpy()).all()
    for one, other in zip(back, expected, strict=True):
        if other is not None:
            assert shapely.hausdorff_distance(one, other) < 0.005  # feet; to WGS 84 and back loses half a millimetre


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith("geojson")])
def test_ground_is_handed_on_in_the_system_that_it_came_in(out, name):
    crs = frame_of(out, name).crs
    assert crs.equals("EPSG:8104", ignore_axis_order=True) or crs.to_epsg(min_confidence=20) == 8104


def test_a_run_on_another_datum_is_handed_on_in_the_run_s_own_system(findings, tmp_path):
    from dataclasses import replace

    import pyproj

    layers = {role: replace(layer, source_crs=pyproj.CRS.from_epsg(2289)) for role, layer in findings.layers.items()}
    other = replace(findings, layers=layers)
    reports.write(other, tmp_path, ["sites.parquet", "geocheck.gpkg", "sites.shp"])
    for name in ("sites.parquet", "sites.shp", "sites.gpkg"):
        got = frame_of(tmp_path, name)
        assert got.crs.equals(findings.ground.crs, ignore_axis_order=True)
        assert got.geometry.area.to_numpy() == pytest.approx(findings.sites.area.to_numpy(), rel=1e-12)


@pytest.mark.parametrize("ending", ["parquet", "geojson", "gpkg"])
def test_identifiers_are_text_and_come_through_literally(out, awkward_names, ending):
    assert frame_of(out, f"sites.{ending}")["site_id"].tolist()[:7] == list(awkward_names)
    parcels = frame_of(out, f"parcels.{ending}")["parcel_id"].tolist()
    assert parcels[0] == '=HYPERLINK("x")'
    assert pd.isna(parcels[1])
    assert parcels[2] == "00000002"


def test_geojson_is_that_of_rfc_7946(out):
    told = json.loads((out / "sites.geojson").read_text(encoding="utf-8"))
    assert set(told) == {"type", "features"}
    lon, lat = told["features"][0]["geometry"]["coordinates"][0][0]
    assert -88.3 < lon < -88.1
    assert 43.3 < lat < 43.5
    for feature in told["features"]:
        for polygon in shapely.get_parts(shapely.geometry.shape(feature["geometry"])):
            assert polygon.exterior.is_ccw
    assert json.loads((out / "parcels.geojson").read_text())["features"][1]["geometry"] is None


def test_geoparquet_says_its_version_bounds_and_system(out):
    meta = json.loads(pq.read_schema(out / "parcels.parquet").metadata[b"geo"])
    assert meta["version"] == "1.1.0"
    assert meta["columns"]["geometry"]["covering"]["bbox"]
    assert meta["columns"]["geometry"]["crs"]["id"] == {"authority": "EPSG", "code": 8104}


def test_tables_are_also_typed_parquet(out, findings):
    facts = pd.read_parquet(out / "facts.parquet")
    assert list(facts.columns)[:11] == pd.read_csv(out / "facts.csv").columns.tolist()
    assert facts["number"].dtype == float
    assert facts["value"].tolist()[4] == "yes"
    assert len(pd.read_parquet(out / "trace.parquet")) == sum(len(d.trace.steps) for d in findings.determinations)


class TestGeoPackage:
    def test_it_holds_every_layer_and_table_with_the_csv_s_rows(self, out):
        kinds = dict(pyogrio.list_layers(out / "geocheck.gpkg"))
        assert {name for name, kind in kinds.items() if kind} == {"sites", "parcels", "zones"}
        for table in TABLES:
            got = pyogrio.read_dataframe(out / "geocheck.gpkg", layer=table, read_geometry=False)
            with (out / f"{table}.csv").open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            assert list(got.columns)[: len(rows[0])] == rows[0]
            assert len(got) == len(rows) - 1

    def test_it_is_sound_and_registers_what_it_holds(self, out):
        with sqlite3.connect(out / "geocheck.gpkg") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            contents = dict(connection.execute("SELECT table_name, data_type FROM gpkg_contents"))
            assert contents["layer_styles"] == "attributes"
            assert contents["facts"] == "attributes"
            assert contents["sites"] == "features"
            meanings = connection.execute(
                "SELECT count(*) FROM gpkg_data_columns WHERE table_name = 'facts'"
            ).fetchone()
            assert meanings == (11,)

    def test_each_layer_has_a_default_style_that_names_its_columns(self, out):
        with sqlite3.connect(out / "geocheck.gpkg") as connection:
            styles = connection.execute(
                "SELECT f_table_name, f_geometry_column, styleName, useAsDefault, styleQML FROM layer_styles"
            ).fetchall()
        assert {table for table, _, _, default, _ in styles if default} == {"sites", "parcels", "zones"}
        assert {name for table, _, name, _, _ in styles if table == "sites"} >= {"87-5_erosion_control", "87-5_permit"}
        for table, column, _, _, qml in styles:
            root = ET.fromstring(qml.split("\n", 1)[1])
            renderer = root.find("renderer-v2")
            values = {category.get("value") for category in renderer.iter("category")}
            assert column == "geom"
            assert len(values) == len(renderer.findall("symbols/symbol"))
            columns = frame_of(out, f"{table}.gpkg").columns
            assert "replace(" in root.find("mapTip").text  # a name is no markup there either
            assert any(f'"{name}"' in renderer.get("attr") for name in columns)

    def test_an_empty_run_opens_with_its_columns(self, bare_findings, tmp_path):
        reports.write(bare_findings, tmp_path, ["geocheck.gpkg"])
        sites = gpd.read_file(tmp_path / "geocheck.gpkg", layer="sites")
        assert len(sites) == 0
        assert "site_id" in sites.columns
        assert sites.crs is not None


class TestShapefile:
    def test_field_names_are_short_unique_and_explained_beside_it(self, out, findings):
        for table in ("sites", "parcels", "zones"):
            fields = list(pyogrio.read_info(out / f"{table}.shp")["fields"])
            with (out / f"{table}.fields.csv").open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            assert [row["short"] for row in rows] == fields
            assert all(len(name) <= 10 for name in fields)
            assert len(set(fields)) == len(fields)
        assert [row["long"] for row in rows if row["short"] == "ROLE"] == ["role"]

    def test_names_that_begin_alike_stay_apart(self):
        names = ["disturbed_area_sqft", "disturbed_area_acres", "disturbed_area_pct"]
        shorts = [short_name(name) for name in names]
        assert len(set(shorts)) == 3
        assert all(len(short) <= 10 for short in shorts)
        assert shorts == [short_name(name) for name in names]

    def test_names_are_fixed_whatever_else_the_table_holds(self, findings):
        parcels = [name for name in findings.parcels.columns if name != "geometry"]
        assert short_names(parcels)["zones_member"] == short_names(["zones_member"])["zones_member"] == "ZONES_MEM"

    @pytest.mark.parametrize(
        "names", [["a" * 12 + str(n) for n in range(400)], ["é" * 11, "ü" * 11, "", "_"], ["MARKET_id", "market_id"]]
    )
    def test_any_names_become_unique_ones(self, names):
        shorts = list(short_names(names).values())
        assert len({short.upper() for short in shorts}) == len(names)
        assert all(0 < len(short) <= 10 and short.isascii() for short in shorts)

    def test_a_text_too_long_for_a_dbf_is_cut_and_that_is_said(self, out):
        sites = gpd.read_file(out / "sites.shp")
        assert sites["SITE_ID"][5] == "x" * 254
        with (out / "sites.fields.csv").open(encoding="utf-8", newline="") as file:
            note = next(row["note"] for row in csv.DictReader(file) if row["long"] == "site_id")
        assert note == "1 values cut to 254 bytes; whole in sites.csv"

    def test_unknown_numbers_stay_empty(self, out):
        parcels = gpd.read_file(out / "parcels.shp")
        assert pd.isna(parcels["AREA_FT2"][1])
        assert pd.isna(parcels["WETLD_PCT"][3])
