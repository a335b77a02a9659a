"""The parcels that the disturbance meets, ground counted once."""

from __future__ import annotations

from geocheck.measures.language import Area, Layer, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="parcel_area",
    unit="ft2",
    reading=Area(Layer("parcels")),
    asks="What is the area of the parcels that the disturbance meets?",
)
