"""A passage of a file: some text, and where each of its characters stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from geocheck.model.problem import Place

__all__ = ["LONGEST", "Passage", "shown_line"]

#: Characters of the longest condition that is read.
LONGEST = 4_000
WIDEST = 500


def shown_line(line: str) -> str:
    """Return a line as it is shown under a problem; nothing where it is wider than anybody reads."""
    return line if len(line) <= WIDEST else ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Text as read, on one line, that still knows its lines and columns in the file.

    Parameters
    ----------
    text : str
        The text.
    file : str
        The file as the user named it.
    positions : sequence of (line, column)
        Where each character stands, from 0; empty where the text comes from no file.
    lines : sequence of str
        All lines of the file.

    Examples
    --------
    >>> str(Passage("a > b", "rules.yaml", [(6, 8 + i) for i in range(5)], [""] * 7).place(4, 5))
    'rules.yaml:7:13'
    """

    text: str
    file: str = ""
    positions: Sequence[tuple[int, int]] = ()
    lines: Sequence[str] = field(default=(), repr=False)

    def place(self, start: int = 0, end: int | None = None) -> Place:
        """Return where a span of the text stands, as far as its first line goes."""
        end = len(self.text) if end is None else end
        if not self.positions:
            return Place(self.file, 1, start + 1, max(1, end - start), shown_line(self.text))
        line, column = self.positions[min(start, len(self.positions) - 1)]
        column += max(0, start - len(self.positions) + 1)
        last_line, last_column = self.positions[min(max(end - 1, start), len(self.positions) - 1)]
        source = self.lines[line] if line < len(self.lines) else ""
        length = last_column - column + 1 if last_line == line else len(source) - column
        return Place(self.file, line + 1, column + 1, max(1, length), shown_line(source))
