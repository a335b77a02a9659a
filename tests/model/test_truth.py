"""Kleene's strong logic, exhaustively over the three values."""

from __future__ import annotations

import itertools

import pytest

from geocheck.model.truth import NO, YES, Truth, all_of, any_of, unknown

MAYBE = unknown("grows_crops", "missing")
OTHER = unknown("disturbed_area", "within tolerance")
THREE = [YES, NO, MAYBE, OTHER]


def test_a_truth_never_becomes_two_values():
    with pytest.raises(TypeError, match="three values"):
        bool(YES)


@pytest.mark.parametrize("a, b", itertools.product(THREE, THREE))
def test_de_morgan_and_order(a, b):
    assert ~(a & b) == ~a | ~b
    assert ~(a | b) == ~a & ~b
    assert a & b == b & a and a | b == b | a
    assert ~~a == a


def test_gaps_are_gathered_only_while_they_matter():
    assert (MAYBE & OTHER).gaps == MAYBE.gaps | OTHER.gaps
    assert (MAYBE & NO) == NO and (MAYBE | YES) == YES
    assert all_of([]) == YES and any_of([]) == NO


def test_an_unknown_says_why():
    with pytest.raises(ValueError, match="must say"):
        Truth(None)
