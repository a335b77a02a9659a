"""All layers in one reference system: the office's grid, or an equal-area system on the ellipsoid made for the place."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from pyproj import CRS, Geod, Transformer

from geocheck.model.ground import Ground, Layer, Repair
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.sources.datum import Route, route
from geocheck.sources.fitting import Region, anchors, region_of
from geocheck.sources.repair import LOST, REPAIRED, valid
from geocheck.sources.rings import build, rings_of
from geocheck.sources.systems import (
    datum_of,
    foot_of,
    geographic,
    metres_per_unit,
    refuse_system,
    same_datum,
    same_system,
    system_of_text,
    title,
)

__all__ = ["AUTO_DOUBT", "bring_together", "equal_area", "moved", "questions_in"]

#: Relative doubt of an area whose basis is not decided: ground against ellipsoid and the usual grids.
AUTO_DOUBT = 0.0003
_ASKED = "is its reference system the right one?"
#: The usual grids change areas by a tenth of a percent; one that changes them by more than this is made for another place.
_AREAL_TOLERANCE = 0.01
_CENTRE = ("municipality", "parcels", "disturbance")


def bring_together(
    layers: Mapping[str, Layer],
    *,
    basis: str = "auto",
    measure_crs: str = "",
    foot: Fraction | None = None,
    elevation: Quantity | None = None,
    strict_datum: bool = False,
) -> Ground:
    """Bring all layers into the run's one reference system.

    On ``auto``, ``ellipsoidal`` and ``ground`` it is a Lambert azimuthal equal-area system about the place, on the
    ellipsoid of the disturbance's datum (else the parcels'): plane areas in it are areas on the ellipsoid, and lengths
    near its centre are right within 1e-5. On ``grid`` it is the office's ``measure_crs``. Edges are straight between the
    transformed vertices, so that the answers do not depend on the system in which a layer comes.

    ``ground`` scales lengths by 1 + h / R: h the elevation, R the mean radius of curvature √(M N) at the centre.

    Parameters
    ----------
    layers : mapping of str to Layer
        Vector layers by role, each in its own system.
    basis : str
        auto, ellipsoidal, ground or grid.
    measure_crs : str
        The office's system, required for ``grid``.
    foot : Fraction, optional
        Metres in one foot of the answers; by default the grid's own foot, else the US survey foot.
    elevation : Quantity, optional
        Mean elevation of the place, required for ``ground``.
    strict_datum : bool
        Refuse ballpark datum changes.

    Raises
    ------
    GroundError
        If the basis lacks what it needs, the grid keeps no areas (Web Mercator, degrees), or a datum change is refused.
    """
    region = _region(layers)
    home = _home(layers)
    scale, doubt = 1.0, AUTO_DOUBT if basis == "auto" else 0.0
    if basis == "grid":
        crs = _grid(measure_crs, region)
        foot = foot or foot_of(crs)
    elif basis in ("auto", "ellipsoidal", "ground"):
        foot = foot or US_SURVEY_FOOT
        crs = equal_area(home, _centre(layers, region), foot)
        if basis == "ground":
            scale = _scale(elevation, foot, crs, region)
    else:
        raise refuse_system("unknown-basis", f"area_basis {basis!r} is not known", remedy="It is auto, ellipsoidal, ground or grid.")  # fmt: skip
    routes: dict[str, Route] = {}
    done = {}
    for role, layer in layers.items():
        if layer.frame is None:
            done[role] = layer
            continue
        key = datum_of(layer.crs) if not same_datum(layer.crs, crs) else ""
        if key not in routes:
            routes[key] = route(layer.crs, crs, region)
        way = routes[key]
        if way.ballpark and strict_datum:
            raise refuse_system(
                "inexact-datum",
                f"{title(layer.crs)} can only be brought to the datum of {title(crs)} by {way.describe()}",
                file=layer.source.source,
                layer=role,
                remedy="Install the grids (pyproj sync, or the proj-data package), or leave exact datums unasked.",
            )
        relative = 0.0 if same_datum(layer.crs, home) else (way.doubt_m or route(layer.crs, home, region).doubt_m)
        done[role] = _moved(layer, crs, way, relative)
    return Ground(
        layers=_meet(done, 5280 * float(US_SURVEY_FOOT / metres_per_unit(crs))),
        crs=crs,
        metres_per_unit=metres_per_unit(crs),
        basis=basis,
        foot=foot,
        scale=scale,
        doubt=doubt,
    )


def _home(layers: Mapping[str, Layer]) -> CRS:
    """System whose datum is the run's: that of the disturbance, else of the parcels, else of the first layer."""
    for role in ("disturbance", "parcels", *layers):
        if role in layers and layers[role].crs is not None:
            crs: CRS = layers[role].crs
            return crs
    raise refuse_system("no-layers", "no layer with a reference system was given")


def _region(layers: Mapping[str, Layer]) -> Region:
    found = [r for x in layers.values() if x.frame is not None for r in [region_of(x.crs, anchors(x.frame.geometry.to_numpy()))] if r]  # fmt: skip
    if not found:
        held = [f"{role}: {x.records:,} records{''.join(f', {note}' for note in x.notes)}" for role, x in layers.items() if x.frame is not None]  # fmt: skip
        raise refuse_system("no-ground", f"no layer has any record with ground ({'; '.join(held) or 'no layer at all'})", remedy="See what the files hold with `geocheck inspect`.")  # fmt: skip
    west, south, east, north = np.array(found).T
    return float(west.min()), float(south.min()), float(east.max()), float(north.max())


def _centre(layers: Mapping[str, Layer], region: Region) -> tuple[float, float]:
    for role in _CENTRE:
        if role in layers and layers[role].frame is not None:
            box = region_of(layers[role].crs, anchors(layers[role].frame.geometry.to_numpy()))
            if box is not None:
                region = box
                break
    west, south, east, north = region
    return round((west + east) / 2, 1), round((south + north) / 2, 1)


def equal_area(home: CRS, centre: tuple[float, float], foot: Fraction) -> CRS:
    """Return a Lambert azimuthal equal-area system on the ellipsoid of a datum, in feet, about longitude and latitude.

    Examples
    --------
    >>> equal_area(CRS.from_epsg(8104), (-88.2, 43.4), US_SURVEY_FOOT).is_projected
    True
    """
    lon, lat = centre
    unit: Any = {"type": "LinearUnit", "name": "US survey foot" if foot == US_SURVEY_FOOT else "foot", "conversion_factor": float(foot)}  # fmt: skip

    def parameter(name: str, value: float, kind: Any, code: int) -> dict[str, Any]:
        return {"name": name, "value": value, "unit": kind, "id": {"authority": "EPSG", "code": code}}

    return CRS.from_json_dict(
        {
            "type": "ProjectedCRS",
            "name": f"geocheck equal area at {lat:.1f} {lon:.1f}",
            "base_crs": geographic(home).to_json_dict(),
            "conversion": {
                "name": "equal area on the ellipsoid",
                "method": {"name": "Lambert Azimuthal Equal Area", "id": {"authority": "EPSG", "code": 9820}},
                "parameters": [
                    parameter("Latitude of natural origin", lat, "degree", 8801),
                    parameter("Longitude of natural origin", lon, "degree", 8802),
                    parameter("False easting", 0, "metre", 8806),
                    parameter("False northing", 0, "metre", 8807),
                ],
            },
            "coordinate_system": {
                "subtype": "Cartesian",
                "axis": [
                    {"name": "Easting", "abbreviation": "E", "direction": "east", "unit": unit},
                    {"name": "Northing", "abbreviation": "N", "direction": "north", "unit": unit},
                ],
            },
        }
    )


def _grid(measure_crs: str, region: Region) -> CRS:
    if not measure_crs:
        raise refuse_system("no-measure-crs", "area_basis grid needs a measure_crs", remedy="Name the office's system, such as EPSG:8104.")  # fmt: skip
    crs = system_of_text(measure_crs)
    if crs is None or not crs.is_projected:
        raise refuse_system("degrees", f"{measure_crs} is in degrees, which hold no areas", remedy="Name a projected system for measure_crs.")  # fmt: skip
    method = crs.coordinate_operation.method_name if crs.coordinate_operation else ""
    if "mercator" in method.lower() and "transverse" not in method.lower() and "oblique" not in method.lower():
        raise refuse_system("web-mercator", f"{title(crs)} does not keep areas: they come out 90 % too large at 43° north", remedy="Name a state plane or county system for measure_crs.")  # fmt: skip
    scale = _areal_scale(crs, region)
    if not abs(scale - 1) <= _AREAL_TOLERANCE:
        raise refuse_system("grid-keeps-no-areas", f"{title(crs)} does not keep areas at this place: they come out {scale:.3f} times as large", remedy="Name a state plane or county system made for the place as measure_crs.")  # fmt: skip
    return crs


def _areal_scale(crs: CRS, region: Region) -> float:
    """Area in a grid for an area on the ellipsoid, at the middle of a region: a square of some 100 m."""
    base = geographic(crs)
    assert base.ellipsoid is not None
    lon, lat = (region[0] + region[2]) / 2, (region[1] + region[3]) / 2
    x, y = lon + np.array([-1, 1, 1, -1]) * 5e-4, lat + np.array([-1, -1, 1, 1]) * 5e-4
    geod = Geod(a=base.ellipsoid.semi_major_metre, rf=base.ellipsoid.inverse_flattening)
    area = abs(geod.polygon_area_perimeter(x, y)[0])
    grid = shapely.Polygon(np.column_stack(Transformer.from_crs(base, crs, always_xy=True).transform(x, y)))
    return float(grid.area) * float(metres_per_unit(crs)) ** 2 / area


def _scale(elevation: Quantity | None, foot: Fraction, crs: CRS, region: Region) -> float:
    if elevation is None or elevation.dimension != "length":
        raise refuse_system("no-elevation", "area_basis ground needs the elevation of the place", remedy="State it, for example `elevation: 900 ft`.")  # fmt: skip
    ellipsoid = geographic(crs).ellipsoid
    assert ellipsoid is not None
    flattening = 1 / ellipsoid.inverse_flattening
    e2 = flattening * (2 - flattening)
    sine = np.sin(np.radians((region[1] + region[3]) / 2))
    radius = ellipsoid.semi_major_metre * np.sqrt(1 - e2) / (1 - e2 * sine**2)
    return float(1 + float(elevation.to("m", foot).value) / radius)


@lru_cache(maxsize=64)
def _steps(source: CRS, target: CRS) -> tuple[Any, Any]:
    down = (
        None
        if source.is_geographic and _degrees(source)
        else Transformer.from_crs(source, _base(source), always_xy=True)
    )
    up = Transformer.from_crs(_base(target), target, always_xy=True) if target.is_projected else None
    return down, up


def _base(crs: CRS) -> CRS:
    return geographic(crs)


def _degrees(crs: CRS) -> bool:
    return geographic(crs) == crs


def moved(shapes: Any, source: CRS, target: CRS, way: Route) -> Any:
    """Return shapes in another system: off their projection, over the datum route, onto the target's projection.

    Where both definitions are one system the shapes are returned untouched.
    """
    if same_system(source, target):
        return shapes
    down, up = _steps(source, target)
    steps = [s for s in (down, way.transformer, up) if s is not None]

    def through(points: Any) -> Any:
        x, y = points[:, 0], points[:, 1]
        for step in steps:
            x, y = step.transform(x, y)
        return np.column_stack([x, y])

    def change(points: Any) -> Any:
        if len(points) < 50_000:
            return through(points)
        with ThreadPoolExecutor(2) as pool:
            return np.vstack(list(pool.map(through, np.array_split(points, 4))))

    return shapely.transform(shapes, change)


def _moved(layer: Layer, crs: CRS, way: Route, relative: float) -> Layer:
    frame = layer.frame
    before = frame.geometry.to_numpy()
    after = moved(before, layer.crs, crs, way)
    repairs = list(layer.repairs)
    doubts = dict(layer.doubts)
    status = frame["status"].to_numpy(dtype=object).copy()
    lost = layer.lost
    repaired = layer.repaired
    if after is not before:
        after, repairs_made, gone = _sound_again(layer, after, status)
        repairs += repairs_made
        lost += gone
        repaired += len(repairs_made) - gone
        for row, doubt in doubts.items():
            own = shapely.area(before[row])
            doubts[row] = doubt * float(shapely.area(after[row]) / own) if own else 0.0
    import geopandas as gpd

    frame = frame.assign(status=status).set_geometry(gpd.GeoSeries(after, index=frame.index, crs=crs))
    coverage = layer.coverage if layer.coverage is None else moved(layer.coverage, layer.crs, crs, way)
    if coverage is not None and not shapely.is_valid(coverage):
        coverage = build(rings_of(coverage)).ground
    notes = layer.notes
    if way.ballpark:
        notes += (f"datum change by {way.describe()}",)
    return dataclasses.replace(
        layer, frame=frame, crs=crs, coverage=coverage, doubts=doubts, repairs=tuple(repairs), lost=lost, repaired=repaired,
        used=layer.used - (lost - layer.lost), datum_operation=way.describe(), datum_accuracy_m=way.accuracy_m,
        shift_doubt=relative, notes=notes, source_crs=layer.crs,
    )  # fmt: skip


def _sound_again(layer: Layer, after: Any, status: Any) -> tuple[Any, list[Repair], int]:
    """Repair what a change of system has bent, and drop by name what it has torn: vertices without a place in the system."""
    repairs: list[Repair] = []
    present = ~shapely.is_missing(after)
    finite = np.ones(len(after), dtype=bool)
    finite[present] = np.isfinite(shapely.bounds(after[present])).all(axis=1)
    broken = present & finite & ~valid(after)
    ids = layer.frame["id"].to_numpy(dtype=object)
    gone = 0
    for row in np.flatnonzero(~finite).tolist():
        after[row] = None
        status[row] = LOST
        gone += 1
        repairs.append(Repair(layer.role, row + 1, ids[row] or "", "its vertices have no place in the run's system", "row kept without geometry", None, None, "its ground is not counted"))  # fmt: skip
    for row in np.flatnonzero(broken).tolist():
        if shapely.get_dimensions(after[row]) < 2:
            continue
        built = build(rings_of(after[row]))
        repairs.append(Repair(layer.role, row + 1, ids[row] or "", "not valid after the change of system", "rings nested, filled and united", built.before, float(shapely.area(built.ground)) if built.ground else 0.0))  # fmt: skip
        after[row] = built.ground
        status[row] = REPAIRED if status[row] == "ok" else status[row]
    return after, repairs, gone


def _meet(layers: dict[str, Layer], mile: float) -> dict[str, Layer]:
    """Say which layers lie miles apart from all others, or outside the jurisdiction: a wrong system often shows so."""
    boxes = {}
    for role, layer in layers.items():
        if layer.frame is not None:
            shapes = layer.frame.geometry.to_numpy()
            shapes = shapes[~shapely.is_missing(shapes)]
            if len(shapes):
                boxes[role] = shapely.box(*shapely.total_bounds(shapes))
    town = layers.get("municipality")
    out = dict(layers)
    for role, box in boxes.items():
        others = [b for r, b in boxes.items() if r != role]
        notes: list[str] = []
        if others and not any(box.distance(b) < mile for b in others):
            notes.append(f"it lies more than a mile from every other layer of the run: {_ASKED}")
        elif (
            town is not None
            and role != "municipality"
            and "municipality" in boxes
            and not _any_inside(layers[role], town)
        ):
            notes.append(f"none of its records lies in the jurisdiction: {_ASKED}")
        if notes:
            out[role] = dataclasses.replace(layers[role], notes=layers[role].notes + tuple(notes))
    return out


def questions_in(ground: Ground) -> list[str]:
    """Return what the layers' notes ask, for everybody who sees the run: is this the right system, are these percent?"""
    return [f"{role}: {note}" for role, layer in ground.layers.items() for note in layer.notes if note.endswith("?")]


def _any_inside(layer: Layer, town: Layer) -> bool:
    shapes = layer.frame.geometry.to_numpy()
    tree = shapely.STRtree(shapes)
    grounds = town.frame.geometry.to_numpy()
    grounds = grounds[~shapely.is_missing(grounds)]
    near = np.unique(tree.query(grounds)[1])
    return any(bool(shapely.intersects(grounds, shapes[row]).any()) for row in near[:2000].tolist())
