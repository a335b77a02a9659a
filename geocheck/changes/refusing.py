"""What makes a delivery suspect: fields, system, parcels lost, numbers that collapse, ground that stands twice."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator

import numpy as np

from geocheck.changes.comparing import Comparison
from geocheck.changes.delivery import PARCEL, Parcels, Schema
from geocheck.changes.matching import MOST_FT
from geocheck.model.problem import Place, Problem

__all__ = ["FEWEST", "doubts_about", "schema_problems"]

#: Least share of the parcels before that must still have their ground in a parcel.
FEWEST = 0.95
#: Greatest share of parcels that may be renumbered, or stand twice, more than before.
_MANY = 0.01
_RENUMBERED = 0.2
_REMEDY = "Ask the county, or accept the delivery with --accept and the reason, which is recorded."


def schema_problems(before: Schema, after: Schema, file: str) -> list[Problem]:
    """Return what changed in the fields and the system of a delivery, each a problem; new fields are none.

    Examples
    --------
    >>> [p.code for p in schema_problems(Schema({"PIN": "text"}, "PIN"), Schema({"PARCEL": "text"}, "PARCEL"), "p.shp")]
    ['field-renamed']
    """
    place, found = Place(file), []
    fresh = [name for name in after.fields if name not in before.fields]
    for name, sort in before.fields.items():
        if name not in after.fields:
            alike = _successor(name, sort, fresh, after)
            if alike:
                fresh.remove(alike)
                found.append(Problem("field-renamed", f"the field {name} of the delivery before is missing; {alike} is new and may be it", place, _REMEDY))  # fmt: skip
            else:
                found.append(Problem("field-missing", f"the field {name} of the delivery before is missing", place, _REMEDY))  # fmt: skip
        elif after.fields[name] != sort:
            found.append(Problem("field-retyped", f"the field {name} held {sort} and now holds {after.fields[name]}", place, _REMEDY))  # fmt: skip
    if after.same_system is False:
        found.append(Problem("system-changed", f"the delivery before came in {before.system}, this one comes in {after.system}", place, _REMEDY))  # fmt: skip
    return found


def _successor(name: str, sort: str, fresh: list[str], after: Schema) -> str:
    same = [new for new in fresh if after.fields[new] == sort]
    near = difflib.get_close_matches(name.lower(), [new.lower() for new in same], n=1, cutoff=0.5)
    if near:
        return next(new for new in same if new.lower() == near[0])
    return same[0] if len(same) == 1 else ""


def doubts_about(done: Comparison, *, fewest: float = FEWEST, file: str = "") -> list[Problem]:
    """Return why a compared delivery is suspect as a whole; nothing where it may be taken.

    Parameters
    ----------
    fewest : float
        Least share of the parcels before that must still have their ground in a parcel. One parcel may always go.
    """
    return [Problem(code, message, Place(file), _REMEDY) for code, message in _doubts(done, fewest)]


def _doubts(done: Comparison, fewest: float) -> Iterator[tuple[str, str]]:
    before, after = len(done.before.named), len(done.after.named)
    if not before:
        return
    count = Counter(change.change for change in done.changes)
    lost = sum(c.change == "removed" and "not a parcel" not in c.note for c in done.changes)
    if lost > max(1, (1 - fewest) * before):
        kept = 100 * (before - lost) / before
        yield "fewer-parcels", f"{lost:,} of {before:,} parcels have no ground in this delivery ({after:,} parcels): {kept:.3g} % are left, at least {100 * fewest:.3g} % must be"  # fmt: skip
    moved = done.pairs.shift[np.isfinite(done.pairs.shift)]
    if len(moved) >= 20 and np.median(moved) > MOST_FT:
        yield "moved-as-a-whole", f"half of the parcels moved by more than {np.median(moved):,.3g} ft: the reference system or its datum changed without a word"  # fmt: skip
    renumbered = count["renumbered"]
    if renumbered > max(2, _RENUMBERED * before):
        yield "renumbered-as-a-whole", f"{renumbered:,} of {before:,} parcels stand on the same ground under another number: {_how_renumbered(done)}"  # fmt: skip
    for code, words, one, two in (
        ("identifiers-collapse", "records share their identifier with a record on other ground", done.before.shared, done.after.shared),
        ("duplicated-parcels", "records repeat another record's identifier and ground", done.before.repeated, done.after.repeated),
        ("stacked-parcels", "parcels stand on the same ground as another", _stacked(done.before), _stacked(done.after)),
    ):  # fmt: skip
        if two - one > _MANY * max(after, before):
            yield code, f"{two:,} {words}, before it were {one:,}"
    nameless, were = (int((side.kinds == "placeholder").sum()) for side in (done.after, done.before))
    if nameless - were > max(1, _MANY * before):
        yield (
            "identifiers-collapse",
            f"{nameless:,} parcels have no identifier or a placeholder, before it were {were:,}",
        )


def _stacked(side: Parcels) -> int:
    return sum("stacked with" in note for row, note in side.notes.items() if side.kinds[row] == PARCEL)


def _how_renumbered(done: Comparison) -> str:
    pairs = [(c.parents[0], c.parcel_id) for c in done.changes if c.change == "renumbered" and c.parents]
    if all(one.lstrip("0") == two.lstrip("0") for one, two in pairs):
        return "leading zeros were lost or added"
    one, two = pairs[0]
    return f"such as {one} → {two}"
