"""What every ledger does, whatever holds its tables: the same statements, one transaction each."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, fields, replace
from datetime import UTC, date, datetime
from typing import Any, Protocol

from geocheck.ledger.tables import LATEST, tables_of
from geocheck.model.acts import Act
from geocheck.model.changes import Change, Descent
from geocheck.model.history import ChangedOutcome, DeliveryRecord, Entry, KeptDetermination, ParcelRows, RunRecord
from geocheck.model.problem import LedgerError

__all__ = ["Connection", "Store"]

_ACT = [field.name for field in fields(Act) if field.name != "number"]
_JSON = ("fields", "counts", "doubts", "receipt", "summary", "outcomes")
_LISTS = ("parents", "children", "share")
#: Names in one statement: SQLite took 999 for long.
_AT_A_TIME = 500


class Connection(Protocol):
    """A store inside one transaction; statements name their values as ``:name``."""

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """Return what a statement finds."""
        ...

    def run(self, sql: str, **values: Any) -> None:
        """Run a statement."""
        ...

    def many(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows to a table; ground is given as WKB."""
        ...


class Store(ABC):
    """A ledger: official acts, and what the unattended runs found, all of it append-only.

    A subclass says how to read and how to write in one transaction, and how a running writer is made known.
    """

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection | None]:
        """Open for reading: one consistent state; None where there is no ledger yet."""

    @abstractmethod
    def _writing(self, version: int) -> AbstractContextManager[Connection]:
        """Open one transaction, in which the tables are first brought to at least a version."""

    @abstractmethod
    def writer(self, who: str, wait: float = 0.0) -> AbstractContextManager[None]:
        """Hold the ledger as its only unattended writer.

        Parameters
        ----------
        who : str
            What it is held for.
        wait : float
            Seconds to wait for another writer to end.

        Raises
        ------
        LedgerError
            If another writer holds it; the message names process, host and since when.
        """

    @property
    @abstractmethod
    def name(self) -> str:
        """The ledger's address as a person may read it."""

    @abstractmethod
    def _ground(self) -> str:
        """Return the expression that reads the column ``geom`` as WKB."""

    # Official acts ----------------------------------------------------------------------------------------------------

    def acts(self) -> list[Act]:
        """Return all acts in the order in which they were recorded; none where there is no ledger yet."""
        with self._reading() as base:
            if base is None or self.version(base) < 1:
                return []
            return [
                Act(**{**row, "value": bool(row["value"])}) for row in base.rows("SELECT * FROM acts ORDER BY number")
            ]

    def record(self, act: Act) -> Act:
        """Append one act in one transaction and return it with its running number and the time of recording."""
        act = replace(act, recorded_at=_now())
        values = {name: int(v) if isinstance(v := getattr(act, name), bool) else v for name in _ACT}
        with self._writing(1) as base:
            base.many("acts", [values])
            number = base.rows("SELECT max(number) AS number FROM acts")[0]["number"]
        return replace(act, number=int(number))

    # Reading ----------------------------------------------------------------------------------------------------------

    def version(self, base: Connection | None = None) -> int:
        """Return the version of the ledger's tables; 0 where there are none.

        Raises
        ------
        LedgerError
            If a newer geocheck made it.
        """
        if base is None:
            with self._reading() as opened:
                return 0 if opened is None else self.version(opened)
        known = self._tables(base)
        found = 0
        if "ledger_versions" in known:
            found = int(base.rows("SELECT max(version) AS version FROM ledger_versions")[0]["version"] or 0)
        elif "acts" in known:
            found = 1
        if found > LATEST:
            raise LedgerError(
                f"{self.name}: the ledger is of version {found}, and this geocheck knows versions up to {LATEST}; use the newer "
                "geocheck that wrote it"
            )
        return found

    @abstractmethod
    def _tables(self, base: Connection) -> set[str]:
        """Return the names of the tables that are there."""

    def _read(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        with self._reading() as base:
            if base is None or self.version(base) < 2:
                return []
            return base.rows(sql, **values)

    def runs(self) -> list[RunRecord]:
        """Return all unattended runs, first to last."""
        return [RunRecord(**_told(row)) for row in self._read("SELECT * FROM runs ORDER BY number")]

    def last_run(self) -> RunRecord | None:
        """Return the last unattended run; None where there was none."""
        rows = self._read("SELECT * FROM runs ORDER BY number DESC LIMIT 1")
        return RunRecord(**_told(rows[0])) if rows else None

    def run_on(self, day: date) -> int:
        """Return the number of the last run that judged for a day or an earlier one; 0 where there was none."""
        rows = self._read("SELECT max(number) AS number FROM runs WHERE as_of <= :day", day=day.isoformat())
        return int(rows[0]["number"] or 0) if rows else 0

    def deliveries(self) -> list[DeliveryRecord]:
        """Return all deliveries, first to last."""
        rows = [_told(row) for row in self._read("SELECT * FROM deliveries ORDER BY number")]
        return [DeliveryRecord(**{**row, "doubts": tuple(row["doubts"])}) for row in rows]

    def parcels(self, delivery: int | None = None) -> ParcelRows:
        """Return the parcels as a delivery left them; the last one by default.

        Parameters
        ----------
        delivery : int, optional
            Number of the delivery.
        """
        upto = 2**31 - 1 if delivery is None else delivery
        rows = self._read(
            f"SELECT p.number, p.parcel_id, p.kind, p.area_ft2, p.attributes, {self._ground()} AS geom FROM parcels p "
            "LEFT JOIN parcel_ends e ON e.parcel = p.number AND e.delivery <= :upto "
            "WHERE p.delivery <= :upto AND e.parcel IS NULL ORDER BY p.number",
            upto=upto,
        )

        def column(name: str) -> list[Any]:
            return [row[name] for row in rows]

        return ParcelRows(
            column("parcel_id"),
            column("kind"),
            column("geom"),
            column("attributes"),
            column("area_ft2"),
            column("number"),
        )

    def changes(self, delivery: int) -> list[Change]:
        """Return what happened to parcels with one delivery."""
        names = ", ".join(field.name for field in fields(Change))
        rows = self._read(f"SELECT {names} FROM changes WHERE delivery = :delivery ORDER BY number", delivery=delivery)
        return [Change(**{**row, **{key: tuple(json.loads(row[key])) for key in _LISTS}}) for row in rows]

    def descent(self, since: int = 0) -> list[tuple[int, Descent]]:
        """Return shares of ground between parcels, each with the delivery that brought it, after a delivery."""
        names = ", ".join(field.name for field in fields(Descent))
        rows = self._read(f"SELECT delivery, {names} FROM descent WHERE delivery > :since ORDER BY number", since=since)
        return [(row.pop("delivery"), Descent(**row)) for row in rows]

    def outlines(self, names: Iterable[str]) -> dict[str, list[tuple[int, bytes | None]]]:
        """Return every outline that some parcels ever had, each with the delivery that brought it, as WKB."""
        found: dict[str, list[tuple[int, bytes | None]]] = {}
        sql = f"SELECT p.delivery, p.parcel_id, {self._ground()} AS geom FROM parcels p WHERE p.parcel_id IN ({{}}) ORDER BY p.number"
        for row in self._of_parcels(sql, names):
            found.setdefault(row["parcel_id"], []).append((row["delivery"], row["geom"]))
        return found

    def living(self, names: Iterable[str]) -> set[str]:
        """Return those identifiers that are parcels now."""
        sql = (
            "SELECT p.parcel_id FROM parcels p LEFT JOIN parcel_ends e ON e.parcel = p.number "
            "WHERE e.parcel IS NULL AND p.parcel_id IN ({})"
        )
        return {row["parcel_id"] for row in self._of_parcels(sql, names)}

    def _of_parcels(self, sql: str, names: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield what a statement finds for some parcels, so many at a time as every store takes."""
        wanted = sorted(set(names))
        for start in range(0, len(wanted), _AT_A_TIME):
            some = {f"n{place}": name for place, name in enumerate(wanted[start : start + _AT_A_TIME])}
            yield from self._read(sql.format(", ".join(f":{key}" for key in some)), **some)

    def sheets(self, run: int | None = None) -> dict[tuple[str, str], str]:
        """Return the facts of all subjects as JSON, as a run left them; the last one by default."""
        rows = self._read(
            "SELECT subject, subject_id, facts FROM sheets WHERE number IN (SELECT max(number) FROM sheets WHERE run <= :run "
            "GROUP BY subject, subject_id) AND facts <> '' ORDER BY number",
            run=2**31 - 1 if run is None else run,
        )
        return {(row["subject"], row["subject_id"]): row["facts"] for row in rows}

    def determinations(self, run: int | None = None, *, told: bool = True) -> list[KeptDetermination]:
        """Return all determinations as a run left them; the last one by default.

        Parameters
        ----------
        told : bool
            Whether to read the whole determinations too, or the outcomes alone.
        """
        rows = self._read(
            f"SELECT run, site_id, ordinance, outcomes{', told' if told else ''} FROM determinations WHERE number IN (SELECT "
            "max(number) FROM determinations WHERE run <= :run GROUP BY site_id, ordinance) AND outcomes <> '{}' ORDER BY number",
            run=2**31 - 1 if run is None else run,
        )
        return [KeptDetermination(**{**_told(row), "told": bytes(row.get("told", b""))}) for row in rows]

    def changed(self, run: int) -> list[ChangedOutcome]:
        """Return the outcomes that one run changed."""
        names = ", ".join(field.name for field in fields(ChangedOutcome))
        rows = self._read(f"SELECT {names} FROM changed_outcomes WHERE run = :run ORDER BY number", run=run)
        return [ChangedOutcome(**row) for row in rows]

    # Writing ----------------------------------------------------------------------------------------------------------

    def append(self, entry: Entry) -> tuple[int, int]:
        """Add everything that one run found, in one transaction.

        Returns
        -------
        tuple of int
            The run's number, and the delivery's; 0 where it took none.
        """
        with self._writing(LATEST) as base:
            run = 1 + int(base.rows("SELECT max(number) AS number FROM runs")[0]["number"] or 0)
            base.many("runs", [{**_row(entry.run), "number": run}])
            delivery = self._append_delivery(base, entry, run) if entry.delivery is not None else 0
            base.many(
                "sheets",
                [{"run": run, "subject": s, "subject_id": i, "facts": text} for (s, i), text in entry.sheets.items()],
            )
            kept = (_row(determination) for determination in entry.determinations)
            base.many("determinations", [{k: v for k, v in row.items() if k != "run"} | {"run": run} for row in kept])
            base.many("changed_outcomes", [{**_row(change), "run": run} for change in entry.changed])
        return run, delivery

    def _append_delivery(self, base: Connection, entry: Entry, run: int) -> int:
        assert entry.delivery is not None
        number = 1 + int(base.rows("SELECT max(number) AS number FROM deliveries")[0]["number"] or 0)
        base.many("deliveries", [{**_row(entry.delivery), "number": number, "run": run}])
        self._system(base, entry.delivery.system if number == 1 else "")
        base.many("parcel_ends", [{"delivery": number, "parcel": parcel} for parcel in entry.ended])
        fresh = entry.parcels
        if fresh is not None:
            columns = zip(fresh.ids, fresh.kinds, fresh.areas, fresh.attributes, fresh.wkb, strict=True)
            names = ("parcel_id", "kind", "area_ft2", "attributes", "geom")
            base.many("parcels", [{"delivery": number, **dict(zip(names, row, strict=True))} for row in columns])
        base.many("changes", [{**_row(change), "delivery": number, "geom": ground} for change, ground in entry.changes])
        base.many("descent", [{**asdict(row), "delivery": number} for row in entry.descent])
        return number

    @abstractmethod
    def _system(self, base: Connection, wkt: str) -> None:
        """Note the reference system of the ledger's ground, with the first delivery; then what it covers."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _row(record: Any) -> dict[str, Any]:
    """Return a record as the columns of its table; its number is given by the store."""
    row = {field.name: getattr(record, field.name) for field in fields(record)}
    row.pop("number", None)
    packed: Sequence[str] = (*_JSON, *_LISTS)
    return {key: json.dumps(value, ensure_ascii=False) if key in packed else value for key, value in row.items()}


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {key: json.loads(value) if key in _JSON else value for key, value in row.items()}


def versions_to_bring(found: int, wanted: int) -> list[tuple[int, list[Any]]]:
    """Return the versions that a ledger lacks, each with its new tables, in order."""
    return [(version, tables_of(version, version - 1)) for version in range(found + 1, max(found, wanted) + 1)]
