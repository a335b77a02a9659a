"""Do the numbers fit the system that they claim? And where they do not: which systems they would fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.aoi import AreaOfInterest
from pyproj.database import query_crs_info
from pyproj.enums import PJType
from pyproj.exceptions import CRSError, ProjError

from geocheck.model.problem import GroundError
from geocheck.sources.systems import about_origin, geographic, refuse_system, title

__all__ = ["Region", "anchors", "candidates", "check_fit", "degrees_of", "region_of"]

#: West, south, east, north in degrees.
Region = tuple[float, float, float, float]
#: No county lies south of this latitude; numbers there are an eastern longitude-latitude pair exchanged.
_INHABITED = -60.0


@dataclass(frozen=True, slots=True)
class _Name:
    file: Path | str
    layer: str


def anchors(shapes: Any, *, most: int = 4000) -> Any:
    """Return one vertex of each record (of at most ``most`` spread records), in the layer's own numbers."""
    shapes = shapes[~(shapely.is_missing(shapes) | shapely.is_empty(shapes))]
    if len(shapes) > most:
        shapes = shapes[np.linspace(0, len(shapes) - 1, most).astype(int)]
    if not len(shapes):
        return np.empty((0, 2))
    bounds = shapely.bounds(shapes)
    return (bounds[:, :2] + bounds[:, 2:]) / 2


@lru_cache(maxsize=512)
def _to_degrees(crs: CRS) -> Transformer:
    return Transformer.from_crs(crs, geographic(crs), always_xy=True)


def degrees_of(crs: CRS, points: Any) -> Any:
    """Longitude and latitude of points, on the system's own datum; infinite where they have none."""
    points = np.asarray(points, dtype=float)
    if crs.is_geographic:
        return points
    try:
        lon, lat = _to_degrees(crs).transform(points[:, 0], points[:, 1])
    except ProjError:
        return np.full_like(points, np.inf)
    return np.column_stack([lon, lat])


def region_of(crs: CRS, points: Any) -> Region | None:
    """Extent of points in degrees, None where there are none."""
    degrees = degrees_of(crs, points)
    degrees = degrees[np.isfinite(degrees).all(axis=1)]
    if not len(degrees):
        return None
    west, south = degrees.min(axis=0).tolist()
    east, north = degrees.max(axis=0).tolist()
    return west, south, east, north


def check_fit(
    crs: CRS, points: Any, *, file: Path | str, layer: str, near: Region | None = None, certain: bool = False
) -> tuple[str, ...]:
    """Refuse coordinates that cannot be in the system they claim.

    Parameters
    ----------
    crs : CRS
        The claimed system.
    points : array, shape (n, 2)
        One point a record (`anchors`), in the layer's own numbers.
    file, layer : str
        For the message.
    near : Region or None
        Where the run is, if known: numbers that lie far from it, and would lie in it in another system, are refused.
    certain : bool
        Whether the project insists on the system: then it may lie far away.

    Returns
    -------
    tuple of str
        Notes: records that lie outside the system's area of use while others lie in it.

    Raises
    ------
    GroundError
        If no record lies where the system is made for: degrees labelled as feet, axes exchanged, numbers of another
        system, longitude without its sign. The message names the system and what the numbers fit.
    """
    points = np.asarray(points, dtype=float)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return ()
    name = _Name(file, layer)
    small = bool((np.abs(points[:, 0]) <= 180).all() and (np.abs(points[:, 1]) <= 90).all())
    if crs.is_geographic:
        notes = _check_degrees(crs, points, small, name, near)
        if near is not None and not certain and not _meets(points, near):
            if _meets(points * (-1, 1), near, all_of_them=True):
                raise _without_sign(crs, points, name)
            _refuse_far(crs, points, name, near)
        return notes
    if small:
        raise _misfit(crs, points, name, near)
    degrees = degrees_of(crs, points)
    inside = _inside(crs, degrees)
    if not inside.any():
        raise _misfit(crs, points, name, near)
    if (
        near is not None
        and not _meets(degrees, near)
        and _meets(degrees_of(crs, points[:, ::-1]), near, all_of_them=True)
    ):
        raise _exchanged(
            crs, points, name, "northing stands where easting belongs", "Write the file with easting first."
        )
    if near is not None and not certain and not _meets(degrees, near):
        _refuse_far(crs, points, name, near)
    if not inside.all():
        return (f"{int((~inside).sum())} of {len(inside)} records looked at lie outside the area that {title(crs)} is made for",)  # fmt: skip
    return ()


def _check_degrees(crs: CRS, points: Any, small: bool, name: _Name, near: Region | None) -> tuple[str, ...]:
    swapped = points[:, ::-1]
    if not small:
        exchanged = (np.abs(swapped[:, 0]) <= 180).all() and (np.abs(swapped[:, 1]) <= 90).all()
        raise _exchanged(crs, points, name) if exchanged else _misfit(crs, points, name, near)
    inside = _inside(crs, points)
    fits_swapped = _inside(crs, swapped)
    if near is not None and not _meets(points, near) and _meets(swapped, near, all_of_them=True):
        raise _exchanged(crs, points, name)
    if not inside.any() or (points[:, 1] < _INHABITED).all():
        if fits_swapped.all() and (np.abs(swapped[:, 1]) < -_INHABITED + 25).all():
            raise _exchanged(crs, points, name)
        if _inside(crs, points * (-1, 1)).all():
            raise _without_sign(crs, points, name)
        raise _misfit(crs, points, name, near)
    if not inside.all():
        return (f"{int((~inside).sum())} of {len(inside)} records looked at lie outside the area that {title(crs)} is made for",)  # fmt: skip
    return ()


def _refuse_far(crs: CRS, points: Any, name: _Name, near: Region) -> None:
    """Refuse numbers far from the run that would lie in it in another system: a wrong label inside an area of use."""
    found = candidates(points, near)
    if found:
        raise _misfit(crs, points, name, near, found)


def _without_sign(crs: CRS, points: Any, name: _Name) -> GroundError:
    return refuse_system(
        "longitude-sign",
        f"the coordinates do not fit {title(crs)}: {_extent(points)}. They fit with the sign of the longitude changed: west "
        "of Greenwich is negative",
        file=name.file,
        layer=name.layer,
        remedy="Write the file with the right signs.",
    )


def _inside(crs: CRS, degrees: Any) -> Any:
    """Which points lie in the system's area of use, with a margin of a quarter of its size."""
    finite = np.isfinite(degrees).all(axis=1)
    lon, lat = degrees.T
    possible = finite & (np.abs(lon) <= 180) & (np.abs(lat) <= 90)
    area = _area(crs)
    if area is None:
        return possible & _near_origin(crs, degrees)
    west, south, east, north = area
    width = east - west if east >= west else east - west + 360
    dx, dy = max(0.05, width / 4), max(0.05, (north - south) / 4)
    across = (lon - (west - dx)) % 360 <= width + 2 * dx if width + 2 * dx < 360 else np.ones(len(lon), dtype=bool)
    return possible & across & (lat >= south - dy) & (lat <= north + dy)


def _meets(degrees: Any, near: Region, *, all_of_them: bool = False) -> bool:
    """Whether any point, or every one, lies in a region with half its size, at least half a degree, around it."""
    west, south, east, north = near
    dx, dy = max(0.5, (east - west) / 2), max(0.5, (north - south) / 2)
    lon, lat = degrees.T
    inside = (lon >= west - dx) & (lon <= east + dx) & (lat >= south - dy) & (lat <= north + dy)
    return bool(inside.all() if all_of_them else inside.any())


@lru_cache(maxsize=512)
def _area(crs: CRS) -> Region | None:
    area = crs.area_of_use
    if area is None:
        code = crs.to_epsg(min_confidence=70)
        area = CRS.from_epsg(code).area_of_use if code is not None else None
    return None if area is None else area.bounds


def _near_origin(crs: CRS, degrees: Any) -> Any:
    """For a local system without a known area: within ten degrees of its natural origin."""
    west, south, east, north = about_origin(crs)
    lon, lat = degrees.T
    return (np.abs((lon - (west + east) / 2 + 180) % 360 - 180) <= 10) & (lat >= south - 10) & (lat <= north + 10)


def _extent(points: Any) -> str:
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return f"x from {x0:,.6g} to {x1:,.6g}, y from {y0:,.6g} to {y1:,.6g}"


def _exchanged(
    crs: CRS,
    points: Any,
    name: _Name,
    how: str = "latitude stands where longitude belongs",
    remedy: str = "Write the file with longitude first.",
) -> GroundError:
    return refuse_system(
        "swapped-axes",
        f"the coordinates do not fit {title(crs)}: {_extent(points)}. They fit with the axes exchanged: {how}",
        file=name.file,
        layer=name.layer,
        remedy=remedy,
    )


def _misfit(crs: CRS, points: Any, name: _Name, near: Region | None, found: list[str] | None = None) -> GroundError:
    small = (np.abs(points[:, 0]) <= 180).all() and (np.abs(points[:, 1]) <= 90).all()
    degrees = degrees_of(crs, points)
    shown = degrees[np.isfinite(degrees).all(axis=1)]
    lands = ""
    if len(shown) and not crs.is_geographic:
        lands = f", which would be near longitude {shown[:, 0].mean():.3f}, latitude {shown[:, 1].mean():.3f}"
    if small and not crs.is_geographic:
        fit = "The numbers fit longitude and latitude (EPSG:4326)"
    else:
        if found is None:
            found = candidates(points, near) if near is not None else []
        if not crs.is_geographic:
            exchanged = degrees_of(crs, points[:, ::-1])
            if _inside(crs, exchanged).all() and (near is None or _meets(exchanged, near, all_of_them=True)):
                return _exchanged(
                    crs, points, name, "northing stands where easting belongs", "Write the file with easting first."
                )
        fit = f"In the region of the run the numbers fit {'; '.join(found)}" if found else "They fit no system of the region that is known here" if near else "They may be in another system"  # fmt: skip
    return refuse_system(
        "coordinates-misfit",
        f"the file declares {title(crs)}, but its coordinates do not fit: {_extent(points)}{lands}. {fit}",
        file=name.file,
        layer=name.layer,
        remedy="If you know the system, state it with `crs: EPSG:…` and `override_crs: true`; both are recorded.",
    )


def candidates(points: Any, near: Region, *, most: int = 12) -> list[str]:
    """Return titles of EPSG systems in which the numbers fall in a region, those made for the smallest area first.

    Parameters
    ----------
    points : array, shape (n, 2)
        Numbers without a known system.
    near : Region
        The jurisdiction, or what the other layers cover, in degrees.
    """
    points = np.asarray(points, dtype=float)
    corners = np.array([points.min(axis=0), points.max(axis=0), points.mean(axis=0)])
    west, south, east, north = near
    dx, dy = max(0.01, (east - west) * 0.1), max(0.01, (north - south) * 0.1)
    found: list[tuple[float, int, str]] = []
    interest = AreaOfInterest(west, south, east, north)
    kinds = [PJType.PROJECTED_CRS, PJType.GEOGRAPHIC_2D_CRS]
    for info in query_crs_info(auth_name="EPSG", pj_types=kinds, area_of_interest=interest, contains=False):
        try:
            crs = CRS.from_epsg(int(info.code))
            degrees = degrees_of(crs, corners)
        except (CRSError, ProjError, ValueError):
            continue
        lon, lat = degrees.T
        if ((lon >= west - dx) & (lon <= east + dx) & (lat >= south - dy) & (lat <= north + dy)).all():
            area = info.area_of_use
            size = (area.east - area.west) * (area.north - area.south) if area else 1e9
            found.append((size, int(info.code), title(crs)))
    return [name for _, _, name in sorted(found)[:most]]
