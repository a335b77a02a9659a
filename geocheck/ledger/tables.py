"""The tables of a ledger, version by version: one description for all stores."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KINDS_OF_COLUMNS", "LATEST", "PARCELS_NOW", "TABLES", "Table", "tables_of"]

#: Kinds of columns; a store says what it calls them.
KINDS_OF_COLUMNS = ("number", "whole", "real", "text", "bytes", "ground")


@dataclass(frozen=True, slots=True)
class Table:
    """One table: append-only, its first column a running number.

    Parameters
    ----------
    name, says : str
        Its name, and what it holds.
    since : int
        The version of the ledger that brought it.
    columns : mapping of str to str
        Name to one of `KINDS_OF_COLUMNS`; ``?`` behind the kind admits nothing.
    indexed : tuple of str
        Columns that are looked up.
    """

    name: str
    says: str
    since: int
    columns: dict[str, str]
    indexed: tuple[str, ...] = ()


#: The version that this geocheck writes. 1: official acts. 2: deliveries, parcels over time, runs, sheets, determinations.
LATEST = 2

TABLES = (
    Table("acts", "Decisions, waivers and revocations", 1, {
        "number": "number", "recorded_at": "text", "kind": "text", "site_id": "text", "fact": "text", "value": "whole",
        "ordinance": "text", "obligation": "text", "ground": "text", "by": "text", "on": "text", "document": "text",
        "document_sha256": "text", "note": "text"}),
    Table("ledger_versions", "Versions of these tables, and when each was brought in", 2, {
        "number": "number", "version": "whole", "since": "text"}),
    Table("runs", "Unattended runs", 2, {
        "number": "number", "started": "text", "finished": "text", "as_of": "text", "fingerprint": "text", "receipt": "text",
        "summary": "text"}),
    Table("deliveries", "Deliveries of parcels", 2, {
        "number": "number", "run": "whole", "taken_at": "text", "day": "text", "source": "text", "layer": "text",
        "sha256": "text", "id_field": "text", "fields": "text", "system": "text", "records": "whole", "parcels": "whole",
        "repeated": "whole", "shared": "whole", "tolerance_ft": "real", "counts": "text", "accepted": "text", "doubts": "text"}),
    Table("parcels", "Parcels over time: each as it came with a delivery, until parcel_ends names it", 2, {
        "number": "number", "delivery": "whole", "parcel_id": "text", "kind": "text", "area_ft2": "real?",
        "attributes": "bytes", "geom": "ground"}, ("parcel_id", "delivery")),
    Table("parcel_ends", "Parcels that a delivery replaced, or that it no longer holds", 2, {
        "number": "number", "delivery": "whole", "parcel": "whole"}, ("parcel",)),
    Table("changes", "What happened to parcels between deliveries", 2, {
        "number": "number", "delivery": "whole", "parcel_id": "text", "change": "text", "parents": "text", "children": "text",
        "share": "text", "area_before_ft2": "real?", "area_after_ft2": "real?", "shift_ft": "real?", "note": "text",
        "geom": "ground"}, ("delivery", "parcel_id")),
    Table("descent", "Shares of ground between parents and children", 2, {
        "number": "number", "delivery": "whole", "parent": "text", "child": "text", "area_ft2": "real",
        "share_of_parent": "real", "share_of_child": "real"}, ("delivery",)),
    Table("sheets", "Fact sheets, each from the run on that found it; an empty one ends it", 2, {
        "number": "number", "run": "whole", "subject": "text", "subject_id": "text", "facts": "text"}, ("subject_id",)),
    Table("determinations", "Determinations, each from the run on that found it; one without outcomes ends it", 2, {
        "number": "number", "run": "whole", "site_id": "text", "ordinance": "text", "outcomes": "text", "told": "bytes"},
        ("site_id",)),
    Table("changed_outcomes", "Obligations whose outcome a run changed, and why", 2, {
        "number": "number", "run": "whole", "site_id": "text", "ordinance": "text", "obligation": "text", "before": "text",
        "after": "text", "because": "text"}, ("run",)),
)  # fmt: skip

#: Parcels as they are now: what most people open the ledger for.
PARCELS_NOW = (
    "CREATE VIEW parcels_now AS SELECT p.number, p.parcel_id, p.kind, p.area_ft2, p.delivery, p.geom FROM parcels p "
    "LEFT JOIN parcel_ends e ON e.parcel = p.number WHERE e.parcel IS NULL"
)


def tables_of(version: int, after: int = 0) -> list[Table]:
    """Return the tables that a version holds and an earlier one does not.

    Examples
    --------
    >>> [table.name for table in tables_of(1)]
    ['acts']
    """
    return [table for table in TABLES if after < table.since <= version]
