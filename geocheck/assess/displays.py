"""Displays for notebooks: the map of a run. No tiles and no data are fetched."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from geocheck.model.findings import Findings
from geocheck.model.ground import ZONES
from geocheck.model.problem import GeocheckError

__all__ = ["map_of"]

# Okabe and Ito's colours, told apart with every common form of colour blindness.
_OUTCOMES = {"required": "#d55e00", "undetermined": "#e69f00", "waived": "#56b4e9", "not_required": "#009e73"}
_ROLES = {
    "municipality": "#7a3b8f", "shoreland": "#cc79a7", "wetland": "#009e73", "floodplain": "#0072b2", "lakes": "#56b4e9",
    "streams": "#2f7db0", "impervious": "#8a8a8a",
}  # fmt: skip
_STRONGEST = ("required", "undetermined", "waived", "not_required")

#: With more shapes than this a browser is slow to draw them one by one; lonboard draws them on the graphics card.
MANY = 5_000


def map_of(findings: Findings, *, large: bool | None = None) -> Any:
    """Return an interactive map: zones, water, parcels and sites, a layer each to switch; sites coloured by their strongest outcome.

    Parameters
    ----------
    findings : Findings
        What the run found.
    large : bool, optional
        Whether lonboard draws it; by default where there are more than 5,000 shapes and lonboard is installed.

    Raises
    ------
    GeocheckError
        If folium, or lonboard where it is asked for, is not installed.
    """
    shapes = sum(len(frame) for frame in (findings.sites, findings.parcels) if frame is not None)
    has = importlib.util.find_spec("lonboard") is not None
    if large and not has:
        raise GeocheckError("this map needs lonboard; install it with: pip install lonboard")
    return _large_map(findings) if (has and shapes > MANY if large is None else large) else _small_map(findings)


def _small_map(findings: Findings) -> Any:
    try:
        import folium
    except ImportError:
        raise GeocheckError("a map needs folium; install it with: pip install 'geocheck[notebook]'") from None

    drawn = folium.Map(tiles=None, control_scale=True)
    style: dict[str, Any]
    for role, colour in _ROLES.items():
        frame = _ground_of(findings, role)
        if frame is not None:
            style = {"color": colour, "weight": 2 if role in ("municipality", "streams") else 1}
            style["fillOpacity"] = 0.0 if role == "municipality" else 0.25
            shown = role in ("municipality", *ZONES)
            frame.explore(m=drawn, name=role, style_kwds=style, tooltip=["role", "id"], popup=False, show=shown)
    parcels = _parcels(findings)
    if parcels is not None:
        style = {"color": "#777777", "weight": 1, "fillOpacity": 0.05}
        parcels.explore(m=drawn, name="parcels", style_kwds=style)
    sites = _sites(findings)
    if sites is not None:
        for outcome, colour in _OUTCOMES.items():
            own = sites[sites.outcome == outcome]
            if len(own):
                style = {"color": colour, "weight": 2, "fillOpacity": 0.5}
                own.explore(m=drawn, name=f"sites: {outcome.replace('_', ' ')}", style_kwds=style)
    folium.LayerControl(collapsed=False).add_to(drawn)
    if parcels is not None or sites is not None or findings.layers:
        drawn.fit_bounds(drawn.get_bounds())
    return drawn


def _large_map(findings: Findings) -> Any:
    import lonboard  # type: ignore[import-untyped,import-not-found,unused-ignore]

    layers = []
    for role in ZONES:
        frame = _ground_of(findings, role)
        if frame is not None:
            layers.append(
                lonboard.PolygonLayer.from_geopandas(frame, get_fill_color=[*_rgb(_ROLES[role]), 70], stroked=False)
            )
    parcels = _parcels(findings)
    if parcels is not None:
        layers.append(
            lonboard.PolygonLayer.from_geopandas(
                parcels, get_fill_color=[119, 119, 119, 20], get_line_color=[119, 119, 119, 200]
            )
        )
    sites = _sites(findings)
    if sites is not None:
        colours = np.array([[*_rgb(_OUTCOMES[outcome]), 170] for outcome in sites.outcome], dtype=np.uint8)
        layers.append(lonboard.PolygonLayer.from_geopandas(sites, get_fill_color=colours, pickable=True))
    return lonboard.Map(layers, basemap=None)  # type: ignore[arg-type,unused-ignore]  # nothing is fetched


def _ground_of(findings: Findings, role: str) -> Any:
    layer = findings.layers.get(role)
    if layer is None or layer.frame is None:
        return None
    frame = layer.frame[["id", "geometry"]]
    frame = frame[frame.geometry.notna()].assign(role=role).to_crs(4326)
    return frame if len(frame) else None


def _parcels(findings: Findings) -> Any:
    if findings.parcels is None:
        return None
    names = [name for name in ("parcel_id", "status", "area_ft2", "zones_member") if name in findings.parcels.columns]
    frame = findings.parcels.loc[findings.parcels.geometry.notna(), [*names, "geometry"]].to_crs(4326)
    return frame if len(frame) else None


def _sites(findings: Findings) -> Any:
    if findings.sites is None or not findings.sites.geometry.notna().any():
        return None
    frame = findings.sites[findings.sites.geometry.notna()].copy()
    words = frame.columns.difference(["site_id", "plan", "phase", "disturbed_area_ft2", "geometry"])
    frame["outcome"] = [_strongest(row) for row in frame[words].to_numpy(dtype=object).tolist()]
    return frame.to_crs(4326)


def _strongest(outcomes: list[str]) -> str:
    return next((word for word in _STRONGEST if word in outcomes), "undetermined")


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
