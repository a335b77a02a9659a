"""From what an engine sees to answers: readings, coverage and failures."""

from __future__ import annotations

import numpy as np

from geocheck.engines.working.coverage import open_beyond_coverage
from geocheck.engines.working.found import Found
from geocheck.engines.working.raster_readings import read_raster
from geocheck.engines.working.readings import (
    read_area,
    read_count,
    read_gain,
    read_length,
    read_member,
    read_percent,
)
from geocheck.engines.working.sight import Sight
from geocheck.measures.language import (
    Answers,
    Area,
    Count,
    Cut,
    Divided,
    Fill,
    Gain,
    Length,
    Measure,
    Member,
    PercentOf,
    Reading,
    Share,
    Slope,
    Steep,
)

__all__ = ["answer"]


def answer(measure: Measure, sight: Sight, intervals: bool) -> Answers:
    """Return one measure's answers from what an engine sees.

    Parameters
    ----------
    measure : Measure
        What is asked.
    sight : Sight
        The ground as the engine sees it.
    intervals : bool
        Whether the ends of the intervals are wanted; without, they equal the values.
    """
    setting = sight.setting
    found = _read(measure.reading, measure.unit, sight, intervals)
    if measure.uncertain is not None and intervals:
        perhaps = _read(measure.uncertain, measure.unit, sight, intervals)
        found.highs = np.fmax(found.highs, perhaps.highs)
        for unsure in np.flatnonzero(perhaps.values > found.values).tolist():
            more = perhaps.values[unsure] - found.values[unsure]
            note = f"{more:,.0f} {measure.unit} that may belong to it or not count in the high end alone"
            found.notes[unsure] = f"{found.notes[unsure]}; {note}" if unsure in found.notes else note
    covered = open_beyond_coverage(measure, found, setting, intervals)
    failures = sight.failures | found.failures
    for row in np.flatnonzero(setting.absent(measure)):
        failures[int(row)] = "no ground"
    unknown = ~covered
    unknown[list(failures)] = True
    blank: object = "not checked" if isinstance(measure.reading, Member) else np.nan
    for series in (found.values, found.lows, found.highs):
        series[unknown] = blank
    # Why an answer is unknown stands in its note; where measuring failed or nothing covers, that is said elsewhere.
    notes = {row: note for row, note in found.notes.items() if not unknown[row]}
    return Answers(measure, found.values, found.lows, found.highs, covered, failures, notes)


def _read(reading: Reading, unit: str, sight: Sight, intervals: bool) -> Found:
    if isinstance(reading, Area):
        return read_area(reading, unit, sight, intervals)
    if isinstance(reading, Gain):
        return read_gain(reading, unit, sight, intervals)
    if isinstance(reading, PercentOf):
        return read_percent(reading, sight, intervals)
    if isinstance(reading, Length):
        return read_length(reading, unit, sight, intervals)
    if isinstance(reading, Count):
        return read_count(reading, sight, intervals)
    if isinstance(reading, Share | Cut | Fill | Slope | Steep):
        return read_raster(reading, unit, sight)
    if isinstance(reading, Divided):
        return Found(*sight.divided(reading))
    return read_member(reading, sight)
