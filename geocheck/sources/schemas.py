"""Public schemas recognised by their fields: which role a layer plays, with which filter, and what to beware of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from importlib import resources
from typing import Any

from geocheck.model.problem import Problem, SourceError
from geocheck.sources.format import LayerListing

__all__ = ["LayerMap", "layer_maps", "recognise"]


@dataclass(frozen=True, slots=True)
class LayerMap:
    """One public schema: a file of `geocheck.layer_maps`.

    Parameters
    ----------
    name, title, publisher : str
        The file's name without ending, and who publishes what.
    role : str
        The role that its records play.
    fields : tuple of str
        Fields by which it is known, all of them, in any case.
    without : tuple of str
        Fields that it does not have.
    layers : tuple of str
        Layer names by which it is known besides, with ``*`` for anything.
    crs, id, where, where_note, accuracy, accuracy_note : str
        The system it is published in, identifier, filter and accuracy, and why.
    nulls : tuple of str
        Words that mean that there is no value.
    labels : tuple of str
        Identifiers of records that are no parcels.
    multi_valued : mapping of str to str
        Fields that hold several values, and what separates them.
    classes : mapping of str to mapping
        Field to its codes and what they mean.
    personal : tuple of str
        Fields that name people: never read unless asked for.
    notes : tuple of str
        What to beware of.
    """

    name: str
    title: str
    publisher: str
    role: str
    fields: tuple[str, ...]
    without: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    crs: str = ""
    id: str = ""
    where: str = ""
    where_note: str = ""
    accuracy: str = ""
    accuracy_note: str = ""
    nulls: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    multi_valued: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    areas: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_TUPLES = ("nulls", "labels", "areas", "personal", "notes")


@cache
def layer_maps() -> tuple[LayerMap, ...]:
    """Return all schemas of the shelf, by name.

    Raises
    ------
    SourceError
        If a file of the shelf has an unknown key or lacks one.
    """
    from ruamel.yaml import YAML

    reader = YAML(typ="safe")
    folder = resources.files("geocheck.layer_maps")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".yaml")), key=lambda f: f.name)
    return tuple(_layer_map(f.name.removesuffix(".yaml"), reader.load(f.read_text(encoding="utf-8"))) for f in files)


def _layer_map(name: str, content: Any) -> LayerMap:
    try:
        known = dict(content)
        by = dict(known.pop("recognised_by"))
        for key in _TUPLES:
            known[key] = tuple(known.get(key, ()))
        return LayerMap(
            name=name,
            fields=tuple(by.pop("fields")),
            without=tuple(by.pop("without", ())),
            layers=tuple(by.pop("layers", ())),
            **by,
            **known,
        )
    except (TypeError, KeyError, ValueError) as error:
        problem = Problem("layer-map", f"the layer map {name} is not understood: {error}")
        raise SourceError(problem.show(), (problem,)) from error


def recognise(listing: LayerListing) -> LayerMap | None:
    """Return the public schema that a layer follows, None where it follows none that is known.

    The schema with the most fields in common is taken; a layer's name decides only between equals.

    Examples
    --------
    >>> recognise(LayerListing("flood", fields={"fld_zone": "", "zone_subty": "", "sfha_tf": ""})).role
    'floodplain'
    >>> recognise(LayerListing("S_FLD_HAZ_AR", fields={"zone": ""})) is None
    True
    """
    held = {name.lower() for name in listing.fields}

    def fits(each: LayerMap) -> bool:
        return all(f.lower() in held for f in each.fields) and not any(f.lower() in held for f in each.without)

    found = [each for each in layer_maps() if fits(each)]
    if not found:
        return None
    return max(found, key=lambda m: (len(m.fields), any(fnmatch(listing.name.lower(), n.lower()) for n in m.layers)))
