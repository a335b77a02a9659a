"""Parcel records into parcels: what is merged, repeated, stacked, a placeholder, or a label and no parcel at all."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from geocheck.model.ground import Layer
from geocheck.sources.inherited import compare_inherited

__all__ = ["compare_inherited", "is_label", "is_placeholder", "mark_parcels"]

#: Words that stand in identifier fields for ground that is no parcel (Wisconsin's statewide parcels, and cities').
LABEL_WORDS = frozenset(
    {"ROW", "ROAD", "ROADS", "ROADWAY", "HYDRO", "WATER", "GAP", "OVERLAP", "STREET", "ALLEY", "HIGHWAY"}
)
_FILLERS = frozenset({"NO", "PIN", "ID"})
_PHRASES = frozenset({"R/W", "RIGHT OF WAY", "RIGHT-OF-WAY", "RIGHTOFWAY"})
#: Words that say that there is no identifier. A bare letter or name is one; so are signs and zeros alone.
PLACEHOLDERS = frozenset(
    {"NO PIN", "NOPIN", "NO ID", "NONE", "NULL", "<NULL>", "NAN", "NA", "N/A", "UNKNOWN", "UNK", "UNASSIGNED", "TBD",
     "PENDING", "RR", "RAILROAD", "NO NUMBER", "NO PARCEL ID", "NO DATA", "MISSING"}
)  # fmt: skip


def is_label(identifier: str) -> bool:
    """Tell whether an identifier is a label on ground that is no parcel.

    Examples
    --------
    >>> is_label("NO PIN - ROW"), is_label("HYDRO"), is_label("ROW-12"), is_label("NO PIN")
    (True, True, False, False)
    """
    text = identifier.strip().upper()
    if text in _PHRASES:
        return True
    if any(c.isdigit() for c in text):
        return False
    words = [w for w in re.findall(r"[A-Z]+", text) if w not in _FILLERS]
    return bool(words) and all(w in LABEL_WORDS for w in words)


def is_placeholder(identifier: str) -> bool:
    """Tell whether an identifier says that there is none: such records are never merged with each other.

    Signs alone (``---``), letters behind a double dash (``--MD``), zeros alone, and the words of `PLACEHOLDERS`.

    Examples
    --------
    >>> [is_placeholder(x) for x in ("---", "--MD", "000", "no pin", "X", "171-1")]
    [True, True, True, True, False, False]
    """
    text = identifier.strip().upper()
    if text in PLACEHOLDERS or text.startswith("--"):
        return True
    return not re.search(r"[^\W0_]", text)


def mark_parcels(layer: Layer) -> Layer:
    """Say of each record of a parcel layer which parcel it is, in ``status``, ``subject`` and ``stack``.

    Records that share an identifier are one parcel. Records of different identifiers on the same ground are stacked
    (condominium units); each keeps its own row and numbers.

    Returns
    -------
    Layer
        Its frame has two more columns: ``subject``, the row that carries the parcel's numbers (-1 for a record that is
        no parcel: a label, or without ground), and ``stack``, a number shared by stacked records (-1 where not stacked).
    """
    frame = layer.frame
    shapes = frame.geometry.to_numpy()
    ids = frame["id"]
    label, nameless = _named_apart(ids) if layer.source.id else (np.zeros(len(ids), dtype=bool),) * 2
    with_ground = ~shapely.is_missing(shapes)
    subject = np.where(with_ground & ~label, np.arange(len(frame)), -1)
    words: dict[int, list[str]] = {}
    same = _same_ground(shapes)
    if layer.source.id:
        _merge(ids, with_ground, ~nameless & ~label, same, subject, words)
    stack = _stack(same, subject, words)
    for row in np.flatnonzero(label).tolist():
        words.setdefault(row, []).append("label, not a parcel")
    status = frame["status"].to_numpy(dtype=object).copy()
    for row, added in words.items():
        status[row] = "; ".join([*([] if status[row] == "ok" else [status[row]]), *added])
    notes = list(layer.notes)
    counted = int((label & with_ground).sum())
    if label.any():
        notes.append(f"{int(label.sum())} records are labels, not parcels")
    placeholder = int((nameless & ~label).sum())
    if placeholder and layer.source.id:
        notes.append(f"{placeholder} records have no identifier or a placeholder; each is a parcel of its own")
    merged = int((with_ground & (subject >= 0) & (subject != np.arange(len(frame)))).sum())
    if merged:
        notes.append(f"{merged} records share the identifier of an earlier one and are part of its parcel")
    if (stack >= 0).any():
        notes.append(f"{int((stack >= 0).sum())} records are stacked on the same ground as others")
    return dataclasses.replace(
        layer,
        frame=frame.assign(status=status, subject=subject, stack=stack),
        used=layer.used - counted,
        notes=tuple(notes),
    )


def _named_apart(ids: Any) -> tuple[Any, Any]:
    """Which records are labels, and which have no identifier or a placeholder."""
    words = pa.array(ids.to_numpy(dtype=object), type=pa.string(), from_pandas=True)
    # An identifier with a digit other than 0 is one, whatever else it holds; only the few others are looked at singly.
    plain = pc.and_(pc.match_substring_regex(words, "[1-9]"), pc.invert(pc.match_substring_regex(words, r"^\s*--")))
    plain = plain.fill_null(False).to_numpy(zero_copy_only=False).astype(bool)
    label, nameless = np.zeros(len(ids), dtype=bool), np.zeros(len(ids), dtype=bool)
    for row in np.flatnonzero(~plain).tolist():
        identifier = ids.iloc[row]
        nameless[row] = identifier is None or is_placeholder(identifier)
        label[row] = identifier is not None and is_label(identifier)
    return label, nameless


def _same_ground(shapes: Any) -> Any:
    """Number of the first record with the same ground, for each record: its own row where there is none before it."""
    first = np.arange(len(shapes))
    present = np.flatnonzero(~shapely.is_missing(shapes))
    if len(present) < 2:
        return first
    bounds = shapely.bounds(shapes[present])
    size = np.abs(bounds).max() or 1.0
    # Twelve digits of the largest coordinate: equal outlines that came by different ways still share a key.
    keys = np.round(np.column_stack([bounds, np.sqrt(shapely.area(shapes[present]))]) / size, 12)
    _, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    several = np.flatnonzero(counts[inverse] > 1)
    order = several[np.argsort(inverse[several], kind="stable")]
    for group in np.split(order, np.flatnonzero(np.diff(inverse[order])) + 1) if len(order) else []:
        rows = present[group]
        while len(rows) > 1:
            equal = shapely.equals(shapes[rows[0]], shapes[rows])
            first[rows[equal]] = rows[0]
            rows = rows[~equal]
    return first


def _merge(ids: Any, with_ground: Any, mergeable: Any, same: Any, subject: Any, words: dict[int, list[str]]) -> None:
    """Records that share an identifier: the first with ground carries the numbers."""
    codes, _ = pd.factorize(ids.where(mergeable))
    repeated = np.flatnonzero((codes >= 0) & (np.bincount(codes[codes >= 0], minlength=codes.max() + 1)[codes] > 1)) if (codes >= 0).any() else np.array([], dtype=int)  # fmt: skip
    order = repeated[np.argsort(codes[repeated], kind="stable")]
    for rows in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []:
        held = rows[with_ground[rows]]
        if not len(held):
            continue
        carrier = int(held[0])
        seen: dict[int, int] = {}
        words.setdefault(carrier, []).append(f"merged of {len(rows)} records")
        for row in rows.tolist():
            if with_ground[row]:
                subject[row] = carrier
                before = seen.setdefault(int(same[row]), row)
                if row != carrier:
                    twin = before != row
                    words.setdefault(row, []).append(f"duplicate of record {before + 1}" if twin else f"part of record {carrier + 1}")  # fmt: skip
            else:
                words.setdefault(row, []).append(f"part of record {carrier + 1}")


def _stack(same: Any, subject: Any, words: dict[int, list[str]]) -> Any:
    """Carriers on the same ground."""
    stack = np.full(len(same), -1)
    carriers = np.flatnonzero(subject == np.arange(len(same)))
    firsts, inverse, counts = np.unique(same[carriers], return_inverse=True, return_counts=True)
    stacked = np.flatnonzero(counts[inverse] > 1)
    for at in stacked.tolist():
        row, others = int(carriers[at]), int(counts[inverse[at]]) - 1
        stack[row] = int(firsts[inverse[at]])
        words.setdefault(row, []).append(f"stacked with {others} other{'s' if others > 1 else ''}")
    return stack
