"""The condition language: a hand-written recursive descent parser in which each method's docstring is its grammar rule.

Facts, numbers with units, one comparison, ``+ - * /``, ``and or not``, parentheses. No functions, strings, indexing, loops.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction

from geocheck.model.condition import (
    COMPARATORS,
    All,
    Always,
    Any,
    Arithmetic,
    Children,
    Comparison,
    Condition,
    Name,
    Negative,
    Node,
    Not,
    Number,
)
from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.model.quantity import SPELLINGS, UNITS, Quantity
from geocheck.rules.passage import LONGEST, Passage

__all__ = ["ConditionError", "parse_condition"]

#: Deeper nesting than any adopted text; beyond it a file is hostile or broken.
DEEPEST = 40

_TOKEN = re.compile(
    r"(?P<number>\d[\d_,]*(?:\.\d+)?|\.\d+)"
    r"|(?P<word>[^\W\d]\w*[²³]?)"
    r"|(?P<sign><=|>=|==|!=|=<|=>|<>|&&|\|\||\*\*|//|[-+*/(),<>=!%≥≤≠×÷&|])"
    r"|(?P<other>\S)"
)
_KEYWORDS = ("and", "or", "not", "any", "all", "always")
_MEANT = {
    "=": "==", "=<": "<=", "=>": ">=", "≥": ">=", "≤": "<=", "≠": "!=", "<>": "!=", "!": "not", "&&": "and", "&": "and",
    "||": "or", "|": "or", "×": "*", "÷": "/",
}  # fmt: skip


class ConditionError(RuleFileError):
    """A condition that cannot be read; its one problem has the span underlined."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.show(), (problem,))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def parse_condition(text: str | Passage) -> Condition:
    """Read a condition or an arithmetic expression.

    Parameters
    ----------
    text : str or Passage
        Such as ``disturbed_area >= 4_000 ft2``.

    Raises
    ------
    ConditionError
        With the span underlined, and what to write instead.

    Examples
    --------
    >>> parse_condition("excavated_volume + filled_volume > 400 yd3").node.operator
    '>'
    >>> parse_condition("")
    Traceback (most recent call last):
    ...
    geocheck.rules.expr.ConditionError: :1:1: error: there is no condition here [syntax]
    """
    passage = text if isinstance(text, Passage) else Passage(text)
    parser = _Parser(passage)
    return Condition(" ".join(passage.text.split()), parser.whole())


class _Parser:
    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        if len(passage.text) > LONGEST:
            raise self.wrong(f"the condition is longer than {LONGEST:,} characters", 0, 1, "Split it into terms.")
        self.tokens = self.tokenise()
        self.next = 0
        self.depth = 0

    def tokenise(self) -> list[_Token]:
        tokens = []
        for match in _TOKEN.finditer(self.passage.text):
            kind, text = str(match.lastgroup), match.group()
            if kind == "other":
                what = f"{text!r}" if text.isprintable() else f"the character U+{ord(text):04X}"
                raise self.wrong(f"{what} has no meaning in a condition", *match.span())
            if kind == "sign" and text in _MEANT:
                raise self.wrong(f"{text!r} is not an operator here", *match.span(), f"Write {_MEANT[text]}.")
            tokens.append(_Token(kind, text, *match.span()))
        return tokens

    def wrong(self, message: str, start: int, end: int, remedy: str = "", code: str = "syntax") -> ConditionError:
        return ConditionError(Problem(code, message, self.passage.place(start, end), remedy))

    def at_end(self) -> tuple[int, int]:
        end = len(self.passage.text.rstrip())
        return (end, end + 1)

    def peek(self, *texts: str) -> _Token | None:
        token = self.tokens[self.next] if self.next < len(self.tokens) else None
        return token if token is not None and (not texts or token.text in texts) else None

    def take(self, *texts: str) -> _Token | None:
        token = self.peek(*texts)
        if token is not None:
            self.next += 1
        return token

    def place(self, first: Place | _Token, last: Place | _Token) -> Place:
        start = first if isinstance(first, Place) else self.passage.place(first.start, first.end)
        end = last if isinstance(last, Place) else self.passage.place(last.start, last.end)
        if start.line != end.line:
            length = len(start.text) - (start.column or 1) + 1
        else:
            length = (end.column or 1) + end.length - (start.column or 1)
        return Place(start.file, start.line, start.column, max(1, length), start.text)

    def whole(self) -> Node:
        """condition: alternatives END"""
        if not self.tokens:
            raise self.wrong("there is no condition here", 0, 1)
        node = self.alternatives()
        extra = self.peek()
        if extra is not None:
            raise self.unexpected(extra)
        return node

    def unexpected(self, token: _Token) -> ConditionError:
        if token.text in COMPARATORS:
            return self.wrong(
                "a comparison has two sides, not three", token.start, token.end, "Write two comparisons joined by and."
            )
        if token.text == "%":
            return self.wrong("a percent sign follows a number", token.start, token.end)
        if token.kind == "word" and token.text.lower() in _KEYWORDS and token.text not in _KEYWORDS:
            return self.wrong(
                f"{token.text!r} is not an operator here", token.start, token.end, f"Write {token.text.lower()}."
            )
        return self.wrong(
            f"{token.text!r} is not expected here",
            token.start,
            token.end,
            "Join conditions by and, or; numbers by + - * /.",
        )

    def alternatives(self) -> Node:
        """alternatives: requirements ("or" requirements)*"""
        parts = [self.requirements()]
        while self.take("or"):
            parts.append(self.requirements())
        return parts[0] if len(parts) == 1 else Any(tuple(parts), self.place(parts[0].place, parts[-1].place))

    def requirements(self) -> Node:
        """requirements: denial ("and" denial)*"""
        parts = [self.denial()]
        while self.take("and"):
            parts.append(self.denial())
        return parts[0] if len(parts) == 1 else All(tuple(parts), self.place(parts[0].place, parts[-1].place))

    def denial(self) -> Node:
        """denial: "not" denial | comparison"""
        token = self.take("not")
        if token is None:
            return self.comparison()
        self.deeper(token)
        operand = self.denial()
        self.depth -= 1
        return Not(operand, self.place(token, operand.place))

    def comparison(self) -> Node:
        """comparison: sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)?"""
        left = self.sum()
        token = self.take(*COMPARATORS)
        if token is None:
            return left
        right = self.sum()
        return Comparison(token.text, left, right, self.place(left.place, right.place))

    def sum(self) -> Node:
        """sum: product (("+" | "-") product)*"""
        node = self.product()
        while token := self.take("+", "-"):
            right = self.product()
            node = Arithmetic(token.text, node, right, self.place(node.place, right.place))
        return node

    def product(self) -> Node:
        """product: signed (("*" | "/") signed)*"""
        node = self.signed()
        while token := self.take("*", "/"):
            right = self.signed()
            node = Arithmetic(token.text, node, right, self.place(node.place, right.place))
        return node

    def signed(self) -> Node:
        """signed: "-" signed | atom"""
        token = self.take("-")
        if token is None:
            return self.atom()
        self.deeper(token)
        operand = self.signed()
        self.depth -= 1
        return Negative(operand, self.place(token, operand.place))

    def atom(self) -> Node:
        """atom: "(" alternatives ")" | NUMBER UNIT | "any" | "all" | "always" | NAME"""
        token = self.take()
        if token is None:
            raise self.wrong(
                "something is missing at the end", *self.at_end(), "Write a fact or a number with its unit."
            )
        if token.text == "(":
            self.deeper(token)
            node = self.alternatives()
            self.depth -= 1
            if self.take(")") is None:
                raise self.wrong("this parenthesis is not closed", token.start, token.end)
            return node
        if token.kind == "number":
            return self.number(token)
        if token.kind != "word" or token.text in ("and", "or", "not"):
            raise self.unexpected(token)
        place = self.passage.place(token.start, token.end)
        if token.text == "always":
            return Always(place)
        if token.text in ("any", "all"):
            return Children(token.text, place)
        opening = self.peek("(")
        if opening is not None:
            raise self.wrong("a condition has no functions", token.start, opening.end, "Define a term instead.")
        return Name(token.text, place)

    def number(self, token: _Token) -> Node:
        """NUMBER UNIT: digits, "_" or "," between thousands, a decimal point; then one of the units"""
        unit = self.peek()
        if unit is None or (unit.kind != "word" and unit.text != "%") or unit.text in _KEYWORDS:
            raise self.wrong(
                f"{token.text} has no unit", token.start, token.end,
                f"Write it with its unit, such as {token.text} ft2 (units: {', '.join(UNITS)}).", "missing-unit",
            )  # fmt: skip
        self.next += 1
        name = SPELLINGS.get(unit.text.lower(), unit.text)
        if name not in UNITS:
            near = get_close_matches(name, [*UNITS, *SPELLINGS], 1)
            meant = f"Did you mean {SPELLINGS.get(near[0], near[0])}? " if near else ""
            raise self.wrong(
                f"{unit.text!r} is not a unit",
                unit.start,
                unit.end,
                f"{meant}Units: {', '.join(UNITS)}.",
                "unknown-unit",
            )
        value = Fraction(Decimal(token.text.replace("_", "").replace(",", "")))
        return Number(Quantity(value, name), self.place(token, unit))

    def deeper(self, token: _Token) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"nested more than {DEEPEST} deep", token.start, token.end, "Split it into terms.")
