"""A role's own columns out of a file's fields: identifiers as text, plans and phases, surface and connection in fixed words."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from geocheck.model.ground import LayerSource
from geocheck.sources.format import refuse

__all__ = ["connected_of", "days_of", "field_named", "surface_of", "text_of"]

_YES = frozenset({"yes", "y", "true", "t", "1"})
_NO = frozenset({"no", "n", "false", "f", "0"})
_UNKNOWN = frozenset({"", "?", "unknown", "null", "<null>", "nan", "n/a"})
#: A day, as a file's own type or a text has it; a time of day after it counts for nothing.
_DAY = re.compile(r"^(?P<year>\d{4})(?P<part>[-/]?)(?P<month>\d{2})(?P=part)(?P<day>\d{2})(?:[t ].*)?$")
_SURFACES = {"existing": "existing", "proposed": "proposed", "removed": "removed"}


def field_named(table: Any, name: str) -> str | None:
    """Return a column's own name for a name in any case, None where there is none."""
    if name in table.columns:
        return name
    return next((c for c in table.columns if c.lower() == name.lower()), None)


def text_of(column: Any) -> Any:
    """Return a column as text: exact digits, blanks trimmed, None where there is nothing.

    Examples
    --------
    >>> text_of(pd.Series([123456789012, None, 7], dtype="Int64")).tolist()
    ['123456789012', None, '7']
    >>> text_of(pd.Series([" 000123", "", None])).tolist()
    ['000123', None, None]
    """
    if pd.api.types.is_integer_dtype(column.dtype):
        present = column.notna().to_numpy(dtype=bool)
        text = np.full(len(column), None, dtype=object)
        text[present] = column[present].to_numpy().astype(str)
    elif pd.api.types.is_float_dtype(column.dtype):
        text = np.array([*map(_digits, column.to_numpy(dtype=float, na_value=np.nan)), None], dtype=object)[:-1]
    else:
        text = _words(column.to_numpy(dtype=object))
    return pd.Series(text, index=column.index, dtype=object)


def _words(values: Any) -> Any:
    try:
        text = pa.array(values, type=pa.string(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # numbers or dates among the words
        return np.array([*map(_word, values), None], dtype=object)[:-1]
    text = pc.utf8_trim_whitespace(text)
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text).to_numpy(zero_copy_only=False)


def _digits(value: float) -> str | None:
    if not np.isfinite(value):
        return None
    return str(int(value)) if value == int(value) else repr(float(value))


def _word(value: Any) -> str | None:
    if value is None or value is pd.NA:
        return None
    if isinstance(value, float):
        return _digits(value)
    return str(value).strip() or None


def days_of(column: Any, source: LayerSource) -> Any:
    """Return the day of each record, None where there is none: a date of the file's own, or one written YYYY-MM-DD.

    Raises
    ------
    SourceError
        If a text is no day, or one that is read in two ways (3/4/2004); it names the first record.
    """

    def read(word: str) -> date | None:
        if word in _UNKNOWN:
            return None
        match = _DAY.match(word)
        if match is None:
            raise KeyError(word)
        try:
            return date(int(match["year"]), int(match["month"]), int(match["day"]))
        except ValueError:
            raise KeyError(word) from None

    return _translate(column, source, source.day, read, "a day, written YYYY-MM-DD, or nothing")


def connected_of(column: Any, source: LayerSource) -> Any:
    """Return whether each surface is connected: True, False, or None for unknown.

    Raises
    ------
    SourceError
        If a word is neither yes nor no nor unknown; it names the first record.
    """

    def read(word: str) -> bool | None:
        if word in _UNKNOWN:
            return None
        if word in _YES | _NO:
            return word in _YES
        raise KeyError(word)

    return _translate(column, source, source.connected, read, "yes, no, or empty for unknown")


def surface_of(column: Any, source: LayerSource) -> Any:
    """Return each surface's status: existing, proposed or removed.

    Raises
    ------
    SourceError
        If a word is another one, or missing; it names the first record.
    """
    return _translate(column, source, source.status, lambda word: _SURFACES[word], "existing, proposed or removed")


def _translate(column: Any, source: LayerSource, field: str, read: Callable[[str], Any], words: str) -> Any:
    codes, spelt = pd.factorize(text_of(column).to_numpy(dtype=object))
    table: list[Any] = []
    for code, word in [*enumerate(spelt), (-1, "")]:
        rows = np.flatnonzero(codes == code)
        try:
            table.append(read(word.lower()) if len(rows) else None)
        except KeyError:
            shown = repr(word) if word else "nothing"
            raise refuse(
                "unknown-word",
                f"the field {field!r} says {shown} in {len(rows)} record{'s' if len(rows) > 1 else ''}",
                file=source.source,
                layer=source.layer,
                record=int(rows[0]) + 1,
                remedy=f"It may say {words}.",
            ) from None
    return pd.Series(np.array([*table, None], dtype=object)[:-1][codes], index=column.index, dtype=object)
