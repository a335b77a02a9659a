"""A delivery of parcels taken: compared with what the ledger holds, refused or accepted, and what of it the ledger keeps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.changes import Comparison, Delivery, Schema, compare, doubts_about, schema_problems
from geocheck.changes.delivery import parcels_of
from geocheck.changes.matching import MOST_FT
from geocheck.ledger import Ledger
from geocheck.model.changes import Change
from geocheck.model.ground import Ground, Layer
from geocheck.model.history import DeliveryRecord, ParcelRows
from geocheck.model.problem import Problem, SourceError
from geocheck.project import Project
from geocheck.sources.kept import brought
from geocheck.sources.records import is_label, is_placeholder
from geocheck.sources.systems import same_system, system_of_text, title

__all__ = ["Taken", "take"]

#: Fields that a re-export renews without anything having changed.
_RENEWED = re.compile(
    r"(object_?id(_\d+)?|fid(_\d+)?|gid|ogc_fid|globalid|shape_?_?(area|len(g|gth)?)|st_(area|length).*)", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Taken:
    """A delivery compared and accepted.

    Parameters
    ----------
    record : DeliveryRecord
        What the ledger says of it.
    done : Comparison
        What happened to each parcel.
    parcels : ParcelRows
        What the ledger adds.
    ended : list of int
        Numbers of the parcels that end.
    changes : list of (Change, bytes or None)
        With ground, in the ledger's system.
    """

    record: DeliveryRecord
    done: Comparison
    parcels: ParcelRows
    ended: list[int]
    changes: list[tuple[Change, bytes | None]]


def schema_of(layer: Layer, before: DeliveryRecord | None) -> Schema:
    """Return the fields of a delivery and their sorts."""
    columns = [name for name in layer.frame.columns if name.startswith("field:")]
    fields = {name.removeprefix("field:"): _sort(layer.frame[name]) for name in columns}
    same = None if before is None else same_system(system_of_text(before.system), layer.crs)
    return Schema(fields, layer.source.id, title(layer.crs), same)


def _sort(column: Any) -> str:
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind):
        return "flag"
    if pd.api.types.is_numeric_dtype(kind):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(kind):
        return "date"
    values = [value for value in column.tolist() if value is not None and value == value]
    if values and all(isinstance(value, date) for value in values):
        return "date"
    return "text"


def take(
    project: Project,
    ledger: Ledger,
    delivered: Layer,
    ground: Ground,
    *,
    accept: str,
    day: date,
    against: int | None = None,
) -> Taken:
    """Compare a delivery with the last one in the ledger, and accept it or not.

    Parameters
    ----------
    delivered : Layer
        The parcels as they came, in their own system, with all fields.
    ground : Ground
        The run's layers; its parcels are the same records in the run's system.
    accept : str
        Why it is taken although it is suspect; empty refuses it then.
    day : date
        The day of the run: the delivery's, where its layer states none.
    against : int, optional
        Number of the delivery to compare with; the last one by default.

    Raises
    ------
    SourceError
        If the delivery is suspect, with every reason.
    """
    deliveries = ledger.deliveries()
    last = next((d for d in reversed(deliveries) if against is None or d.number == against), None)
    schema = schema_of(delivered, last)
    file = delivered.source.source
    problems: list[Problem] = []
    if last is not None:
        problems = schema_problems(Schema(last.fields, last.id_field, title(system_of_text(last.system))), schema, file)
        _refuse([] if accept else problems)
    own = system_of_text(deliveries[0].system) if deliveries else delivered.crs
    held = ledger.parcels(against) if last is not None else ParcelRows([], [], [], [])
    fields = tuple(name for name in schema.fields if not _RENEWED.fullmatch(name))
    kept = tuple(name for name in last.fields if not _RENEWED.fullmatch(name)) if last is not None else ()
    before = _before(held, last, kept, own, ground)
    kinds = kinds_of(delivered)
    attributes = _attributes(delivered, fields)
    after = Delivery(delivered.frame["id"].to_numpy(dtype=object), ground.layers["parcels"].frame.geometry.to_numpy(), kinds, attributes, fields, ground.feet)  # fmt: skip
    done = compare(before, after, tolerance=_tolerance(project, delivered, ground))
    if last is not None:
        problems += doubts_about(done, fewest=project.fewest, file=file)
        _refuse([] if accept else problems)
    whole = kept != fields
    rows, numbers = _renewed(done, held, whole)
    return Taken(
        record=DeliveryRecord(
            source=file, layer=delivered.name, sha256=delivered.sha256, day=delivered.source.date or day.isoformat(),
            id_field=delivered.source.id, fields=schema.fields, system=delivered.crs.to_wkt(), records=delivered.records,
            parcels=len(done.after), repeated=done.after.repeated, shared=done.after.shared, tolerance_ft=done.tolerance,
            counts=dict(done.counts()), accepted=accept if problems else "", doubts=tuple(p.message for p in problems),
        ),
        done=done,
        parcels=_rows(done, rows, delivered, own, attributes, kinds),
        ended=numbers,
        changes=_shown(done, own, ground) if last is not None else [],
    )  # fmt: skip


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise SourceError.of(*problems)


def kinds_of(layer: Layer) -> Any:
    """Return whether each record is a parcel, a parcel without identifier of its own, or a label."""
    ids = layer.frame["id"].astype("string")
    # An identifier with a digit that is not zero is one, whatever else it holds; only the others are looked at one by one.
    plain = ids.str.contains("[1-9]") & ~ids.str.lstrip().str.startswith("--")
    found = np.full(len(ids), "parcel", dtype=object)
    for row in np.flatnonzero(~plain.fillna(False).to_numpy(dtype=bool)):
        identifier = layer.frame["id"].iloc[row]
        if not identifier or is_placeholder(identifier):
            found[row] = "placeholder"
        elif is_label(identifier):
            found[row] = "label"
    return found


def _attributes(layer: Layer, fields: tuple[str, ...]) -> Any:
    """Return a fingerprint of four bytes for each record and field; the values themselves, names among them, are not kept."""
    found = np.zeros((len(layer.frame), len(fields)), dtype="<u4")
    for place, name in enumerate(fields):
        column = layer.frame[f"field:{name}"]
        texts = column.astype(object).where(column.notna(), "\0").map(str).to_numpy(dtype=object)
        found[:, place] = (pd.util.hash_array(texts, categorize=True) & np.uint64(0xFFFFFFFF)).astype("<u4")
    return found


def _before(
    held: ParcelRows, last: DeliveryRecord | None, fields: tuple[str, ...], own: Any, ground: Ground
) -> Delivery:
    shapes = shapely.from_wkb(np.array(list(held.wkb), dtype=object))
    shapes = np.asarray(brought(shapes, own, ground.crs), dtype=object)
    ids = np.array([i or None for i in held.ids], dtype=object)
    attributes = (
        np.frombuffer(b"".join(held.attributes), dtype="<u4").reshape(len(ids), -1) if len(ids) and fields else None
    )
    counts = (0, 0) if last is None else (last.repeated, last.shared)
    return Delivery(ids, shapes, np.array(list(held.kinds), dtype=object), attributes, fields, ground.feet, *counts)


def _tolerance(project: Project, layer: Layer, ground: Ground) -> float | None:
    if project.tolerance is not None:
        return float(project.tolerance.to("ft", ground.foot).value)
    stated = layer.source.accuracy
    return None if stated is None else min(MOST_FT, float(stated.to("ft", ground.foot).value))


def _renewed(done: Comparison, held: ParcelRows, whole: bool) -> tuple[Any, list[int]]:
    """Return the parcels after that the ledger adds, and the numbers of those before that end."""
    if whole:
        return np.arange(len(done.after)), list(held.numbers)
    ends = np.ones(len(done.before), dtype=bool)
    ends[done.before_row[done.stays]] = False
    numbers = np.array(held.numbers, dtype=np.int64)
    return np.flatnonzero(~done.stays), numbers[done.before.rows[ends]].tolist()


def _rows(done: Comparison, rows: Any, delivered: Layer, own: Any, attributes: Any, kinds: Any) -> ParcelRows:
    """Return parcels with their ground as it came, where they are one record; else united in the ledger's system."""
    ids = delivered.frame["id"].to_numpy(dtype=object)
    if not len(rows):
        return ParcelRows([], [], [], [], [])
    names = set(done.after.names[rows].tolist())
    wanted = np.zeros(len(ids), dtype=bool)
    wanted[done.after.rows[rows]] = True
    wanted |= (kinds == "parcel") & np.array([i in names for i in ids], dtype=bool)
    some = np.flatnonzero(wanted)
    shapes = np.asarray(brought(delivered.frame.geometry.to_numpy()[some], delivered.crs, own), dtype=object)
    parcels = parcels_of(Delivery(ids[some], shapes, kinds[some], attributes[some]))
    areas = dict(zip(done.after.rows.tolist(), done.after.areas.tolist(), strict=True))
    first = some[parcels.rows].tolist()
    return ParcelRows(
        [str(name) for name in parcels.names],
        list(parcels.kinds),
        shapely.to_wkb(parcels.grounds).tolist(),
        [row.astype("<u4").tobytes() for row in parcels.attributes],
        [None if np.isnan(areas[row]) else areas[row] for row in first],
    )


def _shown(done: Comparison, own: Any, ground: Ground) -> list[tuple[Change, bytes | None]]:
    """Return the changes with ground to show them on: the parcel's own after, else before."""
    sides = {}
    for side in (done.before, done.after):
        sides[id(side)] = {name: row for row, name in enumerate(side.names.tolist())}
    shapes = []
    for change in done.changes:
        side = done.before if change.area_after_ft2 is None else done.after
        row = sides[id(side)].get(change.parcel_id)
        shapes.append(None if row is None else side.grounds[row])
    placed = brought(np.array(shapes, dtype=object), ground.crs, own)
    return [(change, None if shape is None else shapely.to_wkb(shape)) for change, shape in zip(done.changes, placed, strict=True)]  # fmt: skip
