"""Disturbed ground within the wetland layer."""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area_in_wetland",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Layer("wetland"))),
    asks="How much disturbed ground lies in wetland?",
)
