"""YAML as a tree of text with places: no types are guessed, so ``no``, ``1.`` and ``2002-04-01`` stay what is written.

Anchors, tags and several documents are refused, size and depth bounded: a rule file is data, and anybody may write one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.rules.passage import LONGEST, Passage, shown_line

__all__ = ["LARGEST", "Listing", "Mapped", "Scalar", "Tree", "decode", "read_tree"]

#: Bytes of the largest file that is read: ten times the longest chapter modelled.
LARGEST = 300_000
#: Lines, keys and items of the fullest file that is read: six times the fullest chapter modelled. Each takes time to read.
FULLEST = 12_000
DEEPEST = 32
#: Characters of an escape in double quotes, its backslash among them, by the letter after that; of all others, two.
_ESCAPES = {"x": 4, "u": 6, "U": 10}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A piece of text; ``plain`` where it was written without quotes."""

    passage: Passage
    plain: bool = True

    @property
    def text(self) -> str:
        """The text."""
        return self.passage.text

    @property
    def place(self) -> Place:
        """Where it is written."""
        return self.passage.place()


@dataclass(frozen=True, slots=True)
class Listing:
    """Items in order; ``source`` is how a flow list is written, ``[a]``."""

    items: tuple[Tree, ...]
    place: Place
    source: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """Keys and their values in order, repeated keys and all."""

    entries: tuple[tuple[Scalar, Tree], ...]
    place: Place

    def get(self, key: str) -> Tree | None:
        """Return the value of a key, or None."""
        return next((value for name, value in self.entries if name.text == key), None)


Tree = Scalar | Listing | Mapped


def _refuse(code: str, message: str, place: Place, remedy: str = "") -> RuleFileError:
    problem = Problem(code, message, place, remedy)
    return RuleFileError(problem.show(), (problem,))


def decode(data: bytes, file: str) -> str:
    """Return the text of a file.

    Raises
    ------
    RuleFileError
        If it is too large, not UTF-8, or holds characters that no reader can see.
    """
    if len(data) > LARGEST:
        raise _refuse(
            "file-too-large", f"the file has {len(data):,} bytes; at most {LARGEST:,} are read", Place(file),
            "One file holds one version of one chapter.",
        )  # fmt: skip
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:4].count(0) >= 2:
        raise _refuse("encoding", "the file is UTF-16 or UTF-32", Place(file), "Save it as UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data[: error.start].count(b"\n") + 1
        raise _refuse(
            "encoding", f"byte {data[error.start]:#04x} is not UTF-8", Place(file, number), "Save the file as UTF-8."
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        for column, char in enumerate(line, 1):
            if char != "\t" and not char.isprintable():
                raise _refuse(
                    "unseen-character", f"the character U+{ord(char):04X} cannot be seen and can change what is read",
                    Place(file, number, column, 1, line.encode("ascii", "replace").decode()), "Delete it.",
                )  # fmt: skip
            if char == "\t" and not line[: column - 1].strip():
                raise _refuse(
                    "tab", "the line is indented with a tab", Place(file, number, column, 1, line.replace("\t", " ")),
                    "Indent with blanks.",
                )  # fmt: skip
    return text


def read_tree(text: str, file: str) -> Tree:
    """Read YAML text into a tree.

    Raises
    ------
    RuleFileError
        With one problem at its line and column: the first thing that makes the rest unreadable.

    Examples
    --------
    >>> read_tree("at: 1.", "rules.yaml").get("at").text
    '1.'
    """
    lines = text.split("\n")
    _refuse_too_much(lines, file)
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    builder = _Builder(text, lines, file)
    try:
        return builder.document(yaml.parse(io.StringIO(text)))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark is not None else (0, 0)
        shown = shown_line(lines[line]) if line < len(lines) else ""
        said = " ".join(str(part) for part in (error.problem, error.context) if part)
        if "expected '<document start>'" in said:
            said = "this line does not go with what stands above it: a key above may lack its colon"
        raise _refuse("yaml", said, Place(file, line + 1, column + 1, 1, shown), _advice(said)) from None
    except YAMLError as error:
        raise _refuse("yaml", str(error).splitlines()[0], Place(file)) from None


def _advice(said: str) -> str:
    if "'['" in said or "']'" in said:
        return 'A label with brackets inside {} or [] needs quotes: "(1)[a]".'
    if "mapping values are not allowed" in said:
        return "A text with a colon and a blank in it needs quotes."
    return ""


def _refuse_too_much(lines: list[str], file: str) -> None:
    # The scanner looks ahead over open brackets: 3,000 of them take it 15 seconds.
    for number, line in enumerate(lines, 1):
        opened = line.count("[") + line.count("{") - line.count("]") - line.count("}")
        if line.startswith(("- - ", "? ? ")) and line.count(line[:2]) > DEEPEST:
            raise _refuse("too-deep", f"nested more than {DEEPEST} deep", Place(file, number))
        if opened > DEEPEST:
            raise _refuse("too-deep", f"the line opens {opened} brackets that it does not close", Place(file, number))
    opened = sum(line.count("[") + line.count("{") - line.count("]") - line.count("}") for line in lines)
    if opened > 8 * DEEPEST:
        raise _refuse("too-deep", f"the file opens {opened} brackets that it does not close", Place(file))
    entries = len(lines) + sum(line.count(",") + line.count(": ") + line.count("- ") for line in lines)
    if entries > FULLEST:
        raise _refuse(
            "file-too-large", f"the file has some {entries:,} lines, keys and items; at most {FULLEST:,} are read",
            Place(file), "One file holds one version of one chapter.",
        )  # fmt: skip


@dataclass
class _Builder:
    text: str
    lines: list[str]
    file: str
    depth: int = field(default=0)

    def document(self, events: Iterator[Any]) -> Tree:
        tree: Tree | None = None
        for event in events:
            if isinstance(event, DocumentStartEvent) and tree is not None:
                raise _refuse("yaml", "the file holds a second document", self.place(event), "One file, one version.")
            if isinstance(event, (ScalarEvent, MappingStartEvent, SequenceStartEvent, AliasEvent)):
                tree = self.node(event, events)
        if tree is None or (isinstance(tree, Scalar) and not tree.text):
            raise _refuse("empty", "the file is empty", Place(self.file))
        return tree

    def place(self, event: Any, end: Any = None) -> Place:
        mark = event.start_mark
        line = self.lines[mark.line] if mark.line < len(self.lines) else ""
        stop = (end or event).end_mark
        length = stop.column - mark.column if stop.line == mark.line else len(line) - mark.column
        return Place(self.file, mark.line + 1, mark.column + 1, max(1, length), shown_line(line))

    def node(self, event: Any, events: Iterator[Any]) -> Tree:
        if isinstance(event, AliasEvent) or event.anchor:
            raise _refuse("anchor", "anchors and aliases are not read here", self.place(event), "Write it out.")
        if event.tag and event.tag != "!":
            raise _refuse("tag", f"the tag {event.tag} is not read here", self.place(event), "Leave it out.")
        if isinstance(event, ScalarEvent):
            return self.scalar(event)
        self.depth += 1
        if self.depth > DEEPEST:
            raise _refuse("too-deep", f"nested more than {DEEPEST} deep", self.place(event))
        if isinstance(event, SequenceStartEvent):
            items = []
            while not isinstance(inner := next(events), SequenceEndEvent):
                items.append(self.node(inner, events))
            self.depth -= 1
            source = self.text[event.start_mark.index : inner.end_mark.index] if event.flow_style else ""
            return Listing(tuple(items), self.place(event, inner), source)
        entries = []
        while not isinstance(inner := next(events), MappingEndEvent):
            key = self.node(inner, events)
            if not isinstance(key, Scalar):
                place = key.place
                raise _refuse("yaml", "a key is a word, not a list", place, 'Quote a label with brackets: "[a]".')
            entries.append((key, self.node(next(events), events)))
        self.depth -= 1
        return Mapped(tuple(entries), self.place(event, inner))

    def scalar(self, event: Any) -> Scalar:
        start, end = event.start_mark, event.end_mark
        raw = self.text[start.index : end.index]
        positions: list[tuple[int, int]] = []
        quoted = event.style == '"'
        line, column, cursor = start.line, start.column + quoted, int(quoted)
        # Nothing in a longer text is ever underlined: a condition is shorter.
        for char in event.value if len(event.value) <= LONGEST else "":
            if quoted and raw[cursor] == "\\":
                positions.append((line, column))
                width = _ESCAPES.get(raw[cursor + 1], 2)
                line, column = _advance(raw, cursor, cursor + width, line, column)
                cursor += width
                continue
            ahead = cursor
            while (
                ahead < min(len(raw), cursor + 400) and raw[ahead] != char and not (char == " " and raw[ahead] == "\n")
            ):
                ahead += 1
            found = ahead < min(len(raw), cursor + 400)
            if found:
                line, column = _advance(raw, cursor, ahead, line, column)
                cursor = ahead
            positions.append((line, column))
            if found:
                line, column = _advance(raw, cursor, cursor + 1, line, column)
                cursor += 1
        if not positions:
            positions.append((start.line, start.column))
        return Scalar(Passage(event.value, self.file, positions, self.lines), event.style is None)


def _advance(raw: str, start: int, end: int, line: int, column: int) -> tuple[int, int]:
    for char in raw[start:end]:
        line, column = (line + 1, 0) if char == "\n" else (line, column + 1)
    return line, column
