"""Inside, partly, touching or outside: what a membership means, decided exactly for the subjects that need it."""

from __future__ import annotations

import numpy as np
import shapely

from geocheck.engines.working.overlay import overlay
from geocheck.engines.working.regions import grow, leaves
from geocheck.engines.working.surroundings import Surroundings
from geocheck.measures.language import Layer, Member

__all__ = ["ROUNDING", "decide", "shifted"]

#: Share of a subject that rounding of computed intersections may leave over: no line of land is that near to whole.
ROUNDING = 1e-9


def decide(around: Surroundings, member: Member, tolerances: dict[Layer, float], width: float) -> np.ndarray:
    """Return the membership of each subject.

    *inside*: no ground of the subject lies further from the zone than noise. *outside*: the two do not meet.
    *touching*: they meet, but their common ground is nowhere deeper, neither into the zone nor into the subject, than
    the tolerance: moving the lines by that much would undo it. *partly*: all else.

    Parameters
    ----------
    around : Surroundings
        The subjects and the ground near them, at least as far as the tolerances reach.
    member : Member
        Whose membership in what.
    tolerances : dict of Layer to float
        Tolerance of each whole layer: its accuracy and datum doubt, at least noise.
    width : float
        Width of noise.
    """
    own = around.own[member.ground.role]
    rows, failures = around.rows, around.failures
    zone = around.region(member.zone)
    common = overlay(shapely.intersection, own, zone, rows, failures)
    rest = overlay(shapely.difference, own, zone, rows, failures)
    whole = shapely.area(own)
    answers = np.where(shapely.intersects(own, zone), "partly", "outside").astype(object)

    shared = shapely.area(common) > 0
    inside = (shapely.area(rest) <= ROUNDING * whole) & shared
    open_rows = np.flatnonzero(~inside & shared)
    if len(open_rows):
        fringe = {leaf: width for leaf, _ in leaves(member.zone)}
        wide = around.region(member.zone, fringe, 1)[open_rows]
        beyond = overlay(shapely.difference, own[open_rows], wide, rows[open_rows], failures)
        inside[open_rows] = shapely.area(beyond) <= ROUNDING * whole[open_rows]
    answers[inside] = "inside"

    met = np.flatnonzero(answers == "partly")
    if len(met):
        tolerance = max((tolerances.get(leaf, width) for leaf, _ in leaves(member.zone)), default=width)
        heart = grow(own[met], -tolerance)
        deep = shapely.area(overlay(shapely.intersection, common[met], heart, rows[met], failures)) > 0
        narrow = around.region(member.zone, tolerances, -1)[met]
        deep |= shapely.area(overlay(shapely.intersection, own[met], narrow, rows[met], failures)) > 0
        answers[met[~deep]] = "touching"
    return answers


def shifted(around: Surroundings, member: Member, answers: np.ndarray, shifts: dict[Layer, float]) -> np.ndarray:
    """Return the memberships as a doubtful datum leaves them, changed where a zone's line is nearer than the doubt.

    A subject inside may then stick out: *partly*; one outside may meet the zone: *touching*.
    """
    own = around.own[member.ground.role]
    doubtful = answers.copy()
    narrow, wide = around.region(member.zone, shifts, -1), around.region(member.zone, shifts, 1)
    left = shapely.area(overlay(shapely.difference, own, narrow, around.rows, around.failures))
    doubtful[(answers == "inside") & (left > ROUNDING * shapely.area(own))] = "partly"
    doubtful[(answers == "outside") & shapely.intersects(own, wide)] = "touching"
    return doubtful
