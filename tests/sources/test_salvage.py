"""What bulk reading cannot do is done record by record, and means the same."""

from __future__ import annotations

import json

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geocheck.model.ground import LayerSource
from geocheck.model.problem import SourceError
from geocheck.sources.read import read_layer

# Lower left corner inside the area of use of EPSG:8104.
X, Y = 362000, 184000


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]


def cw(x0, y0, x1, y1):
    return box(x0, y0, x1, y1)[::-1]


def frame(shapes, **columns):
    shapes = [None if s is None else shapely.transform(s, lambda c: c + np.array([X, Y])) for s in shapes]
    return gpd.GeoDataFrame(columns, geometry=shapes, crs=8104)


def test_what_the_bulk_reader_gives_up_on_is_read_record_by_record(tmp_path, monkeypatch):
    import pyogrio
    from pyogrio.errors import FeatureError

    frame([shapely.box(0, 0, 10, 10), None, shapely.box(20, 0, 30, 10)], PIN=["1", "2", "3"]).to_file(
        tmp_path / "p.gpkg"
    )

    def gives_up(*_, **__):
        raise FeatureError("one record is damaged")

    monkeypatch.setattr(pyogrio, "read_arrow", gives_up)
    layer = read_layer(LayerSource("parcels", str(tmp_path / "p.gpkg"), id="PIN"))
    assert layer.frame["id"].tolist() == ["1", "2", "3"]
    assert layer.frame["status"].tolist() == ["ok", "no geometry", "ok"]
    assert any("record by record" in n for n in layer.notes)
    filtered = read_layer(LayerSource("parcels", str(tmp_path / "p.gpkg"), id="PIN", where="PIN > '1'"))
    assert filtered.frame["id"].tolist() == ["2", "3"]


def test_a_record_that_cannot_be_salvaged_is_lost_by_name(tmp_path, monkeypatch):
    import fiona
    import pyogrio
    from pyogrio.errors import FeatureError

    frame([shapely.box(20 * i, 0, 20 * i + 10, 10) for i in range(3)], PIN=["1", "2", "3"]).to_file(tmp_path / "p.gpkg")

    def gives_up(*_, **__):
        raise FeatureError("one record is damaged")

    sound = fiona.Collection.__getitem__

    def damaged(self, key):
        if key == 2:
            raise ValueError("no geometry at all")
        return sound(self, key)

    monkeypatch.setattr(pyogrio, "read_arrow", gives_up)
    monkeypatch.setattr(fiona.Collection, "__getitem__", damaged)
    layer = read_layer(LayerSource("parcels", str(tmp_path / "p.gpkg")))
    assert layer.frame["status"].tolist() == ["ok", "geometry lost", "ok"]
    assert layer.lost == 1


@pytest.mark.parametrize("suffix", ["geojson", "gpkg"])
def test_identifiers_beyond_64_bits(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    if suffix == "geojson":
        ring = [[-88.2, 43.4], [-88.1, 43.4], [-88.1, 43.5], [-88.2, 43.4]]
        shape = {"type": "Polygon", "coordinates": [ring]}
        features = [
            {"type": "Feature", "properties": {"PIN": n}, "geometry": shape} for n in (12345678901234567890, None, 7)
        ]
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        assert read_layer(LayerSource("parcels", str(path), id="PIN")).frame["id"].tolist() == [
            "12345678901234567890",
            None,
            "7",
        ]
    else:
        frame([shapely.box(0, 0, 1, 1)], PIN=[1.2345678901234567e19]).to_file(path)
        with pytest.raises(SourceError, match="inexact-identifier"):
            read_layer(LayerSource("parcels", str(path), id="PIN"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=4, unique_by=lambda t: t[0]), min_size=1, max_size=5), st.booleans())  # fmt: skip
def test_the_bulk_path_and_the_rings_agree(write_shapefile, read, records, shell_backwards):
    """Squares with and without holes, any direction: whichever way a record takes, its ground is that of its rings."""
    from geocheck.sources.rings import Ring, build

    shapes = []
    for squares in records:
        rings = []
        for place, backwards in squares:
            rings.append(cw(100 * place, 0, 100 * place + 50, 50)[:: -1 if shell_backwards else 1])
            rings.append(box(100 * place + 10, 10, 100 * place + 20, 20)[:: -1 if backwards else 1])
        shapes.append(rings)
    layer = read(write_shapefile(shapes))
    assert layer.frame.area.tolist() == [2400 * len(s) for s in records]
    assert [build([Ring(np.array(r)) for r in rings]).ground.area for rings in shapes] == layer.frame.area.tolist()
