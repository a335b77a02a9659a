"""surroundings.gpkg: water, impervious surface, roads and the jurisdiction as the run read them, to draw maps with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

#: Roles that maps show beside sites, parcels and zones.
ROLES = ("municipality", "lakes", "streams", "channels", "impervious", "roads")

#: Its layers: what has an area, and what is a line.
LAYERS = {"areas": ("MultiPolygon", 2), "lines": ("MultiLineString", 1)}


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write one layer for areas and one for lines, each feature with its role, record, identifier and source."""
    import geopandas as gpd  # GIS libraries are loaded when something is written, not for --help
    import numpy as np
    import pandas as pd
    import shapely

    from geocheck.reports.exported import gdal_write, system_for
    from geocheck.reports.qgis_style import add_styles
    from geocheck.reports.tables import source_of

    parts: list[Any] = []
    for role in ROLES:
        layer = tables.findings.layers.get(role)
        if layer is None or layer.frame is None:
            continue
        ground = layer.frame[layer.frame.geometry.notna()]
        columns = {
            "record": ground["record"].to_numpy(),
            "id": ground["id"].to_numpy(),
            "date": layer.source.date or "not stated",
        }
        parts.append(
            pd.DataFrame(columns).assign(role=role, source=source_of(layer), geometry=ground.geometry.to_numpy())
        )
    names = ["role", "record", "id", "source", "date", "geometry"]
    whole = pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame({key: [] for key in names})
    texts = dict.fromkeys(("role", "id", "source", "date"), "str")
    own = tables.findings.ground.crs if tables.findings.ground is not None else None
    target = system_for(tables, "sites")
    shapes = np.asarray(whole["geometry"], dtype=object)
    for table, (sort, dimension) in LAYERS.items():
        some = whole[shapely.get_dimensions(shapes) == dimension].astype({**texts, "record": "int64"})
        frame = gpd.GeoDataFrame(some.reset_index(drop=True), geometry="geometry", crs=own)
        if own is not None and target is not None and own != target:
            frame = frame.to_crs(target)
        frame.geometry = frame.geometry.force_2d()
        gdal_write(
            frame, folder / name, "GPKG", layer=table, geometry_type=sort, promote_to_multi=True, use_arrow=True,
            GEOMETRY_NAME="geom", VERSION="1.2",
        )  # fmt: skip
    add_styles(folder / name, dict.fromkeys(LAYERS, tuple(names[:-1])))


OUTPUT = Output(
    says="water, impervious surface, roads and jurisdiction as read, for maps",
    names=("surroundings.gpkg",),
    write=write,
    default=("surroundings.gpkg",),
    open_marks=("-wal", "-journal"),
)
