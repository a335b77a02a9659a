"""Impervious surface that the project proposes, whether or not the ground is impervious already."""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Layer, Measure

__all__ = ["MEASURE"]

WITHIN = Layer("impervious_within")
PROPOSED = Layer("impervious", only=(("surface", ("proposed",)),))

MEASURE = Measure(
    name="impervious_area_proposed",
    unit="ft2",
    reading=Area(Both(WITHIN, PROPOSED)),
    asks="How much impervious surface is proposed?",
)
