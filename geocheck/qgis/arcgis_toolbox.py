"""geocheck in ArcGIS Pro: a Python toolbox whose tools inspect, run and explain by calling the installed command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import arcpy

#: The words that start geocheck; written here when the toolbox is made.
COMMAND: list[str] = json.loads("""@COMMAND@""")

#: What ArcGIS sets for its own Python and libraries, and what would mislead another.
_OF_ARCGIS = ("PYTHONHOME", "PYTHONPATH", "GDAL_DATA", "GDAL_DRIVER_PATH", "PROJ_LIB", "PROJ_DATA")

_ROLES = (
    "disturbance",
    "parcels",
    "shoreland",
    "wetland",
    "floodplain",
    "lakes",
    "streams",
    "channels",
    "impervious",
    "municipality",
)
_IDS = {"disturbance": "--site-id", "parcels": "--parcel-id"}


def _call(words: list[str]) -> None:
    """Run geocheck, telling what it says; an error of its ends the tool."""
    told = os.environ.get("GEOCHECK_COMMAND")
    environment = {key: value for key, value in os.environ.items() if key not in _OF_ARCGIS}
    environment |= {"PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    hidden: dict[str, Any] = {"creationflags": 0x08000000} if os.name == "nt" else {}
    done = subprocess.run(
        [*([told] if told else COMMAND), *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
        **hidden,
    )
    for line in (done.stdout + done.stderr).splitlines():
        arcpy.AddMessage(line)
    if done.returncode:
        arcpy.AddError(done.stderr.strip() or f"geocheck ended with {done.returncode}")
        raise arcpy.ExecuteError


def _parameter(name: str, shown: str, sort: str, *, required: bool = False, output: bool = False) -> Any:
    return arcpy.Parameter(
        name=name, displayName=shown, datatype=sort, parameterType="Required" if required else "Optional",
        direction="Output" if output else "Input",
    )  # fmt: skip


def _path(parameter: Any) -> tuple[str, str]:
    """A layer's file, and its name within a file of several."""
    source = Path(arcpy.Describe(parameter.valueAsText).catalogPath)
    inside = source.parent.suffix.lower() in (".gdb", ".gpkg")
    return (str(source.parent), source.name.removeprefix("main.")) if inside else (str(source), "")


class Toolbox:
    """The tools, as ArcGIS Pro asks for them."""

    def __init__(self) -> None:
        self.label = "geocheck"
        self.alias = "geocheck"
        self.tools = [InspectLayer, RunDetermination, ExplainSite]


class InspectLayer:
    """What a layer holds, what is wrong with it, and what would be repaired."""

    def __init__(self) -> None:
        self.label = "Inspect a layer"
        self.description = (
            "Shows fields, reference system, unit, extent, faults, and what would be repaired. Nothing is changed."
        )

    def getParameterInfo(self) -> list[Any]:  # noqa: N802
        """Declare what it takes."""
        return [_parameter("source", "Layer", "GPFeatureLayer", required=True)]

    def execute(self, parameters: list[Any], messages: Any) -> None:
        """Run it."""
        path, layer = _path(parameters[0])
        _call(["inspect", path, *(["--layer", layer] if layer else [])])


class RunDetermination:
    """Measure and judge, from a project file or from layers of the map."""

    def __init__(self) -> None:
        self.label = "Run a determination"
        self.description = (
            "Measures sites and parcels and judges them by ordinances; a layer that is left out is not checked."
        )

    def getParameterInfo(self) -> list[Any]:  # noqa: N802
        """Declare what it takes and gives."""
        listed = [_parameter("project", "Project file (geocheck.yaml)", "DEFile")]
        for role in _ROLES:
            listed.append(_parameter(role, role.capitalize(), "GPFeatureLayer"))
            if role in _IDS:
                field = _parameter(f"{role}_id", f"Identifier of {role}", "Field")
                field.parameterDependencies = [role]
                listed.append(field)
        ordinances = _parameter("ordinances", "Ordinances, separated by commas", "GPString")
        ordinances.value = "us/wi/washington-county-village/87-5"
        listed += [ordinances, _parameter("folder", "Folder for the outputs", "DEFolder", required=True, output=True)]
        return listed

    def execute(self, parameters: list[Any], messages: Any) -> None:
        """Run it, and add the sites to the map."""
        given = {parameter.name: parameter for parameter in parameters}
        folder = given["folder"].valueAsText
        words = ["run", "-o", folder, "--overwrite"]
        if given["project"].valueAsText:
            words.append(given["project"].valueAsText)
        else:
            for role in _ROLES:
                if given[role].valueAsText:
                    path, layer = _path(given[role])
                    words += [f"--{role}", path, *(["--layer", f"{role}={layer}"] if layer else [])]
                    field = given[f"{role}_id"].valueAsText if role in _IDS else None
                    words += [_IDS[role], field] if field else []
            names = (given["ordinances"].valueAsText or "").split(",")
            words += [word for name in names if name.strip() for word in ("--ordinance", name.strip())]
        _call(words)
        shown = arcpy.mp.ArcGISProject("CURRENT").activeMap
        if shown is not None:
            for table in ("zones", "parcels", "sites"):
                shown.addDataFromPath(str(Path(folder) / "geocheck.gpkg" / f"main.{table}"))


class ExplainSite:
    """One site's determination in words."""

    def __init__(self) -> None:
        self.label = "Explain a site"
        self.description = "Tells the determination of one site in words: the answer first, then why."

    def getParameterInfo(self) -> list[Any]:  # noqa: N802
        """Declare what it takes."""
        return [
            _parameter("site", "Site", "GPString", required=True),
            _parameter("folder", "Folder of the outputs", "DEFolder", required=True),
        ]

    def execute(self, parameters: list[Any], messages: Any) -> None:
        """Run it."""
        _call(["explain", "-o", parameters[1].valueAsText, "--", parameters[0].valueAsText])
