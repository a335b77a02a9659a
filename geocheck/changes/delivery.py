"""One delivery of parcels: records as read, and the parcels that they make up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import shapely

__all__ = ["LABEL", "PARCEL", "PLACEHOLDER", "Delivery", "Parcels", "Schema", "parcels_of"]

_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F], dtype=np.uint64)  # fmt: skip

PARCEL, PLACEHOLDER, LABEL = "parcel", "placeholder", "label"


@dataclass(frozen=True, slots=True)
class Schema:
    """The fields of a delivery and the reference system that it came in.

    Parameters
    ----------
    fields : mapping of str to str
        Field name to sort: text, number, date or flag.
    id : str
        The field that holds the identifiers.
    system : str
        The reference system, for people.
    same_system : bool or None
        Whether it is the system of the delivery before; None where nobody compared.
    """

    fields: Mapping[str, str]
    id: str
    system: str = ""
    same_system: bool | None = None


@dataclass(frozen=True, eq=False)
class Delivery:
    """Records of a delivery, in a plane system that both deliveries share.

    Parameters
    ----------
    ids : array of str or None
        Identifiers as delivered.
    shapes : array of shapely polygons or None
        Sound ground of each record; None where it has none.
    kinds : array of str
        ``parcel``; ``placeholder`` where the identifier says that there is none; ``label`` for ground that is no parcel.
    attributes : array of uint32, records by fields, or None
        Fingerprints of the attribute values; None where they are not compared.
    fields : tuple of str
        Names of the fingerprinted fields.
    feet : float
        Feet in one unit of the system.
    repeated, shared : int
        Where the records are parcels put together before: how many records repeated another, and how many were a
        further part of one.
    """

    ids: Any
    shapes: Any
    kinds: Any
    attributes: Any = None
    fields: tuple[str, ...] = ()
    feet: float = 1.0
    repeated: int = 0
    shared: int = 0

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Parcels:
    """Parcels of a delivery: records that share an identifier are one parcel; placeholders and labels stand alone.

    Parameters
    ----------
    names : array of str
        Identifiers; empty where there is none.
    kinds : array of str
        As in `Delivery`.
    grounds : array of shapely polygons or None
        Union of the parcel's records.
    areas : array of float
        Square feet; NaN where there is no ground.
    attributes : array of uint32 or None
        Fingerprints of the parcel's attribute values.
    rows : array of int
        First record of each parcel.
    notes : mapping of int to str
        Parcel to what a reader should know: merged records, duplicates, stacks.
    repeated : int
        Records whose identifier stands on an earlier one with the same ground.
    shared : int
        Records whose identifier stands on an earlier one with other ground.
    """

    names: Any
    kinds: Any
    grounds: Any
    areas: Any
    attributes: Any
    rows: Any
    notes: dict[int, str] = field(default_factory=dict)
    repeated: int = 0
    shared: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def named(self) -> Any:
        """Rows of the parcels that have an identifier of their own."""
        return np.flatnonzero(self.kinds == PARCEL)

    def known_as(self, row: int) -> str:
        """Return what names a parcel and no other: its identifier; where that is none of its own, the record too."""
        name = str(self.names[row])
        if self.kinds[row] == PARCEL:
            return name
        return f"{name or 'parcel'} of record {int(self.rows[row]) + 1}"


def parcels_of(delivery: Delivery) -> Parcels:
    """Return the parcels that the records of a delivery make up.

    Examples
    --------
    >>> two = Delivery(np.array(["X", "X"], object), shapely.box([0, 20], 0, [10, 30], 10), np.array(["parcel"] * 2))
    >>> parcels_of(two).areas.tolist()
    [200.0]
    """
    ids = np.array(["" if i is None else i for i in delivery.ids], dtype=object)
    named = delivery.kinds == PARCEL
    keys = np.array([f"\0{row}" for row in range(len(ids))], dtype=object)
    keys[named] = ids[named]
    codes, _ = pd.factorize(keys)
    _, rows, counts = np.unique(codes, return_index=True, return_counts=True)
    grounds = delivery.shapes[rows].copy()
    attributes = None if delivery.attributes is None else delivery.attributes[rows].copy()
    notes: dict[int, str] = {}
    repeated, shared = delivery.repeated, delivery.shared
    if (counts > 1).any():
        order = np.argsort(codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts)])
        for parcel in np.flatnonzero(counts > 1).tolist():
            records = order[starts[parcel] : starts[parcel + 1]]
            parts = [s for s in delivery.shapes[records] if s is not None]
            distinct = _distinct(parts)
            repeated += len(parts) - len(distinct)
            shared += max(0, len(distinct) - 1)
            grounds[parcel] = None if not parts else distinct[0] if len(distinct) == 1 else shapely.union_all(distinct)
            if attributes is not None:
                attributes[parcel] = delivery.attributes[records].sum(axis=0, dtype=np.uint32)
            twins = len(parts) - len(distinct)
            notes[parcel] = f"{len(records)} records" + (f", {twins} of them on the same ground" if twins else "")
    areas = np.where(shapely.is_missing(grounds), np.nan, shapely.area(grounds)) * delivery.feet**2
    parcels = Parcels(ids[rows], delivery.kinds[rows], grounds, areas, attributes, rows, notes, repeated, shared)
    _note_kinds(parcels)
    return parcels


def _distinct(parts: list[Any]) -> list[Any]:
    found: list[Any] = []
    for part in parts:
        if not any(part.equals(other) for other in found):
            found.append(part)
    return found


def _note_kinds(parcels: Parcels) -> None:
    for row in np.flatnonzero(parcels.kinds == LABEL).tolist():
        say(parcels.notes, row, "label, not a parcel")
    for row in np.flatnonzero(parcels.kinds == PLACEHOLDER).tolist():
        say(parcels.notes, row, "no identifier of its own; known by its ground alone")
    for group in stacks(parcels.grounds, np.flatnonzero(parcels.kinds != LABEL)):
        others = len(group) - 1
        for row in group.tolist():
            say(parcels.notes, row, f"stacked with {others} other{'s' if others > 1 else ''}")


def say(notes: dict[int, str], row: int, words: str) -> None:
    """Add words to the note of a row."""
    notes[row] = f"{notes[row]}; {words}" if notes.get(row) else words


def stacks(shapes: Any, rows: Any) -> list[Any]:
    """Return groups of rows that lie on the same ground, each of two or more."""
    rows = rows[~shapely.is_missing(shapes[rows])]
    if len(rows) < 2:
        return []
    bounds = shapely.bounds(shapes[rows])
    size = np.abs(bounds).max() or 1.0
    digits = np.round(np.column_stack([bounds, np.sqrt(shapely.area(shapes[rows]))]) / size * 1e12).astype(np.uint64)
    # Five numbers of twelve digits as one: parcels that share it by chance are told apart below.
    codes = pd.factorize((digits * _ODD).sum(axis=1, dtype=np.uint64))[0]
    several = np.flatnonzero(np.bincount(codes)[codes] > 1)
    order = several[np.argsort(codes[several], kind="stable")]
    found = []
    for group in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []:
        left = rows[group]
        while len(left) > 1:
            equal = shapely.equals(shapes[left[0]], shapes[left])
            if equal.sum() > 1:
                found.append(left[equal])
            left = left[~equal] if equal.any() else left[1:]
    return found
