"""Intervals through arithmetic hold every number that their facts may be: held to sampled numbers."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from geocheck.model.condition import Arithmetic, Comparison, Name, Negative, Number, text_of
from geocheck.model.quantity import Quantity
from geocheck.rules.values import Values
from tests.conditions import BLANK, fact

NAMES = ["disturbed_area", "impervious_area", "impervious_area_added"]


def expressions():
    leaf = st.one_of(
        st.sampled_from(NAMES).map(Name), st.integers(0, 50).map(lambda n: Number(Quantity(Fraction(n), "ft2")))
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(Arithmetic, st.sampled_from("+-"), inner, inner),
            st.builds(Negative, inner),
            st.builds(lambda a, b, c: Arithmetic("*", Arithmetic("/", a, b), c), inner, inner, inner),
            st.builds(lambda n, a: Arithmetic("*", Number(Quantity(Fraction(n), "%")), a), st.integers(0, 300), inner),
        ),
        max_leaves=5,
    )


def plainly(node, numbers):
    """The expression in plain fractions, areas in square feet, shares as numbers."""
    match node:
        case Number():
            return node.quantity.value / (100 if node.quantity.unit == "%" else 1)
        case Name():
            return numbers[node.name]
        case Negative():
            return -plainly(node.operand, numbers)
        case Arithmetic():
            left, right = plainly(node.left, numbers), plainly(node.right, numbers)
            match node.operator:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case _:
                    return left / right


INTERVALS = st.tuples(st.integers(0, 40), st.integers(0, 20))


@given(
    expressions(), st.tuples(*[INTERVALS] * 3), st.lists(st.tuples(*[st.fractions(0, 1)] * 3), min_size=1, max_size=6)
)
@settings(max_examples=150, deadline=None)
def test_an_interval_holds_every_number_that_its_facts_may_be(node, ends, draws):
    facts = {
        name: fact(name, low + Fraction(width, 2), low, low + width)
        for name, (low, width) in zip(NAMES, ends, strict=True)
    }
    found = Values(BLANK, facts).amount(node)
    for draw in draws:
        numbers = {
            name: low + Fraction(width) * part for name, (low, width), part in zip(NAMES, ends, draw, strict=True)
        }
        try:
            value = plainly(node, numbers)
        except ZeroDivisionError:
            assert found.gaps
            continue
        assert found.low <= value <= found.high, text_of(node)
        if not found.gaps:
            sharp = {name: fact(name, number) for name, number in numbers.items()}
            exact = Values(BLANK, sharp).amount(node)
            assert exact.low == exact.high == value


@given(
    expressions(),
    st.tuples(*[INTERVALS] * 3),
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.integers(-40, 200),
)
@settings(max_examples=150, deadline=None)
def test_narrowing_an_interval_never_turns_a_known_answer(node, ends, operator, threshold):
    comparison = Comparison(operator, node, Number(Quantity(Fraction(threshold), "ft2")))
    wide = {n: fact(n, low + Fraction(w, 2), low, low + w) for n, (low, w) in zip(NAMES, ends, strict=True)}
    known = Values(BLANK, wide).truth(comparison)
    for part in (Fraction(0), Fraction(1, 3), Fraction(1)):
        sharp = {n: fact(n, low + w * part) for n, (low, w) in zip(NAMES, ends, strict=True)}
        found = Values(BLANK, sharp).truth(comparison)
        if not known.is_unknown:
            assert found == known
    best = Values(BLANK, wide, "best").truth(comparison)
    assert known.is_unknown or best == known
