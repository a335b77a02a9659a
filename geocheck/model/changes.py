"""What happened to parcels between two deliveries: changes, and the shares of ground that link parents and children."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["CHANGES", "CHANGE_COLUMNS", "Change", "Descent"]

#: The words of ``change``, from nothing to everything.
CHANGES = (
    "unchanged", "attributes only", "reshaped", "renumbered", "split", "merged", "re-cut", "added", "removed",
)  # fmt: skip
#: Columns of ``changes.csv``, in order.
CHANGE_COLUMNS = (
    "parcel_id", "change", "parents", "children", "share", "area_before_ft2", "area_after_ft2", "shift_ft", "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one parcel: a row of ``changes.csv``.

    Parameters
    ----------
    parcel_id : str
        Its identifier; empty where it has none.
    change : str
        One of `CHANGES`.
    parents, children : tuple of str
        The parcels that its ground came from, and those that it went to, where they are other parcels.
    share : tuple of float
        One a parent or child. In a split the part of the parent's ground that each child has; in a merger the part of
        the child's ground that each parent brought; in a re-cut, for a parent the part of its ground that each child has,
        for a child the part of its ground that each parent brought.
    area_before_ft2, area_after_ft2 : float or None
        Square feet before and after; None where it is not there, or has no ground.
    shift_ft : float or None
        How far the outline strays from the one before, at most (Hausdorff distance).
    note : str
        More, for a reader.
    """

    parcel_id: str
    change: str
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    share: tuple[float, ...] = ()
    area_before_ft2: float | None = None
    area_after_ft2: float | None = None
    shift_ft: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Descent:
    """Ground that one parcel before and one after have in common, where one came from the other.

    Parameters
    ----------
    parent, child : str
        Identifiers. An empty child is ground that is in no parcel now, an empty parent ground that was in none.
    area_ft2 : float
        Their common ground.
    share_of_parent, share_of_child : float
        Its part of each. Over all children of a parent, ground in no parcel included, the first add up to 1; over all
        parents of a child the second do. Stacked parcels share their ground evenly.
    """

    parent: str
    child: str
    area_ft2: float
    share_of_parent: float
    share_of_child: float

    def to_dict(self) -> dict[str, object]:
        """Return the descent as plain values."""
        return asdict(self)
