"""Families of inputs with one right answer each, run as files from end to end."""

from __future__ import annotations

import csv
import random
import sqlite3

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely
from pyproj import CRS
from shapely.affinity import affine_transform, rotate, translate
from shapely.geometry import MultiPolygon, Polygon, box

from geocheck import reports
from geocheck.model.problem import GroundError

VILLAGE = "us/wi/washington-county-village/87-5"
LL = Polygon([(-88.183, 43.425), (-88.182, 43.425), (-88.182, 43.426), (-88.183, 43.426)])


def rows(result):
    return result.parcels.set_index("parcel_id")


@pytest.mark.parametrize("label", [8104, 3857, 2289, 26916])
def test_degrees_under_another_label_give_no_area_until_the_office_says_what_they_are(world, label):
    made = world(label).add("parcels", {"P": LL}, move=False)
    with pytest.raises(GroundError, match="longitude and latitude") as caught:
        made.run()
    assert (
        caught.value.exit_code == 3
        and "parcels" in str(caught.value)
        and CRS.from_epsg(label).name in str(caught.value)
    )
    made.add("parcels", {"P": LL}, move=False, keys="crs: EPSG:4326, override_crs: yes")
    result = made.run()
    assert rows(result).loc["P", "area_ft2"] == pytest.approx(96_837.8, rel=1e-3)
    assert any("4326" in note for note in result.findings.layers["parcels"].notes)


def test_acres_and_square_feet_say_the_same_in_every_output(world, tmp_path):
    spot = random.Random(3)
    shapes = {f"P{n}": translate(rotate(box(0, 0, spot.uniform(1, 900), spot.uniform(1, 900)), spot.uniform(0, 90)), 1500 * n) for n in range(8)}  # fmt: skip
    result = world().add("parcels", shapes).add("floodplain", [box(0, 0, 5000, 300)]).run()
    names = [
        "parcels.csv",
        "parcels.parquet",
        "parcels.shp",
        "parcels.geojson",
        "geocheck.gpkg",
        "geocheck.xlsx",
        "parcels.json",
    ]
    names = [name for name in names if name in reports.output_names()]
    assert {"parcels.csv", "parcels.shp", "parcels.geojson", "geocheck.gpkg", "geocheck.xlsx"} <= set(names)
    reports.write(result.findings, tmp_path, names)
    openpyxl = pytest.importorskip("openpyxl")
    sheet = openpyxl.load_workbook(tmp_path / "geocheck.xlsx")["parcels"].values
    tables = {"geocheck.xlsx": pd.DataFrame(sheet, columns=next(sheet))}
    tables["parcels.csv"] = pd.read_csv(tmp_path / "parcels.csv")
    tables["parcels.parquet"] = geopandas.read_parquet(tmp_path / "parcels.parquet")
    tables["geocheck.gpkg"] = geopandas.read_file(tmp_path / "geocheck.gpkg", layer="parcels")
    tables["parcels.geojson"] = geopandas.read_file(tmp_path / "parcels.geojson")
    with (tmp_path / "parcels.fields.csv").open(encoding="utf-8", newline="") as file:
        long = {row["short"]: row["long"] for row in csv.DictReader(file)}
    tables["parcels.shp"] = geopandas.read_file(tmp_path / "parcels.shp").rename(columns=long)
    plain = result.parcels.area_ft2.to_numpy()
    for name, table in tables.items():
        feet, acres = (table[column].to_numpy(dtype=float) for column in ("area_ft2", "area_acre"))
        # What is written is rounded: to six places of an acre, a twentieth of a square foot.
        assert acres * 43_560 == pytest.approx(feet, rel=1e-6, abs=0.05), name
        assert feet == pytest.approx(plain, abs=0.01), name


@pytest.mark.parametrize(
    "way", ["areas that agree", "acres that do not", "feet that do not", "metres under a layer in feet"]
)
def test_areas_that_came_with_the_parcels_are_compared_and_never_used(world, grid, way):
    column, stated, said = {
        "areas that agree": ("GISACRES", 10_000 / 43_560, False),
        "acres that do not": ("GISACRES", 0.25, True),
        "feet that do not": ("Shape_Area", 10_300.0, True),
        "metres under a layer in feet": ("Shape_Area", 10_000 * (1200 / 3937) ** 2, True),
    }[way]
    made = (
        world().say(*grid(8104)).add("parcels", [box(0, 0, 100, 100)], keys="id: PIN", PIN=["P"], **{column: [stated]})
    )
    result = made.run()
    assert rows(result).loc["P", "area_ft2"] == pytest.approx(10_000)
    assert any(column in note for note in result.findings.notes) is said


def test_a_datum_that_was_labelled_as_another_is_reported_where_it_leaves_the_jurisdiction(world):
    """A NAD27 delivery labelled NAD83 lies six miles east and still inside the county: only the jurisdiction shows it."""
    parcel = box(2482677.07, 524619.81, 2482777.07, 524719.81)
    here = geopandas.GeoSeries([parcel], crs=32054).to_crs(2289).iloc[0]
    assert here.distance(parcel) == pytest.approx(31_523, rel=0.01)
    for label, told in ((2289, True), (32054, False)):
        made = world(2289).add("parcels", {"P": parcel}, move=False, crs=label)
        made.add("municipality", [here.buffer(3000)], move=False).add("floodplain", [here.buffer(500)], move=False)
        result = made.run()
        notes = " ".join(result.findings.layers["parcels"].notes)
        assert ("reference system" in notes) is told, notes
        assert rows(result).loc["P", "floodplain_member"] == ("not checked" if told else "inside")


@pytest.mark.parametrize("code", [8104, 2289, 3071, 26916])
@pytest.mark.parametrize("name", ["", "An office's own name"])
def test_a_system_in_other_words_is_the_same_system(world, code, name):
    lower_left = {8104: (362000, 184000), 2289: (2451000, 524000), 3071: (667000, 329000), 26916: (404000, 4808000)}[
        code
    ]
    parcel = translate(box(0, 0, 500, 500), *lower_left)
    words = CRS.from_epsg(code).to_wkt("WKT1_ESRI")
    if name:
        words = words.replace(words.split('"')[1], name, 1)
    made = world(8104).add("floodplain", [parcel], move=False, crs=code)
    frame = geopandas.GeoDataFrame({"ID": ["P"]}, geometry=[parcel], crs=code)
    frame.to_file(made.folder / "parcels.shp")
    (made.folder / "parcels.prj").write_text(words)
    made.layers["parcels"] = "  parcels: {source: parcels.shp, id: ID}"
    result = made.run()
    both = [result.findings.layers[role].frame.geometry.iloc[0] for role in ("parcels", "floodplain")]
    assert both[0].equals(both[1])
    assert rows(result).loc["P", "floodplain_member"] == "inside"
    assert not any("datum" in note for layer in result.findings.layers.values() for note in layer.notes)


# Overlap and contact at once: the two have these square feet in common, and points or lines beside them.
A = Polygon([(0, 0), (0, 3), (2, 3), (2, 1), (1, 2)])
MIXED = [
    pytest.param(A, Polygon([(0, 0), (0, 1), (2, 1), (2, 0)]), 0.25, id="a point beside"),
    pytest.param(box(0, 0, 4, 4) - box(1, 1, 3, 5), box(0, 3, 4, 5) - box(1.5, 2, 2.5, 6), 2.0, id="two pieces"),
    pytest.param(box(0, 0, 2, 2) | box(2, 0, 4, 1), Polygon([(1, 1), (4, 1), (4, 2), (1, 2)]), 1.0, id="a line beside"),
    pytest.param(Polygon([(0, 0), (4, 0), (4, 4), (3, 1), (1, 1), (0, 4)]), Polygon([(0, 3), (4, 3), (4, 4), (0, 4)]), 1 / 3, id="two tips"),
    pytest.param(box(0, 0, 1, 1), box(1, 1, 2, 2), 0.0, id="nothing but a point"),
    pytest.param(box(0, 0, 1, 1), box(1, 0, 2, 1), 0.0, id="nothing but a line"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "common"), MIXED)
@pytest.mark.parametrize("scale", [1, 100])
def test_contact_beside_an_overlap_adds_nothing(world, grid, one, other, common, scale):
    one, other = (affine_transform(shape, [scale, 0, 0, scale, 0, 0]) for shape in (one, other))
    made = world().say(*grid(8104)).add("parcels", {"P": one}).add("floodplain", [other])
    row = rows(made.run()).loc["P"]
    assert row.floodplain_area_ft2 == pytest.approx(common * scale**2, rel=1e-6, abs=1e-9)
    assert row.floodplain_member == ("partly" if common else "touching")


@pytest.mark.parametrize("basis", ["auto", "grid"])
def test_two_hundred_placements_of_one_rectangle_have_one_answer(world, grid, basis):
    spot = random.Random(11)
    shapes = {f"S{n}": translate(rotate(box(0, 0, 80, 50), spot.uniform(0, 360)), 362356 + spot.uniform(-900, 900), 184801 + spot.uniform(-900, 900)) for n in range(200)}  # fmt: skip
    below = sum(shape.area < 4000 for shape in shapes.values())
    assert 60 < below < 140  # in plain arithmetic the placement decides
    made = world().say(f"ordinances: [{VILLAGE}]", *(grid(8104) if basis == "grid" else ()))
    result = made.state(**{site: {} for site in shapes}).add("disturbance", shapes, move=False).run()
    answers = {str(result.of(site)[0].trace["(1)(a)"].truth) for site in shapes}
    best = {result.of(site)[0]["permit"].best_estimate for site in shapes}
    assert answers == ({"yes"} if basis == "grid" else {"unknown"})
    assert len(best) == 1


@pytest.mark.parametrize(
    ("lot", "strip", "covered", "of_lot", "of_strip"),
    [
        pytest.param((200, 200), 50, (40, 50), 5.0, 20.0, id="all of it in the strip"),
        pytest.param((200, 200), 50, (20, 100), 5.0, 10.0, id="half of it in the strip"),
        pytest.param((400, 100), 100, (100, 10), 2.5, 2.5, id="the strip is the lot"),
        pytest.param((100, 300), 30, (50, 200), 100 / 3, 50.0, id="more than the strip"),
    ],
)
def test_shares_of_a_lot_and_of_its_strip_along_water_are_two(world, grid, lot, strip, covered, of_lot, of_strip):
    wide, deep = lot
    made = world().say(*grid(8104))
    made.add("parcels", {"P": box(0, 0, wide, deep)}).add("impervious", [box(0, deep - covered[1], covered[0], deep)])
    made.add("lakes", [box(-9000, deep - strip + 300, 9000, 2000)])
    made.layers["shoreland"] = "  shoreland: {derive: {near: {lakes: 300 ft}}}"
    result = made.run()
    row = rows(result).loc["P"]
    assert row.impervious_pct == pytest.approx(of_lot)
    assert row.shoreland_area_ft2 == pytest.approx(wide * strip, rel=1e-4)
    shares = geopandas.GeoDataFrame(geometry=[result.parcels.geometry.iloc[0]], crs=result.parcels.crs)
    water = result.findings.layers["shoreland"].frame.geometry.union_all()
    roofs = result.findings.layers["impervious"].frame.geometry.union_all()
    inside = shares.geometry.iloc[0].intersection(water)
    assert 100 * inside.intersection(roofs).area / inside.area == pytest.approx(of_strip, rel=1e-3)


def test_every_record_is_counted_however_the_parts_lie(world, grid):
    shapes = {
        "sound": box(0, 0, 10, 10), "twice": MultiPolygon([box(20, 0, 30, 10), box(25, 0, 35, 10)]), "none": None,
        "nothing": Polygon(), "bow": Polygon([(40, 0), (50, 10), (40, 10), (50, 0)]),
        "loop": Polygon([(60, 0), (68, 0), (68, 6), (62, 6), (62, 2), (66, 2), (66, 8), (60, 8)]),
    }  # fmt: skip
    made = world().say(*grid(8104)).add("parcels", shapes).add("wetland", [box(500, 500, 600, 600)])
    result = made.run()
    table = rows(result)
    assert len(table) == len(shapes) == sum(table.status.value_counts())
    assert table.area_ft2.tolist() == pytest.approx([100, 150, np.nan, np.nan, 50, 60], nan_ok=True)
    assert np.isfinite(table.area_ft2.sum())
    assert table.loc[["none", "nothing"], "status"].tolist() == ["no geometry"] * 2
    doubted = {repair.id: repair.doubt for repair in result.findings.layers["parcels"].repairs}
    assert "ambiguous" in doubted["loop"] and not doubted["bow"] and shapely.is_valid(table.geometry.loc["loop"])
    with sqlite3.connect(":memory:") as base:  # what a reader adds up in SQL is the same
        table[["area_ft2"]].to_sql("parcels", base)
        assert base.execute("SELECT sum(area_ft2) FROM parcels").fetchone()[0] == pytest.approx(360)
