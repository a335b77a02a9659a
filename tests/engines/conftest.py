from __future__ import annotations

from fractions import Fraction

import geopandas as gpd
import pyproj
import pytest

from geocheck.model.ground import Ground, Layer, LayerSource, Subjects
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity

CRS = pyproj.CRS(2289)


class World:
    """Small layers in feet of a plane."""

    def layer(self, role, shapes, accuracy=None, *, coverage=None, doubts=None, shift=0.0, operation="", **columns):
        frame = gpd.GeoDataFrame(
            {
                "record": range(1, len(shapes) + 1),
                "id": columns.pop("id", [str(i) for i in range(len(shapes))]),
                "status": columns.pop("status", "ok"),
                **columns,
            },
            geometry=gpd.GeoSeries(list(shapes), crs=CRS),
        )
        source = LayerSource(role, accuracy=None if accuracy is None else Quantity(Fraction(accuracy), "ft"))
        return Layer(
            role,
            source,
            frame,
            CRS,
            coverage=coverage,
            doubts=doubts or {},
            shift_doubt=shift,
            datum_operation=operation,
        )

    def ground(self, *layers, doubt=0.0):
        return Ground({x.role: x for x in layers}, CRS, US_SURVEY_FOOT, "grid", US_SURVEY_FOOT, 1.0, doubt)

    def subjects(self, shapes, role="parcels", sort="parcel", accuracy=0.0, doubts=None, **more):
        grounds = {role: list(shapes), **{name: list(others) for name, others in more.items()}}
        return Subjects(sort, [str(i) for i in range(len(shapes))], grounds, {role: accuracy}, doubts)


@pytest.fixture
def world():
    return World()
