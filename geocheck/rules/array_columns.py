"""A table's columns as arrays: yes-or-no facts as bytes, numbers as intervals in feet."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geocheck.model.facts import FactColumn, FactTable
from geocheck.model.problem import UnitError
from geocheck.model.quantity import INTERNATIONAL_FOOT, UNITS, US_SURVEY_FOOT, dimension_of
from geocheck.model.vocabulary import FactDeclaration
from geocheck.rules.arrays import NO, UNKNOWN, YES

__all__ = ["Ends", "read_amounts", "read_truths"]

_POWER = {"length": 1, "area": 2, "volume": 3}


@dataclass(frozen=True, slots=True)
class Ends:
    """A column in feet: low, best and high, the size that rounding is relative to.

    What is not known is marked; its ends are infinite, or what it is known to lie between.
    """

    low: Any
    best: Any
    high: Any
    missing: Any
    size: Any


def read_truths(table: FactTable, declared: FactDeclaration) -> Any:
    """Return a yes-or-no fact of all rows, as bytes; of one element where the table does not have it."""
    decided = declared.kind == "decided"
    column = table.columns.get(declared.name)
    if column is None:
        return np.array(NO if decided else UNKNOWN, np.uint8)
    values: Any = column.values
    if isinstance(values, np.ndarray) and values.dtype == bool and not column.unit:
        return values.view(np.uint8) * np.uint8(YES)
    numbers = np.asarray(values, dtype=float)
    missing = np.isnan(numbers)
    if column.unit and not missing.all():
        raise UnitError(f"{declared.name} is yes or no; numbers in {column.unit} were given")
    states = np.where(missing, np.uint8(UNKNOWN), np.where(numbers != 0, np.uint8(YES), np.uint8(NO)))
    if decided and column.kind == "decided":
        if isinstance(column.statuses, str):
            absent = np.array(column.statuses in ("", "missing"))
        else:
            absent = np.isin(np.asarray(column.statuses, dtype=object), ["", "missing"])
        states = np.where(missing & absent, np.uint8(NO), states)
    return states


def read_amounts(table: FactTable, declared: FactDeclaration) -> Ends:
    """Return a number of all rows, in feet; of one element where the table does not have it."""
    least = -np.inf if declared.signed else 0.0
    column = table.columns.get(declared.name)
    if column is None:
        return Ends(np.array(least), np.array(least), np.array(np.inf), True, 0.0)
    best = np.asarray(column.values, dtype=float)
    missing = np.isnan(best)
    if not column.unit or dimension_of(column.unit) != dimension_of(declared.unit):
        if not missing.all():
            given = "yes or no" if not column.unit else f"{dimension_of(column.unit)} in {column.unit}"
            raise UnitError(f"{declared.name} is a number in {declared.unit}; {given} was given")
        column = FactColumn(column.name, column.kind, declared.unit, column.values)
    survey, international = _to_feet(column.unit)
    low = best if column.lows is None else _ends(column.lows, best, np.fmin)
    high = best if column.highs is None else _ends(column.highs, best, np.fmax)
    if survey != international:
        low, high = np.minimum(low * survey, low * international), np.maximum(high * survey, high * international)
    elif survey != 1:
        low, high = low * survey, low * survey if low is high else high * survey
    exact = survey == international == 1 and _exact(column.values) and _exact(column.lows) and _exact(column.highs)
    best = best if survey == 1 else best * survey
    if survey == international and column.lows is None and column.highs is None:
        low = high = best
    negative: Any = False
    if not declared.signed:
        # A number that cannot be below zero and is said to be is not a number.
        negative = high < 0
        missing = missing | negative
        if np.any(low < 0):
            low, best, high = np.maximum(low, 0), np.maximum(best, 0), (np.maximum(high, 0))
    size: Any = 0.0 if exact else np.abs(np.where(missing, 0, best))
    if not missing.any():
        return Ends(low, best, high, False, size)
    # Of a number that is not known, what was found out still counts: the ends that it lies between.
    low_known = np.where(np.isnan(low), least, low)
    high_known = np.where(np.isnan(high), np.inf, high)
    told = missing & ~negative & (low_known <= high_known)
    if not exact:
        ends = [np.where(told & np.isfinite(end), np.abs(end), 0) for end in (low_known, high_known)]
        size = np.maximum(size, np.maximum(*ends))
    return Ends(
        np.where(missing, np.where(told, low_known, least), low),
        np.where(missing, least, best),
        np.where(missing, np.where(told, high_known, np.inf), high),
        missing,
        size,
    )


def _to_feet(unit: str) -> tuple[float, float]:
    """Return the factors to feet through the survey and the international foot; equal where no metre is in it."""
    dimension, factor, system = UNITS[unit]
    if system != "metre":
        return float(factor), float(factor)
    power = _POWER[dimension]
    return float(factor / US_SURVEY_FOOT**power), float(factor / INTERNATIONAL_FOOT**power)


def _ends(ends: Any, best: Any, pick: Any) -> Any:
    return pick(np.asarray(ends, dtype=float), best)


def _exact(values: Any) -> bool:
    """Tell whether numbers became binary floating point without loss."""
    return values is None or isinstance(values, np.ndarray) or not {Fraction, int} & set(map(type, values))
