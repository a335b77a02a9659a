"""The ledger in one GeoPackage, which QGIS and ArcGIS open."""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from geocheck.ledger.holding import holding
from geocheck.ledger.store import Connection, Store, versions_to_bring
from geocheck.ledger.tables import PARCELS_NOW, TABLES, Table
from geocheck.model.problem import LedgerError

__all__ = ["LEDGER", "GeoPackageLedger"]

# The tables that the GeoPackage standard (OGC 12-128r19, clauses 1.1.2 and 1.1.3) requires of every file;
# without gpkg_geometry_columns GDAL takes a file of attribute tables for no vector data at all.
_GEOPACKAGE = """
PRAGMA application_id = 1196444487;
PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('Undefined Cartesian', -1, 'NONE', -1, 'undefined', NULL),
  ('Undefined geographic', 0, 'NONE', 0, 'undefined', NULL),
  ('WGS 84', 4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]', NULL);
CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
  last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE,
  max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
  z TINYINT NOT NULL, m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name));
"""
_KINDS = {
    "number": "INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL", "whole": "INTEGER NOT NULL", "real": "REAL NOT NULL",
    "real?": "REAL", "text": "TEXT NOT NULL", "bytes": "BLOB NOT NULL", "ground": "GEOMETRY",
}  # fmt: skip
#: Of ground whose system is not noted yet, and of the ledger's own system.
_UNDEFINED, _OWN = -1, 100_000
_BUSY_SECONDS = 20.0


class GeoPackageLedger(Store):
    """A ledger in a GeoPackage; triggers keep what is there from being changed or removed.

    Parameters
    ----------
    path : str
        The file; it need not exist before something is recorded.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    @staticmethod
    def opens(address: str) -> bool:
        """Tell whether an address is a GeoPackage's."""
        return address.lower().endswith(".gpkg")

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    @contextmanager
    def writer(self, who: str, wait: float = 0.0) -> Iterator[None]:
        """Hold the lock file beside the ledger; see `Store.writer`."""
        with holding(self.path.with_name(self.path.name + ".lock"), who, self.name, wait):
            yield

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        if not self.path.exists():
            yield None
            return
        with self._opened() as base:
            base.execute("BEGIN")
            yield _Connection(base)

    @contextmanager
    def _writing(self, version: int) -> Iterator[Connection]:
        if not self.path.exists():
            self._make()
        with self._opened() as base:
            base.execute("BEGIN IMMEDIATE")
            connection = _Connection(base)
            self._bring(connection, version)
            yield connection
            base.execute("COMMIT")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        base = None
        try:
            address = f"{self.path.resolve().as_uri()}?mode=rw"
            base = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
            base.row_factory = sqlite3.Row
            yield base
        except sqlite3.Error as error:
            raise LedgerError(
                f"{self.path}: the ledger cannot be used ({error}); a ledger is a GeoPackage that geocheck made, writable, on a "
                "disk with room, and not locked by another program. Nothing was changed in it"
            ) from error
        finally:
            if base is not None:
                # What was not committed is rolled back; a failing disk may keep even that from being said.
                with suppress(sqlite3.Error):
                    if base.in_transaction:
                        base.execute("ROLLBACK")
                base.close()

    def _tables(self, base: Connection) -> set[str]:
        return {row["name"] for row in base.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _ground(self) -> str:
        return "p.geom"

    def _bring(self, base: Connection, wanted: int) -> None:
        for version, tables in versions_to_bring(self.version(base), wanted):
            for table in tables:
                for statement in _made(table):
                    base.run(statement)
            if version >= 2:
                base.run(
                    "INSERT INTO ledger_versions (version, since) VALUES (:version, datetime('now'))", version=version
                )
            if version == 2:
                base.run(PARCELS_NOW)
                base.run(_contents("parcels_now", "features", "Parcels as they are now"))
                base.run(_geometry("parcels_now"))

    def _system(self, base: Connection, wkt: str) -> None:
        if wkt:
            base.run(
                "INSERT INTO gpkg_spatial_ref_sys VALUES ('The ledger''s own', :id, 'NONE', :id, :wkt, 'As the first delivery came')",
                id=_OWN,
                wkt=wkt,
            )
            for table in ("gpkg_geometry_columns", "gpkg_contents"):
                base.run(f"UPDATE {table} SET srs_id = :id WHERE srs_id = :undefined", id=_OWN, undefined=_UNDEFINED)
        base.run("UPDATE gpkg_contents SET last_change = strftime('%Y-%m-%dT%H:%M:%fZ','now')")

    def _make(self) -> None:
        """Make the file whole beside its place, then give it its name: a stop in between leaves no half ledger."""
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        try:
            aside.unlink(missing_ok=True)
            base = sqlite3.connect(aside)
            base.executescript(_GEOPACKAGE)
            base.close()
            try:
                # A link, unlike a renaming, never replaces a ledger that another process made in the meantime.
                os.link(aside, self.path)
            except FileExistsError:
                pass
            except OSError:
                if not self.path.exists():
                    aside.rename(self.path)
            aside.unlink(missing_ok=True)
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(f"{self.path}: the ledger cannot be made here ({error})") from error


class _Connection:
    """An SQLite connection inside its transaction."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self.base = base

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        found = [dict(row) for row in self.base.execute(sql, values)]
        for row in found if found and "geom" in found[0] else ():
            row["geom"] = None if row["geom"] is None else row["geom"][8:]
        return found

    def run(self, sql: str, **values: Any) -> None:
        self.base.execute(sql, values)

    def many(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        rows = list(rows)
        if not rows:
            return
        names = list(rows[0])
        quoted = ", ".join(f'"{name}"' for name in names)
        cells = ([_blob(row[name]) if name == "geom" else row[name] for name in names] for row in rows)
        self.base.executemany(f'INSERT INTO "{table}" ({quoted}) VALUES ({", ".join("?" * len(names))})', cells)


def _blob(wkb: bytes | None) -> bytes | None:
    """Return a GeoPackage geometry: the header without an envelope, then WKB."""
    return None if wkb is None else b"GP\x00\x01" + struct.pack("<i", _OWN) + wkb


def _made(table: Table) -> Iterator[str]:
    columns = ", ".join(f'"{name}" {_KINDS[kind]}' for name, kind in table.columns.items())
    yield f'CREATE TABLE "{table.name}" ({columns})'
    for column in table.indexed:
        yield f'CREATE INDEX "{table.name}_by_{column}" ON "{table.name}" ("{column}")'
    for word, event in (("changed", "UPDATE"), ("removed", "DELETE")):
        yield (
            f"CREATE TRIGGER {table.name}_are_not_{word} BEFORE {event} ON {table.name} "
            f"BEGIN SELECT RAISE(ABORT, '{table.name} are append-only'); END"
        )
    ground = "geom" in table.columns
    yield _contents(table.name, "features" if ground else "attributes", f"{table.says}, append-only")
    if ground:
        yield _geometry(table.name)


def _contents(name: str, sort: str, says: str) -> str:
    return (
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id) "
        f"VALUES ('{name}', '{sort}', '{name}', '{says}', {_UNDEFINED if sort == 'features' else 0})"
    )


def _geometry(name: str) -> str:
    return f"INSERT INTO gpkg_geometry_columns VALUES ('{name}', 'geom', 'GEOMETRY', {_UNDEFINED}, 0, 0)"


assert {kind for table in TABLES for kind in table.columns.values()} <= set(_KINDS)
LEDGER = GeoPackageLedger
