"""What a reading found before coverage and failures are applied."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

__all__ = ["Found", "exact"]


@dataclass(eq=False)
class Found:
    """Best values with their ends, one a subject, in the measure's unit; NaN where a reading is undefined or unknown.

    Parameters
    ----------
    values, lows, highs : ndarray
        Numbers, or words for membership.
    notes : dict
        Row to what a reader should know.
    failures : dict
        Row to why measuring failed.
    """

    values: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    notes: dict[int, str] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)


def exact(values: np.ndarray, notes: dict[int, str] | None = None) -> Found:
    """Return values without doubt, or whose doubt was not asked for."""
    return Found(values, values.copy(), values.copy(), notes or {})
