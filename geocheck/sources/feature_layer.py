"""One layer of an ArcGIS service, as it describes itself: object ids, reference system, limits, last edit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO

from geocheck.model.problem import SourceError, SourceIncompleteError
from geocheck.sources.format import refuse
from geocheck.sources.origin import unavailable
from geocheck.sources.web import Web

__all__ = ["FeatureLayer", "layer_of"]

_MOST_AT_ONCE = 2000


@dataclass(frozen=True, eq=False)
class FeatureLayer:
    """What a layer says of itself.

    Parameters
    ----------
    web : Web
        The conversation with its server.
    address, name, geometry : str
        Its address without a query, its name, its kind of geometry in Esri's words.
    key : str
        The field of object ids.
    system : mapping
        Its own spatial reference, as Esri writes it.
    most : int
        Records that it gives at once.
    pages : bool
        Whether it pages by offset.
    edited_at : int or None
        When it was last edited, milliseconds since 1970; None where it does not say.
    """

    web: Web
    address: str
    name: str
    geometry: str
    key: str
    system: Mapping[str, Any]
    most: int = _MOST_AT_ONCE
    pages: bool = False
    edited_at: int | None = None
    curves: bool = False
    version: Any = None
    fields: Mapping[str, str] = field(default_factory=dict)
    described: Sequence[Mapping[str, Any]] = ()

    # Asking -----------------------------------------------------------------------------------------------------------

    def ask(self, **params: Any) -> dict[str, Any]:
        """Ask the layer, with patience."""
        return self.web.json(f"{self.address}/query", params)

    def records(self, *, patiently: bool = True, **params: Any) -> dict[str, Any]:
        """Ask for records with all fields, in the layer's own system, with straight segments, as exact as they are kept.

        ``maxAllowableOffset``, ``geometryPrecision`` and ``quantizationParameters`` would make outlines coarser: they
        are never sent.
        """
        asked = {
            "outFields": "*", "returnGeometry": "true", "returnTrueCurves": "false", "returnZ": "false", "returnM": "false",
            **({"outSR": self._asked_system()} if self.system else {}), **params,
        }  # fmt: skip
        ask = self.web.json if patiently else self.web.once
        return ask(f"{self.address}/query", asked)

    def count(self, where: str) -> int:
        """Return how many records fit a filter, by the service's own count."""
        told = self.ask(where=where, returnCountOnly="true").get("count")
        if not isinstance(told, int) or isinstance(told, bool) or told < 0:
            raise self.web.gone(f"asked for its count the service says {told!r}")
        return told

    def ids(self, where: str) -> list[int] | None:
        """Return all object ids that fit a filter, in order; None where the service does not tell them."""
        try:
            told = self.ask(where=where, returnIdsOnly="true")
        except SourceIncompleteError as error:
            if any(problem.code == "token-required" for problem in error.problems):
                raise
            return None
        except SourceError:
            return None
        found = told.get("objectIds", ())
        if "objectIds" not in told or not all(isinstance(each, int) for each in found or ()):
            return None
        return sorted(set(found or ()))

    def _asked_system(self) -> str:
        known = self.system.get("latestWkid") or self.system.get("wkid")
        return str(known) if known else json.dumps({"wkt": self.system.get("wkt", "")})

    # Judging an answer ------------------------------------------------------------------------------------------------

    def checked(self, answer: Mapping[str, Any]) -> dict[int, Mapping[str, Any]]:
        """Return the records of an answer by object id.

        Raises
        ------
        SourceIncompleteError
            If it is in another system, holds curves, or records without an object id.
        """
        features = answer.get("features")
        if not isinstance(features, list):
            raise self.web.gone("an answer holds no list of records")
        told = answer.get("spatialReference")
        if features and self.system and isinstance(told, dict) and told and not _same(told, self.system):
            raise unavailable("other-system", f"asked in its own system, {_words(self.system)}, the service answers in {_words(told)}", source=self.web.name, layer=self.web.layer)  # fmt: skip
        found: dict[int, Mapping[str, Any]] = {}
        curved = []
        for each in features:
            attributes = each.get("attributes") if isinstance(each, dict) else None
            number = attributes.get(self.key) if isinstance(attributes, dict) else None
            if not isinstance(number, int):
                raise self.web.gone(f"a record comes without its object id ({self.key})")
            shape = each.get("geometry") or {}
            if shape.get("curveRings") or shape.get("curvePaths"):
                curved.append(number)
            found[number] = each
        if curved:
            some = ", ".join(map(str, curved[:5]))
            raise unavailable(
                "true-curves", f"the service sends true curves although straight segments are asked for ({self.key} {some}{', …' if len(curved) > 5 else ''})",
                source=self.web.name, layer=self.web.layer, remedy="Ask for the layer as a file, in which curves are read as they are, such as a file geodatabase.",
            )  # fmt: skip
        return found

    # Keeping and telling ----------------------------------------------------------------------------------------------

    def write(self, out: BinaryIO, features: Mapping[int, str]) -> None:
        """Write all records as one Esri feature set, by object id: the same records are the same bytes."""
        head = {
            "geometryType": self.geometry, "objectIdFieldName": self.key, **({"spatialReference": self.system} if self.system else {}),
            "fields": [{k: each[k] for k in ("name", "type", "alias", "length") if k in each} for each in self.described],
        }  # fmt: skip
        out.write(json.dumps(head, ensure_ascii=False)[:-1].encode() + b', "features": [\n')
        for place, number in enumerate(sorted(features)):
            out.write((",\n" if place else "").encode() + features[number].encode())
        out.write(b"\n]}\n")

    @property
    def system_text(self) -> str:
        """The system in words that `systems.system_of_text` reads; empty where the layer names none."""
        known = self.system.get("latestWkid") or self.system.get("wkid")
        return str(self.system.get("wkt", "")) if not known else f"{'EPSG' if known < 32768 else 'ESRI'}:{known}"

    @property
    def last_edited(self) -> str:
        """When it was last edited, in UTC; empty where it does not say."""
        return "" if self.edited_at is None else f"{datetime.fromtimestamp(self.edited_at / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"  # fmt: skip

    def told(self, count: int, where: str) -> tuple[str, ...]:
        """Return what a reader should know: the count, the last edit, the system, curves."""
        kept = f" that fit {where!r}" if where else ""
        edited = f"last edited {self.last_edited}" if self.last_edited else "the service does not say when it was last edited"  # fmt: skip
        notes = [f"all {count:,} records{kept} of the service's layer {self.name!r}, asked in its own system, {_words(self.system)}; {edited}"]  # fmt: skip
        if self.curves:
            notes.append(
                "the layer may hold true curves; the service sent them as straight segments of its own choosing"
            )
        return tuple(notes)


def layer_of(web: Web, address: str) -> FeatureLayer:
    """Ask a layer what it is.

    Raises
    ------
    SourceError
        If it is no layer of records with geometry, has no object ids, or may not be queried.
    """
    told = web.json(address, {})

    def no(code: str, words: str, remedy: str = "") -> Exception:
        return refuse(code, words, file=web.name, layer=web.layer, remedy=remedy)

    kind, geometry = told.get("type", "Feature Layer"), told.get("geometryType") or ""
    if kind != "Feature Layer" or not geometry:
        raise no("no-geometry", f"this is a {kind} without geometry of its own" if kind != "Feature Layer" else "the layer has no geometry", "Name a feature layer; a group's layers have numbers of their own.")  # fmt: skip
    if "query" not in str(told.get("capabilities", "Query")).lower():
        raise no("no-query", "the service does not let its records be asked for (capability Query)", "Ask its owner for it, or for a file.")  # fmt: skip
    described = [each for each in told.get("fields") or () if isinstance(each, dict) and each.get("name")]
    key = told.get("objectIdField") or next((f["name"] for f in described if f.get("type") == "esriFieldTypeOID"), "")
    key = key or web.json(f"{address}/query", {"where": "1=1", "returnIdsOnly": "true"}).get("objectIdFieldName")
    if not key:
        raise no("no-object-ids", "the layer has no object ids, so nobody can tell whether all records came", "Ask its owner for a file.")  # fmt: skip
    system = told.get("sourceSpatialReference") or (told.get("extent") or {}).get("spatialReference") or {}
    able = told.get("advancedQueryCapabilities") or {}
    edits = told.get("editingInfo") or {}
    edited = [at for at in (edits.get(name) for name in ("lastEditDate", "dataLastEditDate")) if isinstance(at, int) and at > 0]  # fmt: skip
    most = told.get("maxRecordCount")
    return FeatureLayer(
        web, address, str(told.get("name") or "layer"), str(geometry), str(key), {k: system[k] for k in ("wkid", "latestWkid", "wkt") if system.get(k)},
        most=min(most, _MOST_AT_ONCE) if isinstance(most, int) and most > 0 else _MOST_AT_ONCE,
        pages=bool(able.get("supportsPagination", told.get("supportsPagination", False))),
        edited_at=max(edited, default=None), curves=bool(told.get("supportsTrueCurve") or told.get("allowTrueCurvesUpdates")),
        version=told.get("currentVersion"), described=described,
        fields={str(each["name"]): str(each.get("type", "")).removeprefix("esriFieldType") for each in described},
    )  # fmt: skip


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    numbers = [{s[k] for k in ("wkid", "latestWkid") if s.get(k)} for s in (one, other)]
    if all(numbers):
        return bool(numbers[0] & numbers[1])
    return one.get("wkt") == other.get("wkt") if not any(numbers) else False


def _words(system: Mapping[str, Any]) -> str:
    known = system.get("latestWkid") or system.get("wkid")
    return f"WKID {known}" if known else str(system.get("wkt", ""))[:60] or "which it does not name"
