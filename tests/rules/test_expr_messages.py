"""What the parser says, to the letter: each sign that is meant otherwise, each word, each place."""

from __future__ import annotations

import pytest

from geocheck.model.condition import walk
from geocheck.model.quantity import SPELLINGS, UNITS
from geocheck.rules.expr import DEEPEST, ConditionError, parse_condition
from geocheck.rules.passage import LONGEST, Passage


def problem_of(text):
    with pytest.raises(ConditionError) as caught:
        parse_condition(text)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    "sign, meant",
    [("=", "=="), ("=<", "<="), ("=>", ">="), ("≥", ">="), ("≤", "<="), ("≠", "!="), ("<>", "!="), ("&&", "and"), ("&", "and"),
     ("||", "or"), ("|", "or"), ("×", "*"), ("÷", "/")],
)  # fmt: skip
def test_a_sign_of_another_language_is_translated(sign, meant):
    problem = problem_of(f"a {sign} b")
    assert (problem.code, problem.message, problem.remedy) == (
        "syntax", f"{sign!r} is not an operator here", f"Write {meant}.",
    )  # fmt: skip
    assert (problem.place.line, problem.place.column, problem.place.length) == (1, 3, len(sign))


def test_a_denial_of_another_language_is_translated():
    assert problem_of("!a").remedy == "Write not."


@pytest.mark.parametrize("word", ["and", "or", "not", "any", "all", "always"])
def test_a_word_of_the_language_is_no_unit(word):
    problem = problem_of(f"a > 5 {word} b")
    assert problem.code == "missing-unit" and problem.message == "5 has no unit"
    assert problem.remedy == f"Write it with its unit, such as 5 ft2 (units: {', '.join(UNITS)})."


@pytest.mark.parametrize("word", ["AND", "Or", "NOT", "Any", "ALL", "Always"])
def test_a_word_of_the_language_is_written_small(word):
    problem = problem_of(f"a {word} b")
    assert problem.message == f"{word!r} is not an operator here" and problem.remedy == f"Write {word.lower()}."


@pytest.mark.parametrize("word", ["and", "or", "not", "any", "all", "always"])
def test_a_word_that_is_small_and_out_of_place_is_not_told_to_be_small(word):
    problem = problem_of(f"a {word} {word}" if word in ("and", "or") else f"a {word}")
    assert "Write" not in problem.remedy or problem.message.startswith("something")


@pytest.mark.parametrize(
    "text, message, column, length, remedy",
    [
        ("", "there is no condition here", 1, 1, ""),
        ("a < b < c", "a comparison has two sides, not three", 7, 1, "Write two comparisons joined by and."),
        ("a %", "a percent sign follows a number", 3, 1, ""),
        ("a bb", "'bb' is not expected here", 3, 2, "Join conditions by and, or; numbers by + - * /."),
        ("a and  ", "something is missing at the end", 6, 1, "Write a fact or a number with its unit."),
        ("a and (b or c", "this parenthesis is not closed", 7, 1, ""),
        ("max (a, b)", "a condition has no functions", 1, 5, "Define a term instead."),
        ("a and $b", "'$' has no meaning in a condition", 7, 1, ""),
        ("a\u200band b", "the character U+200B has no meaning in a condition", 2, 1, ""),
        ("a > 5 arces", "'arces' is not a unit", 7, 5, f"Did you mean acre? Units: {', '.join(UNITS)}."),
        ("a > 5 zzz", "'zzz' is not a unit", 7, 3, f"Units: {', '.join(UNITS)}."),
        ("a > 5 %%", "a percent sign follows a number", 8, 1, ""),
        ("a > 1_000.5 +", "1_000.5 has no unit", 5, 7, f"Write it with its unit, such as 1_000.5 ft2 (units: {', '.join(UNITS)})."),
    ],
)  # fmt: skip
def test_what_is_said_and_where(text, message, column, length, remedy):
    problem = problem_of(text)
    assert (problem.message, problem.place.column, problem.place.length, problem.remedy) == (
        message,
        column,
        length,
        remedy,
    )


@pytest.mark.parametrize("spelling, unit", sorted(SPELLINGS.items()))
def test_a_unit_may_be_written_in_other_ways_of_one_word(spelling, unit):
    if " " in spelling:
        pytest.skip("a unit of two words is for numbers that people give, not for conditions")
    for word in (spelling, spelling.upper()):
        assert parse_condition(f"a > 5 {word}").node == parse_condition(f"a > 5 {unit}").node


@pytest.mark.parametrize("opening, closing", [("(", ")"), ("not ", ""), ("-", "")])
def test_it_nests_as_deep_as_it_says_and_no_deeper(opening, closing):
    inner = "1 ft > 2 ft" if opening == "(" else "1 ft" if opening == "-" else "a"
    parse_condition(opening * DEEPEST + inner + closing * DEEPEST)
    problem = problem_of(opening * (DEEPEST + 1) + inner + closing * (DEEPEST + 1))
    assert problem.message == f"nested more than {DEEPEST} deep" and problem.remedy == "Split it into terms."
    assert problem.place.column == 1 + DEEPEST * len(opening)
    # What is closed again does not count.
    parse_condition(
        " and ".join(
            [
                f"{opening * 30}{inner}{closing * 30} > 3 ft"
                if opening == "-"
                else f"{opening * 30}{inner}{closing * 30}"
            ]
            * 3
        )
    )


def test_it_is_as_long_as_it_says_and_no_longer():
    text = "a or " * (LONGEST // 5 - 1) + "abcde"
    assert len(text) == LONGEST
    parse_condition(text)
    problem = problem_of(text + "f")
    assert problem.message == f"the condition is longer than {LONGEST:,} characters"
    assert (problem.place.column, problem.place.length, problem.remedy) == (1, 1, "Split it into terms.")


def test_text_on_several_lines_is_kept_as_one_and_placed_line_by_line():
    found = parse_condition("a  and\n   b > 5 ft")
    assert found.text == "a and b > 5 ft"


def test_a_node_spans_what_it_is_made_of():
    node = parse_condition("a > 5 ft and not (b + c < -d * 2 ft)").node
    spans = [(part.place.column, part.place.length) for part in walk(node)]
    assert spans == [
        (1, 35), (1, 8), (1, 1), (5, 4), (14, 22), (19, 17), (19, 5), (19, 1), (23, 1), (27, 9), (27, 2), (28, 1), (32, 4),
    ]  # fmt: skip


def test_a_node_over_several_lines_is_underlined_to_the_end_of_its_first():
    lines = ["clauses:", "  when: a > 5 ft and", "    b > 6 ft", "  imposes: x"]
    text = "a > 5 ft and b > 6 ft"
    positions = [(1, 8 + n) for n in range(13)] + [(2, 4 + n) for n in range(8)]
    node = parse_condition(Passage(text, "law.yaml", positions, lines)).node
    assert (node.place.line, node.place.column, node.place.length) == (2, 9, 12)
    assert [(o.place.line, o.place.column, o.place.length) for o in node.operands] == [(2, 9, 8), (3, 5, 8)]


@pytest.mark.parametrize("closed", ["not a", "-1 ft > 0 ft", "(a)", "not not a", "((a))"])
def test_what_was_closed_before_lends_no_depth(closed):
    deep = "(" * (DEEPEST + 1) + "a" + ")" * (DEEPEST + 1)
    assert "nested more than" in problem_of(f"{closed} and {deep}").message
    assert "nested more than" in problem_of(f"{closed} and {closed} or {deep}").message


@pytest.mark.parametrize("word", ["and", "or"])
def test_three_conditions_span_from_the_first_to_the_last(word):
    node = parse_condition(f"(aa {word} bbb {word} cccc) ").node
    assert (node.place.column, node.place.length) == (2, len(f"aa {word} bbb {word} cccc"))


@pytest.mark.parametrize("text", ["a > not b", "a + not b > 1 ft", "-not a", "a > and", "a * or b"])
def test_a_word_that_joins_conditions_is_no_fact(text):
    word = next(word for word in ("and", "or", "not") if word in text.split() or f"-{word}" in text)
    assert problem_of(text).message == f"{word!r} is not expected here"
