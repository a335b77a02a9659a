"""Every measure on the shelf is declared as the vocabulary has it, and reads what it says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import geocheck
from geocheck.measures import MEASURES
from geocheck.measures.language import Measure, Member
from geocheck.model.ground import RASTER_ROLES, ROLES
from geocheck.model.quantity import dimension_of
from geocheck.model.vocabulary import EXTENTS, VOCABULARY
from geocheck.rules.read import list_versions, load_ordinance

NAMES = MEASURES.names()
BEYOND_ROLES = {"impervious_within", "protective_area"}


@cache
def declared_by_ordinances():
    """Names of facts, and of all other keys, in the ordinance files: a measure may serve a fact that one ordinance asks."""
    files = Path(geocheck.__file__).parent.glob("ordinances/**/*.yaml")
    return {name for file in files for name in re.findall(r"^  (\w+):", file.read_text(encoding="utf-8"), re.MULTILINE)}


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_declared_as_the_vocabulary_has_it(name):
    measure = MEASURES.load(name)
    assert isinstance(measure, Measure)
    assert measure.name == name
    assert measure.asks.endswith("?")
    if name in VOCABULARY:
        assert VOCABULARY[name].kind == "measured"
        assert (measure.unit, measure.asks) == (VOCABULARY[name].unit, VOCABULARY[name].asks)
    else:
        assert name in declared_by_ordinances()
    assert isinstance(measure.reading, Member) or dimension_of(measure.unit)
    assert measure.layers <= set(ROLES) | BEYOND_ROLES


def test_every_measured_fact_has_a_measure():
    plain = {
        name
        for name, declared in VOCABULARY.items()
        if declared.kind == "measured" and not name.endswith(tuple(EXTENTS))
    }
    from_surfaces = {"excavated_volume", "filled_volume"}
    assert plain - from_surfaces <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_over_vectors_asks_for_no_raster(name):
    if not name.endswith("_volume"):
        assert not MEASURES.load(name).layers & set(RASTER_ROLES)


def test_measures_compare_by_what_they_say():
    first, second = MEASURES.load("disturbed_area"), MEASURES.load("disturbed_area_in_zones")
    assert first == MEASURES.load("disturbed_area") and first != second
    assert len({first, second, MEASURES.load("disturbed_area")}) == 2
