"""Whether any facts can meet a condition: never no where some can, held to facts tried one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geocheck.model.condition import All, Any, Comparison, Name, Not, Number
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance, Term
from geocheck.model.quantity import Quantity
from geocheck.rules.expr import parse_condition
from geocheck.rules.possible import possible
from geocheck.rules.values import Values

LAW = Ordinance("x", "§ 1", "", None, (), (), terms=(Term("big", parse_condition("disturbed_area > 1 acre"), ""),))


@pytest.mark.parametrize(
    "text, can",
    [
        ("disturbed_area > 1 acre and disturbed_area < 4_000 ft2", False),
        ("disturbed_area >= 1 acre and disturbed_area <= 43_560 ft2", True),
        ("disturbed_area > 1 acre and disturbed_area <= 43_560 ft2", False),
        ("disturbed_area < 0 ft2", False),
        ("impervious_area_added < 0 ft2", True),
        ("0 ft2 > disturbed_area", False),
        ("disturbed_area == 1 acre and not disturbed_area > 4_000 ft2", False),
        ("disturbed_area != 1 acre and disturbed_area == 2 acre", True),
        ("grows_crops and not grows_crops", False),
        ("not (grows_crops or not grows_crops)", False),
        ("(grows_crops or builds_road) and not grows_crops", True),
        ("big and disturbed_area < 1 acre", False),
        ("not big and disturbed_area < 1 acre", True),
        ("always and not always", True),
        ("disturbed_area > parcel_area and disturbed_area < parcel_area", True),
        ("1 ft2 > 2 ft2", True),
    ],
)
def test_what_can_be(text, can):
    assert possible(parse_condition(text).node, LAW) is can


def test_too_many_ways_count_as_possible():
    parts = [f"(grows_crops or disturbed_area > {n} ft2)" for n in range(14)]
    assert possible(parse_condition(" and ".join([*parts, "not grows_crops", "disturbed_area < 0 ft2"])).node, LAW)


ATOMS = st.one_of(
    st.sampled_from(["grows_crops", "builds_road"]).map(Name),
    st.builds(
        lambda op, n: Comparison(op, Name("disturbed_area"), Number(Quantity(Fraction(n), "ft2"))),
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), st.integers(-1, 3),
    ),
)  # fmt: skip
NODES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(Not),
        st.builds(lambda a, b: All((a, b)), inner, inner),
        st.builds(lambda a, b: Any((a, b)), inner, inner),
    ),
    max_leaves=6,
)


@given(NODES)
@settings(deadline=None)
def test_whatever_some_facts_meet_is_possible(node):
    met = False
    for crops, road, area in itertools.product([True, False], [True, False], [Fraction(n, 2) for n in range(9)]):
        quantity = Quantity(area, "ft2")
        facts = {
            "grows_crops": Fact("grows_crops", "stated", crops), "builds_road": Fact("builds_road", "stated", road),
            "disturbed_area": Fact("disturbed_area", "measured", quantity),
        }  # fmt: skip
        met = met or Values(LAW, facts).truth(node).is_yes
    assert possible(node, LAW) or not met
