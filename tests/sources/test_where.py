"""Filters: fields in any case, kinds of values, names that trap SQL, and filters that keep nothing."""

from __future__ import annotations

import geopandas as gpd
import pytest
import shapely

from geocheck.model.ground import LayerSource
from geocheck.sources.read import read_layer

FRAME = gpd.GeoDataFrame(
    {"ID": list("abc"), "CODE": ["503", "508", "0503"], "rowid": [9, 8, 7], "select": [1.5, None, 2.5], "OK": [True, False, True]},
    geometry=[shapely.box(362000 + i, 184000, 362001 + i, 184001) for i in range(3)],
    crs=8104,
)  # fmt: skip


def ids(folder, suffix, where):
    path = folder / f"a.{suffix}"
    FRAME.to_parquet(path) if suffix == "parquet" else FRAME.to_file(path)
    return read_layer(LayerSource("wetland", str(path), id="ID", where=where)).frame["id"].tolist()


@pytest.mark.parametrize("suffix", ["shp", "parquet"])
@pytest.mark.parametrize(
    ("where", "kept"),
    [
        pytest.param("CODE = 503", ["a"], id="a number against text"),
        pytest.param("CODE = '503'", ["a"], id="text"),
        pytest.param("code IN ('503', '508')", ["a", "b"], id="another case"),
        pytest.param("rowid = 7", ["c"], id="a field named as SQLite's own"),
        pytest.param('"select" > 2', ["c"], id="a field named as a word of SQL"),
        pytest.param('"select" IS NULL', ["b"], id="null"),
        pytest.param("rowid = '8'", ["b"], id="text against a number"),
        pytest.param("ID = 'a' OR ID = 'c'", ["a", "c"], id="or"),
        pytest.param("CAST(CODE AS integer) = 503", ["a", "c"], id="cast"),
        pytest.param("ID = 'it''s'", [], id="a quote in a text"),
        pytest.param("""ID = '"x"'""", [], id="double quotes in a text"),
    ],
)
def test_filters(tmp_path, suffix, where, kept):
    assert ids(tmp_path, suffix, where) == kept


@pytest.mark.parametrize("suffix", ["shp", "gpkg", "parquet"])
def test_a_filter_that_keeps_nothing_says_so(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    FRAME.to_parquet(path) if suffix == "parquet" else FRAME.to_file(path)
    layer = read_layer(LayerSource("floodplain", str(path), where="ID = 'z'", coverage="extent"))
    assert layer.records == 0
    assert any("keeps none" in n for n in layer.notes)


def test_a_layer_without_records_says_so(tmp_path):
    FRAME.iloc[:0].to_file(tmp_path / "a.gpkg")
    layer = read_layer(LayerSource("floodplain", str(tmp_path / "a.gpkg")))
    assert any("no record" in n for n in layer.notes)


@pytest.mark.parametrize(
    "where", ["load_extension('x') = 1", "1; DELETE FROM layer", "ID = 'a') OR (1 = 1; DROP TABLE layer"]
)
def test_a_filter_reads_its_layer_only(tmp_path, where):
    from geocheck.model.problem import SourceError

    with pytest.raises(SourceError):
        ids(tmp_path, "shp", where)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_vertices_without_coordinates_cost_their_record(tmp_path, value):
    broken = shapely.Polygon([(362000, 184000), (362009, 184000), (362009, value), (362000, 184009)])
    frame = gpd.GeoDataFrame({"ID": ["1", "2"]}, geometry=[broken, FRAME.geometry.iloc[0]], crs=8104)
    frame.to_parquet(tmp_path / "a.parquet")
    layer = read_layer(LayerSource("wetland", str(tmp_path / "a.parquet"), id="ID"))
    assert layer.frame["status"].tolist() == ["geometry lost", "ok"]
    assert layer.lost == 1
    assert not layer.doubts
