"""How the nouns show themselves in notebooks: small tables, all of the data escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]

#: Text and fill of words that stand for an outcome or a truth; told apart with every common form of colour blindness.
_COLOURS = {
    "required": "#8a3b00;#fbe3d2", "undetermined": "#5e4a00;#fdf2c4", "waived": "#6d2a58;#f5e0ee", "not required": "#004c78;#dcedf8",
    "unknown": "#5e4a00;#fdf2c4",
}  # fmt: skip


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as HTML; what comes in is text, never markup.

    Examples
    --------
    >>> html_table("a & b", ["x"], [["<1>"]]).count("&lt;1&gt;")
    1
    """
    head = "".join(f'<th scope="col" style="text-align:left">{escape(name)}</th>' for name in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    ink, _, fill = _COLOURS.get(text, "").partition(";")
    look = f"text-align:left;color:{ink};background:{fill}" if ink else "text-align:left"
    return f'<td style="{look}">{escape(text)}</td>'
