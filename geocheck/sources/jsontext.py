"""What a JSON file is, told from its words: GeoJSON, TopoJSON or Esri JSON; and where a broken one breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from geocheck.sources.format import refuse

__all__ = ["kind_of_json", "load_json"]

_HEAD = 65_536


def kind_of_json(path: Path) -> str:
    """Return geojson, topojson or esrijson, by the file's first words; geojson where nothing else shows.

    Raises
    ------
    SourceError
        If the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace").replace(" ", "")
            file.seek(max(0, path.stat().st_size - 4096))
            tail = file.read().decode("utf-8", "replace").replace(" ", "")
    except OSError as error:
        raise refuse("unreadable-file", f"the file cannot be opened: {error.strerror}", file=path) from error
    for text in (head, tail):
        if '"type":"Topology"' in text:
            return "topojson"
        if '"type":"FeatureCollection"' in text or '"type":"Feature"' in text:
            return "geojson"
        if '"geometryType":"esriGeometry' in text or '"rings":' in text or '"curveRings":' in text:
            return "esrijson"
    return "geojson"


def load_json(path: Path) -> Any:
    """Return the file's JSON.

    Raises
    ------
    SourceError
        If it is not JSON or is cut off; the message says where it breaks.
    """
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise refuse("damaged-file", f"the file is not UTF-8 text: byte {error.start:,}", file=path) from error
    except json.JSONDecodeError as error:
        size = path.stat().st_size
        cut = error.pos >= size - 2 or error.msg.startswith("Unterminated")
        what = "the file is cut off" if cut else "the file is not JSON"
        raise refuse(
            "damaged-file",
            f"{what}: {error.msg} at line {error.lineno}, column {error.colno}",
            file=path,
            remedy="Get the file again; nothing of it is used.",
        ) from error
