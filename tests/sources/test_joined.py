"""One role from several files: records one after another, the worst accuracy, the ground that all of them cover."""

from __future__ import annotations

import geopandas as gpd
import pytest
import shapely
from shapely import box

from geocheck.model.ground import LayerSource
from geocheck.model.quantity import parse_quantity
from geocheck.sources.joined import expanded, joined
from geocheck.sources.read import read_layers
from geocheck.sources.reference import bring_together, questions_in

X, Y = 362000, 184000


def write(folder, name, boxes, crs=8104, **columns):
    shapes = [None if b is None else box(b[0] + X, b[1] + Y, b[2] + X, b[3] + Y) for b in boxes]
    frame = gpd.GeoDataFrame({"ID": [f"{name}{i}" for i in range(len(boxes))], **columns}, geometry=gpd.GeoSeries(shapes, crs=8104))  # fmt: skip
    frame.to_crs(crs).to_file(folder / f"{name}.gpkg")
    return str(folder / f"{name}.gpkg")


def read(role, *parts):
    sources = {role: LayerSource(role, parts=tuple(LayerSource(role, **keys) for keys in parts))}
    ground = bring_together(read_layers(expanded(sources)), basis="grid", measure_crs="EPSG:8104")
    return joined(ground.layers, sources)[role]


@pytest.mark.parametrize("crs", [8104, 3071, 4152])
def test_records_count_on_and_lie_in_one_system(tmp_path, crs):
    one = write(tmp_path, "one", [(0, 0, 10, 10), None])
    two = write(tmp_path, "two", [(5, 0, 15, 10), (20, 0, 30, 10)], crs)
    layer = read("wetland", {"source": one, "id": "ID", "accuracy": parse_quantity("5 ft").value}, {"source": two, "id": "ID"})  # fmt: skip
    assert layer.frame["record"].tolist() == [1, 2, 3, 4]
    assert layer.frame["id"].tolist() == ["one0", "one1", "two0", "two1"]
    assert (layer.records, layer.used, layer.without_geometry) == (4, 3, 1)
    assert shapely.union_all(layer.frame.geometry.dropna().to_numpy()).area == pytest.approx(250, rel=1e-6)
    assert str(layer.source.accuracy) == "5 ft" and any("no accuracy is stated for" in n for n in layer.notes)


@pytest.mark.parametrize(
    ("first", "second", "area"),
    [
        pytest.param((0, 0, 100, 100), (50, 0, 150, 100), 5_000, id="what both cover"),
        pytest.param((0, 0, 100, 100), None, 10_000, id="one states none and is taken to cover all"),
        pytest.param(None, (0, 0, 100, 50), 5_000, id="the other"),
        pytest.param((0, 0, 10, 10), (50, 0, 60, 10), 0, id="nothing that both cover"),
        pytest.param(None, None, None, id="neither"),
    ],
)
def test_the_layer_covers_what_every_file_covers(tmp_path, first, second, area):
    parts = []
    for name, covered in (("a", first), ("b", second)):
        coverage = write(tmp_path, f"ground{name}", [covered]) if covered else ""
        parts.append({"source": write(tmp_path, name, [(0, 0, 10, 10)]), "coverage": coverage})
    found = read("wetland", *parts).coverage
    assert (None if found is None else pytest.approx(found.area, rel=1e-6)) == area


def test_a_file_without_a_status_beside_one_with_is_asked_about(tmp_path):
    roofs = {"source": write(tmp_path, "roofs", [(0, 0, 10, 10)])}
    drives = {"source": write(tmp_path, "drives", [(20, 0, 30, 10)], ST=["proposed"]), "status": "ST"}
    layer = read("impervious", roofs, drives)
    assert [n for n in layer.notes if n.endswith("?") and "roofs.gpkg" in n]
    assert not [n for n in read("impervious", drives, drives).notes if n.endswith("?")]
    assert not [n for n in read("impervious", roofs, roofs).notes if n.endswith("?")]


@pytest.mark.parametrize("role", ["wetland", "floodplain", "streams", "impervious"])
def test_a_layer_none_of_whose_records_has_ground_says_nothing_about_any_place(tmp_path, role):
    """Its records are somewhere, and nobody knows where: nothing is outside of it."""
    sources = {"parcels": LayerSource("parcels", write(tmp_path, "parcels", [(0, 0, 10, 10)])), role: LayerSource(role, write(tmp_path, "none", [None, None]))}  # fmt: skip
    layers = read_layers(sources)
    assert layers[role].coverage.is_empty and "none of its records has ground" in layers[role].coverage_note
    some = LayerSource(role, write(tmp_path, "some", [None, (0, 0, 5, 5)]))
    assert read_layers({**sources, role: some})[role].coverage is None


@pytest.mark.parametrize(("status", "asked"), [("", True), ("ST", False)])
def test_roads_without_a_status_are_asked_about(tmp_path, status, asked):
    line = gpd.GeoSeries([shapely.LineString([(X, Y), (X + 50, Y)])], crs=8104)
    gpd.GeoDataFrame({"ST": ["existing"]}, geometry=line).to_file(tmp_path / "roads.gpkg")
    layer = read_layers({"roads": LayerSource("roads", str(tmp_path / "roads.gpkg"), status=status)})["roads"]
    assert any("count as new" in n and n.endswith("?") for n in layer.notes) is asked


@pytest.mark.parametrize("where", ["", "ID = 'nobody'"])
def test_a_layer_without_records_is_asked_about(tmp_path, where):
    path = write(tmp_path, "zone", [(0, 0, 10, 10)])
    if not where:
        gpd.read_file(path).iloc[:0].to_file(tmp_path / "zone.gpkg", geometry_type="Polygon")
    sources = {"parcels": LayerSource("parcels", write(tmp_path, "parcels", [(0, 0, 10, 10)])), "wetland": LayerSource("wetland", path, where=where)}  # fmt: skip
    ground = bring_together(read_layers(sources))
    assert ["wetland" in q and "is that right?" in q for q in questions_in(ground)] == [True]
    assert ground.layers["wetland"].coverage is None
