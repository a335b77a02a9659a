"""Every input format gives the same ground and the same words; a broken file gives one clear refusal."""

from __future__ import annotations

import json
import zipfile

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from geocheck.model.ground import LayerSource
from geocheck.model.problem import GroundError, SourceError
from geocheck.sources.formats import FORMATS, format_of
from geocheck.sources.read import read_layer

PINS = ["000123", None, "7"]
FRAME = gpd.GeoDataFrame(
    {"PIN": PINS, "N": [1, 2, 3]},
    geometry=[shapely.box(-88.2 + i / 100, 43.4, -88.195 + i / 100, 43.405) for i in range(3)],
    crs=4326,
)
SQUARE = [[-88.2, 43.4], [-88.1, 43.4], [-88.1, 43.5], [-88.2, 43.5], [-88.2, 43.4]]


def write(folder, name):
    path = folder / name
    if name.endswith(".parquet"):
        FRAME.to_parquet(path)
    elif name.endswith(".csv"):
        frame = FRAME.assign(WKT=FRAME.geometry.to_wkt()).drop(columns="geometry")
        frame.to_csv(path, index=False)
    elif name.endswith(".topojson"):
        rings = [[list(p) for p in g.exterior.coords] for g in FRAME.geometry]
        shapes = [
            {"type": "Polygon", "arcs": [[i]], "properties": {"PIN": p, "N": n}}
            for i, (p, n) in enumerate(zip(PINS, FRAME["N"].tolist(), strict=True))
        ]
        content = {"type": "Topology", "objects": {"parcels": {"type": "GeometryCollection", "geometries": shapes}}, "arcs": rings}  # fmt: skip
        path.write_text(json.dumps(content))
    elif name.endswith(".esri.json"):
        features = [
            {"attributes": {"PIN": p, "N": n}, "geometry": {"rings": [[list(c) for c in g.exterior.coords][::-1]]}}
            for p, n, g in zip(PINS, FRAME["N"].tolist(), FRAME.geometry, strict=True)
        ]
        fields = [{"name": "PIN", "type": "esriFieldTypeString"}, {"name": "N", "type": "esriFieldTypeInteger"}]
        path.write_text(json.dumps({"geometryType": "esriGeometryPolygon", "spatialReference": {"wkid": 4326}, "fields": fields, "features": features}))  # fmt: skip
    elif name.endswith(".zip"):
        inner = folder / "inner"
        inner.mkdir()
        FRAME.to_file(inner / "layer.shp")
        with zipfile.ZipFile(path, "w") as archive:
            for file in inner.iterdir():
                archive.write(file, f"a folder/{file.name}")
    else:
        FRAME.to_file(path, **({"driver": "KML"} if name.endswith(".kml") else {}))
    return path


NAMES = ["a.shp", "a.gpkg", "a.geojson", "a.json", "a.topojson", "a.esri.json", "a.parquet", "a.fgb", "a.gml", "a.kml", "a.csv", "a.zip"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_one_layer_in_every_format(tmp_path, name):
    path = write(tmp_path, name)
    keys = {"crs": "EPSG:4326"} if name.endswith(".csv") else {}
    layer = read_layer(LayerSource("parcels", str(path), id="PIN", **keys))
    frame = layer.frame.iloc[layer.frame.geometry.bounds["minx"].argsort()]
    assert frame["id"].tolist() == PINS
    assert layer.crs.to_epsg() == 4326
    assert shapely.area(frame.geometry.to_numpy()).tolist() == pytest.approx([2.5e-5] * 3)
    assert layer.records == layer.used == 3
    assert len(layer.sha256) == 64
    listing = format_of(path).layers(path)
    assert len(listing) == 1
    assert {"PIN", "N"} <= set(listing[0].fields)
    assert listing[0].records == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_a_cut_off_file_is_refused(tmp_path, name, share):
    path = write(tmp_path, name)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    keys = {"crs": "EPSG:4326"} if name.endswith(".csv") else {}
    if name.endswith(".csv") and share:
        pytest.skip("a CSV that is cut off is a shorter CSV")
    with pytest.raises((SourceError, GroundError)) as caught:
        read_layer(LayerSource("parcels", str(path), id="PIN", **keys))
    assert path.name in str(caught.value)


@pytest.mark.parametrize(
    "name", ["a.shp", "a.gpkg", "a.geojson", "a.parquet", "a.zip", "a.gdb.zip", "a.gml", "a.fgb", "a.kml", "a.topojson"]
)
def test_a_file_that_is_something_else_is_refused(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\x89PNG\r\n\x1a\n this is a picture" * 20)
    with pytest.raises(SourceError):
        read_layer(LayerSource("parcels", str(path)))


def test_unknown_endings_missing_files_and_folders(tmp_path):
    (tmp_path / "a.docx").write_text("x")
    (tmp_path / "b.shp").write_text("x")
    for name, match in (("a.docx", "no vector format"), ("c.shp", "no such file"), ("", "folder")):
        with pytest.raises(SourceError, match=match):
            format_of(tmp_path / name)


def test_a_missing_file_names_what_lies_beside_it(tmp_path):
    (tmp_path / "parcels.shx").write_text("x")
    with pytest.raises(SourceError, match=r"parcels\.shx"):
        format_of(tmp_path / "parcels.shp")


@pytest.mark.parametrize(
    ("crs", "epsg"),
    [
        pytest.param("omit", 4326, id="omitted"),
        pytest.param(None, None, id="null"),
        pytest.param("EPSG:2289", 2289, id="a code"),
    ],
)
def test_geoparquet_omitted_and_null_systems_differ(tmp_path, crs, epsg):
    path = tmp_path / "a.parquet"
    column = {"encoding": "WKB", "geometry_types": ["Polygon"]} | ({} if crs == "omit" else {"crs": crs})
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": column}}
    x, y = (2451000, 524000) if epsg == 2289 else (-88.2, 43.4)
    blob = shapely.to_wkb(shapely.box(x, y, x + 0.1, y + 0.1))
    table = pa.table({"ID": [1], "geometry": pa.array([blob], pa.binary())})
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path)
    source = LayerSource("wetland", str(path))
    if epsg is None:
        with pytest.raises(GroundError, match="no-system"):
            read_layer(source)
    else:
        layer = read_layer(source)
        assert layer.crs.to_epsg() == epsg or layer.crs.to_authority() == ("OGC", "CRS84")


@pytest.mark.parametrize("encoding", ["WKB", "geoarrow"])
def test_geoparquet_encodings(tmp_path, encoding):
    FRAME.to_parquet(tmp_path / "a.parquet", geometry_encoding=encoding)
    assert read_layer(LayerSource("parcels", str(tmp_path / "a.parquet"), id="PIN")).used == 3


def test_parquet_without_geometry(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match="no geo metadata"):
        read_layer(LayerSource("parcels", str(tmp_path / "a.parquet")))


def feature(geometry, **properties):
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(path, features, **more):
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features, **more}))
    return path


GEOJSON = [
    pytest.param({"type": "Polygon", "coordinates": [SQUARE[:-1]]}, "repaired", id="unclosed"),
    pytest.param({"type": "Polygon", "coordinates": [SQUARE[:3]]}, "repaired", id="three vertices"),
    pytest.param({"type": "Polygon", "coordinates": [SQUARE[:2]]}, "collapsed", id="two vertices"),
    pytest.param(None, "no geometry", id="null"),
    pytest.param({"type": "Polygon", "coordinates": []}, "no geometry", id="empty"),
    pytest.param({"type": "Polygon", "coordinates": [[["a", "b"], ["c", "d"]]]}, "geometry lost", id="words"),
    pytest.param({"type": "Polygone", "coordinates": [SQUARE]}, "geometry lost", id="unknown type"),
    pytest.param({"type": "Polygon", "coordinates": [[*SQUARE[:2], SQUARE[3], SQUARE[2], SQUARE[0]]]}, "repaired", id="crossed"),
    pytest.param({"type": "Polygon", "coordinates": [[[*p, 9, 8] for p in SQUARE]]}, "ok", id="with Z and M"),
    pytest.param({"type": "GeometryCollection", "geometries": [{"type": "Polygon", "coordinates": [SQUARE]}]}, "repaired", id="collection"),
]  # fmt: skip


@pytest.mark.parametrize(("geometry", "status"), GEOJSON)
def test_one_odd_geojson_feature_costs_itself(tmp_path, geometry, status):
    sound = {"type": "Polygon", "coordinates": [SQUARE]}
    path = collection(
        tmp_path / "a.geojson", [feature(sound, ID="1"), feature(geometry, ID="2"), feature(sound, ID="3")]
    )
    layer = read_layer(LayerSource("wetland", str(path), id="ID"))
    assert layer.frame["status"].tolist() == ["ok", status, "ok"]
    assert layer.frame["id"].tolist() == ["1", "2", "3"]
    if status == "geometry lost":
        assert "geometry lost: 1 of 3" in layer.notes


def test_geojson_with_a_system_of_its_own(tmp_path):
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2289"}}
    ring = [[2451000, 524000], [2451100, 524000], [2451100, 524100], [2451000, 524000]]
    path = collection(tmp_path / "a.geojson", [feature({"type": "Polygon", "coordinates": [ring]})], crs=crs)
    assert read_layer(LayerSource("wetland", str(path))).crs.to_epsg() == 2289


def esri(path, geometries, **more):
    features = [{"attributes": {"ID": i + 1}, "geometry": g} for i, g in enumerate(geometries)]
    head = {"geometryType": "esriGeometryPolygon", "spatialReference": {"wkid": 4326}, "fields": [{"name": "ID", "type": "esriFieldTypeInteger"}]}  # fmt: skip
    path.write_text(json.dumps({**head, "features": features, **more}))
    return path


CURVE = {"curveRings": [[[-88.2, 43.4], {"c": [[-88.1, 43.4], [-88.15, 43.45]]}, [-88.2, 43.4]]]}


@pytest.mark.parametrize("position", [0, 1])
def test_esri_curves_are_lost_aloud(tmp_path, position):
    geometries = [{"rings": [SQUARE[::-1]]}, CURVE]
    layer = read_layer(LayerSource("wetland", str(esri(tmp_path / "a.json", geometries[:: 1 if position else -1]))))
    assert layer.frame["status"].iloc[position] == "geometry lost"
    assert layer.records == 2
    assert "geometry lost: 1 of 2" in layer.notes
    assert "returnTrueCurves" in layer.repairs[0].problem


def test_esri_json_with_rings_against_the_rule(tmp_path):
    inner = [[-88.16, 43.44], [-88.14, 43.44], [-88.14, 43.46], [-88.16, 43.46], [-88.16, 43.44]]
    path = esri(tmp_path / "a.json", [{"rings": [SQUARE, inner[::-1]]}, {"rings": [SQUARE[::-1], inner]}, None])
    layer = read_layer(LayerSource("wetland", str(path)))
    assert np.nan_to_num(shapely.area(layer.frame.geometry.to_numpy())).tolist() == pytest.approx(
        [0.01 - 0.0004, 0.01 - 0.0004, 0]
    )


@pytest.mark.parametrize(
    "more", [{"exceededTransferLimit": True}, {"error": {"code": 500, "message": "no"}}], ids=["short", "error"]
)
def test_a_services_short_answer_is_refused(tmp_path, more):
    with pytest.raises(SourceError):
        read_layer(LayerSource("wetland", str(esri(tmp_path / "a.json", [{"rings": [SQUARE]}], **more))))


def test_zip_with_several_shapefiles(tmp_path):
    for name in ("parcels", "zones"):
        FRAME.to_file(tmp_path / f"{name}.shp")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for file in [*tmp_path.glob("parcels.*"), *tmp_path.glob("zones.*")]:
            archive.write(file, f"{file.stem}/{file.name}")
    with pytest.raises(SourceError, match="parcels, zones"):
        read_layer(LayerSource("parcels", str(tmp_path / "two.zip")))
    assert read_layer(LayerSource("parcels", str(tmp_path / "two.zip"), layer="zones")).name == "zones"


@pytest.mark.parametrize("name", ["a.gpkg", "a.geojson", "a.fgb"])
def test_other_formats_in_a_zip(tmp_path, name):
    path = write(tmp_path, name)
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.write(path, f"deep/er/{name}")
    assert read_layer(LayerSource("parcels", str(tmp_path / "z.zip"), id="PIN")).used == 3


def test_zip_without_a_layer(tmp_path):
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(SourceError, match=r"readme\.txt"):
        read_layer(LayerSource("parcels", str(tmp_path / "z.zip")))


@pytest.mark.parametrize("zipped", [None, "a.gdb.zip", "delivery.zip"])
def test_a_file_geodatabase(tmp_path, zipped):
    path = tmp_path / "a.gdb"
    FRAME.to_file(path, driver="OpenFileGDB", layer="parcels")
    if zipped:
        with zipfile.ZipFile(tmp_path / zipped, "w") as archive:
            for file in path.iterdir():
                archive.write(file, f"a.gdb/{file.name}")
        path = tmp_path / zipped
    layer = read_layer(LayerSource("parcels", str(path), id="PIN", where="N < 3"))
    assert layer.frame["id"].tolist() == PINS[:2]
    assert layer.name == "parcels"
    assert len(layer.sha256) == 64


def test_csv_without_geometry(tmp_path):
    (tmp_path / "a.csv").write_text("A,B\n1,2\n")
    with pytest.raises(SourceError):
        read_layer(LayerSource("parcels", str(tmp_path / "a.csv"), crs="EPSG:4326"))


SHAPE = "POLYGON((-88.2 43.4,-88.1 43.4,-88.1 43.5,-88.2 43.4))"
COLUMNS = [
    pytest.param("WKT", SHAPE, id="WKT"),
    pytest.param("geometry", SHAPE, id="geometry"),
    pytest.param("the_geom", shapely.from_wkt(SHAPE).wkb_hex, id="binary in hexadecimal digits"),
    pytest.param("Geom", SHAPE.replace(",-88.2 43.4))", "))"), id="not closed"),
    pytest.param("wkt_geom", "POLYGON Z((-88.2 43.4 1,-88.1 43.4 2,-88.1 43.5 3,-88.2 43.4 1))", id="with heights"),
]


@pytest.mark.parametrize(("column", "text"), COLUMNS)
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_by_any_name_of_its_geometry(tmp_path, column, text, mark):
    (tmp_path / "a.csv").write_text(f'PIN{mark}{column}\n0012{mark}"{text}"\n', encoding="utf-8-sig")
    layer = read_layer(LayerSource("parcels", str(tmp_path / "a.csv"), id="PIN", crs="EPSG:4326"), keep_fields=True)
    assert layer.frame["id"].tolist() == ["0012"] and list(layer.frame.filter(like="field:")) == ["field:PIN"]
    assert layer.frame.area.tolist() == pytest.approx([0.005])


def test_csv_text_that_is_no_geometry_is_lost_aloud(tmp_path):
    words = [f'"{SHAPE}"', '"POLYGON((bad))"', "", "POLYGON EMPTY", "hello"]
    (tmp_path / "a.csv").write_text("PIN,WKT\n" + "".join(f"{i},{w}\n" for i, w in enumerate(words)))
    layer = read_layer(LayerSource("parcels", str(tmp_path / "a.csv"), id="PIN", crs="EPSG:4326"))
    assert layer.frame["status"].tolist() == ["ok", "geometry lost", "no geometry", "no geometry", "geometry lost"]
    assert "geometry lost: 2 of 5" in layer.notes


@pytest.mark.parametrize(
    ("where", "kept"),
    [("N > 9", ["b", "c"]), ("N = 5", ["a"]), ("N = '50'", ["b"]), ("PIN = '007'", ["a"]), ("PIN = '7'", ["b"]), ("W < 1", ["b"])],
)  # fmt: skip
def test_a_filter_of_a_csv_compares_numbers_as_numbers(tmp_path, where, kept):
    rows = "".join(f'{k},{n},{pin},{w},"{SHAPE}"\n' for k, n, pin, w in (("a", 5, "007", "1.25"), ("b", 50, "7", "0.5"), ("c", 100, "x", "")))  # fmt: skip
    (tmp_path / "a.csv").write_text("KEY,N,PIN,W,WKT\n" + rows)
    layer = read_layer(LayerSource("parcels", str(tmp_path / "a.csv"), id="KEY", where=where, crs="EPSG:4326"))
    assert layer.frame["id"].tolist() == kept


def test_topojson_says_that_its_system_is_taken(tmp_path):
    layer = read_layer(LayerSource("parcels", str(write(tmp_path, "a.topojson"))))
    assert any("longitude and latitude" in n for n in layer.notes)


def test_topojson_in_feet_has_no_system(tmp_path):
    path = write(tmp_path, "a.topojson")
    content = json.loads(path.read_text())
    content["arcs"] = [[[x * 1e4, y * 1e4] for x, y in arc] for arc in content["arcs"]]
    path.write_text(json.dumps(content))
    with pytest.raises(GroundError, match="no-system"):
        read_layer(LayerSource("parcels", str(path)))


def test_a_style_table_is_no_layer(tmp_path):
    import sqlite3

    path = write(tmp_path, "a.gpkg")
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, styleqml TEXT)")
        base.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('layer_styles', 'attributes', 's')"
        )
    base.close()
    assert read_layer(LayerSource("parcels", str(path), id="PIN")).used == 3


@pytest.mark.parametrize("where", ["", "N > 1"])
@pytest.mark.parametrize(
    ("blob", "status"),
    [
        (b"GP\0\1", "geometry lost"),
        (b"no geometry at all", "geometry lost"),
        (b"GP\0\1\xe6\x10\0\0" + bytes(30), "geometry lost"),
        (None, "no geometry"),
    ],
    ids=["header cut", "words", "zeros", "null"],
)
def test_a_damaged_geopackage_geometry_costs_its_record(tmp_path, blob, status, where):
    import sqlite3

    path = write(tmp_path, "a.gpkg")
    with sqlite3.connect(path) as base:
        for (trigger,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{trigger}"')
        base.execute("UPDATE a SET geom = ? WHERE N = 2", [blob])
    base.close()
    layer = read_layer(LayerSource("parcels", str(path), where=where))
    assert layer.frame["status"].tolist() == [*([] if where else ["ok"]), status, "ok"]


def test_names_are_said_once():
    names = [form.name for form in FORMATS]
    assert len(names) == len(set(names)) >= 10
