"""How far a reading may be off: outline, zone lines, datum and repair, in square units of the run's system.

Every function takes the best values of some subjects and returns how far each may go down and up. The basis of areas is
not among these doubts: `readings` adds it where a value does not cancel it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from geocheck.engines.working.membership import ROUNDING
from geocheck.engines.working.outline import HALF_WIDTH, deviation, edges_of
from geocheck.engines.working.regions import grow, leaves
from geocheck.engines.working.surroundings import Surroundings
from geocheck.measures.language import Gain, Layer, Region

__all__ = ["Doubt", "area_doubt", "gain_doubt", "within_doubt"]


@dataclass(frozen=True, eq=False)
class Doubt:
    """How far values may be too high (``down``) and too low (``up``), one a subject, both 0 or more."""

    down: np.ndarray
    up: np.ndarray


def area_doubt(
    around: Surroundings, region: Region, values: np.ndarray, growth: dict[Layer, float], accuracy: dict[str, float]
) -> Doubt:
    """Return the doubt of the area of a region.

    The region is evaluated once with every zone as wide as its accuracy allows and once as narrow: to first order that
    is the length of the zone's line inside the subject times its accuracy, and it opens too where the line only passes
    near. The errors of the subject's own vertices count where its outline bounds the region.

    Parameters
    ----------
    around : Surroundings
        The subjects and the ground near them.
    region : Region
        What is read.
    values : ndarray of float
        The best areas.
    growth : dict of Layer to float
        By how much each whole layer may be wider or narrower.
    accuracy : dict of str to float
        Accuracy of the own grounds that bound the region, by role.
    """
    down, up = np.zeros(len(values)), np.zeros(len(values))
    if any(growth.get(leaf, 0.0) > 0 for leaf, _ in leaves(region) if leaf.role not in around.own):
        down += _beyond_rounding(values - shapely.area(around.region(region, growth, -1)), values)
        up += _beyond_rounding(shapely.area(around.region(region, growth, 1)) - values, values)
    for role, stated in accuracy.items():
        spread = HALF_WIDTH * _outline_deviation(around, [(1.0, region)], role, stated, values)
        down += spread
        up += spread
    return Doubt(np.minimum(down, values), up)


def gain_doubt(
    around: Surroundings, gain: Gain, values: np.ndarray, growth: dict[Layer, float], accuracy: dict[str, float]
) -> Doubt:
    """Return the doubt of a gain. What is the same ground before and after errs alike, and does not count twice."""
    signs: dict[Layer, int] = {}
    for leaf, sign in leaves(gain.after):
        signs.setdefault(leaf, sign)
    for leaf, sign in leaves(gain.before):
        signs.setdefault(leaf, signs_of_before(leaf, signs, sign))
    down, up = np.zeros(len(values)), np.zeros(len(values))
    if any(growth.values()):
        for state in (-1, 1):
            after = shapely.area(around.signed(gain.after, signs, growth, state))
            before = shapely.area(around.signed(gain.before, signs, growth, state))
            down = np.maximum(down, _beyond_rounding(values - (after - before), after))
            up = np.maximum(up, _beyond_rounding((after - before) - values, after))
    for role, stated in accuracy.items():
        terms = [(1.0, gain.after), (-1.0, gain.before)]
        spread = HALF_WIDTH * _outline_deviation(around, terms, role, stated, np.full(len(values), np.inf))
        down += spread
        up += spread
    return Doubt(down, up)


def _beyond_rounding(differences: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return differences where they are positive and more than two overlays of the same ground may differ."""
    return np.where(differences > ROUNDING * np.abs(sizes), differences, 0.0)


def signs_of_before(leaf: Layer, signs: dict[Layer, int], sign: int) -> int:
    """Return the sign of a leaf that only the ground before has: that of a leaf of the same layer, else against it."""
    return next((known for other, known in signs.items() if other.role == leaf.role and known > 0), -sign)


def within_doubt(
    around: Surroundings, region: Region, growth: dict[Layer, float], margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the region as small and as large as its doubts allow: what lies in it for certain, and perhaps."""
    small = grow(around.region(region, growth, -1), -margin)
    large = grow(around.region(region, growth, 1), margin)
    return small, large


def _outline_deviation(
    around: Surroundings, terms: list[tuple[float, Region]], role: str, accuracy: float, values: np.ndarray
) -> np.ndarray:
    """Return the deviation of an area from the errors of the own outline.

    Where the region is empty, zones count as grown by the accuracy of the outline: a line that lies nearer than that
    may in truth cross the subject.
    """
    result = np.zeros(len(values))
    # What overlays leave of nothing is nothing: engines differ in it, and must not differ in what follows.
    some = values > ROUNDING * shapely.area(around.own[role])
    for entries, growth in ((np.flatnonzero(some), 0.0), (np.flatnonzero(~some), accuracy)):
        if len(entries):
            sections = [(times, around.outline(region, role, entries, growth)) for times, region in terms]
            result[entries] = deviation(edges_of(around.own[role][entries]), accuracy, sections)
    return result
