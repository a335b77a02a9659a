"""A map of one site in SVG: what it is on, what lies around it, a scale in feet, north, labels that do not collide."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from markupsafe import Markup, escape

from geocheck.model.findings import Findings
from geocheck.model.quantity import format_number
from geocheck.reports.page.drawing import Drawn, Seen, Windows, clipped, paths_of

__all__ = [
    "LEGEND",
    "LINES",
    "PATTERNS",
    "Drawing",
    "SiteMaps",
    "look_of",
    "looks_inside",
    "map_drawn",
    "north",
    "scale_bar",
    "scale_of",
]

#: Least ground shown, in feet.
LEAST = 240.0

#: Neighbours of a sort that are named in one map.
NAMED = 7

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


#: Kind, place, size and text of a label.
Label = tuple[str, int, int, int, str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a map shows, before it is markup: paths by role, labels, and the scale.

    Parameters
    ----------
    said : str
        The map in words.
    paths : list of (role, path)
        In the order in which they are drawn, each path as SVG writes it.
    labels : list of Label
        Names, none over another.
    scale : tuple of (float, str)
        Where the scale ends, and its length in words.
    """

    said: str
    paths: list[tuple[str, str]]
    labels: list[Label]
    scale: tuple[int, str]

    @property
    def shown(self) -> list[str]:
        """The roles that are seen."""
        return [role for role, _ in self.paths]


@dataclass(slots=True)
class _Labels:
    """Labels placed so far; a new one goes where it meets none, else it is left out."""

    wide: int
    high: int
    taken: list[tuple[float, float, float, float]]
    marks: list[Label] = field(default_factory=list)

    def add(self, text: str, x: float, y: float, kind: str, size: int) -> bool:
        short = text if len(text) <= 22 else text[:21] + "…"
        half, tall = len(short) * size * 0.31 + 4, size * 0.62
        for down in (0, -1.3 * size, 1.3 * size, -2.6 * size, 2.6 * size):
            box = (x - half, y + down - tall, x + half, y + down + tall)
            inside = box[0] > 4 and box[1] > 4 and box[2] < self.wide - 4 and box[3] < self.high - 4
            if inside and not any(_meet(box, other) for other in self.taken):
                self.taken.append(box)
                self.marks.append((kind, round(x), round(y + down + size * 0.35), size, short))
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
        self._findings = findings
        self._layers: dict[str, Drawn] = {}
        self.parcel_ids: list[str] = []
        if findings.parcels is not None:
            names = findings.parcels["parcel_id"].tolist()
            self.parcel_ids = ["" if name is None or name != name else str(name) for name in names]
        self._drawn: dict[int, Drawing | None] = {}

    def shapes(self) -> Iterator[tuple[str, Any]]:
        """Yield role and shapes of each layer that maps show, in the order in which they are drawn; a shape a record, also none."""
        for role in _LOOKS:
            found = self._shapes_of(role)
            if found is not None:
                yield role, found

    def _shapes_of(self, role: str) -> Any:
        if role == "parcels":
            return None if self._findings.parcels is None else np.asarray(self._findings.parcels.geometry)
        layer = self._findings.layers.get(role)
        if layer is None or layer.frame is None:
            return None
        return np.asarray(layer.frame.geometry.boundary if role == "municipality" else layer.frame.geometry)

    def layer(self, role: str) -> Drawn | None:
        """Return one layer, indexed when it is first asked for; None where the run has none. ``others`` are the sites."""
        if role not in self._layers:
            shapes = self.grounds if role == "others" else self._shapes_of(role)
            if shapes is None:
                return None
            self._layers[role] = Drawn(shapes, LEAST / self.feet / Windows.wide)
        return self._layers[role]

    def draw(self, row: int) -> Drawing | None:
        """Return the map of a site; None for a site without ground."""
        if row not in self._drawn:
            self._drawn = self._batch(range(row, min(row + BATCH, len(self.grounds))))
        return self._drawn[row]

    def _batch(self, rows: range) -> dict[int, Drawing | None]:
        drawn: dict[int, Drawing | None] = dict.fromkeys(rows)
        sites = np.array(
            [row for row in rows if self.grounds[row] is not None and not self.grounds[row].is_empty], dtype=int
        )
        if not len(sites):
            return drawn
        windows = Windows.around(shapely.bounds(self.grounds[sites]), LEAST / self.feet)
        layers = {role: self.layer(role) for role in _LOOKS}
        seen = {role: layer.within(windows) for role, layer in layers.items() if layer is not None}
        others = seen["others"]
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
            shown = [(role, paths[role][place]) for role in _LOOKS if paths.get(role, {}).get(place)]
            said = f"Map of site {self.ids[row]}: " + ", ".join(LEGEND[role].lower() for role, _ in shown)
            scale = scale_of(float(windows.unit[place]), self.feet)
            drawn[row] = Drawing(said, shown, labels[place].marks, scale)
        return drawn

    @staticmethod
    def _own_label(windows: Windows, name: str, x: float, y: float) -> _Labels:
        scale, north = (20, windows.high - 90, 420, windows.high), (windows.wide - 90, 0, windows.wide, 130)
        labels = _Labels(windows.wide, windows.high, [scale, north])
        labels.add(name, x, y, "of-site", 34)
        return labels


#: The look of labels and hatchings inside a picture that no stylesheet of the page reaches.
_ALONE = (
    "<style>text{font-family:sans-serif;text-anchor:middle}.of-site{font-weight:bold}.of-parcel{fill:#444}.of-other{fill:#8a3b00}"
    ".scale text{text-anchor:start}.halo{fill:#fff;stroke:#fff;stroke-width:7px;stroke-linejoin:round}</style>"
)


def map_drawn(drawing: Drawing, *, alone: bool = False) -> Markup:
    """Return a map in SVG; ``alone`` with its looks and hatchings in it, for where the page's style does not reach."""
    wide, high = Windows.wide, Windows.high
    labels = []
    for kind, x, y, size, text in drawing.labels:
        place = f'x="{x}" y="{y}" font-size="{size}"'
        halo = f'<text class="halo" {place}>{escape(text)}</text>' if alone else ""
        labels.append(f'{halo}<text class="label {kind}" {place}>{escape(text)}</text>')
    looks = looks_inside() if alone else ""
    return Markup(
        f'<svg class="map" role="img" viewBox="0 0 {wide} {high}"><title>{escape(drawing.said)}</title>{looks}'
        + "".join(f'<path class="{role}" {_LOOKS[role][1]} d="{path}"></path>' for role, path in drawing.paths)
        + "".join(labels)
        + scale_bar(drawing.scale, high)
        + north(wide)
        + "</svg>"
    )


#: What a hatching comes to from afar, for samples that no hatching reaches.
_PALE = {"url(#p-shore)": "#ddeefa", "url(#p-flood)": "#b9d8ea", "url(#p-wet)": "#d3ece4"}


def look_of(role: str, *, alone: bool = False) -> str:
    """Return the attributes of a role's look, for where no stylesheet applies; ``alone`` without hatchings."""
    look = _LOOKS[role][1]
    for hatching, pale in _PALE.items() if alone else ():
        look = look.replace(hatching, pale)
    return look


def looks_inside() -> str:
    """Return styles and hatchings as they stand inside a picture that no stylesheet of the page reaches."""
    return _ALONE + re.search(r"<defs>.*</defs>", PATTERNS)[0]  # type: ignore[index]


def scale_of(unit: float, feet: float) -> tuple[int, str]:
    """Return where a picture's scale ends and what it says: a round number of feet.

    Parameters
    ----------
    unit : float
        Units of the run's system in one unit of the picture.
    feet : float
        Feet in one unit of the run's system.
    """
    foot = 1 / (unit * feet)
    length = _round_number(320 / foot)
    return round(40 + length * foot), f"{format_number(length)} ft"


def scale_bar(scale: tuple[int, str], high: int) -> str:
    """Return the scale of a picture of this height, in its lower left corner."""
    right, text = scale
    up, base = high - 48, high - 34
    return (
        f'<g class="scale" stroke="#111" stroke-width="4"><path fill="none" d="M40,{up}V{base}H{right}V{up}"></path>'
        f'<text stroke="none" x="40" y="{base - 22}" font-size="26">{text}</text></g>'
    )


def _add_labels(labels: list[_Labels], seen: Seen, windows: Windows, kind: str, names: list[str]) -> None:
    """Name what is seen, the largest first, at most `NAMED` in a window."""
    named = seen.kept(np.array([bool(names[row]) for row in seen.rows.tolist()], dtype=bool))
    if not len(named.owner):
        return
    named = named.kept(np.lexsort((-shapely.area(named.shapes), named.owner)))
    firsts = np.searchsorted(named.owner, named.owner)
    named = named.kept(np.arange(len(named.owner)) - firsts < NAMED)
    middles = _middles(named, windows)
    said: set[tuple[int, str]] = set()  # of stacked parcels one name
    for owner, row, (x, y) in zip(named.owner.tolist(), named.rows.tolist(), middles, strict=True):
        if (owner, names[row]) not in said:
            said.add((owner, names[row]))
            labels[owner].add(names[row], x, y, kind, 24)


def _middles(seen: Seen, windows: Windows) -> list[tuple[float, float]]:
    """A place within each shape, in its picture; of a shape that reaches out of the picture, within what is seen."""
    points = shapely.get_coordinates(shapely.point_on_surface(seen.shapes))
    places = windows.places(points, seen.owner)
    outside = ((places < 0) | (places > (windows.wide, windows.high))).any(axis=1)
    far = np.flatnonzero(outside)
    frames, bounds = windows.frames[seen.owner[far]], shapely.bounds(seen.shapes[far])
    middle = (np.maximum(frames[:, :2], bounds[:, :2]) + np.minimum(frames[:, 2:], bounds[:, 2:])) / 2
    within = shapely.contains_xy(seen.shapes[far], middle)
    points[far[within]] = middle[within]
    for place in far[~within]:
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
        f'<g class="north"><title>Grid north</title><path d="M{x},30l18,52l-18,-12l-18,12z" fill="#111"></path>'
        f'<text x="{x}" y="112" font-size="28" text-anchor="middle">N</text></g>'
    )
