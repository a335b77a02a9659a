"""GeoJSON after RFC 7946: longitude and latitude on WGS 84, no other reference system, rings wound by its rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from geocheck.reports.columns import GEOMETRY_TABLES
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

#: Decimals of a degree: 0.1 mm on the ground.
DECIMALS = 9


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one table with geometry; a row without ground has the geometry null."""
    import numpy as np  # GIS libraries are loaded when something is written, not for --help
    import shapely

    from geocheck.reports.cells import plain_rows

    table = name.removesuffix(".geojson")
    frame = tables[table]
    ground = frame.geometry if frame.crs is None else frame.geometry.to_crs("EPSG:4326")
    rounded = shapely.transform(
        shapely.orient_polygons(shapely.force_2d(ground.to_numpy())), lambda places: np.round(places, DECIMALS)
    )
    shapes = shapely.to_geojson(rounded)
    with (folder / name).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write('{"type": "FeatureCollection", "features": [')
        for place, (row, shape) in enumerate(zip(plain_rows(tables.rows(table)), shapes, strict=True)):
            file.write(",\n" if place else "\n")
            properties = json.dumps(row, ensure_ascii=False, allow_nan=False)
            file.write(f'{{"type": "Feature", "properties": {properties}, "geometry": {shape or "null"}}}')
        file.write("\n]}\n")


OUTPUT = Output(
    says="sites, parcels and zones as GeoJSON (RFC 7946, longitude and latitude)",
    names=tuple(f"{table}.geojson" for table in GEOMETRY_TABLES),
    write=write,
)
