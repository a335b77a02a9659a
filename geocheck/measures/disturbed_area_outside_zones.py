"""Disturbed ground in none of the three zones."""

from __future__ import annotations

from geocheck.measures.language import Area, Either, Layer, Measure, Outside

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area_outside_zones",
    unit="ft2",
    reading=Area(Outside(Layer("disturbance"), Either((Layer("shoreland"), Layer("wetland"), Layer("floodplain"))))),
    asks="How much disturbed ground lies outside shoreland, wetland and floodplain?",
)
