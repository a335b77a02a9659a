"""GeoParquet, read by pyarrow: a system left out means longitude and latitude, one given as null means none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from geocheck.sources.arrow import binary_of, frame_of
from geocheck.sources.format import Format, LayerListing, Records, Request, refuse
from geocheck.sources.systems import system_of_file
from geocheck.sources.where import fields_in, matching
from geocheck.sources.wkb import decode

__all__ = ["FORMAT"]


def _open(path: Path) -> tuple[pq.ParquetFile, dict[str, Any], str]:
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise refuse("damaged-file", f"the file is no Parquet, or cut off: {error}", file=path) from error
    meta = (file.schema_arrow.metadata or {}).get(b"geo")
    if meta is None:
        raise refuse(
            "no-geometry",
            "the file is Parquet without geometry (no geo metadata)",
            file=path,
            remedy="Write it as GeoParquet, for example with GeoDataFrame.to_parquet.",
        )
    try:
        geo = json.loads(meta)
        column = geo["primary_column"]
        described = geo["columns"][column]
    except (ValueError, KeyError, TypeError) as error:
        raise refuse("damaged-file", f"its geo metadata cannot be read: {error!r}", file=path) from error
    if column not in file.schema_arrow.names:
        raise refuse("damaged-file", f"its geometry column {column!r} is not there", file=path)
    return file, described, column


def _names(file: pq.ParquetFile, column: str) -> list[str]:
    return [n for n in file.schema_arrow.names if n not in (column, "bbox", "__index_level_0__")]


def _crs(described: dict[str, Any], path: Path, overridden: bool = False) -> Any:
    crs = described.get("crs", "OGC:CRS84")
    return None if crs is None else system_of_file(crs if isinstance(crs, str) else json.dumps(crs), path, overridden)


def _layers(path: Path) -> list[LayerListing]:
    file, described, column = _open(path)
    kinds = described.get("geometry_types") or []
    crs = _crs(described, path)
    fields = {n: str(file.schema_arrow.field(n).type) for n in _names(file, column)}
    return [LayerListing(path.stem, " or ".join(kinds), file.metadata.num_rows, fields, "" if crs is None else crs.to_string())]  # fmt: skip


def _read(request: Request) -> Records:
    file, described, column = _open(request.path)
    if request.layer and request.layer != request.path.stem:
        raise refuse("unknown-layer", f"there is no layer {request.layer!r}", file=request.path, remedy="GeoParquet holds one layer; leave `layer` out.")  # fmt: skip
    known = _names(file, column)
    fields = known if request.fields is None else list(fields_in(request, known))
    try:
        table = file.read(columns=[*fields, column], use_threads=True)
    except (pa.ArrowException, OSError) as error:
        raise refuse("damaged-file", f"the file cannot be read: {error}", file=request.path) from error
    if described.get("encoding", "WKB") == "WKB":
        found = decode(binary_of(table.column(column)))
    else:
        found = decode(_native(table, column, request.path))
    notes = ("its edges are declared spherical; they are read as straight",) if described.get("edges") == "spherical" else ()  # fmt: skip
    return matching(
        Records(
            shapes=found.shapes, table=frame_of(table, fields), crs=_crs(described, request.path, request.overridden),
            layer=request.path.stem, raw=found.raw, remarks=found.remarks, lost=found.lost, notes=notes,
        ),
        request,
    )  # fmt: skip


def _native(table: pa.Table, column: str, path: Path) -> Any:
    """WKB of geometries in GeoArrow's own encodings."""
    import geopandas as gpd

    try:
        frame = gpd.read_parquet(path, columns=[column])
    except (ValueError, pa.ArrowException) as error:
        raise refuse("damaged-file", f"its geometry encoding is not read: {error}", file=path) from error
    return np.asarray(frame.geometry.to_wkb(), dtype=object)


FORMAT = Format(name="GeoParquet", suffixes=(".parquet", ".geoparquet", ".pq"), layers=_layers, read=_read)
