"""GeoPackage: sites, parcels and zones styled for QGIS, with all tables beside them in one file."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import GEOMETRY_TABLES, TABLES, column_of
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


#: Of the format: what QGIS and ArcGIS of some years ago read without a warning.
VERSION = "1.2"


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write all tables; those with geometry in one shared reference system."""
    from geocheck.reports.cells import flat  # GIS libraries are loaded when something is written, not for --help
    from geocheck.reports.exported import exported, gdal_write
    from geocheck.reports.qgis_style import add_styles

    path = folder / name
    columns: dict[str, list[str]] = {}
    for table in GEOMETRY_TABLES:
        frame = exported(tables, table, shared=True)
        frame.geometry = frame.geometry.force_2d()
        columns[table] = [column for column in frame.columns if column != frame.geometry.name]
        gdal_write(
            frame,
            path,
            "GPKG",
            layer=table,
            geometry_type="MultiPolygon",
            promote_to_multi=True,
            use_arrow=True,
            GEOMETRY_NAME="geom",
            VERSION=VERSION,
        )
    for table in TABLES:
        if table not in GEOMETRY_TABLES:
            rows = flat(tables[table])
            columns[table] = list(rows.columns)
            gdal_write(rows, path, "GPKG", layer=table, use_arrow=True)  # many times as fast for large tables
    _describe(path, columns)
    add_styles(path, {table: columns[table] for table in GEOMETRY_TABLES})


def _describe(path: Path, columns: dict[str, list[str]]) -> None:
    """Say what each column means, by the GeoPackage's own schema extension."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, "
                "title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT, "
                "CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name), CONSTRAINT gdc_tn UNIQUE (table_name, name))"
            )
            connection.execute(
                "CREATE TABLE IF NOT EXISTS gpkg_data_column_constraints (constraint_name TEXT NOT NULL, "
                "constraint_type TEXT NOT NULL, value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC, "
                "max_is_inclusive BOOLEAN, description TEXT, CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value))"
            )
            _extend(connection)
            meanings = [
                (table, name, column_of(table, name).meaning)
                for table, names in columns.items()
                for name in names
                if column_of(table, name).meaning
            ]
            connection.executemany(
                "INSERT INTO gpkg_data_columns (table_name, column_name, description) VALUES (?, ?, ?)", meanings
            )
    finally:
        connection.close()


def _extend(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, "
        "definition TEXT NOT NULL, scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))"
    )
    connection.executemany(
        "INSERT INTO gpkg_extensions (table_name, extension_name, definition, scope) VALUES (?, 'gpkg_schema', ?, 'read-write')",
        [
            (table, "http://www.geopackage.org/spec/#extension_schema")
            for table in ("gpkg_data_columns", "gpkg_data_column_constraints")
        ],
    )


OUTPUT = Output(
    says="everything in one GeoPackage: sites, parcels, zones (styled in QGIS) and all tables",
    names=("geocheck.gpkg",),
    write=write,
    default=("geocheck.gpkg",),
    open_marks=("-wal", "-journal"),
)
