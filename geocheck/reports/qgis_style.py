"""How QGIS shows the layers: QML styles, registered in a GeoPackage's ``layer_styles``."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from geocheck.reports.columns import column_of

__all__ = ["LOOKS", "Look", "add_styles", "outcome_expression", "style_of"]

Look = tuple[str, str, str, str]

#: value, label, fill (red,green,blue,opacity of 255), outline; colours that the colour-blind tell apart.
LOOKS: dict[str, tuple[Look, ...]] = {
    "sites": (
        ("required", "required", "213,94,0,150", "140,60,0,255"),
        ("undetermined", "undetermined", "240,200,40,150", "120,95,0,255"),
        ("waived", "waived", "204,121,167,150", "130,60,100,255"),
        ("not_required", "not required", "0,114,178,110", "0,70,120,255"),
    ),
    "parcels": (
        ("inside", "inside a zone", "0,114,178,120", "90,90,90,255"),
        ("partly", "partly inside", "86,180,233,120", "90,90,90,255"),
        ("touching", "touching only", "240,228,66,110", "90,90,90,255"),
        ("outside", "outside", "255,255,255,0", "110,110,110,255"),
        ("not checked", "not checked", "160,160,160,120", "90,90,90,255"),
    ),
    "zones": (
        ("shoreland", "shoreland", "86,180,233,70", "30,110,160,255"),
        ("wetland", "wetland", "0,158,115,80", "0,100,70,255"),
        ("floodplain", "floodplain", "0,114,178,80", "0,70,120,255"),
    ),
    "areas": (
        ("municipality", "jurisdiction", "255,255,255,0", "122,59,143,255"),
        ("lakes", "lake or pond", "169,211,236,255", "47,125,176,255"),
        ("impervious", "impervious", "138,138,138,165", "120,120,120,255"),
        ("roads", "road", "200,200,200,160", "109,109,109,255"),
        ("streams", "stream", "169,211,236,255", "47,125,176,255"),
        ("channels", "ditch or channel", "169,211,236,160", "47,125,176,255"),
    ),
    "lines": (
        ("streams", "stream", "", "47,125,176,255"),
        ("channels", "ditch or channel", "", "47,125,176,160"),
        ("roads", "road", "", "109,109,109,255"),
        ("lakes", "shore", "", "47,125,176,255"),
        ("impervious", "impervious edge", "", "120,120,120,255"),
        ("municipality", "jurisdiction", "", "122,59,143,255"),
    ),
}
#: Columns whose few values are told in words in forms and tables: value -> words.
_VALUES = {
    "outcome": {value: label for value, label, *_ in LOOKS["sites"]},
    "member": {value: label for value, label, *_ in LOOKS["parcels"]},
}
#: What labels a layer, and the scale from which on.
_LABELS = {"sites": ('"site_id"', 25_000), "parcels": ('"parcel_id"', 5_000)}
_TIPS = {
    "sites": ("site_id", "plan", "disturbed_area_ft2"), "parcels": ("parcel_id", "status", "zones_member"), "zones": ("role", "id", "source", "date"),
    "areas": ("role", "id", "source", "date"), "lines": ("role", "id", "source", "date"),
}  # fmt: skip
_TABLE = """
CREATE TABLE layer_styles (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, f_table_catalog TEXT(256), f_table_schema TEXT(256),
  f_table_name TEXT(256), f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT, styleSLD TEXT,
  useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30),
  update_time DATETIME DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)
"""


def add_styles(path: Path, columns: dict[str, Sequence[str]]) -> None:
    """Register the styles in a GeoPackage, so that QGIS applies them when a layer is added.

    Parameters
    ----------
    path : Path
        The GeoPackage, its layers written.
    columns : dict of str to sequence of str
        Columns of each of its layers with geometry. Sites get one further style for each obligation.
    """
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(_TABLE)
            connection.execute(
                "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id) "
                "VALUES ('layer_styles', 'attributes', 'layer_styles', 'How QGIS shows the layers', 0)"
            )
            for table, names in columns.items():
                for title, expression in _styles(table, names):
                    connection.execute(
                        "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, "
                        "styleName, styleQML, styleSLD, useAsDefault, description, owner) "
                        "VALUES ('', '', ?, 'geom', ?, ?, '', ?, ?, '')",
                        (table, title[:30], _qml(table, names, expression), title == table, title),
                    )
    finally:
        connection.close()


def _styles(table: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Name and classifying expression of each style; the default has the table's name."""
    if table == "sites":
        outcomes = [name for name in names if column_of(table, name).meaning.startswith("Outcome")]
        return [(table, outcome_expression(outcomes)), *((name, _quoted(name)) for name in outcomes)]
    if table == "parcels":
        return [(table, _quoted("zones_member") if "zones_member" in names else "'not checked'")]
    return [(table, _quoted("role"))]


def outcome_expression(outcomes: Sequence[str]) -> str:
    r"""Return a QGIS expression for a site's one colour: required before undetermined, waived, not required.

    Examples
    --------
    >>> outcome_expression(["6.04_protective_area"])[:60]
    'CASE WHEN \'required\' IN ("6.04_protective_area") THEN \'requi'
    """
    if not outcomes:
        return "'not judged'"
    listed = ", ".join(_quoted(name) for name in outcomes)
    cases = " ".join(f"WHEN '{value}' IN ({listed}) THEN '{value}'" for value, *_ in LOOKS["sites"])
    return f"CASE {cases} END"


def _literal(name: str) -> str:
    """A column in a map tip, which is HTML: its text, never markup."""
    return f"[% replace(replace(coalesce({_quoted(name)}, ''), '&', '&amp;'), '<', '&lt;') %]"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _qml(table: str, names: Sequence[str], expression: str) -> str:
    root = ET.Element("qgis", version="3.28.0", styleCategories="Symbology|Labeling|Fields|Forms|MapTips")
    _styled(root, table, names, expression)
    return "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n" + ET.tostring(root, encoding="unicode")


def style_of(root: ET.Element, table: str, names: Sequence[str]) -> None:
    """Give an element of a QGIS project the default style of a layer: symbols, labels, aliases, values in words, form, map tip."""
    _styled(root, table, names, _styles(table, names)[0][1])


def _styled(root: ET.Element, table: str, names: Sequence[str], expression: str) -> None:
    root.set("labelsEnabled", "1" if table in _LABELS else "0")
    renderer = ET.SubElement(
        root,
        "renderer-v2",
        type="categorizedSymbol",
        attr=expression,
        enableorderby="0",
        forceraster="0",
        symbollevels="0",
    )
    categories, symbols = ET.SubElement(renderer, "categories"), ET.SubElement(renderer, "symbols")
    for place, (value, label, fill, outline) in enumerate(LOOKS[table]):
        ET.SubElement(categories, "category", type="string", value=value, label=label, symbol=str(place), render="true")
        _symbol(symbols, str(place), fill, outline)
    if table in _LABELS:
        _labels(root, *_LABELS[table])
    configuration = ET.SubElement(root, "fieldConfiguration")
    for name in names:
        _field(configuration, table, name)
    aliases = ET.SubElement(root, "aliases")
    for place, name in enumerate(names, start=1):
        ET.SubElement(aliases, "alias", field=name, index=str(place), name=name.replace("_", " "))
    ET.SubElement(root, "editorlayout").text = "tablayout"
    _form(ET.SubElement(root, "attributeEditorForm"), table, names)
    tip = "<br>".join(_literal(name) for name in _TIPS[table] if name in names)
    ET.SubElement(root, "mapTip", enabled="1").text = tip


def _field(configuration: ET.Element, table: str, name: str) -> None:
    """How a column is shown: a few values in words, all else as text."""
    outcome = table == "sites" and column_of(table, name).meaning.startswith("Outcome")
    words = _VALUES["outcome"] if outcome else _VALUES["member"] if name.endswith("_member") else None
    field = ET.SubElement(configuration, "field", name=name, configurationFlags="None")
    widget = ET.SubElement(field, "editWidget", type="TextEdit" if words is None else "ValueMap")
    options = ET.SubElement(ET.SubElement(widget, "config"), "Option", type="Map")
    if words is not None:
        listed = ET.SubElement(options, "Option", type="List", name="map")
        for value, label in words.items():
            ET.SubElement(
                ET.SubElement(listed, "Option", type="Map"), "Option", type="QString", name=label, value=value
            )


def _form(form: ET.Element, table: str, names: Sequence[str]) -> None:
    """Columns in the form by what they tell: of a parcel each zone, of a site each ordinance, apart."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for place, name in enumerate(names, start=1):
        chapter, _, rest = name.partition("_")
        zone = next(
            (
                zone
                for zone in ("shoreland", "wetland", "floodplain", "zones", "impervious")
                if name.startswith(f"{zone}_")
            ),
            "",
        )
        own = (
            zone
            if table == "parcels"
            else chapter
            if rest and column_of(table, name).meaning.startswith("Outcome")
            else ""
        )
        groups.setdefault(own or table, []).append((place, name))
    for title, fields in groups.items():
        box = ET.SubElement(
            form,
            "attributeEditorContainer",
            name=title,
            columnCount="1",
            groupBox="1",
            showLabel="1",
            visibilityExpressionEnabled="0",
            visibilityExpression="",
        )
        for place, name in fields:
            ET.SubElement(box, "attributeEditorField", name=name, index=str(place), showLabel="1")


def _symbol(symbols: ET.Element, name: str, fill: str, outline: str) -> None:
    if not fill:
        line = ET.SubElement(symbols, "symbol", type="line", name=name, alpha="1", clip_to_extent="1", force_rhr="0")
        layer = ET.SubElement(line, "layer", {"class": "SimpleLine", "enabled": "1", "locked": "0", "pass": "0"})
        options = ET.SubElement(layer, "Option", type="Map")
        for key, value in (
            ("line_color", outline),
            ("line_style", "solid"),
            ("line_width", "0.6"),
            ("line_width_unit", "MM"),
        ):
            ET.SubElement(options, "Option", type="QString", name=key, value=value)
        return
    symbol = ET.SubElement(symbols, "symbol", type="fill", name=name, alpha="1", clip_to_extent="1", force_rhr="0")
    layer = ET.SubElement(symbol, "layer", {"class": "SimpleFill", "enabled": "1", "locked": "0", "pass": "0"})
    options = ET.SubElement(layer, "Option", type="Map")
    for key, value in (
        ("color", fill), ("style", "solid"), ("outline_color", outline), ("outline_style", "solid"),
        ("outline_width", "0.4"), ("outline_width_unit", "MM"), ("joinstyle", "round"),
    ):  # fmt: skip
        ET.SubElement(options, "Option", type="QString", name=key, value=value)


def _labels(root: ET.Element, expression: str, scale: int) -> None:
    settings = ET.SubElement(ET.SubElement(root, "labeling", type="simple"), "settings", calloutType="simple")
    style = ET.SubElement(
        settings, "text-style", fieldName=expression, isExpression="1", fontSize="8", fontFamily="Sans Serif",
        textColor="40,40,40,255", fontSizeUnit="Point",
    )  # fmt: skip
    ET.SubElement(
        style, "text-buffer", bufferDraw="1", bufferSize="0.8", bufferSizeUnits="MM", bufferColor="255,255,255,255"
    )
    ET.SubElement(settings, "placement", placement="1", priority="5")
    # Seen when the map is at 1 : scale or nearer; QGIS calls that end of the range scaleMax.
    ET.SubElement(settings, "rendering", scaleVisibility="1", scaleMin="0", scaleMax=str(scale))
