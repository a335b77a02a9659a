"""Kleene's strong logic, exhaustively over the three values."""

from __future__ import annotations

import itertools

import pytest

from geocheck.model.truth import NO, YES, Gap, Truth, all_of, any_of, unknown

MAYBE = unknown("grows_crops", "missing")
OTHER = unknown("disturbed_area", "within tolerance")
THREE = [YES, NO, MAYBE, OTHER]


def test_a_truth_never_becomes_two_values():
    with pytest.raises(TypeError, match="three values"):
        bool(YES)


@pytest.mark.parametrize("a, b", list(itertools.product(THREE, THREE)))
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


def test_gaps_have_known_reasons_an_order_and_plain_values():
    with pytest.raises(ValueError, match="unknown reason"):
        Gap("a", "forgotten")
    with pytest.raises(ValueError, match="a known truth has no gaps"):
        Truth(True, frozenset({Gap("a", "missing")}))
    assert sorted([Gap("b", "missing"), Gap("a", "undefined")])[0].fact == "a"
    assert (MAYBE | OTHER).to_dict()["gaps"][0] == {"fact": "disturbed_area", "reason": "within tolerance", "note": ""}
    assert str(Gap("a", "missing")) == "a (missing)" and [str(truth) for truth in THREE] == [
        "yes",
        "no",
        "unknown",
        "unknown",
    ]
    assert [truth.is_yes + 2 * truth.is_no + 4 * truth.is_unknown for truth in THREE] == [1, 2, 4, 4]
