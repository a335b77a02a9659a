"""Reference systems: read from a file's words, named for a reader, compared by what they do instead of how they are spelt."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError, ProjError

from geocheck.model.problem import GroundError, Place, Problem
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT

__all__ = [
    "LONGITUDE_LATITUDE", "about_origin", "datum_of", "foot_of", "geographic", "metres_per_unit", "refuse_system", "same_datum",
    "same_system", "system_of_file", "system_of_text", "title",
]  # fmt: skip

LONGITUDE_LATITUDE = "EPSG:4326"
_UNITS = ((Fraction(1), "m"), (US_SURVEY_FOOT, "US survey ft"), (INTERNATIONAL_FOOT, "international ft"))


def refuse_system(code: str, message: str, *, file: Path | str = "", layer: str = "", remedy: str = "") -> GroundError:
    """Return the error that refuses a reference system or the coordinates in it."""
    problem = Problem(code, message, Place(file=str(file), layer=layer), remedy)
    return GroundError(problem.show(), (problem,))


@lru_cache(maxsize=256)
def system_of_text(text: str, file: Path | str = "") -> CRS | None:
    """Return the horizontal system that a definition means: a code, WKT of either kind, PROJJSON.

    A vertical part and a built-in shift (TOWGS84) are left out. A definition that holds nothing is None, and so is one that
    says of itself that it is undefined: a GeoPackage names such a system where it has none.

    Raises
    ------
    GroundError
        If it defines no system that PROJ knows.
    """
    text = (text or "").strip().strip("\ufeff\x00")
    if not text:
        return None
    try:
        crs = _horizontal(CRS.from_user_input(f"EPSG:{text}" if text.isdigit() else text))
    except CRSError as error:
        reason = str(error).splitlines()[0]
        raise refuse_system(
            "unknown-system",
            f"the reference system {text[:80]!r} is not understood ({reason})",
            file=file,
            remedy="State one with `crs: EPSG:…` and `override_crs: true`.",
        ) from error
    name = crs.name.lower()
    if (name.startswith("undefined") and not crs.is_projected) or (name.startswith("unknown") and crs.is_engineering):
        return None
    if not (crs.is_projected or crs.is_geographic):
        raise refuse_system(
            "unknown-system",
            f"{crs.name!r} is a {crs.type_name}, which says nothing about where on the earth the numbers are",
            file=file,
            remedy="State the system of the numbers with `crs: EPSG:…` and `override_crs: true`.",
        )
    return _coded(crs)


def system_of_file(text: str, file: Path | str, overridden: bool) -> CRS | None:
    """Return the system that a file names: as `system_of_text`, but None where the project overrides what is none."""
    try:
        return system_of_text(text, file)
    except GroundError:
        if not overridden:
            raise
        return None


def _coded(crs: CRS) -> CRS:
    """The same system by its EPSG code, where the definition brings none and is one of EPSG's: Esri's .prj files."""
    if crs.to_authority(min_confidence=100) is not None:
        return crs
    code = crs.to_epsg(min_confidence=60)
    if code is None:
        return crs
    known = CRS.from_epsg(code)
    return known if same_system(crs, known) else crs


def _horizontal(crs: CRS) -> CRS:
    while crs.is_bound or crs.is_compound:
        inner = crs.source_crs if crs.is_bound else crs.sub_crs_list[0]
        assert inner is not None
        crs = inner
    if crs.is_geographic and len(crs.axis_info) == 3:
        crs = crs.to_2d()
    return crs


def title(crs: Any) -> str:
    """Name a system for a reader: its code where it has one, its name, its unit.

    Examples
    --------
    >>> title(CRS.from_epsg(8104))
    'EPSG:8104 NAD83(HARN) / WISCRS Washington (ftUS)'
    """
    authority = crs.to_authority()
    return f"{authority[0]}:{authority[1]} {crs.name}" if authority else str(crs.name)


@lru_cache(maxsize=256)
def geographic(crs: CRS) -> CRS:
    """Return the longitude and latitude system of the same datum, in degrees from Greenwich where the datum allows."""
    base = crs.geodetic_crs if crs.is_projected else crs
    assert base is not None
    if base.is_geographic and len(base.axis_info) == 3:
        base = base.to_2d()
    return base


def datum_of(crs: Any) -> str:
    """Name of the datum, as EPSG writes it where PROJ knows it."""
    base = geographic(crs)
    datum = base.datum
    return str(datum.name) if datum is not None else str(base.name)


def _plain(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]", "", name.lower().replace("ensemble", ""))
    return re.sub(r"^d(?=[a-z])", "", plain) if plain.startswith(("dnorth", "dwgs", "dnad")) else plain


@lru_cache(maxsize=1024)
def same_datum(one: CRS, other: CRS) -> bool:
    """Tell whether two systems stand on one datum: same name, ellipsoid and prime meridian."""
    a, b = geographic(one), geographic(other)
    if a == b:
        return True
    ellipsoids = [(c.ellipsoid.semi_major_metre, c.ellipsoid.inverse_flattening) for c in (a, b) if c.ellipsoid]
    if len(ellipsoids) < 2 or not np.allclose(ellipsoids[0], ellipsoids[1], rtol=1e-9):
        return False
    meridians = [c.prime_meridian.longitude if c.prime_meridian else 0.0 for c in (a, b)]
    if abs(meridians[0] - meridians[1]) > 1e-9:
        return False
    if _plain(datum_of(one)) == _plain(datum_of(other)):
        return True
    codes = [c.to_epsg(min_confidence=60) for c in (a, b)]
    return codes[0] is not None and codes[0] == codes[1]


@lru_cache(maxsize=1024)
def same_system(one: CRS, other: CRS) -> bool:
    """Tell whether two definitions are one system, however they are spelt.

    They are where both stand on one datum and give the same numbers (to 0.1 mm) for points all over the place they are
    made for: names, authority codes, digits of a unit and equivalent parameters do not matter.
    """
    if one == other:
        return True
    if one.is_geographic != other.is_geographic or not same_datum(one, other):
        return False
    if one.is_geographic:
        return all(a.unit_conversion_factor == b.unit_conversion_factor for a, b in zip(one.axis_info[:1], other.axis_info[:1], strict=True))  # fmt: skip
    if not np.isclose(float(metres_per_unit(one)), float(metres_per_unit(other)), rtol=1e-12):
        return False
    try:
        base = geographic(one)
        forward = [Transformer.from_crs(base, c, always_xy=True, allow_ballpark=True) for c in (one, other)]
        lon, lat = _around(one, other)
        a, b = (np.column_stack(t.transform(lon, lat)) for t in forward)
    except (ProjError, CRSError):
        return False
    finite = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
    return bool(finite.sum() >= 4 and np.abs(a - b)[finite].max() * float(metres_per_unit(one)) < 1e-4)


def _around(one: CRS, other: CRS) -> tuple[Any, Any]:
    """Points on which to compare two projected systems: over an area of use, else about a natural origin."""
    area = one.area_of_use or other.area_of_use
    if area is not None and area.west < area.east:
        west, south, east, north = area.bounds
    else:
        west, south, east, north = about_origin(one)
    lon, lat = np.meshgrid(np.linspace(west, east, 5), np.linspace(south, north, 5))
    return lon.ravel(), lat.ravel()


def about_origin(crs: CRS) -> tuple[float, float, float, float]:
    """Degrees about the natural origin of a projected system, for one whose area of use is not known."""
    lon = lat = 0.0
    for parameter in crs.coordinate_operation.params if crs.coordinate_operation else ():
        name = parameter.name.lower()
        degrees = float(parameter.value) * parameter.unit_conversion_factor * 180 / np.pi
        if "longitude" in name:
            lon = degrees
        elif "latitude" in name:
            lat = degrees
    return lon - 2, max(-89.0, lat - 1), lon + 2, min(89.0, lat + 3)


def metres_per_unit(crs: Any) -> Fraction:
    """Return the length of one unit of a projected system, from its axis: the two feet and the metre exactly.

    Raises
    ------
    GroundError
        If the system is in degrees.

    Examples
    --------
    >>> metres_per_unit(CRS.from_epsg(8104))
    Fraction(1200, 3937)
    """
    if not crs.is_projected:
        raise refuse_system("degrees", f"{title(crs)} is in degrees, which have no length")
    factor = float(crs.axis_info[0].unit_conversion_factor)
    for unit, _ in _UNITS:
        # Esri writes 0.3048006096012192 and EPSG 0.304800609601219: the same foot. The two feet differ by 2e-6.
        if abs(factor / float(unit) - 1) < 1e-9:
            return unit
    return Fraction(str(factor))


def foot_of(crs: Any) -> Fraction:
    """Return the foot of the answers for a system: its own unit where that is a foot, else the US survey foot."""
    unit = metres_per_unit(crs)
    return unit if unit in (US_SURVEY_FOOT, INTERNATIONAL_FOOT) else US_SURVEY_FOOT
