"""One map of all sites: where they lie, each marked by its outcome, over zones, water and the jurisdiction."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from markupsafe import Markup, escape

from geocheck.reports.page.drawing import Windows, paths_of
from geocheck.reports.page.site_map import LEGEND, SiteMaps, look_of, looks_inside, north, scale_bar, scale_of

__all__ = ["MARKS", "MARK_LOOKS", "overview_map"]

#: outcome -> a mark of its own shape around 0, 0: told apart without colour.
MARKS = {
    "not_required": "M-9,0a9,9 0 1 0 18,0a9,9 0 1 0 -18,0z",
    "waived": "M0,-13l13,13l-13,13l-13,-13z",
    "undetermined": "M0,-13l13,22h-26z",
    "required": "M-10,-10h20v20h-20z",
}

#: outcome -> look of its mark, where no stylesheet applies.
MARK_LOOKS = {
    outcome: f'fill="{colour}" stroke="#fff" stroke-width="2"'
    for outcome, colour in (
        ("not_required", "#0072b2"),
        ("waived", "#b0568d"),
        ("undetermined", "#e3b505"),
        ("required", "#d55e00"),
    )
}

#: With more sites than this, marks are no links.
LINKED = 1000

_GROUND = ("municipality", "shoreland", "floodplain", "wetland", "lakes", "streams")


def overview_map(
    maps: SiteMaps, outcomes: list[str], words: dict[str, tuple[str, str]], *, alone: bool = False
) -> tuple[Markup, list[str]]:
    """Return the map and the roles that it shows; an empty text where fewer than two sites have ground.

    Parameters
    ----------
    maps : SiteMaps
        The sites and layers, indexed.
    outcomes : list of str
        One a site: the outcome that it is marked by.
    words : dict of str to (word, sign)
        How outcomes are said.
    alone : bool
        With its looks and hatchings in it, for where the page's style does not reach.
    """
    rows = [row for row, ground in enumerate(maps.grounds) if ground is not None and not ground.is_empty]
    if len(rows) < 2:
        return Markup(""), []
    bounds = shapely.total_bounds(maps.grounds[rows])
    across, up = bounds[2:] - bounds[:2]
    # As high as the sites ask for, between a strip and a square.
    high = int(min(1100, max(600, 1500 * up / across))) if across > 0 else 900
    windows = Windows.around(bounds[None, :], 1000 / maps.feet, 1500, high, room=1.2)
    layers = {role: maps.layer(role) for role in _GROUND}
    paths = {
        role: paths_of(layer.within(windows), windows).get(0, "") for role, layer in layers.items() if layer is not None
    }
    shown = [role for role in LEGEND if paths.get(role)]
    points = shapely.get_coordinates(shapely.point_on_surface(maps.grounds[rows]))
    places = windows.places(points, np.zeros(len(rows), dtype=int)).tolist()
    marks = _marks(maps.ids, rows, places, outcomes, words)
    text = (
        f'<svg class="map overview" role="group" aria-label="Map of all sites" viewBox="0 0 {windows.wide} {windows.high}">'
        + (looks_inside() if alone else "")
        + "".join(f'<path class="{role}" {look_of(role)} d="{paths[role]}"/>' for role in shown)
        + marks
        + scale_bar(scale_of(float(windows.unit[0]), maps.feet), windows.high)
        + north(windows.wide)
        + "</svg>"
    )
    return Markup(text), shown


def _marks(ids: list[str], rows: list[int], places: Any, outcomes: list[str], words: dict[str, tuple[str, str]]) -> str:
    """Marks by outcome, those that ask for the most last and so on top."""
    parts = []
    for outcome, mark in MARKS.items():
        here = [(row, place) for row, place in zip(rows, places, strict=True) if outcomes[row] == outcome]
        if len(rows) > LINKED:
            step = mark.partition("l")[0].partition("a")[0].partition("h")[0]
            x, y = (int(part) for part in step[1:].split(","))
            drawn = "".join(f"M{across + x},{down + y}{mark[len(step) :]}" for _, (across, down) in here)
            parts.append(
                f'<path class="mark m-{outcome}" d="{drawn}" {MARK_LOOKS[outcome]}><title>{words[outcome][0]}</title></path>'
                if drawn
                else ""
            )
            continue
        for row, (across, down) in here:
            said = escape(f"{ids[row]}: {words[outcome][0].lower()}")
            parts.append(
                f'<a href="#site-{row}" aria-label="{said}"><path class="mark m-{outcome}" transform="translate({across},{down})" '
                f'd="{mark}" {MARK_LOOKS[outcome]}><title>{said}</title></path></a>'
            )
    return "".join(parts)
