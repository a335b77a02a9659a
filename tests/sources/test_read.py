"""Layers read from small files: every record a row, one bad record a row of its own, refusals that say what to do."""

from __future__ import annotations

import shutil
import stat
import struct

import geopandas as gpd
import numpy as np
import pytest
import shapely

from geocheck.model.ground import FactField, LayerSource
from geocheck.model.problem import SourceError
from geocheck.sources.read import read_layer, read_layers

# Lower left corner inside the area of use of EPSG:8104.
X, Y = 362000, 184000


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]


def cw(x0, y0, x1, y1):
    return box(x0, y0, x1, y1)[::-1]


SHAPEFILE_CASES = [
    pytest.param([box(0, 0, 100, 100), cw(25, 25, 75, 75)], 7500, "repaired", id="rings against the rule"),
    pytest.param([cw(25, 25, 75, 75), box(0, 0, 100, 100)], 7500, "repaired", id="hole first, against the rule"),
    pytest.param([cw(0, 0, 100, 100), box(25, 25, 75, 75)], 7500, "ok", id="as the rule says"),
    pytest.param([box(0, 0, 100, 100)], 10000, "ok", id="one ring reversed"),
    pytest.param([[(0, 0), (1, 1), (0, 1), (1, 0), (0, 0)]], 0.5, "repaired", id="bow-tie"),
    pytest.param([cw(0, 0, 10, 10), cw(5, 0, 15, 10)], 150, "repaired", id="parts overlap"),
    pytest.param([cw(0, 0, 10, 10)[:-1]], 100, "repaired", id="unclosed"),
    pytest.param([cw(0, 0, 100, 100), box(0, 25, 50, 75)], 7500, "repaired", id="hole on the shell"),
    pytest.param([cw(0, 0, 10, 10), cw(20, 0, 30, 10), box(22, 2, 24, 4)], 196, "ok", id="two parts, a hole in the second"),
    pytest.param([cw(0, 0, 10, 10), cw(20, 0, 30, 10)], 200, "ok", id="two parts"),
    pytest.param([box(0, 0, 10, 10), box(20, 0, 30, 10)], 200, "ok", id="two parts, both reversed"),
    pytest.param([cw(0, 0, 10, 10), [(3, 3), (4, 4), (3, 3)]], 100, "repaired", id="a ring without area beside"),
    pytest.param([[(0, 0), (8, 0), (8, 6), (2, 6), (2, 2), (6, 2), (6, 8), (0, 8), (0, 0)]], 60, "repaired", id="ambiguous loop"),
    pytest.param(None, None, "no geometry", id="null shape"),
    pytest.param([[(0, 0), (5, 5), (0, 0), (0, 0)]], None, "collapsed", id="collapsed to a line"),
]  # fmt: skip


@pytest.mark.parametrize(("rings", "area", "status"), SHAPEFILE_CASES)
@pytest.mark.parametrize("kind", [5, 15, 25], ids=["flat", "Z", "M"])
def test_shapefile_records(write_shapefile, read, rings, area, status, kind):
    if kind != 5:  # the reader takes x and y alone: what follows them is longer content
        rings = rings and [list(r) for r in rings]
    layer = read(write_shapefile([rings, [cw(200, 200, 210, 210)]], kind=kind))
    got = layer.frame.geometry.iloc[0]
    assert (None if got is None else pytest.approx(got.area)) == area
    assert layer.frame["status"].tolist() == [status, "ok"]
    assert layer.records == layer.used + layer.without_geometry + layer.lost == 2
    if status == "repaired":
        repair = layer.repairs[0]
        assert (repair.record, repair.role, repair.id) == (1, "wetland", "1")
        assert repair.area_after == pytest.approx(area)
        assert repair.area_before is not None


def test_an_ambiguous_repair_is_on_record(write_shapefile, read):
    loop = [(0, 0), (8, 0), (8, 6), (2, 6), (2, 2), (6, 2), (6, 8), (0, 8), (0, 0)]
    layer = read(write_shapefile([[loop]]))
    assert layer.doubts == {0: pytest.approx(16)}
    assert "ambiguous" in layer.repairs[0].doubt
    assert any("ambiguous" in n for n in layer.notes)


def test_ten_in_ten_out(write_shapefile, read):
    sound = [[cw(20 * i, 0, 20 * i + 10, 10)] for i in range(7)]
    broken = [[[(0, 50), (10, 60), (0, 60), (10, 50), (0, 50)]], [cw(30, 50, 40, 60), box(30, 52, 35, 58)]]
    layer = read(write_shapefile([*sound, *broken, None]))
    assert layer.frame["status"].value_counts().to_dict() == {"ok": 7, "repaired": 2, "no geometry": 1}
    assert (layer.records, layer.used, layer.repaired, layer.without_geometry, layer.lost) == (10, 9, 2, 1, 0)
    assert layer.frame["record"].tolist() == list(range(1, 11))


@pytest.mark.parametrize("missing", [".shx", ".dbf"])
def test_a_missing_sidecar_costs_nothing_else(write_shapefile, read, tmp_path, missing):
    path = write_shapefile([[cw(0, 0, 10, 10)], [cw(20, 0, 30, 10)]])
    path.with_suffix(missing).unlink()
    before = sorted(p.name for p in tmp_path.iterdir())
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        layer = read(path)
    finally:
        tmp_path.chmod(0o755)
    assert layer.frame.geometry.area.tolist() == [100, 100]
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert any(missing in n for n in layer.notes)


def test_sidecars_in_capitals(write_shapefile, read):
    path = write_shapefile([[cw(0, 0, 10, 10)]])
    for ending in (".shx", ".dbf", ".prj"):
        path.with_suffix(ending).rename(path.with_suffix(ending.upper()))
    assert read(path).crs.to_epsg() == 8104


def test_an_index_that_leaves_a_record_out_is_not_believed(write_shapefile, read):
    path = write_shapefile([[cw(0, 0, 10, 10)], [cw(20, 0, 30, 10)], [cw(40, 0, 50, 10)]])
    index = path.with_suffix(".shx").read_bytes()
    path.with_suffix(".shx").write_bytes(index[:-8])
    layer = read(path)
    assert layer.used == 3
    assert any(".shx does not fit" in n for n in layer.notes)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda record: record[:44] + struct.pack("<ii", 1, 4000) + record[52:], id="too many vertices"),
        pytest.param(lambda record: record[:44] + struct.pack("<ii", -5, 5) + record[52:], id="negative parts"),
        pytest.param(lambda record: record[:8] + struct.pack("<i", 77) + record[12:], id="unknown type"),
        pytest.param(lambda record: record[:52] + struct.pack("<i", 900) + record[56:], id="part beyond the end"),
    ],
)
def test_one_damaged_record_costs_one_record(write_shapefile, read, damage):
    path = write_shapefile([[cw(0, 0, 10, 10)], [cw(20, 0, 30, 10)], [cw(40, 0, 50, 10)]])
    data = path.read_bytes()
    size = (len(data) - 100) // 3
    path.write_bytes(data[: 100 + size] + damage(data[100 + size : 100 + 2 * size]) + data[100 + 2 * size :])
    layer = read(path)
    assert layer.frame["status"].tolist() == ["ok", "geometry lost", "ok"]
    assert layer.lost == 1
    assert "geometry lost: 1 of 3" in layer.notes
    assert layer.repairs[0].record == 2


@pytest.mark.parametrize("keep", [0, 50, 99, 150, -20, -1])
def test_a_cut_off_shapefile_is_refused(write_shapefile, read, keep):
    path = write_shapefile([[cw(0, 0, 10, 10)], [cw(20, 0, 30, 10)]])
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(SourceError, match=r"cut off|does not begin"):
        read(path)


def test_deleted_rows_are_no_records(write_shapefile, read):
    path = write_shapefile([[cw(0, 0, 10, 10)], [cw(20, 0, 30, 10)], [cw(40, 0, 50, 10)]])
    table = bytearray(path.with_suffix(".dbf").read_bytes())
    table[33 + 32 + 9] = ord("*")
    path.with_suffix(".dbf").write_bytes(bytes(table))
    layer = read(path)
    assert layer.frame["field:ID"].tolist() == ["1", "3"]
    assert any("deleted" in n for n in layer.notes)


def frame(shapes, **columns):
    shapes = [None if s is None else shapely.transform(s, lambda c: c + np.array([X, Y])) for s in shapes]
    return gpd.GeoDataFrame(columns or {"ID": [str(i) for i in range(len(shapes))]}, geometry=shapes, crs=8104)


def test_records_without_ground(tmp_path, read):
    frame([shapely.box(0, 0, 10, 10), None, shapely.from_wkt("POLYGON EMPTY")]).to_file(tmp_path / "p.gpkg")
    layer = read(tmp_path / "p.gpkg", "parcels")
    assert layer.frame["status"].tolist() == ["ok", "no geometry", "no geometry"]
    assert layer.frame.geometry.iloc[1:].isna().all()
    assert layer.frame.area.sum() == 100


@pytest.mark.parametrize(
    ("wkt", "area", "status"),
    [
        ("GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0)),LINESTRING(0 0,50 50),POINT(3 3))", 100, "repaired"),
        ("GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0)),POLYGON((5 0,15 0,15 10,5 10,5 0)))", 150, "repaired"),
        (
            "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POLYGON((0 0,10 0,10 10,0 10,0 0)),POINT(3 3)),MULTIPOLYGON(((5 0,15 0,15 10,5 10,5 0))))",
            150,
            "repaired",
        ),
        ("GEOMETRYCOLLECTION(LINESTRING(0 0,50 50))", None, "collapsed"),
        ("GEOMETRYCOLLECTION EMPTY", None, "no geometry"),
        ("POINT(3 3)", None, "collapsed"),
        ("LINESTRING(0 0,50 50)", None, "collapsed"),
        ("MULTIPOINT((0 0),(1 1))", None, "collapsed"),
        ("POLYGON((0 0,5 5,10 10,0 0))", None, "collapsed"),
        ("POLYGON Z((0 0 1,10 0 2,10 10 3,0 0 1))", 50, "ok"),
    ],
)
def test_other_geometry_among_polygons(tmp_path, read, wkt, area, status):
    frame([shapely.box(90, 0, 100, 10), shapely.from_wkt(wkt)]).to_file(tmp_path / "p.gpkg")
    layer = read(tmp_path / "p.gpkg")
    got = layer.frame.geometry.iloc[1]
    assert (None if got is None else pytest.approx(got.area)) == area
    assert layer.frame["status"].iloc[1] == status
    assert layer.records == layer.used + layer.without_geometry + layer.lost
    if "COLLECTION" in wkt and area:
        left_out = wkt.count("POINT") + wkt.count("LINESTRING")
        assert (f"left out: {left_out}" if left_out else "a collection of polygons") in layer.repairs[0].problem


def test_lines_count_where_lines_are_meant(tmp_path, read):
    lines = [shapely.LineString([(0, 0), (9, 0)]), shapely.from_wkt("GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(LINESTRING(0 0,5 0)),POINT(1 1))"), shapely.Point(0, 0), shapely.LineString([(1, 1), (1, 1)])]  # fmt: skip
    frame(lines).to_file(tmp_path / "s.gpkg")
    layer = read(tmp_path / "s.gpkg", "streams")
    assert layer.frame["status"].tolist() == ["ok", "ok", "collapsed", "collapsed"]
    assert layer.frame.length.fillna(0).tolist() == [9, 5, 0, 0]


def test_a_layer_of_several_must_be_named(tmp_path, read):
    for name in ("zoning", "parcels"):
        frame([shapely.box(0, 0, 10, 10)]).to_file(tmp_path / "p.gpkg", layer=name)
    with pytest.raises(SourceError, match=r"2 layers and none is named(.|\n)*zoning, parcels"):
        read(tmp_path / "p.gpkg")
    with pytest.raises(SourceError, match=r"no layer 'parcel'(.|\n)*zoning, parcels"):
        read(tmp_path / "p.gpkg", layer="parcel")
    assert read(tmp_path / "p.gpkg", layer="parcels").name == "parcels"


def test_a_field_that_is_not_there(write_shapefile, read):
    for key in ("id", "plan", "phase"):
        with pytest.raises(SourceError, match=r"no field 'PINN'(.|\n)*Its fields are ID"):
            read(write_shapefile([[cw(0, 0, 10, 10)]]), "disturbance", **{key: "PINN"})


def test_fields_that_are_named_are_read_and_no_others(tmp_path):
    frame([shapely.box(0, 0, 10, 10)], SITE=["S-1"], PLAN_=[7], PH=[None], CUT=[12.5], OWNER=["N. N."]).to_file(
        tmp_path / "s.gpkg"
    )
    source = LayerSource(
        "disturbance", str(tmp_path / "s.gpkg"), id="site", plan="PLAN_", phase="PH", facts={"excavated_volume": FactField("CUT", "yd3")},
    )  # fmt: skip
    layer = read_layer(source)
    assert layer.frame[["id", "plan", "phase"]].iloc[0].tolist() == ["S-1", "7", None]
    assert [c for c in layer.frame if c.startswith("field:")] == ["field:SITE", "field:PLAN_", "field:PH", "field:CUT"]


@pytest.mark.parametrize("missing", [True, False], ids=["no column named", "column named"])
def test_surface_and_connection(tmp_path, missing):
    words = ["yes", "N", "TRUE", "f", "1", "0", "?", "", None, " Y "]
    status = ["existing", "Proposed", "REMOVED"] + ["existing"] * 7
    frame([shapely.box(0, 0, 10, 10)] * 10, C=words, S=status).to_file(tmp_path / "i.gpkg")
    keys = {} if missing else {"connected": "C", "status": "S"}
    layer = read_layer(LayerSource("impervious", str(tmp_path / "i.gpkg"), **keys))
    if missing:
        assert layer.frame["connected"].isna().all()
        assert layer.frame["surface"].isna().all()
    else:
        assert layer.frame["connected"].tolist() == [True, False, True, False, True, False, None, None, None, True]
        assert layer.frame["surface"].tolist()[:3] == ["existing", "proposed", "removed"]


@pytest.mark.parametrize(
    ("values", "field", "match"),
    [
        (["existing", "demolished"], "status", r"'demolished' in 1 record"),
        (["existing", None], "status", "says nothing"),
        (["yes", "maybe"], "connected", "'maybe'"),
        ([1, 2], "connected", "'2'"),
    ],
)
def test_unknown_words_name_their_record(tmp_path, values, field, match):
    frame([shapely.box(0, 0, 10, 10)] * 2, W=values).to_file(tmp_path / "i.gpkg")
    with pytest.raises(SourceError, match=match) as caught:
        read_layer(LayerSource("impervious", str(tmp_path / "i.gpkg"), **{field: "W"}))
    assert caught.value.problems[0].place.record == 2


@pytest.mark.parametrize("suffix", ["gpkg", "shp", "geojson", "parquet", "fgb"])
@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("Z = 'AE'", ["1", "3"]),
        ("Z IN ('AE', 'X') AND N > 1", ["2", "3"]),
        ("Z IS NULL", ["4"]),
        ("N >= 2 AND NOT Z = 'X'", ["3"]),
        ("Z LIKE 'A%'", ["1", "3"]),
    ],
)
def test_where_means_the_same_in_every_format(tmp_path, suffix, where, kept):
    data = frame(
        [shapely.box(20 * i, 0, 20 * i + 10, 10) for i in range(4)],
        ID=list("1234"),
        Z=["AE", "X", "AE", None],
        N=[1, 2, 3, 4],
    )
    path = tmp_path / f"z.{suffix}"
    data = data.to_crs(4326) if suffix == "geojson" else data
    data.to_parquet(path) if suffix == "parquet" else data.to_file(path)
    layer = read_layer(LayerSource("floodplain", str(path), where=where, id="ID"))
    assert sorted(layer.frame["id"]) == kept  # FlatGeobuf orders its records by place
    assert layer.records == len(kept)


@pytest.mark.parametrize("suffix", ["gpkg", "shp", "geojson"])
@pytest.mark.parametrize("where", ["NOPE = 1", "Z = = 2", "1; DROP TABLE layer", '"NOPE" = 1'])
def test_a_filter_that_is_none_is_refused(tmp_path, suffix, where):
    data = frame([shapely.box(0, 0, 10, 10)], Z=["AE"])
    data = data.to_crs(4326) if suffix == "geojson" else data
    data.to_file(tmp_path / f"z.{suffix}")
    with pytest.raises(SourceError) as caught:
        read_layer(LayerSource("floodplain", str(tmp_path / f"z.{suffix}"), where=where))
    assert caught.value.exit_code == 3


def test_problems_of_several_layers_come_together(tmp_path, write_shapefile):
    sources = {
        "parcels": LayerSource("parcels", str(tmp_path / "gone.shp")),
        "wetland": LayerSource("wetland", str(write_shapefile([[cw(0, 0, 9, 9)]])), id="NOPE"),
    }
    with pytest.raises(SourceError) as caught:
        read_layers(sources)
    assert [p.code for p in caught.value.problems] == ["missing-file", "unknown-field"]


def municipality(tmp_path):
    towns = frame([shapely.box(0, 0, 100, 100), shapely.box(100, 0, 200, 100)], NAME=["Village of Elm", "Town of Oak"])
    towns.to_file(tmp_path / "towns.gpkg")
    return LayerSource("municipality", str(tmp_path / "towns.gpkg"), id="NAME")


def test_the_jurisdiction_is_chosen_by_name(tmp_path):
    layers = read_layers({"municipality": municipality(tmp_path)}, jurisdiction="village of elm")
    assert layers["municipality"].records == 1
    assert layers["municipality"].frame.area.sum() == 10_000
    assert read_layers({"municipality": municipality(tmp_path)})["municipality"].records == 2


def test_an_unknown_jurisdiction_lists_the_names(tmp_path):
    with pytest.raises(SourceError, match=r"Village of Elm"):
        read_layers({"municipality": municipality(tmp_path)}, jurisdiction="City of Elm")


@pytest.mark.parametrize(
    ("coverage", "area", "note"),
    [
        ("", 10_000, "not stated: taken to cover the jurisdiction"),
        ("jurisdiction", 10_000, "the jurisdiction"),
        ("extent", 400, "the extent of its records"),
        ("panel.gpkg", 2_500, "panel.gpkg"),
    ],
)
def test_coverage(tmp_path, coverage, area, note):
    frame([shapely.box(0, 0, 50, 50)]).to_crs(2289).to_file(tmp_path / "panel.gpkg")
    frame([shapely.box(0, 0, 5, 20), shapely.box(10, 5, 20, 20)]).to_file(tmp_path / "w.gpkg")
    stated = str(tmp_path / coverage) if "." in coverage else coverage
    sources = {
        "municipality": municipality(tmp_path),
        "wetland": LayerSource("wetland", str(tmp_path / "w.gpkg"), coverage=stated),
    }
    wetland = read_layers(sources, jurisdiction="Village of Elm")["wetland"]
    assert wetland.coverage.area == pytest.approx(area, rel=1e-6)
    assert wetland.coverage_note == note


def test_coverage_without_a_jurisdiction(tmp_path):
    frame([shapely.box(0, 0, 5, 20)]).to_file(tmp_path / "w.gpkg")
    plain = read_layers({"wetland": LayerSource("wetland", str(tmp_path / "w.gpkg"))})["wetland"]
    assert plain.coverage is None
    assert "every site" in plain.coverage_note
    with pytest.raises(SourceError, match="municipality"):
        read_layers({"wetland": LayerSource("wetland", str(tmp_path / "w.gpkg"), coverage="jurisdiction")})


def test_progress_and_derived_layers(tmp_path):
    frame([shapely.box(0, 0, 5, 20)]).to_file(tmp_path / "w.gpkg")
    seen = []
    sources = {
        "wetland": LayerSource("wetland", str(tmp_path / "w.gpkg")),
        "shoreland": LayerSource("shoreland", derive={"near": {"lakes": "1000 ft"}}),
        "cover_raster": LayerSource("cover_raster", "cover.tif"),
    }
    assert list(read_layers(sources, progress=lambda role, layer: seen.append((role, layer.used)))) == ["wetland"]
    assert seen == [("wetland", 1)]


def test_fingerprints_follow_the_content(write_shapefile, read, tmp_path):
    path = write_shapefile([[cw(0, 0, 10, 10)]])
    first = read(path).sha256
    shutil.copytree(tmp_path, tmp_path / "copy")
    assert read(tmp_path / "copy" / path.name).sha256 == first
    path.with_suffix(".dbf").write_bytes(path.with_suffix(".dbf").read_bytes().replace(b"1  ", b"2  "))
    assert read(path).sha256 != first


def test_a_folder_without_permission_is_a_clear_refusal(tmp_path, read):
    (tmp_path / "d.shp").mkdir()
    with pytest.raises(SourceError):
        read(tmp_path / "d.shp")


@pytest.mark.parametrize("count", [1, 50_000])
def test_rows_are_numbered_without_an_identifier(tmp_path, count):
    x = np.arange(count) * 2.0
    gpd.GeoDataFrame(geometry=shapely.box(X + x, Y, X + x + 1, Y + 1), crs=8104).to_parquet(tmp_path / "p.parquet")
    layer = read_layer(LayerSource("parcels", str(tmp_path / "p.parquet")))
    assert layer.frame["id"].iloc[[0, -1]].tolist() == ["1", str(count)]
    assert layer.used == count
