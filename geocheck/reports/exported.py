"""Frames made ready to hand on: one type a column, in the reference system that the files came in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import pyogrio
from pyogrio.errors import DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError

from geocheck.model.problem import OutputError
from geocheck.reports.cells import flat
from geocheck.reports.tables import Tables

__all__ = ["exported", "gdal_write", "system_for"]

_ROLE = {"sites": "disturbance", "parcels": "parcels", "zones": "disturbance"}


def exported(tables: Tables, table: str, *, shared: bool = False) -> gpd.GeoDataFrame:
    """Return a table with geometry as files hold it.

    Parameters
    ----------
    tables : Tables
        The run's tables.
    table : str
        sites, parcels or zones.
    shared : bool
        Whether all three go into one file and so share one system.
    """
    frame = tables[table]
    target = system_for(tables, "sites" if shared else table)
    if frame.crs is not None and target is not None and frame.crs != target:
        frame = frame.to_crs(target)
    frame = gpd.GeoDataFrame(flat(frame), geometry=frame.geometry.name, crs=frame.crs)
    return frame if frame.geometry.name == "geometry" else frame.rename_geometry("geometry")


def system_for(tables: Tables, table: str) -> Any:
    """Return the system in which a table is handed on.

    It is that of the layer's own source where it is projected and stands on the run's datum, so that going there is
    projection alone; else the run's system, which every format here can say.
    """
    findings = tables.findings
    own = None if findings.ground is None else findings.ground.crs
    for role in dict.fromkeys((_ROLE[table], "parcels", "disturbance")):
        layer = findings.layers.get(role)
        source = None if layer is None else layer.source_crs or layer.crs
        if own is None or source is None or not source.is_projected:
            continue
        if source.geodetic_crs.equals(own.geodetic_crs, ignore_axis_order=True):
            return source
    return own


def gdal_write(frame: Any, path: Path, driver: str, **options: Any) -> None:
    """Write a frame by GDAL.

    Raises
    ------
    OutputError
        If GDAL cannot write it.
    """
    try:
        pyogrio.write_dataframe(frame, path, driver=driver, **options)
    except (DataSourceError, DataLayerError, FieldError, GeometryError, FeatureError) as error:
        raise OutputError(f"cannot write {path.name}: {error}; the older outputs are as they were") from error
