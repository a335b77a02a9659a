"""By how much impervious ground grows: after the project less before it, net of what is removed.

A surface whose status is unknown is taken as existing.
"""

from __future__ import annotations

from geocheck.measures.language import Both, Either, Gain, Layer, Measure, Outside

__all__ = ["MEASURE"]

WITHIN = Layer("impervious_within")
EXISTING = Layer("impervious", only=(("surface", ("existing", None)),))
REMOVED = Layer("impervious", only=(("surface", ("removed",)),))
PROPOSED = Layer("impervious", only=(("surface", ("proposed",)),))
AFTER = Either((Outside(EXISTING, REMOVED), PROPOSED))
BEFORE = Layer("impervious", only=(("surface", ("existing", "removed", None)),))

MEASURE = Measure(
    name="impervious_area_added",
    unit="ft2",
    reading=Gain(after=Both(WITHIN, AFTER), before=Both(WITHIN, BEFORE)),
    asks="By how much does impervious ground grow: after the project less before it?",
)
