"""Measured and stated facts put together, over sites, plans and phases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from geocheck.assess.sites import Extents
from geocheck.model.facts import FactColumn
from geocheck.model.vocabulary import EXTENTS, VOCABULARY

__all__ = ["together"]


def together(
    measured: Mapping[str, FactColumn], stated: Mapping[str, FactColumn], extents: Extents, sites: Sequence[str]
) -> tuple[dict[str, FactColumn], list[str]]:
    """Return one column a fact: measured where ground gives the number, else as stated, else as it could not be measured.

    Parameters
    ----------
    measured, stated : mapping of str to FactColumn
        By fact; ``stated`` holds the sites' own statements, also those over a plan or all phases.
    extents : Extents
        Which sites share a plan and phases: what they state adds up, and is unknown if one of them is.
    sites : sequence of str
        The sites' identifiers, for notes.

    Returns
    -------
    dict of str to FactColumn
        By fact.
    list of str
        Statements that contradict what was measured, and that the measured number counts.
    """
    columns, notes = dict(measured), list[str]()
    for name, column in sorted(stated.items(), key=lambda item: item[0].endswith(tuple(EXTENTS))):
        notes += _contradictions(measured.get(name), column, sites)
        columns[name] = _first_known(columns.get(name), column)
        for suffix, rows in (("_of_plan", extents.plan), ("_of_all_phases", extents.all_phases)):
            if column.unit and name + suffix in VOCABULARY:
                members = [extents.members[row] for row in rows.tolist()]
                columns[name + suffix] = _first_known(
                    columns.get(name + suffix), _summed(column, name + suffix, members)
                )
    return _with_no_road(columns), notes


def _contradictions(measured: FactColumn | None, stated: FactColumn, sites: Sequence[str]) -> Iterator[str]:
    if measured is None:
        return
    for row, said in enumerate(stated.values):
        if _against(measured, row, said):
            value, low, high = (_end(ends, row) for ends in (measured.values, measured.lows, measured.highs))
            if value is not None:
                found = f"as {value:,.6g}"
            elif low is not None and float(said) < low:
                found = f"as at least {low:,.6g}"
            else:
                found = f"as at most {high:,.6g}"
            yield (
                f"site {sites[row]}: {stated.name} is stated as {float(said):,.6g} {stated.unit} ({stated.source}) and measured "
                f"{found} {measured.unit}; the measured number counts"
            )


def _against(measured: FactColumn, row: int, said: Any) -> bool:
    """Tell whether a stated number lies beyond what was measured, be that a number or only what it lies between."""
    if said is None or not measured.unit:
        return False
    low, high = _end(measured.lows, row), _end(measured.highs, row)
    return (low is not None and float(said) < low) or (high is not None and float(said) > high)


def _end(ends: Sequence[Any] | None, row: int) -> float | None:
    return None if ends is None or ends[row] is None else float(ends[row])


def _first_known(measured: FactColumn | None, stated: FactColumn) -> FactColumn:
    """Take each site's number from the ground, else from its statement, else keep why there is none."""
    if measured is None or not any(value is not None for value in stated.values):
        return stated if measured is None else measured
    said = {
        row
        for row, value in enumerate(stated.values)
        if value is not None and measured.values[row] is None and not _against(measured, row, value)
    }
    if len(said) == len(stated.values):
        return stated
    take = [stated if row in said else measured for row in range(len(stated.values))]

    def cells(of: Any) -> list[Any]:
        return [of(column)[row] for row, column in enumerate(take)]

    def each(words: Sequence[str] | str) -> Sequence[str]:
        return [words] * len(take) if isinstance(words, str) else words

    return FactColumn(
        measured.name,
        measured.kind,
        measured.unit,
        cells(lambda column: column.values),
        cells(lambda column: column.lows or column.values),
        cells(lambda column: column.highs or column.values),
        cells(lambda column: each(column.statuses)),
        "; ".join(dict.fromkeys(filter(None, (measured.source, stated.source)))),
        cells(lambda column: each(column.notes)),
    )


def _summed(column: FactColumn, name: str, members: Sequence[tuple[int, ...]]) -> FactColumn:
    def total(values: Any, group: tuple[int, ...]) -> Any:
        parts = [values[n] for n in group]
        return None if any(part is None for part in parts) else sum(parts)

    values, lows, highs = (
        [total(ends, group) for group in members] for ends in (column.values, column.lows, column.highs)
    )
    statuses = ["missing" if value is None else "stated" for value in values]
    return FactColumn(name, column.kind, column.unit, values, lows, highs, statuses, column.source)


def _with_no_road(columns: dict[str, FactColumn]) -> dict[str, FactColumn]:
    """Where no roads layer is at hand and the applicant builds no road, no foot of new road is built."""
    builds, length = columns.get("builds_road"), columns.get("new_road_length")
    if builds is None or length is None or any(value is not None for value in length.values):
        return columns
    # A layer that is at hand and could not be measured, or does not reach so far, may hold a road: that stays unknown.
    words = [length.statuses] if isinstance(length.statuses, str) else length.statuses
    if any(word != "missing" for word in words):
        return columns
    values = [0 if built is False else None for built in builds.values]
    statuses = ["missing" if value is None else "stated" for value in values]
    implied = FactColumn(
        length.name, length.kind, length.unit, values, values, values, statuses, "builds_road", length.notes
    )
    return {**columns, length.name: implied}
