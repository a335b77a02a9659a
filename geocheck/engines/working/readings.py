"""What each reading of vector ground finds, with its interval; units of the measure."""

from __future__ import annotations

import numpy as np
import shapely

from geocheck.engines.working.found import Found, exact
from geocheck.engines.working.intervals import Doubt, area_doubt, gain_doubt, within_doubt
from geocheck.engines.working.outline import HALF_WIDTH
from geocheck.engines.working.records import records_of
from geocheck.engines.working.regions import leaves, zone_leaves
from geocheck.engines.working.sight import Sight
from geocheck.engines.working.units import accuracy_of, factor
from geocheck.measures.language import Area, Both, Count, Gain, Layer, Length, Member, Outside, PercentOf, Region

__all__ = ["read_area", "read_count", "read_gain", "read_length", "read_member", "read_percent"]

NARROW = "ground nowhere wider than 0.01 ft is noise of coordinates and reads as 0"
NOTHING = "a share of nothing is undefined"


def read_area(reading: Area, unit: str, sight: Sight, intervals: bool) -> Found:
    """Return areas of a region with their intervals."""
    setting, scale = sight.setting, factor(unit, sight.setting.ground)
    values, narrow = sight.areas(reading.region)
    notes = dict.fromkeys(np.flatnonzero(narrow).tolist(), NARROW)
    if not intervals:
        return exact(values * scale, notes)
    doubt = _doubt_of(sight, reading.region, values)
    basis = setting.ground.doubt * values
    lows = (values - doubt.down - basis).clip(0)
    highs = np.minimum(values + doubt.up + basis, np.maximum(_most(sight, reading.region), values))
    return Found(values * scale, lows * scale, highs * scale, notes)


def read_gain(reading: Gain, unit: str, sight: Sight, intervals: bool) -> Found:
    """Return by how much ground grows, with the interval; what is the same before and after is no doubt."""
    setting, scale = sight.setting, factor(unit, sight.setting.ground)
    after, before = sight.areas(reading.after)[0], sight.areas(reading.before)[0]
    values = after - before
    # What is left of two equal sums is rounding: no surface was gained or lost.
    values[np.abs(values) <= 1e-9 * np.maximum(after, before)] = 0.0
    if not intervals:
        return exact(values * scale)
    regions = (reading.after, reading.before)
    down, up = np.zeros(len(values)), np.zeros(len(values))
    growth, accuracy, margin = _margins(sight, regions)
    rows = sight.near(regions, margin) if margin else np.empty(0, dtype=int)
    if len(rows):
        doubt = gain_doubt(sight.around(regions, rows, margin), reading, values[rows], growth, accuracy)
        down[rows], up[rows] = doubt.down, doubt.up
    clear = np.ones(len(values), dtype=bool)
    clear[rows] = False
    own = np.where(clear & (values != 0), HALF_WIDTH * setting.deviations(setting.bounds(reading.after)), 0.0)
    repair = _repairs(sight, reading.after, np.maximum(after, before))
    more = own + setting.ground.doubt * np.abs(values) + repair
    most, least = _most(sight, reading.after), _most(sight, reading.before)
    lows, highs = np.maximum(values - down - more, -least), np.minimum(values + up + more, most)
    return Found(values * scale, np.minimum(lows, values) * scale, np.maximum(highs, values) * scale)


def read_percent(reading: PercentOf, sight: Sight, intervals: bool) -> Found:
    """Return a part as a percentage of a whole; undefined where the whole is empty."""
    rest_region = _rest(reading)
    (part, _), (rest, narrow) = sight.areas(reading.part), sight.areas(rest_region)
    whole = sight.areas(reading.whole)[0]
    nested = _nested(reading)
    notes = dict.fromkeys(np.flatnonzero(narrow).tolist(), NARROW)
    notes |= dict.fromkeys(np.flatnonzero(whole == 0).tolist(), NOTHING)

    def share(of_part: np.ndarray, of_rest: np.ndarray) -> np.ndarray:
        total = of_part + of_rest if nested else whole
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(whole > 0, 100 * of_part / total, np.nan)

    values = share(part, rest)
    if not intervals:
        return exact(values, notes)
    a, b = _doubt_of(sight, reading.part, part), _doubt_of(sight, rest_region, rest)
    # The basis scales part and whole alike and leaves their share as it is.
    lows = share(part - np.minimum(a.down, part), rest + b.up)
    highs = share(part + a.up, (rest - b.down).clip(0))
    return Found(values, np.fmin(lows, values), np.fmax(highs, values), notes)


def _rest(reading: PercentOf) -> Region:
    part, whole = reading.part, reading.whole
    if isinstance(part, Both) and whole in (part.first, part.second):
        return Outside(whole, part.second if part.first == whole else part.first)
    if isinstance(part, Outside) and part.first == whole:
        return Both(whole, part.second)
    return Outside(whole, part)


def _nested(reading: PercentOf) -> bool:
    """Tell whether the part lies within the whole by its form, so that part and rest make the whole."""
    part, whole = reading.part, reading.whole
    if part == whole:
        return True
    if isinstance(part, Both):
        return whole in (part.first, part.second) or any(
            _nested(PercentOf(side, whole)) for side in (part.first, part.second)
        )
    return isinstance(part, Outside) and _nested(PercentOf(part.first, whole))


def read_length(reading: Length, unit: str, sight: Sight, intervals: bool) -> Found:
    """Return the length of lines within a region; unknown where the layer holds areas."""
    setting, scale = sight.setting, factor(unit, sight.setting.ground)
    every = np.arange(len(setting.subjects))
    records, _ = records_of(reading.lines, setting.ground)
    if (shapely.get_dimensions(records) > 1).any():
        why = f"{reading.lines.role} holds areas; a length along it needs lines, such as centre lines"
        blank = np.full(len(every), np.nan)
        return Found(blank, blank.copy(), blank.copy(), failures=dict.fromkeys(every.tolist(), why))
    values = sight.length_within(reading.lines, sight.shapes(reading.within), every)
    if not intervals:
        return exact(values * scale)
    lows, highs = values.copy(), values.copy()
    small, large, rows = _small_and_large(sight, reading.within, reading.lines)
    if len(rows):
        lows[rows] = np.minimum(values[rows], sight.length_within(reading.lines, small, rows))
        highs[rows] = np.maximum(values[rows], sight.length_within(reading.lines, large, rows))
    basis = setting.ground.doubt / 2 * values  # half of the relative doubt of an area
    return Found(values * scale, (lows - basis).clip(0) * scale, (highs + basis) * scale)


def read_count(reading: Count, sight: Sight, intervals: bool) -> Found:
    """Return how many records have ground in a region."""
    every = np.arange(len(sight.setting.subjects))
    values = sight.count_within(reading.layer, sight.shapes(reading.within), every)
    if not intervals:
        return exact(values)
    lows, highs = values.copy(), values.copy()
    small, large, rows = _small_and_large(sight, reading.within, reading.layer)
    if len(rows):
        lows[rows] = np.minimum(values[rows], sight.count_within(reading.layer, small, rows))
        highs[rows] = np.maximum(values[rows], sight.count_within(reading.layer, large, rows))
    return Found(values, lows, highs)


def _small_and_large(sight: Sight, region: Region, read: Layer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a region as small and as large as its doubts and those of what is read in it allow, and for which rows."""
    setting = sight.setting
    growth, accuracy, margin = _margins(sight, (region,))
    of_read = accuracy_of(read.role, setting.ground) if read.role in setting.ground.layers else 0.0
    shift = setting.shift(read) if read.role in setting.ground.layers else 0.0
    own = max(accuracy.values(), default=0.0)
    border = float(np.hypot(own, of_read)) + shift
    rows = np.arange(len(setting.subjects)) if border or margin else np.empty(0, dtype=int)
    if not len(rows):
        return rows, rows, rows
    around = sight.around((region,), rows, margin + border)
    small, large = within_doubt(around, region, growth, border)
    return small, large, rows


def read_member(reading: Member, sight: Sight) -> Found:
    """Return memberships, and say where a doubtful datum changed them."""
    answers, doubtful = sight.members(reading)
    changed = np.flatnonzero(answers != doubtful).tolist()
    notes = {
        row: f"{answers[row]} by the coordinates, but nearer to the line than the datum operation is sure"
        for row in changed
    }
    return Found(doubtful, doubtful.copy(), doubtful.copy(), notes)


def _doubt_of(sight: Sight, region: Region, values: np.ndarray) -> Doubt:
    """Return how far the area of a region may be off, basis aside, in square units."""
    setting = sight.setting
    growth, accuracy, margin = _margins(sight, (region,))
    owns = {leaf.role for leaf, _ in leaves(region) if leaf.role in setting.subjects.grounds}
    bounds = setting.bounds(region)
    if not bounds or not margin:
        rows = np.arange(len(values)) if margin else np.empty(0, dtype=int)
    elif len(owns) > 1:
        rows = np.arange(len(values))
    elif isinstance(region, Layer):
        rows = np.empty(0, dtype=int)
    else:
        rows = sight.near((region,), margin)
    down = np.where(values > 0, HALF_WIDTH * setting.deviations(bounds), 0.0)
    up = down.copy()
    if len(rows):
        doubt = area_doubt(sight.around((region,), rows, margin), region, values[rows], growth, accuracy)
        down[rows], up[rows] = doubt.down, doubt.up
    repair = _repairs(sight, region, values)
    return Doubt(down + repair, up + repair)


def _margins(sight: Sight, regions: tuple[Region, ...]) -> tuple[dict[Layer, float], dict[str, float], float]:
    """Return the growth of each whole layer, the accuracy of the own grounds that bound, and how far both reach."""
    setting = sight.setting
    growth = {leaf: setting.growth(leaf) for region in regions for leaf in zone_leaves(region, setting.subjects)}
    roles = sorted({role for region in regions for role in setting.bounds(region)})
    accuracy = {role: setting.accuracy((role,)) for role in roles if setting.accuracy((role,))}
    return growth, accuracy, max([*growth.values(), *accuracy.values()], default=0.0)


def _repairs(sight: Sight, region: Region, values: np.ndarray) -> np.ndarray:
    setting = sight.setting
    total = np.where(values > 0, setting.own_doubts, 0.0)
    zones = zone_leaves(region, setting.subjects)
    bounds = setting.bounds(region)
    if bounds and any(setting.ground.layers[leaf.role].doubts for leaf in zones):
        grounds = setting.own(bounds[0])
        total = total + setting.zone_doubts(zones, grounds)
    return total


def _most(sight: Sight, region: Region) -> np.ndarray:
    """Return the most that a region can be: the subject's own ground at the high end of its interval."""
    setting = sight.setting
    bounds = setting.bounds(region)
    if not bounds:
        return np.full(len(setting.subjects), np.inf)
    own = sum(shapely.area(setting.own(role)) for role in bounds)
    return np.asarray(
        own * (1 + setting.ground.doubt) + HALF_WIDTH * setting.deviations(bounds) + setting.own_doubts, dtype=float
    )
