"""What ground beyond a layer's coverage does to an answer: it opens the interval, or leaves no answer."""

from __future__ import annotations

import numpy as np

from geocheck.engines.working.found import Found
from geocheck.engines.working.regions import leaves
from geocheck.engines.working.setting import Setting
from geocheck.engines.working.units import factor
from geocheck.measures.language import Area, Gain, Measure, Member

__all__ = ["open_beyond_coverage"]


def open_beyond_coverage(measure: Measure, found: Found, setting: Setting, intervals: bool) -> np.ndarray:
    """Open the intervals by the ground that a layer does not cover, and tell which subjects have an answer at all.

    What was found is found, wherever it lies. Ground beyond a layer's coverage may belong to the layer or not: it adds to
    the high end of an area in the layer and takes from the low end of an area outside it. A subject wholly beyond, in
    which nothing was found, has no answer; nor has a length, a count or a share of ground that is partly beyond.
    """
    beyond = setting.uncovered(measure)
    if not beyond.any():
        return np.ones(len(beyond), dtype=bool)
    reading = measure.reading
    if not isinstance(reading, (Area, Gain, Member)):
        return np.asarray(beyond == 0)
    whole, scale = (
        setting.own_area(measure),
        1.0 if isinstance(reading, Member) else factor(measure.unit, setting.ground),
    )
    partly = (beyond > 0) & (beyond < whole * (1 - 1e-9))
    if isinstance(reading, Member):
        met = np.isin(found.values, ("inside", "partly"))
        found.values[(beyond > 0) & ~met] = "not checked"
    else:
        regions = (reading.region,) if isinstance(reading, Area) else (reading.after, reading.before)
        read: dict[int, set[str]] = {+1: set(), -1: set()}
        for turned, region in zip((1, -1), regions, strict=False):
            for leaf, sign in leaves(region):
                read[sign * turned].add(leaf.role)
        up, down = (setting.uncovered(measure, read[sign]) * scale for sign in (+1, -1))
        most = whole * scale
        met = np.where(up > 0, found.values > 0, found.values < most * (1 - 1e-9))
        if intervals:
            least = np.zeros(len(most)) if isinstance(reading, Area) else -most
            found.highs = np.where(
                beyond > 0, np.maximum(found.values, np.minimum(found.highs + up, most)), found.highs
            )
            found.lows = np.where(
                beyond > 0, np.minimum(found.values, np.maximum(found.lows - down, least)), found.lows
            )
    answered = (beyond == 0) | partly | met
    for row in np.flatnonzero((beyond > 0) & answered).tolist():
        note = f"{100 * beyond[row] / whole[row]:.3g} % of the ground lies beyond what the layers cover"
        found.notes[row] = f"{found.notes[row]}; {note}" if row in found.notes else note
    return np.asarray(answered)
