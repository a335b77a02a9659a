"""What an input format is: a name, its suffixes, how its layers are listed and how one is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geocheck.model.problem import Place, Problem, SourceError
from geocheck.sources.rings import Ring

__all__ = ["Format", "LayerListing", "Records", "Request", "choose", "refuse"]


@dataclass(frozen=True, slots=True)
class LayerListing:
    """One layer of a file, as its header states it.

    Parameters
    ----------
    name : str
        Name of the layer; of a one-layer file, the file's own name without suffix.
    geometry : str
        Declared kind of geometry, empty for a table without geometry.
    records : int or None
        Declared number of records, None where the format does not say.
    fields : mapping of str to str
        Field names and their types, in order.
    crs : str
        The system as the file names it; empty where it names none.
    """

    name: str
    geometry: str = ""
    records: int | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    crs: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of one layer: which records and which fields.

    ``fields`` names the fields to read, in any order; None reads all. ``optional`` names those to read where they are.
    ``overridden`` says that the project overrides the file's reference system: one that is not understood is then none.
    """

    path: Path
    layer: str = ""
    where: str = ""
    encoding: str = ""
    fields: tuple[str, ...] | None = None
    optional: tuple[str, ...] = ()
    overridden: bool = False


@dataclass(frozen=True, eq=False)
class Records:
    """Records as a format gives them: nothing repaired yet, nothing dropped.

    Parameters
    ----------
    shapes : array of shapely geometries
        One a record, flat (no Z, no M), possibly invalid; None where the record has none or stands in ``raw``.
    table : pandas.DataFrame
        The fields read, one row a record; the file's own names.
    crs : pyproj.CRS or None
        The system that the file names.
    raw : mapping of int to tuple of Ring
        Row to its rings, where shapely cannot hold them as they are (unclosed, wound against the rule, curved).
    wound : bool
        Whether the format declares no roles of rings but their direction (shapefiles).
    remarks : mapping of int to str
        Row to what reading had to do (curves replaced by chords).
    lost : mapping of int to str
        Row to why its geometry could not be read; a row that is merely empty is not lost.
    """

    shapes: Any
    table: Any
    crs: Any
    layer: str = ""
    raw: Mapping[int, tuple[Ring, ...]] = field(default_factory=dict)
    wound: bool = False
    remarks: Mapping[int, str] = field(default_factory=dict)
    lost: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """An input format: a member of the shelf `geocheck.sources.formats`.

    Parameters
    ----------
    name : str
        What a person calls it.
    suffixes : tuple of str
        File name endings in lower case, longest first where several fit.
    layers : callable
        Path to the listings of its layers.
    read : callable
        Request to Records.
    accepts : callable or None
        Tells whether a file with one of the suffixes is of this format; None where the suffix says it.
    companions : callable or None
        Path to all files that hold the layer, for the fingerprint; None where it is the one file.
    """

    name: str
    suffixes: tuple[str, ...]
    layers: Callable[[Path], list[LayerListing]]
    read: Callable[[Request], Records]
    accepts: Callable[[Path], bool] | None = None
    companions: Callable[[Path], list[Path]] | None = None


def refuse(
    code: str, message: str, *, file: Path | str = "", layer: str = "", record: int | None = None, remedy: str = ""
) -> SourceError:
    """Return the error that refuses a file: what is wrong, where, and what to do."""
    problem = Problem(code, message, Place(file=str(file), layer=layer, record=record), remedy)
    return SourceError(problem.show(), (problem,))


def choose(request: Request, names: Sequence[str]) -> str:
    """Return the name of the layer that a request means.

    Raises
    ------
    SourceError
        If the file has several layers and none is named, has none at all, or not the one named.

    Examples
    --------
    >>> choose(Request(Path("a.gpkg")), ["parcels"])
    'parcels'
    """
    listed = ", ".join(names)
    if request.layer:
        if request.layer in names:
            return request.layer
        raise refuse(
            "unknown-layer",
            f"there is no layer {request.layer!r}",
            file=request.path,
            remedy=f"Its layers are {listed}." if names else "It has no layer with geometry.",
        )
    if len(names) == 1:
        return names[0]
    if not names:
        raise refuse("no-layer", "the file holds no layer with geometry", file=request.path)
    raise refuse(
        "several-layers",
        f"the file has {len(names)} layers and none is named",
        file=request.path,
        remedy=f"Name one with `layer:` (or --layer): {listed}.",
    )
