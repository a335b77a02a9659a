"""Disturbed ground in at least one of the three zones: a union across layers, never a sum."""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Either, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area_in_zones",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Either((Layer("shoreland"), Layer("wetland"), Layer("floodplain"))))),
    asks="How much disturbed ground lies in shoreland, wetland or floodplain?",
)
