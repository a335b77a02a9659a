"""Cells as text and as plain values: how numbers, booleans, dates and unknowns are written, everywhere the same."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["flat", "number_array", "number_text", "number_texts", "plain", "plain_rows", "text_columns", "text_of"]


def number_text(value: float, decimals: int = 6) -> str:
    """Write a number with at most so many decimals and none that are zero; unknown is empty.

    Examples
    --------
    >>> number_text(4000.0), number_text(3999.6912345678), number_text(float("nan")), number_text(-0.0000001)
    ('4000', '3999.691235', '', '0')
    """
    if value != value:
        return ""
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_of(value: Any) -> str:
    """Write one cell: yes and no, ISO dates, empty for unknown."""
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return number_text(float(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time.min else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def number_array(values: Any, decimals: int = 6) -> Any:
    """Write many numbers as `number_text` writes one, as Arrow texts: null where unknown.

    Arrow writes what is neither huge nor tiny the same way, and many times as fast.
    """
    with np.errstate(over="ignore"):  # what is too large to be rounded so is written one by one
        rounded = np.round(np.asarray(values, dtype=float), decimals) + 0.0
    size = np.abs(rounded)
    unknown = np.isnan(rounded)
    odd = ~(((size < 1e9) & (size >= 1e-6)) | (size == 0) | unknown)
    texts = pa.array(np.where(odd, 0.0, rounded), mask=unknown).cast(pa.large_string())
    if not odd.any():
        return texts
    told = [number_text(float(values[place]), decimals) for place in np.flatnonzero(odd)]
    return pc.replace_with_mask(texts, pa.array(odd), pa.array(told, type=pa.large_string()))


def number_texts(values: Any, decimals: int = 6) -> list[str]:
    """Write many numbers as `number_text` writes one."""
    texts: list[str] = number_array(values, decimals).fill_null("").to_pylist()
    return texts


def text_columns(frame: pd.DataFrame) -> list[list[str]]:
    """Return a table column by column as text: yes and no, ISO dates, empty for unknown.

    Numbers keep six decimals, acres nine, so that acres times 43,560 are the square feet beside them.
    """
    columns = []
    for name in frame.columns:
        values = frame[name]
        if values.dtype.kind == "f":
            decimals = 9 if str(name).endswith("acre") else 6
            columns.append(number_texts(values.to_numpy(float, na_value=math.nan), decimals))
        elif isinstance(values.dtype, pd.StringDtype):
            columns.append(values.fillna("").tolist())
        else:
            columns.append(_mixed_texts(values.tolist()))
    return columns


def _mixed_texts(cells: list[Any]) -> list[str]:
    numeric = [place for place, cell in enumerate(cells) if type(cell) is float]
    if len(numeric) < 1000:
        return [text_of(cell) for cell in cells]
    texts = ["" if type(cell) is float else text_of(cell) for cell in cells]
    for place, text in zip(numeric, number_texts([cells[place] for place in numeric]), strict=True):
        texts[place] = text
    return texts


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns each hold one type: for formats that have no mixed columns.

    Yes and no become words, dates ISO text. A column of numbers, yes and no becomes text, and ``number`` beside it at the
    end holds the numbers.
    """
    frame = frame.copy(deep=False)
    for name in frame.columns:
        values = frame[name]
        if isinstance(values.dtype, pd.BooleanDtype) or values.dtype == bool or values.dtype.kind == "M":
            frame[name] = _texts(values.astype(object))
        elif values.dtype == object and name != "geometry":
            numeric = values.map(lambda cell: isinstance(cell, float) and not isinstance(cell, bool))
            frame[name] = _texts(values)
            if numeric.any():
                frame["number"] = values.where(numeric).astype(float)
    return frame


def _texts(values: pd.Series[Any]) -> pd.Series[Any]:
    return pd.Series([text or None for text in _mixed_texts(values.tolist())], index=values.index, dtype="str")


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table as JSON's values, row by row: unknown is null, dates are ISO text, never NaN.

    Examples
    --------
    >>> plain_rows(pd.DataFrame({"a": [1.5, float("nan")], "b": [date(2026, 1, 2), None]}))
    [{'a': 1.5, 'b': '2026-01-02'}, {'a': None, 'b': None}]
    """
    names = [str(name) for name in frame.columns]
    cells = [[plain(cell) for cell in frame[name].tolist()] for name in frame.columns]
    if not names:
        return []
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def plain(value: Any) -> Any:
    """Return one cell as a value of JSON: unknown is None, a date ISO text."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (int, np.integer)):
        return int(value)
    return text_of(value)
