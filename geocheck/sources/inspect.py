"""A file looked at before it is used: layers, fields, system, unit, extent, faults, and what would be repaired."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import shapely

from geocheck.model.ground import Layer, LayerSource, Repair
from geocheck.model.problem import GeocheckError, GroundError, SourceError
from geocheck.sources.fetching import fetched
from geocheck.sources.fitting import region_of
from geocheck.sources.format import LayerListing, refuse
from geocheck.sources.formats import format_of
from geocheck.sources.hiding import shown
from geocheck.sources.origin import Origin
from geocheck.sources.origins import origin_of
from geocheck.sources.read import anchors_of_bounds, read_layer
from geocheck.sources.schemas import LayerMap, recognise
from geocheck.sources.systems import metres_per_unit, system_of_text, title

__all__ = ["LayerReport", "Report", "inspect_source"]

#: More layers than this are listed only; a named one is looked into.
_MOST_READ = 6
_UNITS = {
    "Fraction(1, 1)": "metres",
    "Fraction(1200, 3937)": "US survey feet",
    "Fraction(381, 1250)": "international feet",
}


@dataclass(frozen=True, slots=True)
class LayerReport:
    """What one layer holds.

    Parameters
    ----------
    name, geometry : str
        Name and declared kind of geometry.
    records : int or None
        How many; None where the format does not say.
    fields : mapping of str to str
        Fields and their types.
    crs, unit : str
        System and its unit; empty where the file names none.
    extent, degrees : tuple or None
        West, south, east, north in the layer's own numbers and in degrees.
    schema, role : str
        The public schema that it follows, and the role it would play; empty where none is known.
    statuses : mapping of str to int
        How many records would come in with which status.
    repairs : tuple of Repair
        What would be repaired or lost.
    notes : tuple of str
        What else a reader should know.
    refused : str
        Why it would not be read; empty where it would.
    """

    name: str
    geometry: str
    records: int | None
    fields: dict[str, str]
    crs: str = ""
    unit: str = ""
    extent: tuple[float, ...] | None = None
    degrees: tuple[float, ...] | None = None
    schema: str = ""
    role: str = ""
    statuses: dict[str, int] = field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What a file holds: its format and its layers."""

    path: str
    format: str
    layers: tuple[LayerReport, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return asdict(self)


def inspect_source(path: str | Path, *, layer: str = "") -> Report:
    """Look at a file, or at what a service holds, without changing it and without a project.

    Parameters
    ----------
    path : str or Path
        The file, or the address of a service; of several layers there only a list is asked for.
    layer : str
        Look into this layer only.

    Raises
    ------
    SourceError
        If it is not there, is of no known format, or has no layer of that name.
    SourceIncompleteError
        If a service does not answer, or gives less than it holds.
    """
    origin = origin_of(str(path))
    if origin is not None:
        return _look_there(LayerSource("", str(path), layer=layer), origin)
    path = Path(path)
    form = format_of(path)
    try:
        listings = form.layers(path)
    except OSError as error:
        raise refuse("unreadable-file", f"the file cannot be read: {error.strerror or error}", file=path) from error
    alone = len(listings) == 1
    if layer:
        chosen = [each for each in listings if each.name == layer]
        if not chosen:
            raise refuse("unknown-layer", f"there is no layer {layer!r}", file=path, remedy=f"Its layers are {', '.join(x.name for x in listings)}.")  # fmt: skip
        listings = chosen
    looked_into = len(listings) <= _MOST_READ
    reports = tuple(_look(path, each, alone=alone, into=looked_into) for each in listings)
    notes = () if looked_into else (f"{len(listings)} layers are listed only; name one with --layer to look into it",)
    return Report(str(path), form.name, reports, notes)


def _look_there(source: LayerSource, origin: Origin) -> Report:
    """Look at one layer that has to be fetched, or list several."""
    listings = origin.layers(source) if origin.layers is not None and not source.layer else []
    if len(listings) > 1:
        reports = tuple(_look(Path(), each, alone=False, into=False) for each in listings)
        notes = ("name a layer with --layer, or its number in the address, to look into it",)
        return Report(shown(source.source), origin.name, reports, notes)
    copy = fetched(source).copy
    assert copy is not None, "an origin makes a copy"
    found = inspect_source(copy.file, layer=copy.layer)
    return replace(found, path=shown(source.source), format=origin.name, notes=(*copy.told, *found.notes))


def _look(path: Path, listing: LayerListing, *, alone: bool, into: bool) -> LayerReport:
    schema = recognise(listing)
    about: dict[str, Any] = {
        "name": listing.name,
        "geometry": listing.geometry,
        "records": listing.records,
        "fields": dict(listing.fields),
        "schema": schema.title if schema else "",
        "role": schema.role if schema else "",
    }
    try:
        crs = system_of_text(listing.crs, path)
    except GroundError as error:
        return LayerReport(**about, refused=str(error))
    if crs is not None:
        unit = (
            "degrees"
            if crs.is_geographic
            else _UNITS.get(repr(metres_per_unit(crs)), f"{float(metres_per_unit(crs))} m")
        )
        about |= {"crs": title(crs), "unit": unit}
    if not into or (not listing.geometry and listing.records and "point" in listing.geometry.lower()):
        return LayerReport(**about, notes=_beware(schema, listing))
    if "point" in listing.geometry.lower():
        return LayerReport(**about, notes=(*_beware(schema, listing), "points: no role of a project is made of points"))
    lines = "line" in listing.geometry.lower() or listing.geometry.lower() == "curve"
    role = schema.role if schema else "streams" if lines else "wetland"
    try:
        read = read_layer(LayerSource(role, str(path), layer="" if alone else listing.name), keep_fields=True)
    except (SourceError, GroundError) as error:
        return LayerReport(**about, notes=_beware(schema, listing), refused=_first_line(error))
    return LayerReport(**about, **_found(read), notes=(*read.notes, *_beware(schema, listing)))


def _first_line(error: GeocheckError) -> str:
    return "; ".join(f"{p.message} [{p.code}]{' ' + p.remedy if p.remedy else ''}" for p in error.problems) or str(
        error
    )


def _beware(schema: LayerMap | None, listing: LayerListing) -> tuple[str, ...]:
    if schema is None:
        return ()
    filtered = (f"filter of this schema: {schema.filter_of(listing)} ({schema.where_note})",) if schema.where else ()
    return (*filtered, *schema.notes)


def _found(read: Layer) -> dict[str, Any]:
    shapes = read.frame.geometry.to_numpy()
    present = shapes[~shapely.is_missing(shapes)]
    statuses = dict(Counter(read.frame["status"].tolist()))
    found: dict[str, Any] = {"statuses": statuses, "repairs": read.repairs}
    if len(present):
        found["extent"] = tuple(float(v) for v in shapely.total_bounds(present))
        found["degrees"] = region_of(read.crs, anchors_of_bounds(present))
    return found
