"""Disturbed ground, overlapping records counted once."""

from __future__ import annotations

from geocheck.measures.language import Area, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area",
    unit="ft2",
    reading=Area(Layer("disturbance")),
    asks="How much land surface is disturbed?",
)
