"""A map of one site in SVG: what it is on, what lies around it, a scale in feet, north, labels that do not collide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from markupsafe import Markup, escape

from geocheck.model.findings import Findings
from geocheck.model.quantity import format_number
from geocheck.reports.page.drawing import Drawn, Window, path_of

__all__ = ["LEGEND", "LINES", "PATTERNS", "SiteMaps"]

#: Least ground shown, in feet.
LEAST = 150.0

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
_AREAS = ("shoreland", "floodplain", "wetland", "lakes", "impervious")
#: Drawn as lines; of the jurisdiction its edge.
LINES = ("streams", "channels", "roads", "municipality")


@dataclass(slots=True)
class _Labels:
    """Labels placed so far; a new one goes where it meets none, else it is left out."""

    window: Window
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)
    marks: list[Markup] = field(default_factory=list)

    def add(self, text: str, x: float, y: float, kind: str, size: int) -> bool:
        short = text if len(text) <= 22 else text[:21] + "…"
        half, tall = len(short) * size * 0.31 + 4, size * 0.62
        for down in (0, -1.3 * size, 1.3 * size, -2.6 * size, 2.6 * size):
            box = (x - half, y + down - tall, x + half, y + down + tall)
            inside = box[0] > 4 and box[1] > 4 and box[2] < self.window.wide - 4 and box[3] < self.window.high - 4
            if inside and not any(_meet(box, other) for other in self.taken):
                self.taken.append(box)
                self.marks.append(
                    Markup('<text class="label {}" x="{}" y="{}" font-size="{}">{}</text>').format(
                        kind, round(x), round(y + down + size * 0.35), size, short
                    )
                )
                return True
        return False


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class SiteMaps:
    """Maps of the sites of one run; layers are indexed once."""

    def __init__(self, findings: Findings) -> None:
        self.sites = findings.sites
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
            self.parcel_ids = [
                "" if name is None or name != name else str(name) for name in findings.parcels["parcel_id"]
            ]
        self.others = Drawn(self.grounds)

    def draw(self, row: int) -> tuple[Markup, list[str]]:
        """Return the map of a site and the roles that it shows; an empty text for a site without ground."""
        ground = self.grounds[row]
        if ground is None or ground.is_empty:
            return Markup(""), []
        window = Window.around(ground.bounds, LEAST / self.feet)
        shown: dict[str, str] = {}
        for role, drawn in self.layers.items():
            path = drawn.path(window, joined=role in _AREAS)
            if path:
                shown[role] = path
        near, rows = self.others.within(window)
        if (rows != row).any():
            shown["others"] = path_of(near[rows != row], window)
        shown["site"] = path_of(np.array([ground], dtype=object), window)
        order = [role for role in _LOOKS if shown.get(role)]
        labels = self._labels(window, row)
        said = f"Map of site {self.ids[row]}: " + ", ".join(LEGEND[role].lower() for role in order)
        parts = [
            Markup('<svg class="map" role="img" viewBox="0 0 {} {}"><title>{}</title>').format(window.wide, window.high, said),
            *(Markup(f'<path class="{role}" {_LOOKS[role][1]} fill-rule="evenodd" d="{shown[role]}"/>') for role in order),
            *labels, self._scale_bar(window), _north(window), Markup("</svg>"),
        ]  # fmt: skip
        return Markup("").join(parts), order

    def _labels(self, window: Window, row: int) -> list[Markup]:
        labels = _Labels(window, [(20, window.high - 90, 420, window.high), (window.wide - 90, 0, window.wide, 130)])
        x, y = self._middle(self.grounds[row], window)
        labels.add(self.ids[row], x, y, "of-site", 34)
        if self.parcel_ids:
            pieces, rows = self.layers["parcels"].within(window)
            for place in np.argsort(-shapely.area(pieces), kind="stable")[:14]:
                if name := self.parcel_ids[rows[place]]:
                    labels.add(name, *self._middle(pieces[place], window), "of-parcel", 24)
        near, rows = self.others.within(window)
        for place in np.flatnonzero(rows != row)[:6]:
            labels.add(self.ids[rows[place]], *self._middle(near[place], window), "of-other", 24)
        return labels.marks

    @staticmethod
    def _middle(piece: Any, window: Window) -> tuple[float, float]:
        x, y = window.places(shapely.get_coordinates(shapely.point_on_surface(piece)))[0]
        return float(x), float(y)

    def _scale_bar(self, window: Window) -> Markup:
        foot = 1 / (window.unit * self.feet)
        length = _round_number(320 / foot)
        right, base = 40 + length * foot, window.high - 34
        return Markup(
            '<g class="scale" stroke="#111" stroke-width="4"><path fill="none" d="M40,{up}V{base}H{right:.0f}V{up}"/>'
            '<text stroke="none" x="40" y="{text}" font-size="26">{said} ft</text></g>'
        ).format(up=base - 14, base=base, right=right, text=base - 22, said=format_number(length))


def _round_number(most: float) -> float:
    """Return the largest of 1, 2, 5, 10, 20, 50 … that is not more."""
    power = 10.0 ** np.floor(np.log10(most))
    return float(next(step * power for step in (5, 2, 1) if step * power <= most * (1 + 1e-9)))


def _north(window: Window) -> Markup:
    x = window.wide - 45
    return Markup(
        '<g class="north"><title>{}</title><path d="M{x},30l18,52l-18,-12l-18,12z" fill="#111"/>'
        '<text x="{x}" y="112" font-size="28" text-anchor="middle">N</text></g>'
    ).format(escape("Grid north"), x=x)
