"""Material excavated within the disturbance: where the proposed surface lies below the existing one."""

from __future__ import annotations

from geocheck.measures.language import Cut, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="excavated_volume",
    unit="yd3",
    reading=Cut(existing=Layer("surface_existing"), proposed=Layer("surface_proposed"), within=Layer("disturbance")),
    asks="How much material is excavated?",
)
