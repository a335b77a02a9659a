"""Rasters as layers: found, opened once, their system known, fingerprinted; engines read their cells in windows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyproj
import rasterio
from rasterio.errors import RasterioIOError

from geocheck.model.ground import RASTER_ROLES, Layer, LayerSource
from geocheck.model.problem import GeocheckError, Place, Problem, SourceError
from geocheck.sources.bands import band_of, doubts_of_numbers
from geocheck.sources.fetching import fetched
from geocheck.sources.systems import same_system, system_of_text, title

__all__ = ["read_raster", "read_rasters"]


def read_rasters(sources: Mapping[str, LayerSource]) -> dict[str, Layer]:
    """Read the raster layers of a project, by role; problems of several are shown together.

    Raises
    ------
    SourceError
        As `read_raster`.
    """
    found, problems = {}, []
    for role in RASTER_ROLES:
        if role in sources:
            try:
                found[role] = read_raster(sources[role])
            except GeocheckError as error:
                problems += list(error.problems)
    if problems:
        raise SourceError.of(*problems)
    return found


def read_raster(source: LayerSource) -> Layer:
    """Look at one raster: that it opens, has one band to read and a reference system.

    Parameters
    ----------
    source : LayerSource
        What the project says about it.

    Returns
    -------
    Layer
        Without a frame; ``crs`` is the raster's own system.

    Raises
    ------
    SourceError
        If the file is not there, is no raster, has several bands and none is named, is rotated, names another reference
        system than the project, or none is known for it.
    """
    source = fetched(source)
    path = Path(source.path)
    if not path.exists():
        raise _refused(source, "no-such-file", f"{source.role}: there is no such file", "Correct the path.")
    try:
        with rasterio.open(path) as data:
            own = pyproj.CRS(data.crs.to_wkt()) if data.crs else None
            size = f"{data.width} x {data.height} cells"
            nodata = "none" if data.nodata is None else f"{data.nodata:g}"
            name = path.stem
            if data.count > 1 or source.layer or not data.count:
                source = replace(source, layer=str(band_of(source, data)))
                name += f", band {source.layer}"
            odd = doubts_of_numbers(source, data, int(source.layer or 1))
            _north_up(source, data)
    except RasterioIOError as error:
        message = f"{source.role}: GDAL cannot open it as a raster ({error})"
        raise _refused(source, "no-raster", message, "Name a raster, such as a GeoTIFF.") from error
    stated = system_of_text(source.crs, path) if source.crs else None
    used, crs_from = own, "file"
    if stated is not None and own is not None and not source.override_crs and not _one(stated, own):
        message = f"{source.role}: the file names {title(own)}, the project {title(stated)}"
        raise _refused(source, "two-systems", message, "Leave `crs` out, or add `override_crs: true` if the file is wrong.")  # fmt: skip
    if stated is not None and (own is None or source.override_crs):
        used, crs_from = stated, "asserted" if own is None else "overridden"
    if used is None:
        message = f"{source.role}: the raster names no reference system"
        raise _refused(source, "no-system", message, "State its crs, such as crs: EPSG:8104.")
    return Layer(
        source.role,
        source,
        None,
        used,
        name=name,
        crs_from=crs_from,
        sha256=_sha256(path),
        notes=(*(source.copy.told if source.copy else ()), f"{size}, nodata {nodata}", *odd),
    )


def _one(stated: pyproj.CRS, own: pyproj.CRS) -> bool:
    horizontal = system_of_text(own.to_wkt())
    return horizontal is not None and same_system(stated, horizontal)


def _north_up(source: LayerSource, data: rasterio.DatasetReader) -> None:
    place = data.transform
    if place.b or place.d or place.a <= 0 or place.e == 0:
        message = f"{source.role}: the raster is rotated or mirrored"
        raise _refused(source, "rotated", message, "Warp it to a north-up grid first, as with gdalwarp.")


def _refused(source: LayerSource, code: str, message: str, remedy: str) -> SourceError:
    problem = Problem(code, message, Place(source.source), remedy)
    return SourceError(problem.show(), (problem,))


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
