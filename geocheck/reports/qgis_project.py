"""geocheck.qgz: a QGIS project beside the GeoPackage: layers in order, styled, labelled, tables below. Written without QGIS."""

from __future__ import annotations

import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

#: Layers from top to bottom: file, table, name, geometry.
LAYERS = (
    ("geocheck.gpkg", "sites", "Sites", "Polygon"),
    ("geocheck.gpkg", "parcels", "Parcels", "Polygon"),
    ("surroundings.gpkg", "lines", "Streams, channels, roads", "Line"),
    ("geocheck.gpkg", "zones", "Shoreland, wetland, floodplain", "Polygon"),
    ("surroundings.gpkg", "areas", "Water, impervious, jurisdiction", "Polygon"),
)
#: Tables without geometry, in the group below.
_TABLES = ("determinations", "facts", "trace", "questions", "layers", "repairs")


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write the project; its layers are found beside it, wherever both are moved."""
    text = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n" + ET.tostring(
        _project(tables), encoding="unicode"
    )
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as file:
        # The same run writes the same bytes: the time in the archive is a fixed one.
        file.writestr(zipfile.ZipInfo(f"{Path(name).stem}.qgs", (2000, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)


def _project(tables: Tables) -> ET.Element:
    from geocheck.reports.exported import system_for

    crs = system_for(tables, "sites")
    title = tables.findings.name or "geocheck"
    root = ET.Element("qgis", version="3.22.0", projectname=title)
    ET.SubElement(root, "homePath", path="")
    ET.SubElement(root, "title").text = title
    _system(ET.SubElement(root, "projectCrs"), crs)
    tree = ET.SubElement(root, "layer-tree-group")
    order = ET.SubElement(root, "layerorder")
    held = ET.SubElement(root, "projectlayers")
    for file, table, shown, geometry in LAYERS:
        _in_tree(tree, file, table, shown)
        ET.SubElement(order, "layer", id=f"geocheck_{table}")
        layer = _layer(held, file, table, shown, geometry, crs)
        _look(layer, tables, table)
    group = ET.SubElement(tree, "layer-tree-group", name="Tables", expanded="0", checked="Qt::Unchecked")
    for table in _TABLES:
        _in_tree(group, "geocheck.gpkg", table, table)
        _layer(held, "geocheck.gpkg", table, table, "No geometry", None)
    _view(root, tables, crs)
    properties = ET.SubElement(root, "properties")
    paths = ET.SubElement(properties, "Paths")
    ET.SubElement(paths, "Absolute", type="bool").text = "false"
    # Without this QGIS takes no system for the project.
    system = ET.SubElement(properties, "SpatialRefSys")
    ET.SubElement(system, "ProjectionsEnabled", type="int").text = "1"
    return root


def _in_tree(tree: ET.Element, file: str, table: str, shown: str) -> None:
    ET.SubElement(
        tree, "layer-tree-layer", id=f"geocheck_{table}", name=shown, source=f"./{file}|layername={table}", providerKey="ogr",
        checked="Qt::Checked", expanded="0",
    )  # fmt: skip


def _layer(held: ET.Element, file: str, table: str, shown: str, geometry: str, crs: Any) -> ET.Element:
    layer = ET.SubElement(
        held, "maplayer", type="vector", geometry=geometry, hasScaleBasedVisibilityFlag="0", readOnly="1"
    )
    ET.SubElement(layer, "id").text = f"geocheck_{table}"
    ET.SubElement(layer, "datasource").text = f"./{file}|layername={table}"
    ET.SubElement(layer, "layername").text = shown
    _system(ET.SubElement(layer, "srs"), crs)
    ET.SubElement(layer, "provider", encoding="UTF-8").text = "ogr"
    flags = ET.SubElement(layer, "flags")
    for flag in ("Identifiable", "Removable", "Searchable"):
        ET.SubElement(flags, flag).text = "1"
    return layer


def _look(layer: ET.Element, tables: Tables, table: str) -> None:
    from geocheck.reports.columns import GEOMETRY_TABLES
    from geocheck.reports.qgis_style import style_of

    names = (
        [str(name) for name in tables.rows(table).columns]
        if table in GEOMETRY_TABLES
        else ["role", "record", "id", "source", "date"]
    )
    style_of(layer, table, names)


def _system(parent: ET.Element, crs: Any) -> None:
    """A reference system by its definition, and by its code where it is exactly that."""
    system = ET.SubElement(parent, "spatialrefsys", nativeFormat="Wkt")
    code = None if crs is None else crs.to_authority(min_confidence=100)
    ET.SubElement(system, "wkt").text = "" if crs is None else crs.to_wkt()
    ET.SubElement(system, "authid").text = ":".join(code) if code else ""
    ET.SubElement(system, "description").text = "" if crs is None else crs.name


def _view(root: ET.Element, tables: Tables, crs: Any) -> None:
    """Where the map opens: around the sites, else the parcels."""
    for table in ("sites", "parcels", "zones"):
        ground = tables[table].geometry
        if len(ground) and ground.notna().any():
            shown = ground if crs is None or ground.crs is None else ground[ground.notna()].to_crs(crs)
            west, south, east, north = (float(side) for side in shown.total_bounds)
            room = max(east - west, north - south) * 0.05
            sides = {"xmin": west - room, "ymin": south - room, "xmax": east + room, "ymax": north + room}
            told = {side: repr(place) for side, place in sides.items()}
            settings = ET.SubElement(root, "ProjectViewSettings", UseProjectScales="0")
            _system(ET.SubElement(settings, "DefaultViewExtent", told), crs)
            canvas = ET.SubElement(root, "mapcanvas", name="theMapCanvas")
            extent = ET.SubElement(canvas, "extent")
            for side, place in told.items():
                ET.SubElement(extent, side).text = place
            _system(ET.SubElement(canvas, "destinationsrs"), crs)
            return


OUTPUT = Output(
    says="a QGIS project: opens geocheck.gpkg and surroundings.gpkg ordered, styled and labelled",
    names=("geocheck.qgz",),
    write=write,
    default=("geocheck.qgz",),
)
