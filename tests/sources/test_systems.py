"""Reference systems: equal ones recognised, coordinates that do not fit refused, and what they fit instead."""

from __future__ import annotations

import contextlib
import sqlite3
from fractions import Fraction

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pyproj import CRS

from geocheck.model.ground import LayerSource
from geocheck.model.problem import GroundError, SourceError
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT
from geocheck.sources.fitting import candidates, check_fit
from geocheck.sources.read import read_layer, read_layers
from geocheck.sources.systems import foot_of, metres_per_unit, same_datum, same_system, system_of_text, title

ESRI_8104 = CRS.from_epsg(8104).to_wkt("WKT1_ESRI")
LL = [(-88.183, 43.425), (-88.182, 43.425), (-88.182, 43.426), (-88.183, 43.426)]


@pytest.mark.parametrize(
    "wkt",
    [
        pytest.param(ESRI_8104, id="Esri's words"),
        pytest.param(
            ESRI_8104.replace("NAD_1983_HARN_WISCRS_Washington_County_Feet", "Washington_Co_local"), id="renamed"
        ),
        pytest.param(ESRI_8104.replace("0.304800609601219", "0.3048006096012192"), id="more digits of the foot"),
        pytest.param(ESRI_8104.replace("US survey foot", "Foot_US"), id="another name of the foot"),
        pytest.param(ESRI_8104.replace("-88.0638888888889", "-88.06388888888890"), id="more digits of the meridian"),
        pytest.param(CRS.from_epsg(8104).to_json(), id="PROJJSON"),
        pytest.param("EPSG:8104", id="code"),
        pytest.param(CRS.from_epsg(8104).to_wkt("WKT1_GDAL"), id="GDAL's words"),
    ],
)
def test_one_system_in_many_spellings(wkt):
    assert same_system(system_of_text(wkt), CRS.from_epsg(8104))


@pytest.mark.parametrize("code", [2289, 3071, 32054, 2222, 4326, 4269, 4267, 8160, 8102, 26916, 5070, 3857, 2249, 3070])
def test_esri_words_of_known_systems(code):
    found = system_of_text(CRS.from_epsg(code).to_wkt("WKT1_ESRI"))
    assert same_system(found, CRS.from_epsg(code))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(8104, 7641, id="another realisation"),
        pytest.param(8104, 7582, id="metres"),
        pytest.param(2289, 32054, id="NAD27"),
        pytest.param(3071, 3070, id="HARN and not"),
        pytest.param(2222, 2223, id="the next zone"),
        pytest.param(4326, 4269, id="two datums in degrees"),
        pytest.param(2289, 4269, id="plane and degrees"),
    ],
)
def test_different_systems(one, other):
    assert not same_system(CRS.from_epsg(one), CRS.from_epsg(other))


def test_a_moved_origin_is_another_system():
    assert not same_system(CRS.from_wkt(ESRI_8104.replace("394000.004", "394000.104")), CRS.from_epsg(8104))


@pytest.mark.parametrize(
    ("one", "other", "same"), [(8104, 3071, True), (2289, 8104, False), (4326, 32616, True), (2289, 26916, True)]
)
def test_same_datum(one, other, same):
    assert same_datum(CRS.from_epsg(one), CRS.from_epsg(other)) is same


@pytest.mark.parametrize(
    ("code", "unit", "foot"),
    [
        (8104, US_SURVEY_FOOT, US_SURVEY_FOOT),
        (2222, INTERNATIONAL_FOOT, INTERNATIONAL_FOOT),
        (3071, Fraction(1), US_SURVEY_FOOT),
        (2256, INTERNATIONAL_FOOT, INTERNATIONAL_FOOT),
    ],
)
def test_the_unit_comes_from_the_axis(code, unit, foot):
    assert metres_per_unit(CRS.from_epsg(code)) == unit
    assert foot_of(CRS.from_epsg(code)) == foot
    renamed = CRS.from_wkt(CRS.from_epsg(code).to_wkt("WKT1_ESRI").replace("US survey foot", "Meter"))
    assert metres_per_unit(renamed) == unit


def test_a_compound_system_is_its_horizontal_part():
    assert system_of_text("EPSG:8104+5703").to_epsg() == 8104
    assert system_of_text("EPSG:4979").to_epsg() == 4326


@pytest.mark.parametrize("text", ["EPSG:999999", "nonsense", 'LOCAL_CS["office"]', "EPSG:5703"])
def test_what_is_no_system_is_refused(text):
    with pytest.raises(GroundError, match="unknown-system"):
        system_of_text(text)


def save(path, points, crs, **columns):
    shapes = [shapely.Polygon(points)]
    gpd.GeoDataFrame(columns or {"ID": ["1"]}, geometry=shapes, crs=crs).to_file(path)
    return path


MISFITS = [
    pytest.param(LL, 8104, "longitude and latitude", id="degrees labelled feet"),
    pytest.param(LL, 3857, "longitude and latitude", id="degrees labelled Web Mercator"),
    pytest.param(LL, 26916, "longitude and latitude", id="degrees labelled UTM"),
    pytest.param([(0, 0), (100, 0), (100, 100)], 8104, "do not fit", id="a plane near the origin"),
    pytest.param([(y, x) for x, y in LL], 4326, "axes exchanged", id="latitude first"),
    pytest.param([(42.4, -71.1), (42.5, -71.1), (42.5, -71.2)], 4326, "axes exchanged", id="latitude first, in the east"),
    pytest.param([(45.5, -122.6), (45.6, -122.6), (45.6, -122.7)], 4326, "axes exchanged", id="latitude first, in the west"),
    pytest.param([(184801, 362356), (184901, 362356), (184901, 362456)], 8104, "axes exchanged", id="northing first"),
    pytest.param([(524000, 2451000), (524100, 2451000), (524100, 2451100)], 2289, "axes exchanged", id="northing first, state plane"),
    pytest.param([(271.8, 43.4), (271.9, 43.4), (271.9, 43.5)], 4326, "do not fit", id="longitude to 360"),
    pytest.param([(2451000, 524000), (2451100, 524000), (2451100, 524100)], 4326, "do not fit", id="feet labelled degrees"),
    pytest.param([(2451000, 524000), (2451100, 524000), (2451100, 524100)], 8104, "do not fit", id="state plane labelled county"),
    pytest.param([(667000, 329000), (667100, 329000), (667100, 329100)], 2289, "do not fit", id="metres labelled feet"),
    pytest.param([(-88.2, 43.4), (-88.1, 43.4), (-88.1, 43.5)], 2193, "longitude and latitude", id="degrees labelled New Zealand"),
]  # fmt: skip


@pytest.mark.parametrize(("points", "crs", "fit"), MISFITS)
def test_coordinates_that_do_not_fit_are_refused(tmp_path, points, crs, fit):
    path = save(tmp_path / "sites.gpkg", points, crs)
    with pytest.raises(GroundError, match=fit) as caught:
        read_layer(LayerSource("disturbance", str(path)))
    message = str(caught.value)
    assert "disturbance" in message
    assert title(CRS.from_epsg(crs)) in message
    assert caught.value.exit_code == 3


def test_geojson_outside_180_is_refused(tmp_path):
    import json

    ring = [[2451000, 524000], [2451100, 524000], [2451100, 524100], [2451000, 524000]]
    feature = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    path = tmp_path / "a.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    with pytest.raises(GroundError, match="EPSG:2289"):
        read_layer(LayerSource("wetland", str(path)), near=(-88.42, 43.19, -88.03, 43.55))


def test_an_override_is_recorded(tmp_path):
    path = save(tmp_path / "sites.shp", LL, 8104)
    with pytest.raises(GroundError, match="two-systems"):
        read_layer(LayerSource("disturbance", str(path), crs="EPSG:4326"))
    layer = read_layer(LayerSource("disturbance", str(path), crs="EPSG:4326", override_crs=True))
    assert layer.crs_from == "overridden"
    assert layer.crs.to_epsg() == 4326
    assert any("8104" in n and "4326" in n for n in layer.notes)


def test_stating_the_same_system_is_no_override(tmp_path):
    path = save(tmp_path / "a.shp", [(362000, 184000), (362100, 184000), (362100, 184100)], 8104)
    layer = read_layer(LayerSource("wetland", str(path), crs="EPSG:8104"))
    assert layer.crs_from == "file"
    assert layer.notes == ()


@pytest.mark.parametrize(
    ("corner", "code", "never"),
    [
        ((2451153, 524627), "EPSG:2289", ("EPSG:8104", "EPSG:3071", "EPSG:4326")),
        ((362356, 184801), "EPSG:8104", ("EPSG:2289", "EPSG:3071", "EPSG:4326")),
        ((667000, 329600), "EPSG:3071", ("EPSG:2289", "EPSG:8104", "EPSG:4326")),
        ((-88.18, 43.42), "EPSG:4269", ("EPSG:2289", "EPSG:8104", "EPSG:3071")),
    ],
)
def test_a_layer_without_a_system_is_refused_with_those_that_fit(tmp_path, corner, code, never):
    x, y = corner
    size = 0.001 if abs(x) < 180 else 100
    parcels = tmp_path / "parcels.shp"
    gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[shapely.box(x, y, x + size, y + size)]).to_file(parcels)
    town = gpd.GeoDataFrame({"N": ["W"]}, geometry=[shapely.box(-88.42, 43.19, -88.03, 43.55)], crs=4269).to_crs(2289)
    town.to_file(tmp_path / "town.gpkg")
    sources = {
        "parcels": LayerSource("parcels", str(parcels)),
        "municipality": LayerSource("municipality", str(tmp_path / "town.gpkg")),
    }
    with pytest.raises(GroundError) as caught:
        read_layers(sources)
    message = str(caught.value)
    assert "parcels.shp" in message
    assert code in message
    assert not any(f"{other} " in message for other in never)
    stated = LayerSource("parcels", str(parcels), crs=code)
    assert read_layers({**sources, "parcels": stated})["parcels"].crs_from == "asserted"


def test_candidates_lie_in_the_region():
    points = np.array([[2451153.0, 524627.0], [2451253.0, 524727.0]])
    names = candidates(points, (-88.42, 43.19, -88.03, 43.55))
    assert any(n.startswith("EPSG:2289 ") for n in names)
    assert candidates(points, (-71.2, 42.3, -71.0, 42.4)) == [] or "2289" not in " ".join(candidates(points, (-71.2, 42.3, -71.0, 42.4)))  # fmt: skip


@pytest.mark.parametrize("code", [8104, 2289, 3071, 4326, 3857, 26916])
def test_a_stray_record_is_said_and_not_fatal(code):
    crs = CRS.from_epsg(code)
    lon, lat = np.linspace(-88.3, -88.1, 20), np.linspace(43.3, 43.5, 20)
    from pyproj import Transformer

    x, y = Transformer.from_crs(4326, crs, always_xy=True).transform(lon, lat)
    points = np.column_stack([x, y])
    assert check_fit(crs, points, file="f", layer="wetland") == ()
    if code not in (4326, 3857):
        notes = check_fit(crs, np.vstack([points, [[9e6, 9e6]]]), file="f", layer="wetland")
        assert "1 of 21" in notes[0]


def test_missing_prj_is_named(write_shapefile, read):
    path = write_shapefile([[[(0, 0), (0, 9), (9, 9), (0, 0)]]], epsg=None, prj=None)
    with pytest.raises(GroundError, match=r"no \.prj beside it"):
        read(path)


NO_PLACE = 'LOCAL_CS["office grid"]'


@pytest.mark.parametrize(
    "prj", ['PROJCS["cut off', NO_PLACE, "Projection STATEPLANE\nUnits FEET\nFipszone 4803\n", "nonsense"]
)
def test_a_prj_that_nobody_understands_can_be_overridden(write_shapefile, read, prj):
    path = write_shapefile([[[(0, 0), (0, 9), (9, 9), (0, 0)]]], prj=prj)
    for keys in ({}, {"crs": "EPSG:8104"}):
        with pytest.raises(GroundError, match="override_crs"):
            read(path, **keys)
    layer = read(path, crs="EPSG:8104", override_crs=True)
    assert layer.crs.to_epsg() == 8104 and "8104" in layer.notes[0]


@pytest.mark.parametrize("suffix", ["gpkg", "parquet"])
def test_a_system_that_is_none_can_be_overridden_in_other_formats(tmp_path, read, suffix):
    frame = gpd.GeoDataFrame({"ID": ["1"]}, geometry=[shapely.box(362000, 184000, 362100, 184100)], crs=CRS.from_wkt(NO_PLACE))  # fmt: skip
    path = tmp_path / f"a.{suffix}"
    frame.to_parquet(path) if suffix == "parquet" else frame.to_file(path)
    with pytest.raises(GroundError):
        read(path)
    assert read(path, crs="EPSG:8104", override_crs=True).crs.to_epsg() == 8104


@pytest.mark.parametrize("number", [-1, 0, 99999])
def test_a_geopackage_that_says_that_it_has_no_system_has_none(tmp_path, read, number):
    """Its numbers for "undefined" are not WGS 84, though GDAL reads them with that datum."""
    path = tmp_path / "a.gpkg"
    gpd.GeoDataFrame({"ID": ["1"]}, geometry=[shapely.box(362000, 184000, 362100, 184100)], crs=8104).to_file(path)
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        for table in ("gpkg_geometry_columns", "gpkg_contents"):
            base.execute(f"UPDATE {table} SET srs_id = ?", (number,))
    with pytest.raises(GroundError, match="no-system"):
        read(path)
    layer = read(path, crs="EPSG:8104")
    assert (layer.crs.to_epsg(), layer.crs_from) == (8104, "asserted")


@pytest.mark.parametrize("text", ['LOCAL_CS["Unknown",UNIT["Meter",1]]', 'LOCAL_CS["Undefined Cartesian SRS"]', 'GEOGCS["Undefined geographic SRS",DATUM["unknown",SPHEROID["unknown",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]'])  # fmt: skip
def test_a_definition_that_says_that_it_is_none_is_none(text):
    assert system_of_text(text) is None
    assert system_of_text("+proj=longlat +datum=WGS84").is_geographic  # PROJ calls every unnamed system "unknown"


@pytest.mark.parametrize("order", ["little", "big"])
def test_a_prj_in_two_bytes_a_letter(write_shapefile, read, order):
    path = write_shapefile([[[(0, 0), (0, 9), (9, 9), (0, 0)]]])
    mark = b"\xff\xfe" if order == "little" else b"\xfe\xff"
    path.with_suffix(".prj").write_bytes(mark + ESRI_8104.encode(f"utf-16-{order[0]}e"))
    assert read(path).crs.to_epsg() == 8104


def test_an_empty_prj_is_no_system(write_shapefile, read):
    path = write_shapefile([[[(0, 0), (0, 9), (9, 9), (0, 0)]]])
    path.with_suffix(".prj").write_text("  ")
    with pytest.raises((GroundError, SourceError), match="no-system"):
        read(path)


def test_axes_exchanged_inside_the_area_of_use_show_against_the_jurisdiction(tmp_path):
    town = gpd.GeoDataFrame({"N": ["W"]}, geometry=[shapely.box(660000, 320000, 680000, 340000)], crs=3071)
    town.to_file(tmp_path / "town.gpkg")
    sites = save(tmp_path / "sites.gpkg", [(329000, 667000), (329100, 667000), (329100, 667100)], 3071)
    sources = {
        "municipality": LayerSource("municipality", str(tmp_path / "town.gpkg")),
        "disturbance": LayerSource("disturbance", str(sites)),
    }
    with pytest.raises(GroundError, match="axes exchanged"):
        read_layers(sources)
    right = save(tmp_path / "right.gpkg", [(667000, 329000), (667100, 329000), (667100, 329100)], 3071)
    read_layers({**sources, "disturbance": LayerSource("disturbance", str(right))})


TOWN = shapely.box(-88.42, 43.19, -88.03, 43.55)


def in_town(tmp_path, points, crs, **keys):
    gpd.GeoDataFrame({"N": ["W"]}, geometry=[TOWN], crs=4269).to_crs(2289).to_file(tmp_path / "town.gpkg")
    sites = save(tmp_path / "sites.gpkg", points, crs)
    return {
        "municipality": LayerSource("municipality", str(tmp_path / "town.gpkg")),
        "disturbance": LayerSource("disturbance", str(sites), **keys),
    }


@pytest.mark.parametrize(
    ("true", "label", "said"),
    [
        pytest.param(26916, 26915, "EPSG:26916", id="the next UTM zone"),
        pytest.param(2289, 2288, "EPSG:2289", id="the next state plane zone"),
        pytest.param(3071, 3857, "EPSG:3071", id="metres labelled Web Mercator"),
        pytest.param(26916, 3857, "EPSG:26916", id="UTM labelled Web Mercator"),
        pytest.param(2289, 3857, "EPSG:2289", id="feet labelled Web Mercator"),
    ],
)
def test_a_wrong_label_inside_its_area_of_use_shows_against_the_jurisdiction(tmp_path, true, label, said):
    """The numbers lie where the label's system is made for, but far from the run, and in the run under another label."""
    points = np.asarray(gpd.GeoSeries([shapely.Polygon(LL)], crs=4326).to_crs(true).iloc[0].exterior.coords)
    sources = in_town(tmp_path, points, label)
    with pytest.raises(GroundError, match=said) as caught:
        read_layers(sources)
    assert title(CRS.from_epsg(label)) in str(caught.value) and "exchanged" not in str(caught.value)
    insists = LayerSource("disturbance", sources["disturbance"].source, crs=f"EPSG:{label}", override_crs=True)
    assert read_layers({**sources, "disturbance": insists})["disturbance"].used == 1


# Without a jurisdiction nothing shows in 4326: the whole world is its area of use.
@pytest.mark.parametrize(("crs", "town"), [(4326, True), (4269, True), (4152, True), (4269, False), (4152, False)])
def test_longitudes_without_their_sign_are_refused_where_it_shows(tmp_path, crs, town):
    sources = in_town(tmp_path, [(-x, y) for x, y in LL], crs)
    if not town:
        del sources["municipality"]
    with pytest.raises(GroundError, match="longitude-sign"):
        read_layers(sources)


def test_a_far_layer_that_fits_nothing_else_is_read(tmp_path):
    sources = in_town(tmp_path, [(-95.2, 40.3), (-95.1, 40.3), (-95.1, 40.4)], 4326)
    assert read_layers(sources)["disturbance"].used == 1


def test_a_jurisdiction_without_a_field_of_names_is_the_whole_layer(tmp_path):
    town = gpd.GeoDataFrame({"N": ["W", "V"]}, geometry=[shapely.box(660000 + i, 320000, 660001 + i, 320001) for i in range(2)], crs=3071)  # fmt: skip
    town.to_file(tmp_path / "town.gpkg")
    layers = read_layers(
        {"municipality": LayerSource("municipality", str(tmp_path / "town.gpkg"))}, jurisdiction="River Hills"
    )
    assert layers["municipality"].records == 2
    assert any("River Hills" in n for n in layers["municipality"].notes)


def test_without_a_jurisdiction_the_other_layers_are_the_region(tmp_path):
    parcels = tmp_path / "parcels.shp"
    gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[shapely.box(2451153, 524627, 2451253, 524727)]).to_file(parcels)
    zones = save(tmp_path / "zones.gpkg", [(2452000, 525000), (2453000, 525000), (2453000, 526000)], 2289)
    sources = {"parcels": LayerSource("parcels", str(parcels)), "wetland": LayerSource("wetland", str(zones))}
    with pytest.raises(GroundError) as caught:
        read_layers(sources)
    message = str(caught.value)
    assert "EPSG:2289 " in message
    assert not any(f"EPSG:{code} " in message for code in (8104, 3071, 4326))
