"""Arrow tables into columns with exact digits: whole numbers stay whole beside nulls, lists become text."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

__all__ = ["binary_of", "frame_of"]


def frame_of(table: pa.Table, names: list[str]) -> pd.DataFrame:
    """Return the named columns as pandas columns; binary ones are left out."""
    columns = {name: _column(table.column(name)) for name in names if not _is_binary(table.schema.field(name).type)}
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


def binary_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a WKB column, if it is one."""
    if not _is_binary(column.type):
        raise TypeError(f"the geometry column holds {column.type}, not WKB")
    return column


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _column(column: pa.ChunkedArray) -> pd.Series:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind):
        wide = "UInt64" if pa.types.is_uint64(kind) else "Int64"
        present = column.is_valid().to_numpy()
        values = column.fill_null(0).to_numpy().astype("uint64" if wide == "UInt64" else "int64")
        made = pd.arrays.IntegerArray(values, ~present)
        return pd.Series(made)
    if pa.types.is_floating(kind):
        return pd.Series(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    if pa.types.is_nested(kind):
        return pd.Series([_joined(v) for v in column.to_pylist()], dtype=object)
    if pa.types.is_decimal(kind):
        return pd.Series([None if v is None else str(v) for v in column.to_pylist()], dtype=object)
    if pa.types.is_timestamp(kind):
        return pd.Series([None if v is None else v.isoformat() for v in _moments(column)], dtype=object)
    return pd.Series(column.to_numpy(zero_copy_only=False), dtype=object)


def _moments(column: pa.ChunkedArray) -> list[Any]:
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):  # beyond Python's years
        return list(column.cast(pa.string()).to_pandas())


def _joined(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        return "; ".join("" if v is None else str(v) for v in value)
    return str(value)
