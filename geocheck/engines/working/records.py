"""The records of a layer that a leaf of a region means, and whose ground a role is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.measures.language import Layer, Measure
from geocheck.model.ground import Ground, Subjects
from geocheck.model.problem import EngineError

__all__ = ["check_asked", "is_missing", "own_grounds", "polygonal", "records_of", "some_subjects"]


def check_asked(measures: Sequence[Measure], subjects: Subjects, ground: Ground) -> None:
    """Refuse what cannot be answered at all: a role without ground or layer, two measures of one name.

    Raises
    ------
    EngineError
        Naming the measures and the roles.
    """
    names = [measure.name for measure in measures]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise EngineError(f"asked twice in one call: {', '.join(twice)}; answers are kept by name, so ask each once")
    for measure in measures:
        absent = sorted(role for role in measure.layers if role not in subjects.grounds and role not in ground.layers)
        if absent:
            raise EngineError(
                f"{measure.name} needs the layer {', '.join(absent)}, which this run does not have; "
                "leave the measure out, so that its fact is missing"
            )


def own_grounds(subjects: Subjects, role: str) -> np.ndarray:
    """Return the subjects' own grounds of a role, polygons only; None stays None: no ground is not empty ground."""
    grounds = np.asarray(subjects.grounds[role], dtype=object)
    return polygonal(grounds)


def records_of(leaf: Layer, ground: Ground) -> tuple[np.ndarray, np.ndarray]:
    """Return the geometries of a leaf's records, and their rows in the layer's frame.

    Records without geometry and labels that are no parcels are left out. A column that the frame does not have is
    unknown for every record.
    """
    layer = ground.layers[leaf.role]
    if layer.frame is None:
        raise EngineError(f"layer {leaf.role} is a raster; it has no records with outlines")
    frame = layer.frame
    shapes = np.asarray(frame.geometry, dtype=object)
    keep = np.array([shape is not None for shape in shapes], dtype=bool)
    if "status" in frame:
        keep &= ~frame["status"].astype(str).str.startswith("label").to_numpy(dtype=bool)
    for column, values in leaf.only:
        keep &= _matches(frame, column, values)
    rows = np.flatnonzero(keep)
    return shapes[rows], rows


def _matches(frame: Any, column: str, values: tuple[Any, ...]) -> np.ndarray:
    if column not in frame:
        return np.full(len(frame), None in values)
    cells = frame[column]
    blank = cells.isna().to_numpy(dtype=bool) | (cells.astype(str).to_numpy() == "")
    known = [value for value in values if value is not None]
    found = [not empty and cell in known for cell, empty in zip(cells, blank, strict=True)]
    return np.asarray(np.array(found, dtype=bool) | (blank & (None in values)))


def polygonal(shapes: np.ndarray) -> np.ndarray:
    """Return the same array with only the polygons of each shape; None stays None, and lines and points become empty."""
    shapes = np.array(shapes, dtype=object)
    kinds = shapely.get_type_id(shapes)
    other = np.flatnonzero((kinds >= 0) & (kinds != 3) & (kinds != 6))
    for row in other:
        parts = shapely.get_parts(shapes[row]) if kinds[row] == 7 else np.empty(0, dtype=object)
        parts = shapely.get_parts(parts[np.isin(shapely.get_type_id(parts), (3, 6))])
        shapes[row] = shapely.multipolygons(parts) if len(parts) != 1 else parts[0]
    return shapes


def is_missing(value: Any) -> bool:
    """Tell whether a cell of a frame holds nothing."""
    return value is None or value is pd.NA or value != value or value == ""


def some_subjects(subjects: Subjects, rows: np.ndarray) -> Subjects:
    """Return some of the subjects, in the order of the rows."""
    grounds = {role: np.array(list(shapes), dtype=object)[rows] for role, shapes in subjects.grounds.items()}
    doubts = None if subjects.doubts is None else [subjects.doubts[row] for row in rows.tolist()]
    return replace(subjects, ids=[subjects.ids[row] for row in rows.tolist()], grounds=grounds, doubts=doubts)
