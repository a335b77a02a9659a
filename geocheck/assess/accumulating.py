"""Facts that add up from a day on: what an ordinance of its own counts, over all sites of the plan disturbed since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from geocheck.assess.measuring import Asked, column_of
from geocheck.assess.sites import Accumulated
from geocheck.measures import MEASURES
from geocheck.measures.language import Area, Either, Layer, Near, Outside, Region, layers_of
from geocheck.model.facts import FactColumn
from geocheck.model.vocabulary import FactDeclaration

__all__ = ["accumulated_column", "accumulating", "days_of"]

#: Roles that mean a site's own ground.
OWN_GROUND = frozenset({"disturbance", "parcels", "impervious_within"})


def accumulating(declarations: Iterable[FactDeclaration]) -> dict[str, FactDeclaration]:
    """Return the facts, by name, that add up a measure of the shelf from a day on."""
    names = set(MEASURES.names())
    return {d.name: d for d in declarations if d.since and d.counts in names}


def days_of(facts: Mapping[str, FactDeclaration]) -> list[date]:
    """Return the days from which on they add up."""
    return [date.fromisoformat(declared.since) for declared in facts.values()]


def accumulated_column(
    declared: FactDeclaration, asked: Asked, accumulated: Accumulated, source: str, *, dated: bool
) -> FactColumn:
    """Return the column of one such fact.

    Where the day of a site of the plan is not known, or its records are of days before and after, the number is not known
    either: an area then lies between what was disturbed since for certain and that with the ground of which nobody knows.

    Parameters
    ----------
    declared : FactDeclaration
        The fact.
    asked : Asked
        The measure that it counts.
    accumulated : Accumulated
        Rows of the ground disturbed since.
    source : str
        Where the column comes from.
    dated : bool
        Whether the disturbance layer has days at all.
    """
    reading, unit, count = asked.measure.reading, asked.measure.unit, len(accumulated.least)
    if not dated:
        note = "the disturbance layer does not say on which day each site was disturbed; name the field that does as its day"
        return FactColumn(declared.name, "measured", unit, [None] * count, statuses="missing", notes=note)
    least = column_of(asked, declared.name, accumulated.least, source)
    most = column_of(asked, declared.name, accumulated.most, source)
    # More ground never has less area; a share or a gain may go either way.
    grows = isinstance(reading, Area) and _only_adds(reading.region)
    cells: list[tuple[Any, ...]] = []
    for row, undated in enumerate(accumulated.undated):
        low, high = _cell(least, row), _cell(most, row)
        if accumulated.least[row] == accumulated.nothing and unit != "%":
            low = (0.0, 0.0, 0.0, "measured", f"nothing was disturbed since {declared.since}")
        if accumulated.least[row] == accumulated.most[row]:
            cells.append(low)
            continue
        ends = (low[1], high[2]) if grows else (None, None)
        note = f"of {undated} site{'s' * (undated > 1)} of the plan it is not known what was disturbed since {declared.since}"
        cells.append((None, *ends, "missing", note))
    values, lows, highs, statuses, notes = (list(part) for part in zip(*cells, strict=True)) if cells else ([],) * 5
    return FactColumn(declared.name, "measured", unit, values, lows, highs, statuses, source, notes)


def _only_adds(region: Region) -> bool:
    """Tell whether more ground of a site never takes any from a region."""
    if isinstance(region, Layer):
        return True
    if isinstance(region, Near):
        return _only_adds(region.region)
    if isinstance(region, Either):
        return all(map(_only_adds, region.regions))
    if isinstance(region, Outside):
        return _only_adds(region.first) and not layers_of(region.second) & OWN_GROUND
    return _only_adds(region.first) and _only_adds(region.second)


def _cell(column: FactColumn, row: int) -> tuple[Any, Any, Any, str, str]:
    def one(words: Any) -> Any:
        return words if isinstance(words, str) else words[row]

    low, high = (None if ends is None else ends[row] for ends in (column.lows, column.highs))
    return column.values[row], low, high, one(column.statuses), one(column.notes)
