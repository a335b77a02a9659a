"""Attribute filters (``where``) for formats that GDAL does not filter: SQL conditions, tried in an SQLite of their own."""

from __future__ import annotations

import dataclasses
import re
import sqlite3
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from geocheck.sources.format import Records, Request, refuse

__all__ = ["check_quoted", "fields_in", "matching", "select"]

_ROW = "geocheck_row"


def fields_in(request: Request, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known fields that a request needs: those it names, in any case, and those its filter mentions.

    Raises
    ------
    SourceError
        If a named field is not there; the message lists those that are.
    """
    known = list(known)
    by_case = {name.lower(): name for name in known}
    wanted = []
    for name in request.fields or ():
        match = name if name in known else by_case.get(name.lower())
        if match is None:
            raise missing_field(request, name, known)
        wanted.append(match)
    wanted.extend(by_case[name.lower()] for name in request.optional if name.lower() in by_case)
    words = {w.lower() for w in re.findall(r"\w+", request.where)}
    wanted.extend(n for n in known if request.where and (n.lower() in words or n.lower() in request.where.lower()))
    return tuple(dict.fromkeys(wanted))


def check_quoted(request: Request, known: Iterable[str]) -> None:
    """Refuse a filter that quotes a field that is not there: SQLite takes it for a text and finds nothing, in silence."""
    names = list(known)
    outside_texts = re.sub(r"'[^']*'", "", request.where)
    for quoted in re.findall(r'"([^"]+)"', outside_texts):
        if quoted.lower() not in {n.lower() for n in names}:
            raise missing_field(request, quoted, names)


def missing_field(request: Request, name: str, known: Iterable[str]) -> Exception:
    """Return the error for a field that a layer does not have."""
    return refuse(
        "unknown-field",
        f"there is no field {name!r}",
        file=request.path,
        layer=request.layer,
        remedy=f"Its fields are {', '.join(known) or 'none'}.",
    )


def matching(records: Records, request: Request) -> Records:
    """Return the records for which the request's filter is true.

    Raises
    ------
    SourceError
        If the filter is no SQL condition over the layer's fields.
    """
    if not request.where:
        return records
    return select(records, _rows(records.table, request))


def select(records: Records, rows: Any) -> Records:
    """Return the records of some rows, in their order, numbered anew."""
    new = {int(old): i for i, old in enumerate(rows)}
    return dataclasses.replace(
        records,
        shapes=records.shapes[rows],
        table=records.table.iloc[rows].reset_index(drop=True),
        raw={new[r]: v for r, v in records.raw.items() if r in new},
        remarks={new[r]: v for r, v in records.remarks.items() if r in new},
        lost={new[r]: v for r, v in records.lost.items() if r in new},
    )


def _rows(table: pd.DataFrame, request: Request) -> np.ndarray:
    columns = list(table.columns)
    check_quoted(request, columns)
    base = sqlite3.connect(":memory:")
    try:
        names = "".join(f', "{_escaped(c)}" {_affinity(table[c])}' for c in columns)
        base.execute(f"CREATE TABLE layer ({_ROW} INTEGER PRIMARY KEY{names})")
        cells = [range(1, len(table) + 1), *(_plain(table[c]) for c in columns)]
        base.executemany(f"INSERT INTO layer VALUES ({', '.join('?' * len(cells))})", zip(*cells, strict=True))
        base.set_authorizer(_read_only)
        found = base.execute(f"SELECT {_ROW} FROM layer WHERE ({request.where}) ORDER BY {_ROW}")
        return np.array([r[0] - 1 for r in found], dtype=np.int64)
    except sqlite3.Error as error:
        raise refuse(
            "bad-filter",
            f"the filter {request.where!r} is no condition over this layer: {error}",
            file=request.path,
            layer=request.layer,
            remedy=f"Write a condition such as FIELD = 'value'. Its fields are {', '.join(columns) or 'none'}.",
        ) from error
    finally:
        base.close()


def _escaped(name: str) -> str:
    return name.replace('"', '""')


def _affinity(column: pd.Series) -> str:
    """SQLite's kind of a column, as a GeoPackage would declare it: a text column then equals 503 as well as '503'."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_integer_dtype(column.dtype):
        return "INTEGER"
    return "REAL" if pd.api.types.is_float_dtype(column.dtype) else "TEXT"


def _read_only(action: int, *_: object) -> int:
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


def _plain(column: pd.Series) -> list[object]:
    values = column.astype(object).where(column.notna(), None).tolist()
    return [v if v is None or isinstance(v, (int, float, str)) else str(v) for v in values]
