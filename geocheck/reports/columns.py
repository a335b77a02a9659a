"""The columns of every table that a run writes: name, type, meaning. The contract, in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GEOMETRY_TABLES", "TABLES", "Column", "column_of"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        As the first row of the CSV says it.
    sort : str
        ``text``, ``number``, ``whole`` (a whole number), ``yes or no``, ``mixed`` (a number, or yes or no) or ``list``
        (texts separated by ``; ``).
    meaning : str
        What it holds, for a reader.
    """

    name: str
    sort: str
    meaning: str


# name | sort | meaning, table by table.
_DECLARED = """
facts
subject    | text   | What the fact is about: site, plan (common plan of development) or parcel.
subject_id | text   | Its identifier.
fact       | text   | Name of the fact.
kind       | text   | measured from ground, stated by the applicant, or decided by an official act.
value      | mixed  | Best value; empty where unknown.
unit       | text   | Unit of value, low and high; empty for yes-or-no facts.
low        | number | Low end of the 95 % interval.
high       | number | High end of the 95 % interval.
status     | text   | measured, stated, decided, missing, outside coverage or failed.
source     | text   | Layer, file or recorded act that it comes from.
note       | text   | What a reader should know.

determinations
site_id       | text      | The site.
ordinance     | text      | Identifier of the ordinance.
obligation    | text      | What the ordinance can require.
outcome       | text      | required, not_required, waived or undetermined.
best_estimate | text      | The outcome if every interval were its best value.
borderline    | yes or no | Whether a number too near to its threshold helps to keep the outcome open.
because       | list      | Clauses that decide it.
instead       | list      | Law that takes over where an exemption holds.
reserved      | list      | Clauses that an official may still invoke.
needs         | list      | Facts or decisions that could settle an open outcome.

trace
site_id    | text | The site.
ordinance  | text | Identifier of the ordinance.
clause     | text | Label of the clause.
truth      | text | Whether the clause applies: yes, no or unknown.
facts_seen | text | The facts that its condition names, with values and intervals.
note       | text | Reading, setting, defeat by another clause, or why it is not modelled.

parcels
record             | whole  | Number of the input record, from 1.
parcel_id          | text   | Identifier of the parcel.
status             | text   | ok, or what is particular about the record.
area_ft2           | number | Area of the parcel in square feet.
area_acre          | number | The same area in acres of 43,560 of the same square feet.

questions
site_id | text | The site.
fact    | text | The missing fact.
kind    | text | measured, stated or decided.
asks    | text | The question to be answered.
decides | list | Obligations that the answer could still settle.

layers
role             | text   | What the layer is used as.
source           | text   | File, or how it was derived.
layer            | text   | Layer of a file with several.
crs              | text   | Reference system of the source.
crs_from         | text   | file, asserted or overridden.
datum_operation  | text   | Operation that brought it into the run's system.
datum_accuracy_m | number | Accuracy of that operation in metres; empty where unknown or none was needed.
records          | whole  | Records in the source.
used             | whole  | Records with ground that counts.
repaired         | whole  | Records whose geometry was repaired.
without_geometry | whole  | Records without geometry.
lost             | whole  | Records that could not be read.
accuracy         | text   | Stated horizontal accuracy at 95 %.
coverage         | text   | Ground that the layer covers, as stated.
date             | text   | Date of the layer.
sha256           | text   | Fingerprint of the source.
note             | text   | What a reader should know.

repairs
role        | text   | The layer.
record      | whole  | Number of the record, from 1.
id          | text   | Its identifier.
problem     | text   | What was wrong.
action      | text   | What was done.
area_before | number | Area before, in square units of the source's system.
area_after  | number | Area after, in the same units.
doubt       | text   | What the repair leaves open.

sites
site_id            | text   | The site.
plan               | text   | Common plan of development.
phase              | text   | Phase of the plan.
disturbed_area_ft2 | number | Disturbed area in square feet.

zones
role     | text  | shoreland, wetland or floodplain.
record   | whole | Number of the record in its source, from 1.
id       | text  | Its identifier.
source   | text  | File, or how it was derived.
date     | text  | Date of the layer.
accuracy | text  | Stated horizontal accuracy at 95 %.
sha256   | text  | Fingerprint of the source.
"""

# Endings of columns whose names depend on the layers and ordinances of a run.
_BY_ENDING = (
    ("_area_ft2", "number", "Area of the parcel's ground there, in square feet."),
    ("_pct", "number", "The same as a percentage of the parcel's area."),
    ("_member", "text", "Membership: inside, partly, touching, outside or not checked."),
)


def _read() -> dict[str, tuple[Column, ...]]:
    tables = {}
    for block in _DECLARED.strip().split("\n\n"):
        name, *lines = block.splitlines()
        tables[name] = tuple(Column(*(part.strip() for part in line.split("|", 2))) for line in lines)
    return tables


#: Columns by table. ``parcels`` and ``sites`` have more, by layer and by ordinance.
TABLES: dict[str, tuple[Column, ...]] = _read()

#: Tables whose rows have geometry.
GEOMETRY_TABLES = ("sites", "parcels", "zones")


def column_of(table: str, name: str) -> Column:
    """Return what is declared of a column, those that depend on layers and ordinances included.

    Examples
    --------
    >>> column_of("parcels", "wetland_member").sort
    'text'
    >>> column_of("sites", "6.04_protective_area").meaning
    'Outcome of this obligation: required, not_required, waived or undetermined.'
    """
    known = next((column for column in TABLES[table] if column.name == name), None)
    if known is not None:
        return known
    if table == "parcels":
        for ending, sort, meaning in _BY_ENDING:
            if name.endswith(ending):
                return Column(name, sort, meaning)
    if table == "sites":
        return Column(name, "text", "Outcome of this obligation: required, not_required, waived or undetermined.")
    return Column(name, "text", "")
