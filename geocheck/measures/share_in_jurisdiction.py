"""Share of the disturbed ground that lies in the jurisdiction."""

from __future__ import annotations

from geocheck.measures.language import Both, Layer, Measure, PercentOf

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="share_in_jurisdiction",
    unit="%",
    reading=PercentOf(part=Both(Layer("disturbance"), Layer("municipality")), whole=Layer("disturbance")),
    asks="What share of the disturbed ground lies in the jurisdiction?",
)
