"""Geometry shared between measures: made once, and never without the failure that came with it."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import box

from geocheck.engines import ENGINES
from geocheck.engines.working import looking
from geocheck.engines.working.memory import Memory
from geocheck.engines.working.overlay import EMPTY
from geocheck.engines.working.prepared import Pieces
from geocheck.measures.language import Area, Both, Either, Measure, Outside
from geocheck.measures.language import Layer as Leaf


def test_what_is_sound_is_made_once_and_what_failed_again():
    memory, asked = Memory(3), []

    def recall(rows):
        failures = {}

        def make(entries):
            asked.append(rows[entries].tolist())
            failures.update({1: "odd"} if 1 in rows[entries] else {})
            return shapely.points(rows[entries], 0.0)

        found = memory.recall("key", rows, make, failures)
        assert shapely.get_x(found).tolist() == rows.tolist()
        return failures

    assert recall(np.array([0, 1])) == recall(np.array([2, 1])) == {1: "odd"}
    assert recall(np.array([0, 2])) == {}
    assert asked == [[0, 1], [2, 1]]


@pytest.mark.parametrize("first", ["in", "out"])
def test_a_failure_near_a_subject_is_one_of_every_measure(world, monkeypatch, first):
    whole = Pieces.around

    def fails(self, boxes, failures, rows):
        found = whole(self, boxes, failures, rows)
        failures.update({int(row): "overlay failed" for row in rows if row == 1})
        found[rows == 1] = EMPTY
        return found

    monkeypatch.setattr(Pieces, "around", fails)
    ground = world.ground(world.layer("floodplain", (box(-500, -500, 50, 500),), 5))
    parcels, flood = Leaf("parcels"), Leaf("floodplain")
    measures = [Measure("in", "ft2", Area(Both(parcels, flood)), "?"), Measure("out", "ft2", Area(Outside(parcels, flood)), "?")]  # fmt: skip
    if first == "out":
        measures.reverse()
    who = world.subjects([box(0, 0, 100, 100), box(0, 0, 90, 90)])
    found = ENGINES.load("local").measure(measures, who, ground)
    assert {name: list(answers.failures) for name, answers in found.items()} == {"in": [1], "out": [1]}


@pytest.mark.parametrize("intervals", [True, False])
def test_a_failure_in_joining_grounds_is_one_of_every_measure(world, monkeypatch, intervals):
    whole = looking.overlay

    def fails(function, first, second, rows, failures):
        if function is shapely.union:
            failures[1] = "overlay failed"
        return whole(function, first, second, rows, failures)

    monkeypatch.setattr(looking, "overlay", fails)
    ground = world.ground(world.layer("floodplain", (box(-500, -500, 50, 500),)))
    either = Either((Leaf("parcels"), Leaf("disturbance")))
    measures = [Measure(name, "ft2", Area(Both(either, Leaf("floodplain"))), "?") for name in ("one", "other")]
    who = world.subjects([box(0, 0, 100, 100), box(0, 0, 90, 90)], disturbance=[box(0, 0, 9, 9), box(0, 0, 99, 9)])
    found = ENGINES.load("local").measure(measures, who, ground, intervals=intervals)
    assert [list(answers.failures) for answers in found.values()] == [[1], [1]]
