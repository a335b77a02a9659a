"""Facts about subjects, and the sheet that holds them all: the one table between measuring and judging."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from geocheck.model.quantity import Quantity

__all__ = ["FACT_STATUSES", "KINDS", "SUBJECTS", "Fact", "FactColumn", "FactSheet", "FactTable", "yes_or_no"]

KINDS = ("measured", "stated", "decided")
FACT_STATUSES = ("measured", "stated", "decided", "missing", "outside coverage", "failed")
SUBJECTS = ("site", "plan", "parcel")

_YES = frozenset({"yes", "y", "true", "t", "1", "1.0"})
_NO = frozenset({"no", "n", "false", "f", "0", "0.0"})
_UNKNOWN = frozenset({"", "?", "nan", "none", "null", "<null>"})


def yes_or_no(value: object) -> bool | None:
    """Read yes, no or unknown as tables write them: yes/no, y/n, true/false, t/f, 1/0, booleans; blank and ``?``.

    Raises
    ------
    ValueError
        If it is none of these.

    Examples
    --------
    >>> yes_or_no("Y"), yes_or_no(0), yes_or_no(" ? "), yes_or_no(None)
    (True, False, None, None)
    """
    text = "" if value is None else str(value).strip().lower()
    if text in _UNKNOWN:
        return None
    if text in _YES or text in _NO:
        return text in _YES
    raise ValueError(f"{value!r} is neither yes nor no; write yes, no, or leave it blank where it is not known")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing known, or not known, about one subject.

    Parameters
    ----------
    name : str
        The fact's name in the vocabulary or in an ordinance's ``facts:``.
    kind : str
        ``measured`` from ground, ``stated`` by the applicant, ``decided`` by an official act.
    value : Quantity, bool or None
        The best value; None where unknown.
    low, high : Quantity or None
        Ends of the 95 % interval of a quantity; equal to the value where it is exact.
    status : str
        One of `FACT_STATUSES`. Absent facts are ``missing``: unknown, unless the kind is ``decided``, where no act on
        file reads as no.
    source : str
        Where it comes from: a layer, a statements file, a recorded decision.
    note : str
        More, for a reader.
    """

    name: str
    kind: str
    value: Quantity | bool | None
    low: Quantity | None = None
    high: Quantity | None = None
    status: str = ""
    source: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.name}: unknown kind {self.kind!r}; one of {', '.join(KINDS)}")
        if not self.status:
            object.__setattr__(self, "status", "missing" if self.value is None else self.kind)
        if self.status not in FACT_STATUSES:
            raise ValueError(f"{self.name}: unknown status {self.status!r}; one of {', '.join(FACT_STATUSES)}")
        if isinstance(self.value, Quantity):
            object.__setattr__(self, "low", self.value if self.low is None else self.low)
            object.__setattr__(self, "high", self.value if self.high is None else self.high)

    @property
    def unit(self) -> str:
        """Unit of a quantity; empty for yes-or-no facts and unknowns."""
        known = next((q for q in (self.value, self.low, self.high) if isinstance(q, Quantity)), None)
        return known.unit if known else ""

    def to_dict(self) -> dict[str, object]:
        """Return the fact as plain values."""
        return {
            "name": self.name, "kind": self.kind, "value": _plain(self.value), "unit": self.unit, "low": _plain(self.low),
            "high": _plain(self.high), "status": self.status, "source": self.source, "note": self.note,
        }  # fmt: skip


Values = Sequence[Any]

#: Facts that a column keeps for subjects that are alike.
MOST_ALIKE = 1000


@dataclass(frozen=True)
class FactColumn:
    """One fact over all subjects of a table.

    Parameters
    ----------
    name, kind : str
        As in `Fact`.
    unit : str
        Unit of all values; empty for yes-or-no facts.
    values : sequence of float, Fraction, bool or None
        One a subject; None is unknown, with its status.
    lows, highs : sequence, or None
        Ends of the interval; None where all values are exact.
    statuses : sequence of str, or str
        One a subject, or one word for all.
    source : str
        Where the column comes from.
    notes : sequence of str, or str
        One a subject, or one for all.
    """

    name: str
    kind: str
    unit: str
    values: Values
    lows: Values | None = None
    highs: Values | None = None
    statuses: Sequence[str] | str = ""
    source: str = ""
    notes: Sequence[str] | str = ""
    _alike: dict[Any, Fact] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, row: int) -> Fact:
        """Return the fact of one subject, by its row; where many are alike, as unknowns are, all get the same object."""
        value = self.values[row]
        status = self.statuses if isinstance(self.statuses, str) else self.statuses[row]
        note = self.notes if isinstance(self.notes, str) else self.notes[row]
        low, high = (
            self.lows[row] if self.lows is not None else value,
            self.highs[row] if self.highs is not None else value,
        )
        if not self.unit:
            key: tuple[Any, ...] = (None if value is None else bool(value), None, None, status, note)
        elif value is None or value != value or value == 0:
            key = (*(None if end is None or end != end else end for end in (value, low, high)), status, note)
        else:
            return self._fact(value, low, high, status, note)
        if key not in self._alike and len(self._alike) < MOST_ALIKE:
            self._alike[key] = self._fact(*key)
        return self._alike.get(key) or self._fact(*key)

    def _fact(self, value: Any, low: Any, high: Any, status: str, note: str) -> Fact:
        if not self.unit:
            return Fact(self.name, self.kind, value, status=status, source=self.source, note=note)
        ends = self._quantity(low), self._quantity(high)
        return Fact(self.name, self.kind, self._quantity(value), *ends, status, self.source, note)

    def _quantity(self, value: Any) -> Quantity | None:
        if value is None or value != value:
            return None
        return Quantity(Fraction(value), self.unit)


@dataclass(frozen=True)
class FactTable:
    """The facts of all subjects of one sort, column by column.

    Parameters
    ----------
    subject : str
        ``site``, ``plan`` or ``parcel``.
    ids : sequence of str
        Identifiers, as text, in order.
    columns : mapping of str to FactColumn
        By fact name.
    """

    subject: str
    ids: Sequence[str]
    columns: Mapping[str, FactColumn]

    def __len__(self) -> int:
        return len(self.ids)

    def facts_at(self, row: int, names: Iterable[str] | None = None) -> dict[str, Fact]:
        """Return the facts of one subject by its row: all, or those of some names that there are."""
        wanted = self.columns if names is None else [name for name in names if name in self.columns]
        return {name: self.columns[name].at(row) for name in wanted}


@dataclass(frozen=True)
class FactSheet:
    """All facts of all subjects as of a date. After it, everything runs without geometry.

    Parameters
    ----------
    tables : sequence of FactTable
        At most one for each sort of subject.
    as_of : date or None
        The day the facts stand for.

    Examples
    --------
    >>> column = FactColumn("disturbed_area", "measured", "ft2", [4000.0, None], statuses=["measured", "failed"])
    >>> sheet = FactSheet([FactTable("site", ["S-1", "S-2"], {"disturbed_area": column})])
    >>> sheet.of("site", "S-1")["disturbed_area"].value
    Quantity(4000, 'ft2')
    >>> sheet.of("site", "S-2")["disturbed_area"].status
    'failed'
    """

    tables: Sequence[FactTable]
    as_of: date | None = None
    _rows: dict[str, dict[str, int]] = field(default_factory=dict, repr=False, compare=False)

    def table(self, subject: str) -> FactTable:
        """Return the table of one sort of subject; empty where there is none."""
        return next((t for t in self.tables if t.subject == subject), FactTable(subject, (), {}))

    def of(self, subject: str, identifier: str) -> dict[str, Fact]:
        """Return all facts of one subject.

        Raises
        ------
        KeyError
            If the sheet has no such subject.
        """
        table = self.table(subject)
        rows = self._rows.setdefault(subject, {})
        if not rows:
            rows.update({name: row for row, name in enumerate(table.ids)})
        return table.facts_at(rows[identifier])

    def rows(self) -> Iterator[tuple[str, str, Fact]]:
        """Yield subject, identifier and fact, subject by subject."""
        for table in self.tables:
            for row, identifier in enumerate(table.ids):
                for fact in table.facts_at(row).values():
                    yield table.subject, identifier, fact

    def to_csv(self) -> str:
        """Return the sheet as the text of ``facts.csv``."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for subject, identifier, fact in self.rows():
            plain = fact.to_dict()
            writer.writerow(
                [subject, identifier, *("" if plain[key] is None else _cell(plain[key]) for key in _FACT_KEYS)]
            )
        return text.getvalue()

    def to_json(self) -> str:
        """Return the sheet as JSON: the date and one object a fact."""
        rows = [
            {"subject": s, "subject_id": i, "fact": f.name, **{k: v for k, v in f.to_dict().items() if k != "name"}}
            for s, i, f in self.rows()
        ]
        return json.dumps({"as_of": self.as_of.isoformat() if self.as_of else None, "facts": rows}, ensure_ascii=False)


_FACT_KEYS = ("name", "kind", "value", "unit", "low", "high", "status", "source", "note")
COLUMNS = ("subject", "subject_id", "fact", *_FACT_KEYS[1:])


def _plain(value: Quantity | bool | None) -> float | bool | None:
    return float(value.value) if isinstance(value, Quantity) else value


def _cell(value: object) -> object:
    return ("yes" if value else "no") if isinstance(value, bool) else value
