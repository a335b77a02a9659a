"""Impervious ground, after the project, within the protective areas of waters.

A surface whose status is unknown is taken as existing.
"""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Either, Layer, Measure, Outside

__all__ = ["MEASURE"]

WITHIN = Layer("impervious_within")
EXISTING = Layer("impervious", only=(("surface", ("existing", None)),))
REMOVED = Layer("impervious", only=(("surface", ("removed",)),))
PROPOSED = Layer("impervious", only=(("surface", ("proposed",)),))
AFTER = Either((Outside(EXISTING, REMOVED), PROPOSED))

MEASURE = Measure(
    name="impervious_area_in_protective_area",
    unit="ft2",
    reading=Area(Both(WITHIN, Both(AFTER, Layer("protective_area")))),
    asks="How much impervious ground lies within the protective areas of waters?",
)
