"""Disturbed ground within 50 feet of a stream, horizontally.

A stream given as its centre line has no banks: the distance from the bank is then taken too short.
"""

from __future__ import annotations

from fractions import Fraction

from geocheck.measures.language import Area, Both, Layer, Measure, Near
from geocheck.model.quantity import Quantity

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_area_within_50_ft_of_streams",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Near(Layer("streams"), Quantity(Fraction(50), "ft")))),
    asks="How much disturbed ground lies within 50 feet of a stream or drainageway?",
    extents=False,
)
