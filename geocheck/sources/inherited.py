"""Area attributes that parcels bring along: never the measurement, but compared with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from geocheck.model.ground import Layer
from geocheck.sources.systems import metres_per_unit

__all__ = ["AREA_FIELDS", "compare_inherited"]

_ACRE = 43_560.0
#: Field name -> square feet in one of its units; None where the unit is the square of the layer's own.
AREA_FIELDS: dict[str, float | None] = {
    "Shape_Area": None, "Shape__Area": None, "Shape_Are": None, "SHAPE_STAr": None, "AREA": None,
    "GISACRES": _ACRE, "ASSDACRES": _ACRE, "DEEDACRES": _ACRE, "ACRES": _ACRE, "ACREAGE": _ACRE, "CALC_ACRES": _ACRE,
    "SQFT": 1.0, "SQ_FT": 1.0, "AREA_SQFT": 1.0, "LANDAREA": 1.0,
}  # fmt: skip
_TOLERANCE = 0.01


def compare_inherited(layer: Layer, square_feet: Any, square_metres: Any = None) -> tuple[str, ...]:
    """Report inherited area attributes that differ from the measured areas by more than 1 %.

    Parameters
    ----------
    layer : Layer
        Parcels, with the fields of `AREA_FIELDS` that the file has as ``field:<name>``.
    square_feet : array
        Measured areas, one a row, NaN where none.
    square_metres : array, optional
        The same in square metres, to compare ``Shape_Area``, which is in square units of the delivered system; it is
        left out without it, and where the delivered system is in degrees.

    Returns
    -------
    tuple of str
        One note a field that differs anywhere.
    """
    notes = []
    delivered = layer.source_crs if layer.source_crs is not None else layer.crs
    square_units = None
    if square_metres is not None and delivered is not None and delivered.is_projected:
        square_units = np.asarray(square_metres, dtype=float) / float(metres_per_unit(delivered)) ** 2
    for column in layer.frame.columns:
        name = column.removeprefix("field:")
        factor = next((f for n, f in AREA_FIELDS.items() if n.lower() == name.lower()), 0.0)
        if column == name or factor == 0.0:
            continue
        measured = square_units if factor is None else np.asarray(square_feet, dtype=float) / factor
        if measured is None:
            continue
        note = _differences(
            name, pd.to_numeric(layer.frame[column], errors="coerce"), np.asarray(measured, dtype=float)
        )
        if note:
            notes.append(note)
    return tuple(notes)


def _differences(name: str, inherited: Any, measured: Any) -> str:
    stated = inherited.to_numpy(dtype=float, na_value=np.nan)
    usable = np.isfinite(stated) & np.isfinite(measured) & (stated > 0) & (measured > 0)
    off = usable & (np.abs(stated - measured) > _TOLERANCE * measured)
    if not off.any():
        return ""
    ratio = np.where(off, np.abs(stated / np.where(measured > 0, measured, 1) - 1), 0)
    worst = int(np.argmax(ratio))
    return (
        f"the attribute {name} differs from the measured area by more than 1 % in {int(off.sum())} of {int(usable.sum())} records, "
        f"most in record {worst + 1}: {_told(stated[worst])} stated, {_told(measured[worst])} measured; it is not used"
    )


def _told(number: float) -> str:
    """Six figures, however large: 1,445,000 rather than 1.445e+06."""
    return f"{float(f'{number:.6g}'):,.15g}"
