"""ArcGIS feature services (FeatureServer and MapServer layers): all records, counted against the service's own count."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from geocheck.model.ground import Copy, LayerSource
from geocheck.sources.arriving import arrived, place_of, plain_name, put, sweep, writing
from geocheck.sources.feature_layer import FeatureLayer, layer_of
from geocheck.sources.feature_pages import ChangedError, Pages
from geocheck.sources.format import LayerListing, refuse
from geocheck.sources.hiding import shown
from geocheck.sources.origin import Origin, Progress, unavailable
from geocheck.sources.web import Web

__all__ = ["ORIGIN"]

_ADDRESS = re.compile(r"(?P<service>.*/(?:FeatureServer|MapServer))(?:/(?P<number>\d+))?(?:/query)?/?", re.IGNORECASE)
#: How often a layer is read from the beginning when it changes while it is read.
_ROUNDS = 3


def _fits(source: str) -> int:
    parts = urlsplit(source) if re.match(r"https?://", source, re.IGNORECASE) else None
    return 2 * int(parts is not None and _ADDRESS.fullmatch(parts.path) is not None)


def _service(source: str) -> tuple[str, str]:
    """Return the address of the service and the number of its layer, empty where none is named."""
    parts = urlsplit(source)
    found = _ADDRESS.fullmatch(parts.path)
    assert found is not None, "the address was looked at before"
    return urlunsplit((parts.scheme, parts.netloc, found["service"], "", "")), found["number"] or ""


def _listed(web: Web, service: str) -> list[dict[str, Any]]:
    told = web.json(service, {})
    layers = [each for each in told.get("layers", []) if isinstance(each, dict) and not each.get("subLayerIds")]
    return [each for each in layers if each.get("type", "Feature Layer") == "Feature Layer"]


def _chosen(web: Web, source: LayerSource) -> FeatureLayer:
    service, number = _service(source.source)
    if not number:
        listed = _listed(web, service)
        named = [each for each in listed if source.layer in (str(each.get("id")), each.get("name"))]
        if not source.layer and len(listed) == 1:
            named = listed
        if len(named) != 1:
            names = ", ".join(f"{each.get('id')} {each.get('name')}" for each in listed)
            code = "unknown-layer" if source.layer else "several-layers"
            what = f"there is no layer {source.layer!r}" if source.layer else f"the service has {len(listed)} layers and none is named"  # fmt: skip
            raise refuse(code, what, file=web.name, remedy=f"Add its number to the address, or name it with `layer:`: {names or 'it has none with records'}.")  # fmt: skip
        number = str(named[0].get("id"))
    return layer_of(web, f"{service}/{number}")


def _layers(source: LayerSource) -> list[LayerListing]:
    web = Web(source.source, source.layer)
    service, number = _service(source.source)
    found = [layer_of(web, f"{service}/{number}")] if number else [layer_of(web, f"{service}/{each.get('id')}") for each in _listed(web, service)]  # fmt: skip
    return [LayerListing(each.name, each.geometry, each.count("1=1"), each.fields, each.system_text) for each in found]


def _fetch(source: LayerSource, folder: Path, progress: Progress) -> Copy:
    if source.query:
        raise refuse("no-query", "`query` is for databases", file=shown(source.source), remedy="Use `where` to filter a service's layer.")  # fmt: skip
    web = Web(source.source, source.layer or source.role)
    layer = _chosen(web, source)
    place = place_of(folder, source)
    with writing(source, folder):
        for left in range(_ROUNDS - 1, -1, -1):
            pages = Pages(layer, source.where.strip() or "1=1", place)
            try:
                features = pages.all(progress)
                break
            except ChangedError as error:
                if not left:
                    raise unavailable("changed-while-read", f"{error}, {_ROUNDS} times over", source=web.name, layer=web.layer, remedy="The layer is being edited; try again when it rests.") from error  # fmt: skip
                layer = layer_of(web, layer.address)
        sweep(place, pages.folder)
        file = place / f"{plain_name(layer.name)}.json"
        put(file, lambda out: layer.write(out, features))
        arrived(
            file, source, records=len(features), last_edited=layer.last_edited or None, data_last_edited=layer.edited_at,
            spatial_reference=layer.system, service_version=layer.version, notes=list(pages.told),
        )  # fmt: skip
        pages.clear()
    return Copy(str(file), told=(*layer.told(len(features), source.where), *pages.told))


ORIGIN = Origin(
    name="ArcGIS service",
    example="https://gis.example.org/arcgis/rest/services/Land/FeatureServer/0",
    fits=_fits,
    fetch=_fetch,
    layers=_layers,
)
