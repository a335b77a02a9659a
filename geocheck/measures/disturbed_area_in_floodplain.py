"""Disturbed ground within the floodplain layer."""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area_in_floodplain",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Layer("floodplain"))),
    asks="How much disturbed ground lies in the floodplain?",
)
