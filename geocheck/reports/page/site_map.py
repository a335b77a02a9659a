"""A map of one site in SVG: what it is on, what lies around it, a scale in feet, north, labels that do not collide."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import shapely
from markupsafe import Markup, escape

from geocheck.model.findings import Findings
from geocheck.model.quantity import format_number
from geocheck.reports.page.drawing import Drawn, Seen, Windows, clipped, paths_of

__all__ = ["LEGEND", "LINES", "PATTERNS", "SiteMaps", "look_of", "north", "scale_bar"]

#: Least ground shown, in feet.
LEAST = 240.0

#: Sites drawn at a time.
BATCH = 256

# role -> what it is called, its look when no stylesheet applies; drawn in this order.
_LOOKS = {
    "shoreland": ("Shoreland", 'fill="url(#p-shore)" stroke="#3b7ea8" stroke-width="2" stroke-dasharray="10 6"'),
    "floodplain": ("Floodplain", 'fill="url(#p-flood)" stroke="#0a5f96" stroke-width="2"'),
    "wetland": ("Wetland", 'fill="url(#p-wet)" stroke="#00724f" stroke-width="2"'),
    "lakes": ("Lake or pond", 'fill="#a9d3ec" stroke="#2f7db0" stroke-width="2"'),
    "streams": ("Stream", 'fill="none" stroke="#2f7db0" stroke-width="5"'),
    "channels": ("Ditch or channel", 'fill="none" stroke="#2f7db0" stroke-width="4" stroke-dasharray="14 8"'),
    "impervious": ("Impervious", 'fill="#8a8a8a" fill-opacity=".65" stroke="none"'),
    "roads": ("Road", 'fill="none" stroke="#6d6d6d" stroke-width="4"'),
    "parcels": ("Parcel", 'fill="none" stroke="#777" stroke-width="2"'),
    "municipality": ("Jurisdiction", 'fill="none" stroke="#7a3b8f" stroke-width="5" stroke-dasharray="24 8 4 8"'),
    "others": ("Other site", 'fill="none" stroke="#b34700" stroke-width="3" stroke-dasharray="6 6"'),
    "site": (
        "This site",
        'fill="#d55e00" fill-opacity=".28" stroke="#a34700" stroke-width="6" stroke-linejoin="round"',
    ),
}
#: class -> name, for the legend.
LEGEND = {role: name for role, (name, _) in _LOOKS.items()}

#: Hatchings of the zones, once a page: told apart without colour.
PATTERNS = Markup(
    '<svg class="patterns" aria-hidden="true" focusable="false" width="0" height="0"><defs>'
    '<pattern id="p-shore" width="18" height="18" patternUnits="userSpaceOnUse"><rect width="18" height="18" fill="#56b4e9" '
    'fill-opacity=".14"/><circle cx="5" cy="5" r="2" fill="#3b7ea8"/></pattern>'
    '<pattern id="p-flood" width="16" height="16" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="16" height="16" fill="#0072b2" fill-opacity=".12"/><rect width="4" height="16" fill="#0072b2" '
    'fill-opacity=".5"/></pattern>'
    '<pattern id="p-wet" width="30" height="20" patternUnits="userSpaceOnUse"><rect width="30" height="20" fill="#009e73" '
    'fill-opacity=".13"/><path d="M3,6h14M16,16h12" stroke="#00724f" stroke-width="3"/></pattern></defs></svg>'
)
#: Drawn as lines; of the jurisdiction its edge.
LINES = ("streams", "channels", "roads", "municipality")


@dataclass(slots=True)
class _Labels:
    """Labels placed so far; a new one goes where it meets none, else it is left out."""

    wide: int
    high: int
    taken: list[tuple[float, float, float, float]]
    marks: list[str] = field(default_factory=list)

    def add(self, text: str, x: float, y: float, kind: str, size: int) -> bool:
        short = text if len(text) <= 22 else text[:21] + "…"
        half, tall = len(short) * size * 0.31 + 4, size * 0.62
        for down in (0, -1.3 * size, 1.3 * size, -2.6 * size, 2.6 * size):
            box = (x - half, y + down - tall, x + half, y + down + tall)
            inside = box[0] > 4 and box[1] > 4 and box[2] < self.wide - 4 and box[3] < self.high - 4
            if inside and not any(_meet(box, other) for other in self.taken):
                self.taken.append(box)
                place = f'x="{x:.0f}" y="{y + down + size * 0.35:.0f}" font-size="{size}"'
                self.marks.append(f'<text class="label {kind}" {place}>{escape(short)}</text>')
                return True
        return False


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class SiteMaps:
    """Maps of the sites of one run; layers are indexed once, sites drawn many at a time."""

    def __init__(self, findings: Findings) -> None:
        self.grounds = np.asarray(findings.sites.geometry)
        self.ids = [str(name) for name in findings.sites["site_id"]]
        self.feet = findings.ground.feet if findings.ground is not None else 1.0
        self.layers: dict[str, Drawn] = {}
        for role in _LOOKS:
            layer = findings.layers.get(role)
            if role not in ("parcels", "site", "others") and layer is not None and layer.frame is not None:
                edge = role == "municipality"
                self.layers[role] = Drawn(layer.frame.geometry.boundary if edge else layer.frame.geometry)
        self.parcel_ids: list[str] = []
        if findings.parcels is not None:
            self.layers["parcels"] = Drawn(findings.parcels.geometry)
            names = findings.parcels["parcel_id"].tolist()
            self.parcel_ids = ["" if name is None or name != name else str(name) for name in names]
        self.others = Drawn(self.grounds)
        self._drawn: dict[int, tuple[Markup, list[str]]] = {}

    def draw(self, row: int) -> tuple[Markup, list[str]]:
        """Return the map of a site and the roles that it shows; an empty text for a site without ground."""
        if row not in self._drawn:
            self._drawn = self._batch(range(row, min(row + BATCH, len(self.grounds))))
        return self._drawn[row]

    def _batch(self, rows: range) -> dict[int, tuple[Markup, list[str]]]:
        drawn: dict[int, tuple[Markup, list[str]]] = {row: (Markup(""), []) for row in rows}
        sites = np.array(
            [row for row in rows if self.grounds[row] is not None and not self.grounds[row].is_empty], dtype=int
        )
        if not len(sites):
            return drawn
        windows = Windows.around(shapely.bounds(self.grounds[sites]), LEAST / self.feet)
        seen = {role: layer.within(windows) for role, layer in self.layers.items()}
        others = self.others.within(windows)
        seen["others"] = others.kept(others.rows != sites[others.owner])
        seen["site"] = Seen(np.arange(len(sites)), self.grounds[sites], sites)
        paths = {role: paths_of(what, windows) for role, what in seen.items()}
        named = [("of-other", seen["others"], self.ids)]
        if self.parcel_ids:
            named.insert(0, ("of-parcel", seen["parcels"], self.parcel_ids))
        middles = _middles(seen["site"], windows)
        labels = [self._own_label(windows, self.ids[row], *middles[place]) for place, row in enumerate(sites.tolist())]
        for kind, what, names in named:
            _add_labels(labels, what, windows, kind, names)
        for place, row in enumerate(sites.tolist()):
            order = [role for role in _LOOKS if paths.get(role, {}).get(place)]
            drawn[row] = self._svg(row, place, order, paths, labels[place].marks, windows), order
        return drawn

    @staticmethod
    def _own_label(windows: Windows, name: str, x: float, y: float) -> _Labels:
        scale, north = (20, windows.high - 90, 420, windows.high), (windows.wide - 90, 0, windows.wide, 130)
        labels = _Labels(windows.wide, windows.high, [scale, north])
        labels.add(name, x, y, "of-site", 34)
        return labels

    def _svg(
        self,
        row: int,
        place: int,
        order: list[str],
        paths: dict[str, dict[int, str]],
        labels: list[str],
        windows: Windows,
    ) -> Markup:
        said = f"Map of site {self.ids[row]}: " + ", ".join(LEGEND[role].lower() for role in order)
        return Markup(
            f'<svg class="map" role="img" viewBox="0 0 {windows.wide} {windows.high}"><title>{escape(said)}</title>'
            + "".join(f'<path class="{role}" {_LOOKS[role][1]} d="{paths[role][place]}"/>' for role in order)
            + "".join(labels)
            + scale_bar(float(windows.unit[place]), windows.high, self.feet)
            + north(windows.wide)
            + "</svg>"
        )


def look_of(role: str) -> str:
    """Return the attributes of a role's look, for where no stylesheet applies."""
    return _LOOKS[role][1]


def scale_bar(unit: float, high: int, feet: float) -> str:
    """Return the scale of a picture: a round number of feet.

    Parameters
    ----------
    unit : float
        Units of the run's system in one unit of the picture.
    high : int
        Of the picture.
    feet : float
        Feet in one unit of the run's system.
    """
    foot = 1 / (unit * feet)
    length = _round_number(320 / foot)
    up, base, right = high - 48, high - 34, 40 + length * foot
    return (
        f'<g class="scale" stroke="#111" stroke-width="4"><path fill="none" d="M40,{up}V{base}H{right:.0f}V{up}"/>'
        f'<text stroke="#fff" x="40" y="{base - 22}" font-size="26">{format_number(length)} ft</text></g>'
    )


def _add_labels(labels: list[_Labels], seen: Seen, windows: Windows, kind: str, names: list[str]) -> None:
    """Name what is seen, the largest first, at most 14 in a window."""
    if not len(seen.owner):
        return
    middles = _middles(seen, windows)
    order = np.lexsort((-shapely.area(seen.shapes), seen.owner))
    left = [14] * len(windows)
    for place in order.tolist():
        owner, name = int(seen.owner[place]), names[int(seen.rows[place])]
        if name and left[owner]:
            left[owner] -= 1
            x, y = middles[place]
            labels[owner].add(name, x, y, kind, 24)


def _middles(seen: Seen, windows: Windows) -> list[tuple[float, float]]:
    """A place within each shape, in its picture; of a shape that reaches out of the picture, within what is seen."""
    points = shapely.get_coordinates(shapely.point_on_surface(seen.shapes))
    places = windows.places(points, seen.owner)
    outside = ((places < 0) | (places > (windows.wide, windows.high))).any(axis=1)
    for place in np.flatnonzero(outside):
        part = clipped(seen.shapes[place], windows.frames[seen.owner[place]])
        if not part.is_empty:
            points[place] = shapely.get_coordinates(shapely.point_on_surface(part))[0]
    return [(float(x), float(y)) for x, y in windows.places(points, seen.owner).tolist()]


def _round_number(most: float) -> float:
    """Return the largest of 1, 2, 5, 10, 20, 50 … that is not more."""
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (5, 2, 1) if step * power <= most * (1 + 1e-9))


def north(wide: int) -> str:
    """Return the north arrow, in the upper right corner."""
    x = wide - 45
    return (
        f'<g class="north"><title>Grid north</title><path d="M{x},30l18,52l-18,-12l-18,12z" fill="#111"/>'
        f'<text x="{x}" y="112" font-size="28" text-anchor="middle">N</text></g>'
    )
