"""Material filled within the disturbance: where the proposed surface lies above the existing one."""

from __future__ import annotations

from geocheck.measures.language import Fill, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="filled_volume",
    unit="yd3",
    reading=Fill(existing=Layer("surface_existing"), proposed=Layer("surface_proposed"), within=Layer("disturbance")),
    asks="How much material is filled?",
)
