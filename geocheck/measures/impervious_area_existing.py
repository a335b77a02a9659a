"""Ground that is impervious before the project: what stays and what will be removed.

A surface whose status is unknown is taken as existing.
"""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Layer, Measure

__all__ = ["MEASURE"]

WITHIN = Layer("impervious_within")
BEFORE = Layer("impervious", only=(("surface", ("existing", "removed", None)),))

MEASURE = Measure(
    name="impervious_area_existing",
    unit="ft2",
    reading=Area(Both(WITHIN, BEFORE)),
    asks="How much ground is impervious before the project?",
)
