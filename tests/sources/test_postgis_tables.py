"""Tables and queries of a real PostGIS database as layers."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
import shapely

from geocheck.model.ground import LayerSource
from geocheck.model.problem import GroundError, SourceError, SourceIncompleteError
from geocheck.sources.fetching import fetched
from geocheck.sources.inspect import inspect_source
from geocheck.sources.read import read_layer

psycopg = pytest.importorskip("psycopg", reason="a database needs the extra postgis")

SQUARE = "POLYGON((2451000 524000, 2451100 524000, 2451100 524100, 2451000 524100, 2451000 524000))"


@pytest.fixture(scope="module")
def land(postgis_cluster):
    """A database of its own: parcels, arcs, two geometries, two systems, no system."""
    with psycopg.connect(postgis_cluster.address, autocommit=True) as base:
        base.execute("CREATE DATABASE land")
    address = postgis_cluster.address.replace("/postgres?", "/land?")
    with psycopg.connect(address) as base:
        base.execute("CREATE EXTENSION postgis")
        base.execute("CREATE SCHEMA county")
        base.execute("CREATE TABLE county.parcels (gid serial, pin text, acres numeric, seen date, more jsonb, geom geometry(Polygon, 2289))")  # fmt: skip
        for at, pin in enumerate(("0030", "0010", "0020")):
            base.execute(
                "INSERT INTO county.parcels (pin, acres, seen, more, geom) VALUES "
                "(%s, 1.5, '2026-01-01', '{\"a\": 1}', ST_Translate(ST_GeomFromText(%s, 2289), %s, 0))",
                (pin, SQUARE, 100 * at),
            )
        base.execute("INSERT INTO county.parcels (pin) VALUES ('0040')")
        base.execute("CREATE TABLE county.two (pin text, geom geometry(Polygon, 2289), label geometry(Point, 2289))")
        base.execute("CREATE TABLE county.mixed (pin text, geom geometry)")
        for system in (2289, 3071):
            base.execute("INSERT INTO county.mixed VALUES ('a', ST_GeomFromText(%s, %s))", (SQUARE, system))
        base.execute("CREATE TABLE county.nowhere (pin text, geom geometry)")
        base.execute("INSERT INTO county.nowhere VALUES ('a', ST_GeomFromText(%s))", (SQUARE,))
        base.execute("CREATE TABLE county.round (pin text, geom geometry)")
        circle = "CURVEPOLYGON(CIRCULARSTRING(2451000 524000, 2451200 524000, 2451000 524000))"
        base.execute("INSERT INTO county.round VALUES ('a', ST_GeomFromText(%s, 2289))", (circle,))
        base.execute("CREATE TABLE public.rules (pin text)")
    return address


def parcels(land, **more):
    return read_layer(LayerSource("parcels", land, **{"id": "pin", **more}))


@pytest.mark.parametrize("layer", ["county.parcels", "parcels"])
def test_a_table_is_a_layer_with_every_record(land, layer):
    found = parcels(land, layer=layer)
    assert list(found.frame["id"]) == ["0010", "0020", "0030", "0040"]
    assert found.frame.geometry.area.tolist()[:3] == [10_000.0] * 3
    assert found.crs.to_epsg() == 2289
    assert any("all 4 records" in note for note in found.notes)


def test_a_filter_and_a_query_are_the_databases_own(land):
    assert list(parcels(land, layer="county.parcels", where="pin < '0025'").frame["id"]) == ["0010", "0020"]
    query = "SELECT pin, ST_Transform(geom, 3071) AS g FROM county.parcels WHERE geom IS NOT NULL;"
    found = parcels(land, query=query, where="pin > '0010'")
    assert list(found.frame["id"]) == ["0020", "0030"] and found.crs.to_epsg() == 3071


def test_arcs_are_stroked_within_a_thousandth(land):
    (area,) = parcels(land, layer="county.round").frame.geometry.area
    assert area == pytest.approx(3.141592653589793 * 100**2, rel=1e-3)


def test_a_geometry_without_a_system_is_refused_until_one_is_named(land):
    with pytest.raises(GroundError, match="system"):
        parcels(land, layer="county.nowhere")
    assert parcels(land, layer="county.nowhere", crs="EPSG:2289").crs.to_epsg() == 2289


@pytest.mark.parametrize(
    "named, said",
    [
        ({"layer": "county.two"}, "several columns of geometry: geom, label"), ({"layer": "county.mixed"}, "SRID 2289, 3071"),
        ({"layer": "county.parcel"}, r"no table 'county.parcel'[\s\S]*county.parcels"), ({}, r"no table is named[\s\S]*county.parcels"),
        ({"query": "SELECT pin FROM county.parcels"}, "no column is a geometry"), ({"query": "SELEC 1"}, "refuses what is asked: syntax error"),
        ({"layer": "county.parcels", "where": "pim = '1'"}, 'column "pim" does not exist'),
        ({"layer": "county.parcels", "query": "SELECT 1"}, "both a table and a query"),
        ({"query": "DELETE FROM county.parcels RETURNING *"}, "refuses what is asked"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_what_there_is(land, named, said):
    with pytest.raises(SourceError, match=said):
        parcels(land, **named)
    assert len(parcels(land, layer="county.parcels").frame) == 4


def test_a_query_that_writes_writes_nothing(land):
    query = "SELECT pin, geom, setval('county.parcels_gid_seq', 900) FROM county.parcels"
    with pytest.raises(SourceError, match="read-only"):
        parcels(land, query=query)


def test_the_same_records_are_the_same_copy_in_whatever_order_they_come(land, tmp_path):
    copies = []
    for way in ("ASC", "DESC"):
        query = f"SELECT * FROM county.parcels ORDER BY pin {way}"
        copy = fetched(LayerSource("parcels", land, query=query, id="pin"), tmp_path / way).copy
        copies.append(Path(copy.file).read_bytes())
    assert copies[0] == copies[1]
    (told,) = (tmp_path / "ASC").rglob("record.json")
    assert json.loads(told.read_text())["records"] == 4


def test_a_password_is_not_shown(land, tmp_path):
    address = land.replace("postgres@/land?", "postgres:s3cr3t@/land?")
    layer = fetched(LayerSource("parcels", address, layer="county.parcels"), tmp_path)
    assert "s3cr3t" not in repr(layer)
    assert all("s3cr3t" not in file.read_text() for file in tmp_path.rglob("record.json"))
    with pytest.raises(SourceIncompleteError) as caught:
        parcels("postgresql://gis:s3cr3t@127.0.0.1:1/land", layer="county.parcels")
    assert "s3cr3t" not in str(caught.value) and "gis:***@" in str(caught.value)
    assert caught.value.exit_code == 5


def test_a_connection_that_ends_in_the_middle_is_one_error_and_no_smaller_county(land):
    query = (
        "SELECT 'p' || n AS pin, ST_GeomFromText('" + SQUARE + "', 2289) AS geom FROM generate_series(1, 400000) AS n"
    )
    with psycopg.connect(land, autocommit=True) as other:
        end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND pid <> pg_backend_pid()"  # fmt: skip
        done = threading.Event()

        def cut():
            while not done.is_set() and not other.execute(end).fetchone()[0]:
                pass

        thread = threading.Thread(target=cut)
        thread.start()
        try:
            with pytest.raises(SourceIncompleteError, match="does not give its records"):
                parcels(land, query=query)
        finally:
            done.set()
            thread.join()


def test_inspect_lists_the_tables_and_looks_into_one(land):
    listed = inspect_source(land)
    assert "county.parcels" in [layer.name for layer in listed.layers]
    assert listed.format == "PostGIS"
    (layer,) = inspect_source(land, layer="county.parcels").layers
    assert layer.records == 4 and "pin" in layer.fields and shapely.box(*layer.extent).area > 0
