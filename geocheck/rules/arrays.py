"""Truths and intervals of many sites at once, as numpy arrays.

Truths are bytes, no 0, unknown 1, yes 2, so that Kleene's *and* is the least, *or* the greatest, *not* two less it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geocheck.model.quantity import SAME

__all__ = [
    "NO", "ROUNDING", "UNKNOWN", "YES", "ArrayAmount", "ArrayTruth", "all_of", "any_of", "constant", "finite", "large",
    "negated", "product", "tolerance_of",
]  # fmt: skip

NO, UNKNOWN, YES = 0, 1, 2
#: Relative error that a chain of operations in binary floating point stays under by far.
ROUNDING = 1e-12
_SAME = float(SAME)


@dataclass(frozen=True, slots=True)
class ArrayTruth:
    """Truths of many sites, and which of the unknown ones rest on a number too near to its threshold."""

    state: Any
    close: Any = False


@dataclass(frozen=True, slots=True)
class ArrayAmount:
    """Intervals of many sites.

    Parameters
    ----------
    low, high : array
        The ends; the same array where all are exact.
    gaps, close : array or bool
        Whether something of it is not known beyond its width; whether that is a number too near to a threshold.
    size : array or float
        Magnitude that rounding errors are relative to; 0 where the numbers are exact.
    """

    low: Any
    high: Any
    gaps: Any = False
    close: Any = False
    size: Any = 0.0


def constant(known: bool | None) -> ArrayTruth:
    """Return a truth that is the same for all sites."""
    return ArrayTruth(np.array({True: YES, False: NO, None: UNKNOWN}[known], np.uint8))


def _gathered(truths: Sequence[ArrayTruth], state: Any) -> ArrayTruth:
    closes = [truth.close for truth in truths if truth.close is not False]
    if not closes:
        return ArrayTruth(state)
    close = closes[0]
    for other in closes[1:]:
        close = close | other
    return ArrayTruth(state, close & (state == UNKNOWN))


def all_of(truths: Sequence[ArrayTruth]) -> ArrayTruth:
    """Kleene's *and*; of nothing, yes."""
    if len(truths) < 2:
        return truths[0] if truths else constant(True)
    state = truths[0].state
    for truth in truths[1:]:
        state = np.minimum(state, truth.state)
    return _gathered(truths, state)


def any_of(truths: Sequence[ArrayTruth]) -> ArrayTruth:
    """Kleene's *or*; of nothing, no."""
    if len(truths) < 2:
        return truths[0] if truths else constant(False)
    state = truths[0].state
    for truth in truths[1:]:
        state = np.maximum(state, truth.state)
    return _gathered(truths, state)


def negated(truth: ArrayTruth) -> ArrayTruth:
    """Kleene's *not*."""
    return ArrayTruth(np.uint8(YES) - truth.state, truth.close)


def tolerance_of(a: Any, b: Any, scale: Any) -> Any:
    """Return how near a number comes to be the one it is compared with; the scale, or what is None, relative to both."""
    if scale is None:
        scale = np.maximum(np.abs(a), np.abs(b))
        scale = np.where(np.isinf(scale), 0.0, scale)
    return _SAME * scale


def large(amount: ArrayAmount) -> Any:
    """Return the magnitude that rounding errors of what is computed from it are relative to."""
    ends = np.abs(amount.low) if amount.low is amount.high else np.maximum(np.abs(amount.low), np.abs(amount.high))
    return np.maximum(amount.size, finite(ends))


def finite(values: Any) -> Any:
    """Return the values, 0 where infinite or not a number."""
    return np.where(np.isfinite(values), values, 0.0)


def product(left: ArrayAmount, right: ArrayAmount, factor: float, gaps: Any, close: Any) -> ArrayAmount:
    """Return the product of two intervals and a factor; nothing times infinity is nothing."""
    with np.errstate(all="ignore"):
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
        corners = [np.where(np.isnan(corner), 0.0, corner) for corner in corners]
        low, high = np.minimum.reduce(corners) * factor, np.maximum.reduce(corners) * factor
        size = finite(large(left) * finite(np.maximum(np.abs(right.low), np.abs(right.high))))
        size = size + finite(finite(np.maximum(np.abs(left.low), np.abs(left.high))) * large(right))
    return ArrayAmount(low, high, gaps, close, size * abs(factor))
