"""Disturbed ground within 300 feet of a lake or stream, horizontally.

Knows the water that the layers show; neither navigability nor the ordinary high-water mark.
"""

from __future__ import annotations

from fractions import Fraction

from geocheck.measures.language import Area, Both, Either, Layer, Measure, Near
from geocheck.model.quantity import Quantity

__all__ = ["MEASURE"]

WITHIN = Quantity(Fraction(300), "ft")

MEASURE = Measure(
    name="disturbed_area_near_water",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Either((Near(Layer("lakes"), WITHIN), Near(Layer("streams"), WITHIN))))),
    asks="How much disturbed ground lies within 300 feet of a lake or stream?",
    extents=False,
)
