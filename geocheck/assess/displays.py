"""Displays for notebooks: the map of a run."""

from __future__ import annotations

from typing import Any

from geocheck.model.findings import Findings
from geocheck.model.ground import ZONES
from geocheck.model.problem import GeocheckError

__all__ = ["map_of"]

# Okabe and Ito's colours, told apart with every common form of colour blindness.
_OUTCOMES = {"required": "#d55e00", "undetermined": "#e69f00", "waived": "#56b4e9", "not_required": "#009e73"}
_ROLES = {
    "shoreland": "#cc79a7",
    "wetland": "#009e73",
    "floodplain": "#0072b2",
    "municipality": "#000000",
    "parcels": "#999999",
}
_STRONGEST = ("required", "undetermined", "waived", "not_required")


def map_of(findings: Findings) -> Any:
    """Return an interactive map: zones, parcels and sites, coloured by their strongest outcome. No tiles are fetched.

    Raises
    ------
    GeocheckError
        If folium is not installed.
    """
    try:
        import folium
    except ImportError:
        raise GeocheckError("a map needs folium; install it with: pip install 'geocheck[notebook]'") from None

    drawn = folium.Map(tiles=None, control_scale=True)
    for role in ("municipality", *ZONES):
        if role in findings.layers:
            frame = findings.layers[role].frame[["geometry"]].dropna().to_crs(4326)
            if len(frame):
                style = {"color": _ROLES[role], "weight": 1, "fillOpacity": 0.0 if role == "municipality" else 0.25}
                frame.explore(m=drawn, name=role, style_kwds=style, tooltip=False, popup=False)
    if findings.parcels is not None:
        frame = findings.parcels.loc[
            findings.parcels.geometry.notna(), ["parcel_id", "status", "zones_member", "geometry"]
        ]
        if len(frame):
            style = {"color": _ROLES["parcels"], "weight": 1, "fillOpacity": 0.05}
            frame.to_crs(4326).explore(m=drawn, name="parcels", style_kwds=style)
    if findings.sites is not None and findings.sites.geometry.notna().any():
        frame = findings.sites[findings.sites.geometry.notna()].copy()
        words = frame.columns.difference(["site_id", "plan", "phase", "disturbed_area_ft2", "geometry"])
        frame["outcome"] = [_strongest(row) for row in frame[words].to_numpy(dtype=object).tolist()]
        for outcome, colour in _OUTCOMES.items():
            own = frame[frame.outcome == outcome]
            if len(own):
                style = {"color": colour, "weight": 2, "fillOpacity": 0.5}
                own.to_crs(4326).explore(m=drawn, name=f"sites: {outcome.replace('_', ' ')}", style_kwds=style)
    folium.LayerControl(collapsed=False).add_to(drawn)
    drawn.fit_bounds(drawn.get_bounds())
    return drawn


def _strongest(outcomes: list[str]) -> str:
    return next((word for word in _STRONGEST if word in outcomes), "undetermined")
