"""Impervious ground, after the project, that is known to be connected; what may be connected makes the high end."""

from __future__ import annotations

from geocheck.measures.language import Area, Both, Either, Layer, Measure, Outside

__all__ = ["MEASURE"]

WITHIN = Layer("impervious_within")
CONNECTED = Either(
    (
        Outside(
            Layer("impervious", only=(("surface", ("existing", None)), ("connected", (True,)))),
            Layer("impervious", only=(("surface", ("removed",)),)),
        ),
        Layer("impervious", only=(("surface", ("proposed",)), ("connected", (True,)))),
    )
)
PERHAPS = Either(
    (
        Outside(
            Layer("impervious", only=(("surface", ("existing", None)), ("connected", (True, None)))),
            Layer("impervious", only=(("surface", ("removed",)),)),
        ),
        Layer("impervious", only=(("surface", ("proposed",)), ("connected", (True, None)))),
    )
)

MEASURE = Measure(
    name="connected_impervious_area",
    unit="ft2",
    reading=Area(Both(WITHIN, CONNECTED)),
    uncertain=Area(Both(WITHIN, PERHAPS)),
    asks="How much impervious ground, after the project, drains to a sewer or water without crossing pervious ground?",
)
