"""Length of ditches, waterways and channels within the disturbance, along the channel."""

from __future__ import annotations

from geocheck.measures.language import Layer, Length, Measure

__all__ = ["MEASURE"]

MEASURE = Measure(
    name="disturbed_channel_length",
    unit="ft",
    reading=Length(Layer("channels"), within=Layer("disturbance")),
    asks="How many feet of ditch, waterway or channel are disturbed, along the channel?",
)
