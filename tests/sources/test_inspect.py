"""A file looked at: what it holds, what would be repaired, which public schema it follows, and a project file from it."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pytest
import shapely

from geocheck.model.problem import SourceError
from geocheck.sources.format import LayerListing
from geocheck.sources.inspect import inspect_source
from geocheck.sources.records import is_label
from geocheck.sources.schemas import layer_maps, recognise
from geocheck.sources.starting import candidates_in, project_text

FIELDS = {
    "wi_statewide_parcels": ["OBJECTID", "STATEID", "PARCELID", "TAXPARCELID", "CONAME", "PARCELFIPS", "GISACRES"],
    "fema_nfhl_flood_hazard": ["DFIRM_ID", "FLD_AR_ID", "FLD_ZONE", "ZONE_SUBTY", "SFHA_TF", "STATIC_BFE"],
    "wi_dnr_24k_flowlines": ["HYDROID", "HYDROCODE", "HYDROTYPE", "STREAM_ORDER", "WATERBODY_WBIC"],
    "wi_dnr_24k_waterbodies": ["HYDROID", "HYDROCODE", "HYDROTYPE", "WATERBODY_WBIC", "WATERBODY_NAME"],
    "nwi_wetlands": ["ATTRIBUTE", "WETLAND_TYPE", "ACRES"],
    "wi_wetland_inventory": ["PLS", "COUNTY", "WETCODE", "NEWCODE"],
}


@pytest.mark.parametrize("spelling", [str.upper, str.lower, str.title])
@pytest.mark.parametrize("name", sorted(FIELDS))
def test_public_schemas_are_recognised(name, spelling):
    found = recognise(LayerListing("layer", fields={spelling(f): "text" for f in FIELDS[name]}))
    assert found is not None
    assert found.name == name


CUT = {
    "wi_statewide_parcels": ["STATEID", "PARCELID", "TAXPARCELI", "CONAME", "PARCELFIPS"],
    "fema_nfhl_flood_hazard": ["FLD_AR_ID", "FLD_ZONE", "ZONE_SUBTY", "SFHA_TF"],
    "wi_dnr_24k_flowlines": ["HYDROID", "HYDROCODE", "HYDROTYPE", "STREAM_ORD"],
    "wi_dnr_24k_waterbodies": ["HYDROID", "HYDROCODE", "HYDROTYPE", "WATERBODY_"],
    "nwi_wetlands": ["ATTRIBUTE", "WETLAND_TY", "ACRES"],
    "wi_wetland_inventory": ["WETCODE"],
}


@pytest.mark.parametrize("name", sorted(CUT))
@pytest.mark.parametrize("spelling", ["{}", "Wetlands.{}", "schema.table.{}"], ids=["shapefile", "service", "database"])
def test_schemas_are_recognised_by_names_cut_short_or_with_a_table_before_them(name, spelling):
    fields = CUT[name] if spelling == "{}" else FIELDS[name]
    listing = LayerListing("layer", fields={spelling.format(f): "text" for f in fields})
    found = recognise(listing)
    assert found is not None and found.name == name
    last = found.fields[-1]
    assert found.name_in(listing, last) == spelling.format(next(f for f in fields if f[:10] == last[:10]))


def test_water_is_told_apart_by_its_kind_of_geometry():
    fields = dict.fromkeys(["HYDROID", "HYDROCODE", "HYDROTYPE", "ROW_NAME", "WATERBODY_WBIC"], "text")
    for geometry in ("LineString", "MultiLineString", "Measured 3D MultiLineString", "polyline", "LineString or MultiLineString", "MultiCurve"):  # fmt: skip
        assert recognise(LayerListing("hydro", geometry, fields=fields)).role == "streams", geometry
    for geometry in (
        "Polygon",
        "3D MultiPolygon",
        "polygon",
        "MultiSurface",
        "Polygon or MultiPolygon",
        "CurvePolygon",
    ):
        assert recognise(LayerListing("hydro", geometry, fields={**fields, "STREAM_ORDER": ""})).role == "lakes", (
            geometry
        )


@pytest.mark.parametrize(
    ("name", "own", "condition"),
    [
        ("nwi_wetlands", ["ATTRIBUTE", "WETLAND_TY"], "WETLAND_TY IS NULL OR WETLAND_TY NOT IN ('Lake', 'Riverine', 'Estuarine and Marine Deepwater')"),
        ("nwi_wetlands", ["Wetlands.ATTRIBUTE", "Wetlands.WETLAND_TYPE"], "\"Wetlands.WETLAND_TYPE\" IS NULL OR \"Wetlands.WETLAND_TYPE\" NOT IN ('Lake', 'Riverine', 'Estuarine and Marine Deepwater')"),
        ("fema_nfhl_flood_hazard", ["fld_zone", "zone_subty", "sfha_tf"], "sfha_tf = 'T'"),
        ("wi_dnr_24k_flowlines", ["hydroid", "hydrocode", "hydrotype"], "CAST(hydrotype AS integer) IN (503, 508)"),
    ],
)  # fmt: skip
def test_filters_name_the_layers_own_fields(name, own, condition):
    schema = next(m for m in layer_maps() if m.name == name)
    assert schema.filter_of(LayerListing("layer", fields=dict.fromkeys(own, ""))) == condition


@pytest.mark.parametrize(
    "fields", [[], ["FLD_ZONE"], ["zone", "description"], ["PIN", "OWNER"], ["HYDROID", "HYDROTYPE"]]
)
def test_other_layers_are_not(fields):
    assert recognise(LayerListing("S_FLD_HAZ_AR", fields=dict.fromkeys(fields, ""))) is None


def test_the_labels_of_a_schema_are_labels():
    labels = [word for each in layer_maps() for word in each.labels]
    assert labels
    assert all(is_label(word) for word in labels)


def flood(folder, name="flood.gpkg", **rows):
    shapes = [shapely.box(362000 + i, 184000, 362001 + i, 184001) for i in range(4)]
    columns = {"FLD_AR_ID": list("abcd"), "FLD_ZONE": ["AE", "X", "A", "OPEN WATER"], "ZONE_SUBTY": [None, "0.2 PCT", " ", None], "SFHA_TF": ["T", "F", "T", "F"]}  # fmt: skip
    gpd.GeoDataFrame(columns, geometry=shapes, crs=8104).to_file(folder / name, layer="S_FLD_HAZ_AR")


@pytest.mark.parametrize("field_type", [int, str], ids=["numbers", "text"])
@pytest.mark.parametrize("suffix", ["gpkg", "shp"])
def test_the_filters_of_the_schemas_work(tmp_path, field_type, suffix):
    from geocheck.model.ground import LayerSource
    from geocheck.sources.read import read_layer

    flow = next(m for m in layer_maps() if m.name == "wi_dnr_24k_flowlines")
    codes = [502, 503, 504, 505, 508]
    lines = [shapely.LineString([(667000, 329000 + i), (667100, 329000 + i)]) for i in range(5)]
    gpd.GeoDataFrame({"HYDROTYPE": [field_type(c) for c in codes]}, geometry=lines, crs=3071).to_file(
        tmp_path / f"f.{suffix}"
    )
    layer = read_layer(LayerSource("streams", str(tmp_path / f"f.{suffix}"), where=flow.where), keep_fields=True)
    assert [int(v) for v in layer.frame["field:HYDROTYPE"]] == [503, 508]


def test_a_report_of_a_file_with_faults(write_shapefile):
    path = write_shapefile(
        [[[(0, 0), (100, 100), (0, 100), (100, 0), (0, 0)]], None, [[(0, 0), (0, 9), (9, 9), (0, 0)]]]
    )
    report = inspect_source(path)
    layer = report.layers[0]
    assert report.format == "shapefile"
    assert layer.records == 3
    assert layer.crs == "EPSG:8104 NAD83(HARN) / WISCRS Washington (ftUS)"
    assert layer.unit == "US survey feet"
    assert layer.statuses == {"repaired": 1, "no geometry": 1, "ok": 1}
    assert layer.repairs[0].area_after == 5000
    assert layer.extent == (362000, 184000, 362100, 184100)
    assert -88.42 < layer.degrees[0] < -88.03
    assert report.to_dict()["layers"][0]["fields"] == {"ID": "text"}


@pytest.mark.parametrize(
    ("epsg", "unit"), [(2222, "international feet"), (3071, "metres"), (4326, "degrees"), (2289, "US survey feet")]
)
def test_units_are_named(tmp_path, epsg, unit):
    gpd.GeoDataFrame({"A": [1]}, geometry=[shapely.Point(0, 0).buffer(1)], crs=epsg).to_file(tmp_path / "a.gpkg")
    assert inspect_source(tmp_path / "a.gpkg").layers[0].unit == unit


def test_a_file_that_would_be_refused_says_why(write_shapefile):
    path = write_shapefile([[[(0, 0), (0, 9), (9, 9), (0, 0)]]], shift=False)
    layer = inspect_source(path).layers[0]
    assert "coordinates-misfit" in layer.refused
    path.with_suffix(".prj").unlink()
    assert "no-system" in inspect_source(path).layers[0].refused


def test_layers_of_a_file_are_listed_or_one_is_looked_into(tmp_path):
    flood(tmp_path)
    frame = gpd.GeoDataFrame({"A": [1]}, geometry=[shapely.box(362000, 184000, 362001, 184001)], crs=8104)
    for i in range(7):
        frame.to_file(tmp_path / "flood.gpkg", layer=f"l{i}")
    report = inspect_source(tmp_path / "flood.gpkg")
    assert len(report.layers) == 8
    assert report.notes
    assert report.layers[0].role == "floodplain"
    one = inspect_source(tmp_path / "flood.gpkg", layer="l3")
    assert [x.name for x in one.layers] == ["l3"]
    assert one.layers[0].statuses == {"ok": 1}
    with pytest.raises(SourceError, match="l6"):
        inspect_source(tmp_path / "flood.gpkg", layer="nope")


def test_points_play_no_role(tmp_path):
    gpd.GeoDataFrame({"A": [1]}, geometry=[shapely.Point(362000, 184000)], crs=8104).to_file(tmp_path / "p.gpkg")
    assert any("points" in n for n in inspect_source(tmp_path / "p.gpkg").layers[0].notes)


def folder_of_layers(folder):
    flood(folder)
    frame = gpd.GeoDataFrame({"PIN": ["1"], "CONNECTED": ["yes"], "Status": ["existing"]}, geometry=[shapely.box(362000, 184000, 362009, 184009)], crs=8104)  # fmt: skip
    for name in ("tax_parcels_2026", "impervious", "wetlands", "lakes", "project_sites", "mystery"):
        frame.to_file(folder / f"{name}.shp")
    frame.geometry = frame.boundary
    frame.to_file(folder / "streams.shp")
    (folder / "lakes.prj").unlink()
    (folder / "cut.shp").write_bytes(b"xx")


def test_a_project_file_from_a_folder(tmp_path):
    folder_of_layers(tmp_path)
    text = project_text(tmp_path, name="Elm: a village")
    from ruamel.yaml import YAML

    project = YAML(typ="safe").load(text)
    layers = project["layers"]
    assert project["name"] == "Elm: a village"
    assert set(layers) == {
        "parcels",
        "impervious",
        "wetland",
        "lakes",
        "streams",
        "disturbance",
        "floodplain",
        "shoreland",
    }
    assert layers["floodplain"]["where"] == "SFHA_TF = 'T'"
    assert layers["floodplain"]["id"] == "FLD_AR_ID"
    assert layers["parcels"] == {"source": "tax_parcels_2026.shp", "id": "PIN"}
    assert layers["impervious"] == {"source": "impervious.shp", "status": "Status", "connected": "CONNECTED"}
    assert layers["shoreland"]["derive"] == {
        "near": {"lakes": "1000 ft", "streams": "300 ft"},
        "or": "floodplain of streams",
    }
    assert "lakes.shp\n    # crs: EPSG:…" in text
    assert "mystery.shp: its role does not show" in text
    assert "cut.shp" in text
    assert "recognised: FEMA" in text


def test_a_project_file_from_a_folder_is_a_project(tmp_path):
    geocheck = pytest.importorskip("geocheck")
    folder_of_layers(tmp_path)
    (tmp_path / "geocheck.yaml").write_text(project_text(tmp_path), encoding="utf-8")
    project = geocheck.open_project(tmp_path / "geocheck.yaml")
    assert project.layers["floodplain"].where == "SFHA_TF = 'T'"
    assert project.layers["shoreland"].derive


@pytest.mark.parametrize("suffix", ["shp", "gpkg"])
def test_public_layers_of_a_folder_become_a_project_that_runs(tmp_path, suffix):
    """Wetland of no stated type stays wetland; a river drawn by its banks is a stream, not a lake."""
    from geocheck import open_project, run

    def write(name, shapes, **columns):
        moved = gpd.GeoSeries(
            [shapely.transform(s, lambda c: c + np.array([667000, 329000])) for s in shapes], crs=3071
        )
        gpd.GeoDataFrame(columns, geometry=moved, crs=3071).to_file(tmp_path / f"{name}.{suffix}")

    box = shapely.box
    write("parcels", [box(0, 0, 100, 100)], PIN=["1"])
    write("project_sites", [box(10, 10, 60, 60)], SITE_ID=["S"])
    write("nwi", [box(0, 0, 10, 100), box(20, 0, 40, 100), box(50, 0, 60, 100)], ATTRIBUTE=["a", "b", "c"], WETLAND_TYPE=[None, "Lake", "Freshwater Pond"])  # fmt: skip
    write("hydro_lines", [shapely.LineString([(0, 500), (300, 500)])] * 2, HYDROID=[1, 2], HYDROCODE=[1, 2], HYDROTYPE=[508, 507], WATERBODY_WBIC=[0, 0])  # fmt: skip
    write("hydro_areas", [box(0, 900, 50, 950), box(120, 0, 140, 100), box(0, 0, 9, 9)], HYDROID=[1, 2, 3], HYDROCODE=[7061, 6021, 6011], HYDROTYPE=[706, 602, 601], WATERBODY_WBIC=[1, 2, 3])  # fmt: skip
    (tmp_path / "geocheck.yaml").write_text(project_text(tmp_path), encoding="utf-8")
    found = run(open_project(tmp_path / "geocheck.yaml"))
    layers = found.findings.ground.layers
    assert {role: layers[role].used for role in ("lakes", "streams", "wetland")} == {
        "lakes": 1,
        "streams": 2,
        "wetland": 2,
    }
    row = found.parcels.iloc[0]
    assert row.wetland_pct == pytest.approx(20, abs=0.01)
    assert row.shoreland_member == "partly" and row.shoreland_pct == pytest.approx(
        100 * (300 * 0.3048 - 20) / 100, rel=1e-3
    )


def test_an_empty_folder_says_so(tmp_path):
    assert "no layer of this folder" in project_text(tmp_path)
    with pytest.raises(SourceError):
        candidates_in(tmp_path / "gone")
