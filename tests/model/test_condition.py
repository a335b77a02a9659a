"""Conditions as trees: places, walking, writing."""

from __future__ import annotations

from fractions import Fraction

from geocheck.model.condition import (
    All,
    Always,
    Any,
    Arithmetic,
    Children,
    Comparison,
    Condition,
    Extreme,
    Name,
    Negative,
    Not,
    Number,
    Rounded,
    Row,
    Table,
    children_of,
    names_in,
    text_of,
    walk,
)
from geocheck.model.problem import Place
from geocheck.model.quantity import Quantity

A, B, C = Name("a"), Name("b"), Name("c")
FOOT = Number(Quantity(Fraction(1), "ft"))
TABLE = Table((Row(A, FOOT), Row(B, Number(Quantity(Fraction(5, 2), "acre")))), C)


def test_a_tree_is_written_with_no_more_parentheses_than_it_needs():
    for node, text in (
        (Any((A, All((B, Not(C))))), "a or b and not c"),
        (All((Any((A, B)), C)), "(a or b) and c"),
        (Not(All((A, B))), "not (a and b)"),
        (Not(Comparison("<", A, FOOT)), "not a < 1 ft"),
        (Arithmetic("-", A, Arithmetic("-", B, C)), "a - (b - c)"),
        (Arithmetic("*", Arithmetic("+", A, B), Negative(C)), "(a + b) * -c"),
        (Negative(Arithmetic("+", A, B)), "-(a + b)"),
        (Negative(Negative(A)), "--a"),
        (Always(), "always"),
        (Children("any"), "any"),
        (Number(Quantity(Fraction(43560), "ft2")), "43_560 ft2"),
        (Number(Quantity(Fraction("0.25"), "acre")), "0.25 acre"),
        (Extreme("less", (A, FOOT)), "whichever is less of a, 1 ft"),
        (Arithmetic("+", Extreme("greater", (A, B)), C), "(whichever is greater of a, b) + c"),
        (Rounded(Arithmetic("+", A, B), Quantity(Fraction(1, 100), "acre"), "up"), "(a + b) rounded up to 0.01 acre"),
        (TABLE, "1 ft where a; 2.5 acre where b; otherwise c"),
    ):
        assert text_of(node) == text


def test_a_tree_is_walked_in_reading_order():
    node = Any((Comparison("<", Arithmetic("+", A, B), Rounded(C, Quantity(Fraction(1), "ft"), "up")), Not(Always())))
    assert [type(part).__name__ for part in walk(node)] == [
        "Any", "Comparison", "Arithmetic", "Name", "Name", "Rounded", "Name", "Not", "Always",
    ]  # fmt: skip
    assert names_in(node) == ("a", "b", "c")
    assert names_in(Extreme("less", (B, A, B))) == ("b", "a")
    assert children_of(TABLE) == (A, FOOT, B, TABLE.rows[1].value, C)
    assert children_of(TABLE.rows[0]) == (A, FOOT)
    assert children_of(Children("all")) == () and children_of(Negative(A)) == (A,)


def test_places_do_not_make_trees_differ():
    here = Name("a", Place("f", 1, 2))
    assert here == A and Condition("a", here) == Condition("a", A)
    assert Condition("a", here).place == Place("f", 1, 2)
