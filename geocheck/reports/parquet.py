"""Parquet: any table, typed; sites, parcels and zones as GeoParquet with their reference system and bounds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import GEOMETRY_TABLES, TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table."""
    from geocheck.reports.cells import flat  # pandas is loaded when something is written, not for --help
    from geocheck.reports.exported import exported

    table = name.removesuffix(".parquet")
    if table in GEOMETRY_TABLES:
        exported(tables, table).to_parquet(
            folder / name, index=False, compression="zstd", schema_version="1.1.0", write_covering_bbox=True
        )
    else:
        flat(tables[table]).to_parquet(folder / name, index=False, compression="zstd")


OUTPUT = Output(
    says="tables as Parquet; sites, parcels and zones as GeoParquet",
    names=tuple(f"{table}.parquet" for table in TABLES),
    write=write,
)
