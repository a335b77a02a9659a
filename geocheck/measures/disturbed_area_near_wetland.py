"""Disturbed ground within 75 feet of wetland, horizontally, the wetland included."""

from __future__ import annotations

from fractions import Fraction

from geocheck.measures.language import Area, Both, Layer, Measure, Near
from geocheck.model.quantity import Quantity

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area_near_wetland",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Near(Layer("wetland"), Quantity(Fraction(75), "ft")))),
    asks="How much disturbed ground lies within 75 feet of a wetland?",
    extents=False,
)
