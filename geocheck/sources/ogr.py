"""Files that GDAL reads: whole layers by pyogrio and Arrow, record by record by fiona where a whole layer fails."""

from __future__ import annotations

import dataclasses
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from geocheck.sources.format import LayerListing, Records, Request, choose, refuse
from geocheck.sources.systems import system_of_file
from geocheck.sources.where import check_quoted, fields_in, matching
from geocheck.sources.wkb import decode

__all__ = ["layers", "layers_of", "read"]

_fiona_lock = threading.Lock()


def _failures() -> tuple[type[Exception], ...]:
    import pyarrow as pa
    import pyogrio.errors

    return (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, pyogrio.errors.FeatureError,
            pyogrio.errors.FieldError, pyogrio.errors.GeometryError, pa.ArrowException, ValueError)  # fmt: skip


def layers(path: Path, *, dataset: str = "") -> list[LayerListing]:
    """List the layers of a file with their fields, as GDAL's headers state them; ``dataset`` is GDAL's own path to it."""
    import pyogrio

    listed = []
    for name, _ in _listed(path, dataset):
        try:
            info = pyogrio.read_info(dataset or path, layer=name, force_feature_count=True)
        except _failures() as error:
            raise _damaged(path, name, error) from error
        kind = info["geometry_type"] or ""
        fields = dict(zip(info["fields"].tolist(), [str(t) for t in info["ogr_types"]], strict=True))
        fields = {n: t.removeprefix("OFT") for n, t in fields.items()}
        listed.append(LayerListing(name, str(kind), max(0, int(info["features"])), fields, str(info["crs"] or "")))
    return listed


def layers_of(path: Path, *, dataset: str = "") -> list[str]:
    """Names of the layers that have geometry."""
    return [name for name, kind in _listed(path, dataset) if kind is not None]


def _listed(path: Path, dataset: str) -> list[tuple[str, str | None]]:
    import pyogrio

    _quiet()
    try:
        return [(str(name), kind) for name, kind in pyogrio.list_layers(dataset or path)]
    except _failures() as error:
        raise _damaged(path, "", error) from error


def _damaged(path: Path, layer: str, error: Exception) -> Exception:
    reason = str(error).replace(str(path), path.name).strip().rstrip(".")
    return refuse(
        "damaged-file",
        f"the file cannot be read: {reason or type(error).__name__}",
        file=path,
        layer=layer,
        remedy="It may be cut off, damaged, or not what its ending says. Get it again, or open and save it in a GIS.",
    )


def read(
    request: Request, *, dataset: str = "", names: list[str] | None = None, options: dict[str, Any] | None = None
) -> Records:
    """Read one layer.

    Parameters
    ----------
    request : Request
        What is wanted.
    dataset : str
        GDAL's own path, where it is not the file's.
    names : list of str, optional
        The layers, where they are known and GDAL would parse the whole file to tell them (JSON): the file is then parsed
        once, and the filter is tried here over all records.
    options : dict
        Open options of the GDAL driver.
    """
    import pyogrio

    _quiet()
    parsed_once = names is not None
    name = choose(request, names if names is not None else layers_of(request.path, dataset=dataset))
    request = dataclasses.replace(request, layer=name)
    source = dataset or request.path
    single = parsed_once and len(names or ()) == 1
    try:
        known = None if parsed_once else pyogrio.read_info(source, layer=name, **(options or {}))["fields"].tolist()
    except _failures() as error:
        raise _damaged(request.path, name, error) from error
    if known is not None:
        check_quoted(request, known)
    fields = known if known is None or request.fields is None else list(fields_in(request, known))
    try:
        meta, table = pyogrio.read_arrow(
            source,
            layer=None if single else name,
            columns=fields,
            where=request.where if request.where and not parsed_once else None,
            **(options or {}),
        )
    except _failures() as error:
        if request.where and not parsed_once and _bad_filter(error):
            raise refuse(
                "bad-filter",
                f"the filter {request.where!r} is no condition over this layer: {error}",
                file=request.path,
                layer=name,
                remedy=f"Write a condition such as FIELD = 'value'. Its fields are {', '.join(known or ()) or 'none'}.",
            ) from error
        return matching(_salvage(request, source, fields, error), request)
    from geocheck.sources.arrow import binary_of, frame_of

    column = meta["geometry_name"] or "wkb_geometry"
    if column not in table.schema.names:
        raise refuse("no-geometry", "the layer has no geometry", file=request.path, layer=name)
    if fields is None:
        known = [n for n in table.schema.names if n != column]
        fields = known if request.fields is None else list(fields_in(request, known))
    found = decode(binary_of(table.column(column)))
    crs = system_of_file(meta["crs"], request.path, request.overridden) if meta["crs"] else None
    return Records(
        shapes=found.shapes, table=frame_of(table, fields), crs=crs, layer=name, raw=found.raw,
        remarks=found.remarks, lost=found.lost,
    )  # fmt: skip


def _quiet() -> None:
    """M values are dropped by design, and what GDAL drops is looked for in the file: pyogrio need not warn of each."""
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"pyogrio\.")
    warnings.filterwarnings("ignore", message=r"Measured \(M\) geometry types are not supported")


def _bad_filter(error: Exception) -> bool:
    text = str(error).lower()
    return any(word in text for word in ("where", "sql", "attribute filter", "no such column", "syntax"))


def _salvage(request: Request, source: Any, fields: list[str] | None, cause: Exception) -> Records:
    """Read record by record what the bulk reader gives up on; each record that fails is lost by name, the rest is kept."""
    import fiona
    import fiona.errors
    from shapely.geometry import shape

    shapes: list[Any] = []
    rows: list[dict[str, Any]] = []
    lost: dict[int, str] = {}
    try:
        with _fiona_lock, fiona.open(str(source), layer=request.layer or None) as collection:
            crs = system_of_file(collection.crs_wkt, request.path, request.overridden) if collection.crs_wkt else None
            keys = list(collection.keys())
            if fields is None:
                known = list(collection.schema["properties"])
                fields = known if request.fields is None else list(fields_in(request, known))
            for key in keys:
                row = len(shapes)
                try:
                    record = collection[key]
                except (fiona.errors.FionaError, KeyError, ValueError, IndexError) as error:
                    shapes.append(None)
                    rows.append({})
                    lost[row] = f"the record cannot be read: {error}"
                    continue
                rows.append({name: record["properties"].get(name) for name in fields})
                try:
                    shapes.append(None if record["geometry"] is None else shape(record["geometry"]))
                except (ValueError, TypeError, AttributeError) as error:
                    shapes.append(None)
                    lost[row] = f"geometry cannot be read: {error}"
    except (fiona.errors.FionaError, OSError, ValueError) as error:
        raise _damaged(request.path, request.layer, cause) from error
    if not shapes or len(lost) == len(shapes):
        raise _damaged(request.path, request.layer, cause)
    import shapely

    note = f"the layer could not be read as a whole ({cause}); it was read record by record"
    return Records(
        shapes=shapely.force_2d(np.array(shapes, dtype=object)), table=pd.DataFrame(rows, columns=fields, dtype=object),
        crs=crs, layer=request.layer, lost=lost, notes=(note,),
    )  # fmt: skip
