"""Tables and queries of a PostGIS database, read in one snapshot that changes nothing; needs the extra ``postgis``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from geocheck.model.ground import Copy, LayerSource
from geocheck.sources.arriving import arrived, place_of, plain_name, put, writing
from geocheck.sources.format import LayerListing, refuse
from geocheck.sources.hiding import scrubbed, secrets_in, shown
from geocheck.sources.origin import Origin, Progress, unavailable

__all__ = ["ORIGIN"]

_ADDRESS = re.compile(r"postgres(?:ql)?(?:\+\w+)?://", re.IGNORECASE)
_AT_A_TIME = 5000
#: Segments in a quarter of a circle: an arc's area is then right within 0.01 %.
_SEGMENTS = 128


def _fits(source: str) -> int:
    return 2 * int(_ADDRESS.match(source) is not None)


@contextmanager
def _snapshot(source: LayerSource) -> Iterator[Any]:
    """Open a transaction that reads one state of the database and may not write."""
    try:
        import psycopg
    except ImportError:
        raise refuse("missing-extra", "a database needs psycopg", file=shown(source.source), remedy="Install it with: pip install 'geocheck[postgis]'") from None  # fmt: skip
    name, secrets = shown(source.source), secrets_in(source.source)

    def said(error: Exception) -> str:
        return scrubbed(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__, secrets)

    try:
        with psycopg.connect(_ADDRESS.sub("postgresql://", source.source), connect_timeout=15) as base:
            base.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield base
            base.rollback()
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise unavailable("source-unavailable", f"the database does not give its records: {said(error)}", source=name, layer=source.layer, remedy="Nothing of it is used. A password belongs into the environment (PGPASSWORD) or a password file.") from error  # fmt: skip
    except psycopg.Error as error:
        raise refuse("database-refuses", f"the database refuses what is asked: {said(error)}", file=name, layer=source.layer, remedy="Check the table, the query and the filter, and that the user may read them.") from error  # fmt: skip


def _tables(base: Any) -> list[tuple[str, str]]:
    """Return the tables and views with geometry, and its kind."""
    sql = "SELECT f_table_schema || '.' || f_table_name, type FROM geometry_columns ORDER BY 1, f_geometry_column"
    return list(dict(base.execute(sql).fetchall()).items())


def _asked(base: Any, source: LayerSource) -> Any:
    """Return what is read, as SQL: a table or a query, with its filter."""
    from psycopg import sql

    if source.query and source.layer:
        raise refuse("table-and-query", "both a table and a query are named", file=shown(source.source), layer=source.layer, remedy="Keep `layer` or `query`.")  # fmt: skip
    if source.query:
        inner: Any = sql.SQL("(") + sql.SQL(source.query.strip().rstrip(";")) + sql.SQL(") AS asked")
    else:
        known = [name for name, _ in _tables(base)]
        named = [name for name in known if source.layer in (name, name.partition(".")[2])]
        if not source.layer and len(known) == 1:
            named = known
        if len(named) != 1:
            code, what = ("unknown-layer", f"there is no table {source.layer!r} with geometry") if source.layer else ("several-layers", "no table is named")  # fmt: skip
            if len(named) > 1:
                code, what = "several-layers", f"several schemas have a table {source.layer!r}"
            raise refuse(code, what, file=shown(source.source), remedy=f"Name one with `layer:`: {', '.join(known) or 'there are none'}.")  # fmt: skip
        inner = sql.Identifier(*named[0].split(".", 1))
    kept = sql.SQL(" WHERE ") + sql.SQL(source.where) if source.where.strip() else sql.SQL("")
    return sql.SQL("SELECT * FROM ") + inner + kept


def _columns(base: Any, asked: Any, source: LayerSource) -> tuple[list[str], str]:
    """Return the columns that are no geometry, and the one that is."""
    from psycopg import sql

    kinds = {oid for (oid,) in base.execute("SELECT oid FROM pg_type WHERE typname IN ('geometry', 'geography')")}
    found = base.execute(sql.SQL("SELECT * FROM (") + asked + sql.SQL(") AS all_of_it LIMIT 0")).description
    ground = [column.name for column in found if column.type_code in kinds]
    if len(ground) != 1:
        code, what = ("several-geometries", f"there are several columns of geometry: {', '.join(ground)}") if ground else ("no-geometry", "no column is a geometry")  # fmt: skip
        raise refuse(code, what, file=shown(source.source), layer=source.layer, remedy="Choose with `query: SELECT …` what is read, with one geometry.")  # fmt: skip
    return [column.name for column in found if column.name != ground[0]], ground[0]


def _system(base: Any, asked: Any, ground: str, source: LayerSource) -> str:
    """Return the one system of all geometries; empty where they name none."""
    from psycopg import sql

    select = sql.SQL("SELECT DISTINCT ST_SRID({}::geometry) FROM (").format(sql.Identifier(ground))
    found = [number for (number,) in base.execute(select + asked + sql.SQL(") AS all_of_it")) if number is not None]
    if len(found) > 1:
        raise refuse("several-systems", f"the geometries are in several systems: SRID {', '.join(map(str, sorted(found)))}", file=shown(source.source), layer=source.layer, remedy="Filter them, or transform them in a query.")  # fmt: skip
    if not found or not found[0]:
        return ""
    row = base.execute("SELECT auth_name, auth_srid, srtext FROM spatial_ref_sys WHERE srid = %s", found).fetchone()
    if row is None:
        raise refuse("unknown-system", f"SRID {found[0]} is not in the database's own list of systems", file=shown(source.source), layer=source.layer, remedy="Add it to spatial_ref_sys, or set the SRID that is meant.")  # fmt: skip
    return f"{row[0]}:{row[1]}" if row[0] in ("EPSG", "ESRI") else str(row[2])


def _plain(value: Any) -> Any:
    """Return a value of the database as a table of a file would hold it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if value is None or isinstance(value, bool | int | float | str) or hasattr(value, "isoformat"):
        return value
    return str(value)


def _fetch(source: LayerSource, folder: Path, progress: Progress) -> Copy:
    import geopandas
    import pandas
    import shapely
    from psycopg import sql
    from pyproj import CRS

    with _snapshot(source) as base:
        asked = _asked(base, source)
        names, ground = _columns(base, asked, source)
        system = _system(base, asked, ground, source)
        count = base.execute(sql.SQL("SELECT count(*) FROM (") + asked + sql.SQL(") AS all_of_it")).fetchone()[0]
        shape = sql.Identifier(ground)
        straight = sql.SQL("ST_AsBinary(CASE WHEN ST_HasArc({0}::geometry) THEN ST_CurveToLine({0}::geometry, {1}) ELSE {0}::geometry END)").format(shape, sql.Literal(_SEGMENTS))  # fmt: skip
        chosen = sql.SQL(", ").join([*map(sql.Identifier, names), straight])
        rows: list[tuple[Any, ...]] = []
        with base.cursor(name="geocheck") as cursor:
            cursor.itersize = _AT_A_TIME
            cursor.execute(sql.SQL("SELECT ") + chosen + sql.SQL(" FROM (") + asked + sql.SQL(") AS all_of_it"))
            for row in cursor:
                rows.append((*map(_plain, row[:-1]), None if row[-1] is None else bytes(row[-1])))
                if len(rows) % _AT_A_TIME == 0:
                    progress(len(rows), count)
    if len(rows) != count:
        raise unavailable("incomplete-source", f"the database counts {count:,} records and gave {len(rows):,}", source=shown(source.source), layer=source.layer)  # fmt: skip
    progress(count, count)
    # A database gives its records in any order: the same records are the same copy.
    first = [names.index(source.id)] if source.id in names else []
    rows.sort(key=lambda row: ([str(row[place]) for place in first], row[-1] or b"", str(row[:-1])))
    frame = pandas.DataFrame({name: pandas.Series([row[at] for row in rows], dtype=None if rows else "string") for at, name in enumerate(names)})  # fmt: skip
    shapes = shapely.from_wkb([row[-1] for row in rows])
    table = geopandas.GeoDataFrame(frame, geometry=shapes, crs=CRS(system) if system else None)
    place = place_of(folder, source)
    what = source.layer or "query"
    with writing(source, folder):
        file = place / f"{plain_name(what)}.parquet"
        put(file, lambda out: table.to_parquet(out))
        arrived(file, source, records=count, spatial_reference=system or None)
    kept = f" that fit {source.where!r}" if source.where.strip() else ""
    return Copy(
        str(file),
        told=(f"all {count:,} records{kept} of {what if source.layer else 'a query'} in {shown(source.source)}",),
    )


def _layers(source: LayerSource) -> list[LayerListing]:
    from psycopg import sql

    with _snapshot(source) as base:
        found = []
        for name, kind in _tables(base):
            table = sql.Identifier(*name.split(".", 1))
            head = base.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(table)).description
            count = base.execute(sql.SQL("SELECT count(*) FROM {}").format(table)).fetchone()[0]
            found.append(LayerListing(name, kind.title(), count, {column.name: column.type_display for column in head}))
    return found


ORIGIN = Origin(
    name="PostGIS",
    example="postgresql://gis@db.example.org/land",
    fits=_fits,
    fetch=_fetch,
    layers=_layers,
)
