"""Public schemas recognised by their fields: which role a layer plays, with which filter, and what to beware of."""

from __future__ import annotations

import re
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
        Fields by which it is known, all of them, in any case; cut to ten letters as a shapefile has them, or with the name
        of a table before them as a service has them.
    geometry : str
        ``line`` or ``polygon``, where two schemas differ in nothing else; empty where it does not matter.
    also, without : tuple of str
        Fields that it has and has not besides, asked where the kind of geometry is not known.
    layers : tuple of str
        Layer names by which it is known besides, with ``*`` for anything.
    crs, id, where, where_note, accuracy, accuracy_note : str
        The system it is published in, identifier, filter and accuracy, and why.
    nulls : tuple of str
        Words that mean that there is no value.
    labels : tuple of str
        Identifiers of records that are no parcels.
    other_roles : mapping of str to str
        Roles that others of its records play, and the filter that takes them.
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
    geometry: str = ""
    also: tuple[str, ...] = ()
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
    other_roles: Mapping[str, str] = field(default_factory=dict)
    multi_valued: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    areas: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def filter_of(self, listing: LayerListing, role: str = "") -> str:
        """Return the schema's filter, or that for another role, in the field names of a layer."""
        condition = self.other_roles[role] if role and role != self.role else self.where

        def named(match: re.Match[str]) -> str:
            name = self.name_in(listing, match[0]) if match[0] in self.fields else ""
            return match[0] if not name else name if name.isidentifier() else f'"{name}"'

        # Texts in quotes are values, and stay as they are.
        return "".join(part if part.startswith("'") else re.sub(r"\w+", named, part) for part in re.split(r"('[^']*')", condition))  # fmt: skip

    def name_in(self, listing: LayerListing, field: str) -> str:
        """Return a layer's own name of a field of the schema, empty where it has none."""
        own = _own_names(listing)
        return own.get(field.lower()) or own.get(field[:_CUT].lower(), "")


#: Letters that a shapefile keeps of a field's name.
_CUT = 10
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
            also=tuple(by.pop("also", ())),
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
    kind = _kind_of(listing)

    def fits(each: LayerMap) -> bool:
        if not all(each.name_in(listing, f) for f in each.fields):
            return False
        if each.geometry and kind:
            return each.geometry == kind
        return all(each.name_in(listing, f) for f in each.also) and not any(
            each.name_in(listing, f) for f in each.without
        )

    found = [each for each in layer_maps() if fits(each)]
    if not found:
        return None
    return max(
        found,
        key=lambda m: (len(m.fields) + len(m.also), any(fnmatch(listing.name.lower(), n.lower()) for n in m.layers)),
    )


def _own_names(listing: LayerListing) -> dict[str, str]:
    """A layer's field names by what they are called, in lower case and without the name of a table."""
    return {name.rpartition(".")[2].lower(): name for name in listing.fields}


def _kind_of(listing: LayerListing) -> str:
    """Lines or polygons, empty where the layer does not say."""
    word = listing.geometry.lower()
    if "line" in word or "curve" in word.replace("curvepolygon", ""):
        return "line"
    return "polygon" if "poly" in word or "surface" in word else ""
