"""Tables as lines of CSV and of JSON, whole columns at a time: a county's parcels are written in a second or two."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from geocheck.reports.cells import number_array, plain, text_of

__all__ = ["arrow_texts", "csv_lines", "json_lines", "save_csv", "save_lines"]

_NONE = pa.array([], type=pa.large_string())


def save_csv(frame: pd.DataFrame, path: Path, *, mark: bool = False) -> None:
    """Write a table as CSV in UTF-8: its head, then a line a row; ``mark`` puts the byte order mark of Excel before it."""
    head = ",".join(_quoted(str(name)) for name in frame.columns)
    with path.open("wb") as file:
        file.write(("\ufeff" if mark else "").encode() + f"{head}\n".encode("utf-8", "backslashreplace"))
        save_lines(file, csv_lines(frame))


def csv_lines(frame: pd.DataFrame) -> Any:
    """Return a table's rows as Arrow texts, each a line of CSV with its end; unknown is an empty cell."""
    if not len(frame) or not len(frame.columns):
        return _NONE
    cells = [_guarded(arrow_texts(frame[name], acres=str(name).endswith("acre"))) for name in frame.columns]
    return _joined([*cells[:-1], _joined([cells[-1], "\n"])], ",")


def json_lines(frame: pd.DataFrame) -> Any:
    """Return a table's rows as Arrow texts, each a JSON object on a line of its own, all but the first after a comma."""
    if not len(frame) or not len(frame.columns):
        return _NONE
    parts: list[Any] = []
    for place, name in enumerate(frame.columns):
        parts += [f"{', ' if place else '{'}{_dumped(str(name))}: ", _json_cells(frame[name])]
    ends = pa.array(["\n"] + [",\n"] * (len(frame) - 1), type=pa.large_string())
    return _joined([ends, *parts, "}"], missing="null")


def _joined(parts: list[Any], between: str = "", missing: str = "") -> Any:
    texts = [pa.scalar(part, type=pa.large_string()) if isinstance(part, str) else part for part in (*parts, between)]
    return pc.binary_join_element_wise(*texts, null_handling="replace", null_replacement=missing)


def save_lines(file: Any, lines: Any) -> None:
    """Write what `csv_lines` or `json_lines` returned to a binary file: the texts lie one after the other in their buffer already."""
    if len(lines):
        offsets = np.frombuffer(lines.buffers()[1], dtype=np.int64)
        first, last = (int(offsets[lines.offset + place]) for place in (0, len(lines)))
        file.write(memoryview(lines.buffers()[2])[first:last])


# Cells ----------------------------------------------------------------------------------------------------------------


def arrow_texts(values: pd.Series[Any], *, acres: bool = False) -> Any:
    """Return a column as Arrow texts, null where unknown: yes and no, ISO dates, numbers of six decimals, acres of nine."""
    if values.dtype.kind == "f":
        return number_array(values.to_numpy(float, na_value=math.nan), 9 if acres else 6)
    if isinstance(values.dtype, pd.StringDtype):
        return _strings_of(values)
    cells = values.tolist()
    kinds = set(map(type, cells))
    if kinds <= {float, bool, type(None)}:
        known, yes = _numbers_of(cells), _yeses_of(cells, kinds)
        texts = number_array(known, 6)
        return texts if yes is None else pc.coalesce(yes, texts)
    return strings([cell if type(cell) is str else text_of(cell) or None for cell in cells])


def strings(cells: list[str | None]) -> Any:
    """Return texts as Arrow texts; half of a character that is two in UTF-16 is written as an escape."""
    try:
        return pa.array(cells, type=pa.large_string())
    except UnicodeEncodeError:
        whole = [cell if cell is None else cell.encode("utf-8", "backslashreplace").decode() for cell in cells]
        return pa.array(whole, type=pa.large_string())


def _strings_of(values: pd.Series[Any]) -> Any:
    texts = pa.array(values, type=pa.large_string())
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts


def _numbers_of(cells: list[Any]) -> Any:
    return np.array(
        [math.nan if cell is None or cell is True or cell is False else cell for cell in cells], dtype=float
    )


def _yeses_of(cells: list[Any], kinds: set[type]) -> Any:
    if bool not in kinds:
        return None
    words = {True: "yes", False: "no"}
    return pa.array([words[cell] if type(cell) is bool else None for cell in cells], type=pa.large_string())


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(mark in text for mark in ',"\r\n') else text


def _guarded(texts: Any) -> Any:
    """Cells of a CSV: quoted where they hold a comma, a quote or the end of a line."""
    held = pc.match_substring_regex(texts, '[,"\r\n]')
    if not pc.any(held).as_py():
        return texts
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(held, _joined(['"', doubled, '"']), texts)


def _json_cells(values: pd.Series[Any]) -> Any:
    if values.dtype.kind == "f":
        return _json_numbers(values.to_numpy(float, na_value=math.nan))
    if isinstance(values.dtype, pd.StringDtype):
        return _json_strings(_strings_of(values))
    cells = values.tolist()
    kinds = set(map(type, cells))
    if kinds <= {float, bool, type(None)}:
        texts = _json_numbers(_numbers_of(cells))
        if bool not in kinds:
            return texts
        words = {True: "true", False: "false"}
        yes = pa.array([words[cell] if type(cell) is bool else None for cell in cells], type=pa.large_string())
        return pc.coalesce(yes, texts)
    if kinds <= {str, type(None)}:
        return _json_strings(strings(cells))
    return pa.array([_dumped(plain(cell)) for cell in cells], type=pa.large_string())


def _json_numbers(numbers: Any) -> Any:
    return pa.array(np.where(np.isfinite(numbers), numbers, 0.0) + 0.0, mask=~np.isfinite(numbers)).cast(
        pa.large_string()
    )


def _json_strings(texts: Any) -> Any:
    odd = pc.match_substring_regex(texts, '["\\\\\x00-\x1f]')
    plainly = pc.if_else(pc.is_valid(texts), _joined(['"', texts, '"']), pa.scalar(None, type=pa.large_string()))
    if not pc.any(odd).as_py():
        return plainly
    told = [_dumped(text) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(plainly, pc.fill_null(odd, False), pa.array(told, type=pa.large_string()))


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace").decode()
