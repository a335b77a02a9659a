"""Small layers in feet of a plane, and what engines are asked about them."""

from __future__ import annotations

from fractions import Fraction

import geopandas as gpd
import pyproj
import pytest

from geocheck.engines import ENGINES
from geocheck.measures.language import Area, Both, Either, Measure, Member
from geocheck.measures.language import Layer as Leaf
from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity

CRS = pyproj.CRS(2289)
ZONES = Either((Leaf("shoreland"), Leaf("wetland"), Leaf("floodplain")))

#: Runs a test once with each engine on the shelf.
engines = pytest.mark.parametrize("engine", [ENGINES.load(name) for name in ENGINES.names()], ids=ENGINES.names())


def layer(role, shapes, accuracy=None, coverage=None, shift=0.0, doubts=(), operation="", **columns):
    names = [str(i) for i in range(len(shapes))]
    frame = gpd.GeoDataFrame(
        {"record": range(1, len(shapes) + 1), "id": names, "status": "ok"}
        | {name: list(cells) for name, cells in columns.items()},
        geometry=gpd.GeoSeries(list(shapes), crs=CRS),
    )
    source = LayerSource(role, accuracy=None if accuracy is None else Quantity(Fraction(accuracy), "ft"))
    return Layer(
        role, source, frame, CRS, coverage=coverage, doubts=dict(doubts), shift_doubt=shift, datum_operation=operation
    )


def ground(*layers, doubt=0.0):
    return Ground({x.role: x for x in layers}, CRS, US_SURVEY_FOOT, "grid", US_SURVEY_FOOT, 1.0, doubt)


def subjects(shapes, role="parcels", sort="parcel", accuracy=0.0, doubts=None, **more):
    grounds = {role: list(shapes), **{name: list(others) for name, others in more.items()}}
    return Subjects(sort, [str(i) for i in range(len(shapes))], grounds, {role: accuracy}, doubts)


def ask(engine, reading, who, where, unit="ft2", **keywords):
    measure = Measure("asked", "" if isinstance(reading, Member) else unit, reading, "?")
    return engine.measure([measure], who, where, **keywords)["asked"]


def overlap(engine, parcels, zone, **keywords):
    where = ground(layer("floodplain", zone))
    return ask(engine, Area(Both(Leaf("parcels"), Leaf("floodplain"))), subjects(parcels), where, **keywords).values


def member(engine, parcels, zone, accuracy=None, shift=0.0):
    where = ground(layer("floodplain", zone, accuracy, None, shift))
    return list(ask(engine, Member(Leaf("parcels"), Leaf("floodplain")), subjects(parcels), where).values)
