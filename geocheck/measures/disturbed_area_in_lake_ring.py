"""Disturbed ground in the ring from 300 to 1,000 feet from lakes, horizontally.

Nearer ground is in no ring, be it the ring of another lake.
"""

from __future__ import annotations

from fractions import Fraction

from geocheck.measures.language import Area, Both, Layer, Measure, Near, Outside
from geocheck.model.quantity import Quantity

__all__ = ["MEASURE"]

INNER, OUTER = Quantity(Fraction(300), "ft"), Quantity(Fraction(1000), "ft")

MEASURE = Measure(
    name="disturbed_area_in_lake_ring",
    unit="ft2",
    reading=Area(Both(Layer("disturbance"), Outside(Near(Layer("lakes"), OUTER), Near(Layer("lakes"), INNER)))),
    asks="How much disturbed ground lies in the ring from 300 to 1,000 feet from a lake?",
    extents=False,
)
