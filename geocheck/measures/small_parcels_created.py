"""Parcels of five acres or less into which one parent parcel was divided: the most for any one parent."""

from __future__ import annotations

from fractions import Fraction

from geocheck.measures.language import Divided, Layer, Measure
from geocheck.model.quantity import Quantity

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="small_parcels_created",
    unit="each",
    reading=Divided(
        parcels=Layer("parcels"),
        parents=Layer("parcels_before"),
        within=Layer("disturbance"),
        at_most=Quantity(Fraction(5), "acre"),
    ),
    asks="How many parcels of five acres or less are created from one parcel?",
)
