"""Parcel records into parcels: merged, repeated, stacked, nameless, labels."""

from __future__ import annotations

import time

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pyproj import CRS

from geocheck.model.ground import Layer, LayerSource
from geocheck.sources.inherited import compare_inherited
from geocheck.sources.records import is_label, is_placeholder, mark_parcels


def parcels(rows, status="ok", **columns):
    ids, shapes = zip(*rows, strict=True)
    frame = gpd.GeoDataFrame(
        {"record": np.arange(1, len(rows) + 1), "id": list(ids), "status": status, **columns},
        geometry=gpd.GeoSeries([s if s is None else shapely.box(*s) for s in shapes], crs=8104),
    )
    frame["id"] = frame["id"].astype(object).where(frame["id"].notna(), None)
    used = int(frame.geometry.notna().sum())
    return Layer("parcels", LayerSource("parcels", id="PIN"), frame, CRS.from_epsg(8104), records=len(rows), used=used)


def test_repeated_identifiers_two_reasons_two_answers():
    rows = [("X", (0, 0, 10, 10)), ("X", (20, 0, 30, 10)), ("Y", (40, 0, 50, 10)), ("Y", (40, 0, 50, 10)), (None, (60, 0, 70, 10)), (None, (80, 0, 90, 10))]  # fmt: skip
    got = mark_parcels(parcels(rows)).frame
    assert got["status"].tolist() == ["merged of 2 records", "part of record 1", "merged of 2 records", "duplicate of record 3", "ok", "ok"]  # fmt: skip
    assert got["subject"].tolist() == [0, 0, 2, 2, 4, 5]
    ground = got.dissolve("subject").area
    assert ground.tolist() == [200, 100, 100, 100]


def test_condominiums_are_stacked():
    got = mark_parcels(parcels([(f"U{i}", (0, 0, 100, 100)) for i in range(9)])).frame
    assert got["status"].unique().tolist() == ["stacked with 8 others"]
    assert got["subject"].tolist() == list(range(9))
    assert got["stack"].nunique() == 1


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(shapely.Polygon([(100, 100), (0, 100), (0, 0), (100, 0)]), id="another start and direction"),
        pytest.param(shapely.Polygon([(0, 0), (50, 0), (100, 0), (100, 100), (0, 100)]), id="a vertex more on an edge"),
        pytest.param(shapely.MultiPolygon([shapely.box(0, 0, 100, 100)]), id="as a multipolygon"),
    ],
)
def test_one_outline_drawn_in_two_ways_is_one_ground(other):
    layer = parcels([("A", (0, 0, 100, 100)), ("B", (0, 0, 100, 100))])
    layer.frame.geometry = gpd.GeoSeries([layer.frame.geometry.iloc[0], other], crs=8104)
    assert mark_parcels(layer).frame["status"].tolist() == ["stacked with 1 other"] * 2


def test_neighbours_of_equal_size_are_not_stacked():
    got = mark_parcels(parcels([("A", (0, 0, 10, 10)), ("B", (10, 0, 20, 10)), ("C", (0, 0, 10, 10.001))])).frame
    assert got["status"].tolist() == ["ok"] * 3


def test_three_records_of_one_parcel_one_repeated_one_without_ground():
    rows = [("P", None), ("P", (0, 0, 1, 1)), ("P", (5, 0, 6, 1)), ("P", (5, 0, 6, 1))]
    got = mark_parcels(parcels(rows, status=["no geometry", "repaired", "ok", "ok"])).frame
    assert got["status"].tolist() == [
        "no geometry; part of record 2", "repaired; merged of 4 records", "part of record 2", "duplicate of record 3",
    ]  # fmt: skip
    assert got["subject"].tolist() == [-1, 1, 1, 1]


def test_stacked_and_merged_at_once():
    rows = [("A", (0, 0, 10, 10)), ("B", (0, 0, 10, 10)), ("A", (0, 0, 10, 10))]
    got = mark_parcels(parcels(rows)).frame
    assert got["status"].tolist() == ["merged of 2 records; stacked with 1 other", "stacked with 1 other", "duplicate of record 1"]  # fmt: skip


def test_records_without_identifier_are_never_merged():
    for nameless in ("---", "-", "--MD", "--R", "RR", "NO PIN", None, "000", " n/a "):
        got = mark_parcels(parcels([(nameless, (0, 0, 1, 1)), (nameless, (5, 0, 6, 1)), ("1", (9, 9, 10, 10))])).frame
        assert got["subject"].tolist() == [0, 1, 2], nameless


def test_labels_are_no_parcels():
    rows = [(w, (i, 0, i + 1, 1)) for i, w in enumerate(["ROW", "ROAD", "HYDRO", "WATER", "GAP", "OVERLAP", "NO PIN - ROW", "171-1"])]  # fmt: skip
    layer = mark_parcels(parcels(rows))
    assert layer.frame["status"].tolist() == ["label, not a parcel"] * 7 + ["ok"]
    assert layer.frame["subject"].tolist() == [-1] * 7 + [7]
    assert layer.used == 1
    assert layer.records == 8


@pytest.mark.parametrize(
    "word", ["row", "Road", "R/W", "Right of Way", "no pin - water", "HYDRO/ROW", "OVERLAP-GAP", "alley"]
)
def test_labels(word):
    assert is_label(word)


@pytest.mark.parametrize(
    "word", ["ROW-12", "12 ROAD", "A", "X", "BROADWAY", "ROWE", "NO PIN", "--R", "055ROW1", "GAPS 1"]
)
def test_not_labels(word):
    assert not is_label(word)


@pytest.mark.parametrize("word", ["X", "1-1109", "A1", "0001", "é", "RRR", "N", "T8-0123", "00-10-0"])
def test_identifiers(word):
    assert not is_placeholder(word)


def test_rows_without_an_identifier_field_are_each_a_parcel():
    layer = parcels([("1", (0, 0, 1, 1)), ("2", (2, 0, 3, 1))])
    layer = mark_parcels(Layer("parcels", LayerSource("parcels"), layer.frame, layer.crs, records=2, used=2))
    assert layer.frame["status"].tolist() == ["ok", "ok"]


def test_a_county_is_marked_in_about_a_second():
    x, y = np.meshgrid(np.arange(317) * 10.0, np.arange(317) * 10.0)
    shapes = shapely.box(x.ravel(), y.ravel(), x.ravel() + 9, y.ravel() + 9)
    ids = np.char.add("P", (np.arange(len(shapes)) // 2).astype(str)).astype(object)
    frame = gpd.GeoDataFrame({"id": ids, "status": "ok"}, geometry=gpd.GeoSeries(shapes, crs=8104))
    layer = Layer("parcels", LayerSource("parcels", id="PIN"), frame, CRS.from_epsg(8104), used=len(shapes))
    started = time.process_time()
    got = mark_parcels(layer).frame
    assert time.process_time() - started < 8  # every record repeated: far more than a county has
    assert (got["subject"] % 2 == 0).all()


def test_inherited_areas_are_compared_and_not_believed():
    layer = parcels([("A", (0, 0, 100, 100)), ("B", (0, 0, 100, 100)), ("C", (0, 0, 100, 100))])
    frame = layer.frame.assign(**{"field:GISACRES": ["0.2296", "0.25", None], "field:Shape_Area": [10000.0, 10050.0, 12000.0], "field:OWNER": "x"})  # fmt: skip
    layer = Layer("parcels", layer.source, frame, layer.crs)
    metres = np.full(3, 10000 * float(1200 / 3937) ** 2)
    notes = compare_inherited(layer, np.full(3, 10000.0), metres)
    assert len(notes) == 2
    assert any("GISACRES" in n and "1 of 2" in n and "record 2" in n for n in notes)
    assert any("Shape_Area" in n and "1 of 3" in n and "record 3" in n for n in notes)
    assert compare_inherited(layer, np.full(3, np.nan), None) == ()


def test_a_large_area_is_told_in_figures():
    layer = parcels([("A", (0, 0, 1000, 1000))])
    layer = Layer("parcels", layer.source, layer.frame.assign(**{"field:SQFT": [1_445_000.0]}), layer.crs)
    (note,) = compare_inherited(layer, np.array([1_699_874.0]))
    assert "1,445,000 stated, 1,699,870 measured" in note
