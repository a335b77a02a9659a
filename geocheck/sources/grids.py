"""What this computer brings to the work: libraries, GDAL and PROJ data in use, and the datum grids that are there."""

from __future__ import annotations

import importlib.util
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["GRIDS", "examine"]

#: Grid files of datum changes in the United States, and what each is for.
GRIDS = {
    "us_noaa_conus.tif": "NAD27 to NAD83, conterminous states (NADCON)",
    "us_noaa_nadcon5_nad27_nad83_1986_conus.tif": "NAD27 to NAD83, conterminous states (NADCON 5)",
    "us_noaa_nadcon5_nad83_1986_nad83_harn_conus.tif": "NAD83 to NAD83(HARN), conterminous states (NADCON 5)",
    "us_noaa_WI.tif": "NAD83 to NAD83(HARN), Wisconsin",
    "us_noaa_nadcon5_nad83_harn_nad83_fbn_conus.tif": "NAD83(HARN) to NAD83(FBN) (NADCON 5)",
    "us_noaa_nadcon5_nad83_fbn_nad83_2007_conus.tif": "NAD83(FBN) to NAD83(NSRS2007) (NADCON 5)",
    "us_noaa_nadcon5_nad83_2007_nad83_2011_conus.tif": "NAD83(NSRS2007) to NAD83(2011) (NADCON 5)",
}
_NEEDED = ("geopandas", "shapely", "pyproj", "pyogrio", "fiona", "rasterio", "exactextract", "numpy", "pandas", "pyarrow", "click", "rich", "jinja2", "ruamel.yaml")  # fmt: skip
_EXTRAS = {
    "weasyprint": "reports as PDF", "docxtpl": "the memo as DOCX", "xlsxwriter": "workbooks", "folium": "maps in notebooks",
    "psycopg": "PostGIS", "sqlalchemy": "PostGIS", "numba": "the fast engine", "dask": "more than one computer",
}  # fmt: skip


def examine() -> dict[str, Any]:
    """Return versions, data folders and grids, as plain values.

    Returns
    -------
    dict
        ``python``, ``platform``, ``packages`` (name to version, None where missing), ``extras``, ``gdal`` (library that
        brings it to version), ``proj``, ``data`` (folders in use), ``grids`` (file to path or None), ``network`` (whether
        PROJ fetches grids by itself), ``warnings``.
    """
    import fiona
    import pyogrio
    import pyproj
    import rasterio
    import shapely

    folders = [Path(p) for p in pyproj.datadir.get_data_dir().split(os.pathsep)]
    folders.append(Path(pyproj.datadir.get_user_data_dir()))  # type: ignore[attr-defined]
    gdal = {"pyogrio": _dotted(pyogrio.__gdal_version__), "fiona": str(fiona.__gdal_version__), "rasterio": str(rasterio.__gdal_version__)}  # fmt: skip
    return {
        "geocheck": metadata.version("geocheck"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in _NEEDED},
        "extras": {name: {"version": _version(name), "for": use} for name, use in _EXTRAS.items()},
        "gdal": gdal,
        "proj": {"pyproj": pyproj.proj_version_str, "database": pyproj.database.get_database_metadata("EPSG.VERSION")},
        "geos": ".".join(map(str, shapely.geos_version)),
        "data": {"proj": [str(f) for f in folders], **_stated()},
        "grids": {name: next((str(f / name) for f in folders if (f / name).is_file()), None) for name in GRIDS},
        "network": bool(pyproj.network.is_network_enabled()),  # type: ignore[attr-defined]
        "warnings": _warnings(),
    }


def _dotted(version: Any) -> str:
    return ".".join(map(str, version)) if isinstance(version, tuple) else str(version)


def _version(name: str) -> str | None:
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        return None
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _stated() -> dict[str, str]:
    return {name: os.environ[name] for name in ("GDAL_DATA", "PROJ_DATA", "PROJ_LIB") if name in os.environ}


def _warnings() -> list[str]:
    """Settings of the environment that send a library to another installation's data."""
    found = []
    for name, value in _stated().items():
        if not Path(value.split(os.pathsep)[0]).is_dir():
            found.append(f"{name} names {value}, which is not there: unset it")
        elif name in ("PROJ_DATA", "PROJ_LIB") and not (Path(value.split(os.pathsep)[0]) / "proj.db").is_file():
            found.append(f"{name} names {value}, which holds no proj.db: unset it")
    return found
