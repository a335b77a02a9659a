"""From one datum to another: one route a pair of datums in the whole run, with its accuracy and what it lacks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyproj import CRS, Geod
from pyproj.transformer import AreaOfInterest, TransformerGroup

from geocheck.sources.fitting import Region
from geocheck.sources.systems import datum_of, geographic, same_datum

__all__ = ["Route", "route"]

#: 95 % bound in metres of what a "ballpark" (no shift at all) leaves out between two realisations of NAD83. The 1986
#: adjustment and the state HARNs differ by up to about a metre, later realisations by less than a decimetre or two
#: (NOAA Technical Report NOS NGS 63, NADCON 5: grids 1986-HARN, HARN-FBN, FBN-2007, 2007-2011).
_NAD83_FIRST, _NAD83_LATER = 1.0, 0.2
#: The same for NAD27 where no better estimate can be made: shifts within the conterminous states stay under 100 m
#: (NOAA Technical Memorandum NOS NGS-50, NADCON).
_NAD27 = 100.0
_UNKNOWN = 500.0


@dataclass(frozen=True, eq=False)
class Route:
    """A datum operation: its name, accuracy (None is unknown), and by how much it may be off.

    Parameters
    ----------
    transformer : pyproj.Transformer or None
        Between the two longitude-latitude systems, longitude first; None where nothing moves.
    doubt_m : float
        Metres (95 %) by which the result may be off.
    missing : tuple of str
        Grid files that a better operation would need.
    """

    name: str
    accuracy_m: float | None
    doubt_m: float
    transformer: Any
    ballpark: bool
    missing: tuple[str, ...] = ()

    def describe(self) -> str:
        """Name the operation and say what a reader must know about it."""
        text = self.name
        if self.ballpark:
            text += f"; a ballpark: nothing is moved, accuracy unknown, taken to be off by up to {self.doubt_m:.3g} m"
        if self.missing:
            text += f"; better operations need grids that are not installed: {', '.join(self.missing)}"
        return text


def route(source: CRS, target: CRS, region: Region) -> Route:
    """Return the way from one datum to another for a region: the best of all operations that can be carried out here.

    Parameters
    ----------
    source, target : CRS
        Systems whose datums are meant.
    region : Region
        Where the run is.
    """
    a, b = geographic(source), geographic(target)
    if same_datum(a, b):
        return Route("", 0.0, 0.0, None, False)
    group = _group(a, b, region)
    missing = tuple(
        dict.fromkeys(g.short_name for o in group.unavailable_operations for g in o.grids if not g.available)
    )
    usable = [
        t
        for t in group.transformers
        if t.accuracy is not None and t.accuracy >= 0 and "ballpark" not in t.description.lower()
    ]
    if not usable:
        found = group.transformers[0] if group.transformers else None
        name = _name(found) if found is not None else f"ballpark from {datum_of(a)} to {datum_of(b)}"
        return Route(name, None, _bound(a, b, region), None, True, missing)
    best = usable[0]
    accuracy = float(best.accuracy)
    return Route(_name(best), accuracy, accuracy, None if _moves_nothing(best, region) else best, False, missing)


def _group(a: CRS, b: CRS, region: Region) -> TransformerGroup:
    west, south, east, north = region
    area = AreaOfInterest(west, south, max(east, west + 1e-6), max(north, south + 1e-6))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the missing grids are on record in the route
        return TransformerGroup(a, b, always_xy=True, area_of_interest=area)


def _name(transformer: Any) -> str:
    return (
        str(transformer.description).replace("axis order change (2D) + ", "").replace(" + axis order change (2D)", "")
    )


def _corners(region: Region) -> Any:
    west, south, east, north = region
    return np.array([[west, south], [east, north], [(west + east) / 2, (south + north) / 2]])


def _moves_nothing(transformer: Any, region: Region) -> bool:
    points = _corners(region)
    moved = np.column_stack(transformer.transform(points[:, 0], points[:, 1]))
    return bool(np.abs(moved - points).max() < 1e-12)


def _bound(a: CRS, b: CRS, region: Region) -> float:
    """Metres that a ballpark between two datums may leave out."""
    names = {datum_of(a).lower(), datum_of(b).lower()}
    modern = [n for n in names if "nad83" in n or "north american datum 1983" in n]
    if len(modern) == 2:
        return _NAD83_FIRST if any("1983" in n and "nad83" not in n for n in modern) else _NAD83_LATER
    estimate = _by_way_of_wgs84(a, b, region)
    if estimate is not None:
        return estimate
    return _NAD27 if any("1927" in n or "nad27" in n for n in names) else _UNKNOWN


def _by_way_of_wgs84(a: CRS, b: CRS, region: Region) -> float | None:
    """Estimate the shift by published operations to WGS 84 and back: how far they move, plus their accuracies."""
    wgs84 = CRS.from_epsg(4326)
    points = _corners(region)
    moved, accuracy = points.copy(), 0.0
    for source, target in ((a, wgs84), (wgs84, b)):
        if same_datum(source, target):
            continue
        usable = [t for t in _group(source, target, region).transformers if t.accuracy is not None and t.accuracy >= 0 and "ballpark" not in t.description.lower()]  # fmt: skip
        if not usable:
            return None
        moved = np.column_stack(usable[0].transform(moved[:, 0], moved[:, 1]))
        accuracy += float(usable[0].accuracy)
    _, _, distance = Geod(ellps="GRS80").inv(points[:, 0], points[:, 1], moved[:, 0], moved[:, 1])
    return float(np.max(distance)) + accuracy
