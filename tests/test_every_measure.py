"""Every measure on the shelf is declared as the vocabulary has it, and reads what it says."""

from __future__ import annotations

from functools import cache

import pytest

from geocheck.measures import MEASURES
from geocheck.measures.language import Measure, Member
from geocheck.model.ground import RASTER_ROLES, ROLES
from geocheck.model.quantity import dimension_of
from geocheck.model.vocabulary import EXTENTS, VOCABULARY
from geocheck.rules.read import list_versions, load_ordinance

NAMES = MEASURES.names()
BEYOND_ROLES = {"impervious_within", "protective_area"}


@cache
def asked_by_ordinances():
    """Facts that an ordinance asks on its own, by name: a measure may serve one."""
    found = {}
    for version in list_versions():
        for fact in load_ordinance(version.file).facts.values():
            found.setdefault(fact.name, []).append(fact)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_declared_in_the_vocabulary_or_by_an_ordinance(name):
    measure = MEASURES.load(name)
    assert isinstance(measure, Measure)
    assert measure.name == name
    assert measure.asks.endswith("?")
    declared = [VOCABULARY[name]] if name in VOCABULARY else asked_by_ordinances().get(name, [])
    assert declared, f"nothing asks for {name}"
    for fact in declared:
        assert (fact.kind, fact.unit, fact.asks) == ("measured", measure.unit, measure.asks)
    # Over plan and phases a fact has names of its own, which only the vocabulary makes.
    assert name in VOCABULARY or not measure.extents
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
