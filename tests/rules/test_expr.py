"""The condition language: what it reads, and how it says what it cannot read, to the character."""

from __future__ import annotations

import textwrap
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geocheck.model.condition import (
    All,
    Always,
    Any,
    Arithmetic,
    Children,
    Comparison,
    Name,
    Negative,
    Not,
    Number,
    names_in,
    text_of,
)
from geocheck.model.quantity import Quantity
from geocheck.rules.expr import ConditionError, parse_condition
from geocheck.rules.passage import Passage

A, B, C = Name("a"), Name("b"), Name("c")


def number(value, unit):
    return Number(Quantity(Fraction(value), unit))


@pytest.mark.parametrize(
    "text, tree",
    [
        ("a", A),
        ("any", Children("any")),
        ("all", Children("all")),
        ("always", Always()),
        ("not a", Not(A)),
        ("not not a", Not(Not(A))),
        ("a or b and c", Any((A, All((B, C))))),
        ("(a or b) and c", All((Any((A, B)), C))),
        ("not a and b", All((Not(A), B))),
        ("not (a and b)", Not(All((A, B)))),
        ("a and b and c", All((A, B, C))),
        ("a >= 4_000 ft2", Comparison(">=", A, number(4000, "ft2"))),
        ("a >= 4,000 ft2", Comparison(">=", A, number(4000, "ft2"))),
        ("a < .5 acre", Comparison("<", A, number("0.5", "acre"))),
        ("a != 10%", Comparison("!=", A, number(10, "%"))),
        ("not a > 1 each", Not(Comparison(">", A, number(1, "each")))),
        ("a - b - c < 1 ft", Comparison("<", Arithmetic("-", Arithmetic("-", A, B), C), number(1, "ft"))),
        ("a + b * c > 1 ft", Comparison(">", Arithmetic("+", A, Arithmetic("*", B, C)), number(1, "ft"))),
        ("a / b / c == 1 %", Comparison("==", Arithmetic("/", Arithmetic("/", A, B), C), number(1, "%"))),
        ("-a < -2 ft", Comparison("<", Negative(A), Negative(number(2, "ft")))),
        ("--a <= 2 acres", Comparison("<=", Negative(Negative(A)), number(2, "acre"))),
        ("a > 3 m²", Comparison(">", A, number(3, "m2"))),
        ("a > 3 CY", Comparison(">", A, number(3, "yd3"))),
    ],
)
def test_it_reads(text, tree):
    assert parse_condition(text).node == tree


@pytest.mark.parametrize(
    "text, code, shown",
    [
        ("a >= 4_000", "missing-unit", """
            a >= 4_000
                 ^^^^^"""),
        ("a >= 4_000 and b", "missing-unit", """
            a >= 4_000 and b
                 ^^^^^"""),
        ("a >= 4_000 * b", "missing-unit", """
            a >= 4_000 * b
                 ^^^^^"""),
        ("a > 5 arce", "unknown-unit", """
            a > 5 arce
                  ^^^^"""),
        ("a > 5 qqq", "unknown-unit", """
            a > 5 qqq
                  ^^^"""),
        ("a =< 5 ft", "syntax", """
            a =< 5 ft
              ^^"""),
        ("a = 5 ft", "syntax", """
            a = 5 ft
              ^"""),
        ("a && b", "syntax", """
            a && b
              ^^"""),
        ("a < b < c", "syntax", """
            a < b < c
                  ^"""),
        ("a b", "syntax", """
            a b
              ^"""),
        ("a AND b", "syntax", """
            a AND b
              ^^^"""),
        ("a %", "syntax", """
            a %
              ^"""),
        ("(a and b", "syntax", """
            (a and b
            ^"""),
        ("a and", "syntax", """
            a and
                 ^"""),
        ("and a", "syntax", """
            and a
            ^^^"""),
        ("a or * b", "syntax", """
            a or * b
                 ^"""),
        ("max(a, b) > 1 ft", "syntax", """
            max(a, b) > 1 ft
            ^^^^"""),
        ("a, b", "syntax", """
            a, b
             ^"""),
        ("a ; b", "syntax", """
            a ; b
              ^"""),
        ("a > 'x'", "syntax", """
            a > 'x'
                ^"""),
        ("a\u200b > 1 ft", "syntax", """
            a\u200b > 1 ft
             ^"""),
        ("a)", "syntax", """
            a)
             ^"""),
    ],
)  # fmt: skip
def test_it_underlines_what_it_cannot_read(text, code, shown):
    with pytest.raises(ConditionError) as caught:
        parse_condition(text)
    (problem,) = caught.value.problems
    assert problem.code == code
    said = problem.show().splitlines()
    lines = textwrap.dedent(shown).strip("\n").splitlines()
    assert [line[4:] for line in said[1:3]] == [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    "text, remedy",
    [
        ("a >= 4_000", "such as 4_000 ft2"),
        ("a > 5 arce", "Did you mean acre?"),
        ("a =< 5 ft", "Write <=."),
        ("a ≥ 5 ft", "Write >=."),
        ("a < b < c", "joined by and"),
        ("f(a)", "Define a term"),
        ("a AND b", "Write and."),
        ("a b", "Join conditions"),
        ("a and", "Write a fact or a number"),
    ],
)
def test_it_says_what_to_write_instead(text, remedy):
    with pytest.raises(ConditionError, match=remedy.replace("?", r"\?")):
        parse_condition(text)


def test_no_condition_is_no_condition():
    for text in ("", "   "):
        with pytest.raises(ConditionError, match="there is no condition here"):
            parse_condition(text)


def test_hostile_depth_and_length_are_refused():
    for text in ("(" * 100 + "a" + ")" * 100, "not " * 100 + "a", "-" * 100 + "a"):
        with pytest.raises(ConditionError, match="nested more than 40 deep"):
            parse_condition(text)
    with pytest.raises(ConditionError, match="longer than 4,000 characters"):
        parse_condition("a or " * 1000 + "a")
    assert parse_condition(" and ".join(["(not a)"] * 60)).node == All((Not(A),) * 60)


def test_a_node_knows_its_place_in_the_file():
    lines = ["x", "  when: a and", "    bb > 5 ft"]
    text = "a and bb > 5 ft"
    positions = [(1, 8 + n) for n in range(5)] + [(1, 13)] + [(2, 4 + n) for n in range(9)]
    node = parse_condition(Passage(text, "f.yaml", positions, lines)).node
    assert (str(node.place), node.place.length) == ("f.yaml:2:9", 5)
    bb = node.operands[1]
    assert (str(bb.place), bb.place.length, bb.place.text) == ("f.yaml:3:5", 9, "    bb > 5 ft")


UNITS = ["ft", "ft2", "acre", "yd3", "%", "each"]
LEAVES = st.one_of(
    st.sampled_from([A, B, C, Name("disturbed_area")]),
    st.builds(number, st.integers(0, 10**6) | st.decimals(0, 1000, places=3), st.sampled_from(UNITS)),
)
NUMBERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner), st.builds(Negative, inner)),
    max_leaves=8,
)
CONDITIONS = st.recursive(
    st.one_of(
        st.sampled_from([A, B, Always()]),
        st.builds(Comparison, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NUMBERS, NUMBERS),
    ),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda x, y, z: All((x, y, z)), inner, inner, inner),
        st.builds(lambda x, y: Any((x, y)), inner, inner),
    ),
    max_leaves=8,
)


@given(CONDITIONS)
def test_what_is_written_is_read_back(node):
    assert parse_condition(text_of(node)).node == node


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_its_place(text):
    try:
        parse_condition(text)
    except ConditionError as error:
        (problem,) = error.problems
        assert problem.place.line == 1 and 1 <= problem.place.column <= len(text) + 1
        assert problem.place.length >= 1


def test_names_are_given_once_in_reading_order():
    assert names_in(parse_condition("b > a and (a or not c)").node) == ("b", "a", "c")
