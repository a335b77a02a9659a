"""Zip archives: shapefiles in any inner folder, read from their bytes; other formats through GDAL's view into the zip."""

from __future__ import annotations

import dataclasses
import zipfile
from pathlib import Path, PurePosixPath

from geocheck.sources import ogr
from geocheck.sources.format import Format, LayerListing, Records, Request, choose, refuse
from geocheck.sources.formats import shapefile

__all__ = ["FORMAT"]

_OTHER = (".gpkg", ".geojson", ".json", ".topojson", ".gml", ".fgb", ".kml")


def _open(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise refuse("damaged-file", f"the zip cannot be opened: {error}", file=path, remedy="It may be cut off; get it again.") from error  # fmt: skip


def _contents(archive: zipfile.ZipFile) -> tuple[list[str], list[str]]:
    """Shapefiles, and files of other formats (a geodatabase is its folder), inside the archive."""
    names = [
        n for n in archive.namelist() if not n.startswith("__MACOSX/") and not PurePosixPath(n).name.startswith("._")
    ]
    shapefiles = sorted(n for n in names if n.lower().endswith(".shp"))
    folders = {"/".join(p.parts[: i + 1]) for n in names for p in [PurePosixPath(n)] for i, part in enumerate(p.parts[:-1]) if part.lower().endswith(".gdb")}  # fmt: skip
    others = sorted(n for n in names if n.lower().endswith(_OTHER)) + sorted(folders)
    return shapefiles, others


def _named(shapefiles: list[str]) -> dict[str, str]:
    """Layer name to member: the bare name where it is the only one of its kind, else with its folder."""
    stems = [PurePosixPath(n).stem for n in shapefiles]
    return {
        (stem if stems.count(stem) == 1 else str(PurePosixPath(n).with_suffix(""))): n
        for stem, n in zip(stems, shapefiles, strict=True)
    }


def _bytes(archive: zipfile.ZipFile, member: str, path: Path) -> dict[str, bytes]:
    inside = PurePosixPath(member)
    files = {}
    for name in archive.namelist():
        each = PurePosixPath(name)
        ending = each.suffix.lower()
        if each.parent == inside.parent and each.stem.lower() == inside.stem.lower() and ending in (".shp", ".shx", ".dbf", ".prj", ".cpg"):  # fmt: skip
            try:
                files[ending] = archive.read(name)
            except (zipfile.BadZipFile, RuntimeError, OSError) as error:
                raise refuse("damaged-file", f"{name} in the zip cannot be read: {error}", file=path) from error
    return files


def _nothing(path: Path, archive: zipfile.ZipFile) -> Exception:
    held = ", ".join(archive.namelist()[:8]) or "nothing"
    return refuse("no-layer", f"the zip holds no layer; it holds {held}", file=path, remedy="Give a zip with a shapefile, GeoPackage, geodatabase or GeoJSON in it.")  # fmt: skip


def _inner(path: Path, others: list[str]) -> str:
    """GDAL's path to the one file inside."""
    if len(others) > 1:
        raise refuse("several-layers", f"the zip holds several files: {', '.join(others)}", file=path, remedy="Unzip it and name one.")  # fmt: skip
    return f"/vsizip/{{{path.resolve().as_posix()}}}/{others[0]}"


def _layers(path: Path) -> list[LayerListing]:
    with _open(path) as archive:
        shapefiles, others = _contents(archive)
        if shapefiles:
            return [shapefile.listing(path, name, _bytes(archive, n, path)) for name, n in _named(shapefiles).items()]
        if not others:
            raise _nothing(path, archive)
    return ogr.layers(path, dataset=_inner(path, others))


def _read(request: Request) -> Records:
    with _open(request.path) as archive:
        shapefiles, others = _contents(archive)
        if shapefiles:
            named = _named(shapefiles)
            name = choose(request, list(named))
            files = _bytes(archive, named[name], request.path)
            return shapefile.records(dataclasses.replace(request, layer=name), name, files)
        if not others:
            raise _nothing(request.path, archive)
    return ogr.read(request, dataset=_inner(request.path, others))


FORMAT = Format(name="zip archive", suffixes=(".zip", ".shz"), layers=_layers, read=_read)
