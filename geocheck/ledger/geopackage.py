"""The ledger in one GeoPackage, which QGIS and ArcGIS open as a table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

from geocheck.model.acts import Act
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
CREATE TABLE acts (
  number INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, recorded_at TEXT NOT NULL, kind TEXT NOT NULL, site_id TEXT NOT NULL,
  fact TEXT NOT NULL, value INTEGER NOT NULL, ordinance TEXT NOT NULL, obligation TEXT NOT NULL, ground TEXT NOT NULL,
  "by" TEXT NOT NULL, "on" TEXT NOT NULL, document TEXT NOT NULL, document_sha256 TEXT NOT NULL, note TEXT NOT NULL);
INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id)
  VALUES ('acts', 'attributes', 'acts', 'Decisions, waivers and revocations, append-only', 0);
CREATE TRIGGER acts_are_not_changed BEFORE UPDATE ON acts BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END;
CREATE TRIGGER acts_are_not_removed BEFORE DELETE ON acts BEGIN SELECT RAISE(ABORT, 'acts are append-only'); END;
"""
_COLUMNS = [field.name for field in fields(Act) if field.name != "number"]


class GeoPackageLedger:
    """Acts in the table ``acts`` of a GeoPackage; triggers keep them from being changed or removed.

    Parameters
    ----------
    path : str
        The file; it need not exist before the first act.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    @staticmethod
    def opens(address: str) -> bool:
        """Tell whether an address is a GeoPackage's."""
        return address.lower().endswith(".gpkg")

    def acts(self) -> list[Act]:
        """Return all acts in the order in which they were recorded; none where there is no file yet."""
        if not self.path.exists():
            return []
        with self._open() as database:
            rows = database.execute("SELECT * FROM acts ORDER BY number").fetchall()
        return [Act(**{**dict(row), "value": bool(row["value"])}) for row in rows]

    def record(self, act: Act) -> Act:
        """Append one act in one transaction and return it with its running number and the time of recording."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        act = replace(act, recorded_at=now)
        values = [int(v) if isinstance(v := getattr(act, name), bool) else v for name in _COLUMNS]
        with self._open(create=True) as database:
            names = ", ".join(f'"{name}"' for name in _COLUMNS)
            sql = f"INSERT INTO acts ({names}) VALUES ({', '.join('?' * len(_COLUMNS))})"
            number = database.execute(sql, values).lastrowid
        return replace(act, number=int(number or 0))

    @contextmanager
    def _open(self, create: bool = False) -> Iterator[sqlite3.Connection]:
        if create and not self.path.exists():
            self._make()
        try:
            database = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=rw", uri=True, timeout=20)
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path}: the ledger cannot be opened ({error})") from error
        database.row_factory = sqlite3.Row
        try:
            with database:
                yield database
        except sqlite3.Error as error:
            raise LedgerError(
                f"{self.path}: the ledger cannot be used ({error}); a ledger is a GeoPackage made by `geocheck record`, "
                "writable, and not locked by another program"
            ) from error
        finally:
            database.close()

    def _make(self) -> None:
        """Make the file whole beside its place and rename it: a stop in between leaves no half ledger."""
        aside = self.path.with_name(f".{self.path.name}.new")
        try:
            aside.unlink(missing_ok=True)
            database = sqlite3.connect(aside)
            database.executescript(_GEOPACKAGE)
            database.close()
            aside.rename(self.path)
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(f"{self.path}: the ledger cannot be made here ({error})") from error


LEDGER = GeoPackageLedger
