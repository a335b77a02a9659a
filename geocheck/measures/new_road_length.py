"""Length of new roads within the disturbance.

A road whose status is unknown is taken as new: a layer of the project's roads states none.
"""

from __future__ import annotations

from geocheck.measures.language import Layer, Length, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="new_road_length",
    unit="ft",
    reading=Length(Layer("roads", only=(("surface", ("proposed", None)),)), within=Layer("disturbance")),
    asks="How many feet of new road are built?",
)
