"""Findings as tables: one data frame for each table of the contract, columns in the contract's order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd

from geocheck.model.facts import FactColumn, FactTable
from geocheck.model.findings import Findings
from geocheck.model.ground import ZONES, Layer
from geocheck.reports.columns import TABLES

__all__ = [
    "Tables", "crs_text", "determinations", "facts", "layers", "parcels", "questions", "repairs", "sites", "source_of",
    "trace", "zones",
]  # fmt: skip


class Tables:
    """The tables of one run, each made when first asked for and kept.

    Examples
    --------
    >>> tables = Tables(findings)                                      # doctest: +SKIP
    >>> tables["facts"].columns[0]                                     # doctest: +SKIP
    'subject'
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _MAKERS[name](self.findings)
        return self._made[name]

    def rows(self, name: str) -> pd.DataFrame:
        """Return a table without its geometry."""
        table = self[name]
        if not isinstance(table, gpd.GeoDataFrame):
            return table
        return pd.DataFrame(table.drop(columns=table.geometry.name))


def facts(findings: Findings) -> pd.DataFrame:
    """Return ``facts.csv``: one row a subject and fact; ``value`` holds numbers and booleans, None where unknown."""
    parts = [_fact_rows(table) for table in findings.facts.tables if len(table) and table.columns]
    names = [column.name for column in TABLES["facts"]]
    if not parts:
        return _frame("facts", ())
    return pd.concat(parts, ignore_index=True)[names] if len(parts) > 1 else parts[0][names]


def _fact_rows(table: FactTable) -> pd.DataFrame:
    """All facts of one sort of subject, subject by subject: columns are laid side by side and read row by row."""
    columns = list(table.columns.values())
    count = len(table)
    numbers = [_numbers(column, column.values) for column in columns]

    def per_fact(words: Iterable[str]) -> np.ndarray[Any, Any]:
        return np.tile(np.array(list(words), dtype=object), count)

    def per_cell(cells: Sequence[Any], dtype: Any) -> np.ndarray[Any, Any]:
        laid = np.empty((count, len(columns)), dtype=dtype)
        for place, cell in enumerate(cells):
            laid[:, place] = cell
        return laid.ravel()

    values = [_values(column, number) for column, number in zip(columns, numbers, strict=True)]
    return pd.DataFrame(
        {
            "subject": np.full(count * len(columns), table.subject, dtype=object),
            "subject_id": np.repeat(np.array([str(i) for i in table.ids], dtype=object), len(columns)),
            "fact": per_fact(c.name for c in columns),
            "kind": per_fact(c.kind for c in columns),
            "value": pd.Series(per_cell(values, object), dtype=object),
            "unit": per_fact(c.unit for c in columns),
            "low": per_cell([_end(c, c.lows, n) for c, n in zip(columns, numbers, strict=True)], float),
            "high": per_cell([_end(c, c.highs, n) for c, n in zip(columns, numbers, strict=True)], float),
            "status": per_cell([_statuses(c, v) for c, v in zip(columns, values, strict=True)], object),
            "source": per_fact(c.source for c in columns),
            "note": per_cell([_words(c.notes, count) for c in columns], object),
        }
    )


def _numbers(column: FactColumn, values: Any) -> np.ndarray[Any, Any]:
    if not column.unit:
        return np.full(len(values), np.nan)
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(float)
    return np.array([np.nan if value is None else float(value) for value in values], dtype=float)


def _values(column: FactColumn, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if column.unit:
        values = numbers.astype(object)
        values[np.isnan(numbers)] = None
        return values
    cells = [None if value is None or value != value else bool(value) for value in column.values]
    return np.array([*cells, None], dtype=object)[:-1]


def _end(column: FactColumn, ends: Any, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return numbers if ends is None or not column.unit else _numbers(column, ends)


def _statuses(column: FactColumn, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    stated = _words(column.statuses, len(values))
    unknown = np.array([value is None for value in values], dtype=bool)
    return np.where(stated == "", np.where(unknown, "missing", column.kind), stated)


def _words(words: Sequence[str] | str, count: int) -> np.ndarray[Any, Any]:
    if isinstance(words, str):
        return np.full(count, words, dtype=object)
    return np.array([*(word or "" for word in words), None], dtype=object)[:-1]


def determinations(findings: Findings) -> pd.DataFrame:
    """Return ``determinations.csv``: one row a site, ordinance and obligation."""
    return _frame(
        "determinations",
        (
            (
                d.site_id, d.ordinance, o.obligation, o.outcome, o.best_estimate, o.borderline,
                "; ".join(o.because), "; ".join(o.instead), "; ".join(o.reserved), "; ".join(o.needs),
            )
            for d in findings.determinations
            for o in d.obligations
        ),
    )  # fmt: skip


def trace(findings: Findings) -> pd.DataFrame:
    """Return ``trace.csv``: one row a site and clause, in the ordinance's order."""
    return _frame(
        "trace",
        (
            (d.site_id, d.ordinance, s.clause, str(s.truth), s.facts_seen, s.note)
            for d in findings.determinations
            for s in d.trace.steps
        ),
    )


def questions(findings: Findings) -> pd.DataFrame:
    """Return ``questions.csv``: one row a missing fact that matters."""
    rows = ((q.site_id, q.fact, q.kind, q.asks, "; ".join(q.decides)) for q in findings.questions)
    return _frame("questions", rows)


def layers(findings: Findings) -> pd.DataFrame:
    """Return ``layers.csv``: one row a layer, counts in and out."""
    return _frame("layers", (_layer_row(role, layer) for role, layer in findings.layers.items()))


def _layer_row(role: str, layer: Layer) -> tuple[Any, ...]:
    asked = layer.source
    return (
        role, source_of(layer), layer.name or asked.layer, crs_text(layer.source_crs or layer.crs),
        layer.crs_from, layer.datum_operation, layer.datum_accuracy_m, layer.records, layer.used, layer.repaired,
        layer.without_geometry, layer.lost, "not stated" if asked.accuracy is None else str(asked.accuracy),
        asked.coverage or layer.coverage_note or "not stated", asked.date or "not stated", layer.sha256,
        "; ".join(layer.notes),
    )  # fmt: skip


def repairs(findings: Findings) -> pd.DataFrame:
    """Return ``repairs.csv``: one row a repaired, lost or doubtful feature."""
    return _frame(
        "repairs",
        (
            (r.role, r.record, r.id, r.problem, r.action, r.area_before, r.area_after, r.doubt)
            for layer in findings.layers.values()
            for r in layer.repairs
        ),
    )


def sites(findings: Findings) -> gpd.GeoDataFrame:
    """Return the sites with geometry, in the run's system; empty in a run about parcels alone."""
    return _as_given(findings, findings.sites, "sites")


def parcels(findings: Findings) -> gpd.GeoDataFrame:
    """Return ``parcels.csv`` with geometry, one row an input record; empty where no parcels were given."""
    return _as_given(findings, findings.parcels, "parcels")


def zones(findings: Findings) -> gpd.GeoDataFrame:
    """Return the polygons of all zone layers, each with its role and where it comes from."""
    names = [column.name for column in TABLES["zones"]]
    parts = []
    for role in ZONES:
        layer = findings.layers.get(role)
        if layer is None or layer.frame is None:
            continue
        ground = layer.frame[layer.frame.geometry.notna()]
        accuracy = "not stated" if layer.source.accuracy is None else str(layer.source.accuracy)
        whence = {"role": role, "source": source_of(layer), "date": layer.source.date or "not stated"}
        columns = {**whence, "accuracy": accuracy, "sha256": layer.sha256}
        part = pd.DataFrame({"record": ground["record"].to_numpy(), "id": ground["id"].to_numpy()}).assign(**columns)
        parts.append(part[names].assign(geometry=ground.geometry.to_numpy()))
    crs = findings.ground.crs if findings.ground is not None else None
    if not any(len(part) for part in parts):
        return _empty_ground("zones", crs)
    return gpd.GeoDataFrame(_typed("zones", pd.concat([p for p in parts if len(p)], ignore_index=True)), crs=crs)


def source_of(layer: Layer) -> str:
    """Return where a layer comes from, as a reader reads it."""
    return layer.source.source or ("derived" if layer.source.derive is not None else "")


@lru_cache(maxsize=64)  # PROJ looks through all its systems for each
def crs_text(crs: Any) -> str:
    """Return a reference system's code where it is one exactly, else its name; empty for none."""
    if crs is None:
        return ""
    authority = crs.to_authority(min_confidence=100)
    return ":".join(authority) if authority else str(crs.name)


def _as_given(findings: Findings, frame: Any, table: str) -> gpd.GeoDataFrame:
    crs = findings.ground.crs if findings.ground is not None else None
    return _empty_ground(table, crs) if frame is None else _typed(table, frame)


def _empty_ground(table: str, crs: Any) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(_frame(table, ()), geometry=gpd.GeoSeries([], crs=crs))


def _frame(table: str, rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    names = [column.name for column in TABLES[table]]
    kept = list(rows)
    cells = zip(*kept, strict=True) if kept else ([] for _ in names)
    columns = {name: np.array([*cell, None], dtype=object)[:-1] for name, cell in zip(names, cells, strict=True)}
    return _typed(table, pd.DataFrame(columns, columns=names))


_DTYPES = {"number": "float64", "whole": "Int64", "yes or no": "boolean"}


def _typed(table: str, frame: Any) -> Any:
    """Identifiers are text always, numbers floats, unknown never a word."""
    dtypes = {c.name: _DTYPES[c.sort] for c in TABLES[table] if c.sort in _DTYPES and c.name in frame.columns}
    texts = {c.name for c in TABLES[table] if c.sort in ("text", "list") and c.name in frame.columns}
    frame = frame.astype(dtypes)
    for name in texts:
        if frame[name].dtype == object:
            frame[name] = frame[name].map(_text).astype("str")
    return frame


def _text(value: Any) -> str | None:
    return None if value is None or value != value else str(value)


_MAKERS: dict[str, Callable[[Findings], Any]] = {
    "facts": facts, "determinations": determinations, "trace": trace, "parcels": parcels, "questions": questions,
    "layers": layers, "repairs": repairs, "sites": sites, "zones": zones,
}  # fmt: skip
