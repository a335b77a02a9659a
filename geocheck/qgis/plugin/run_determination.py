"""Algorithm: measure and judge, from a project file or from layers of the map; the results load styled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingOutputFile,
    QgsProcessingParameterField,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterString,
    QgsProcessingParameterVectorLayer,
    QgsVectorLayer,
)

from .calling import call

__all__ = ["RunDetermination"]

#: Roles that may be layers of the map, and the option of the field that identifies their records.
ROLES = {
    "disturbance": "--site-id", "parcels": "--parcel-id", "shoreland": "", "wetland": "", "floodplain": "", "lakes": "", "streams": "",
    "channels": "", "impervious": "", "municipality": "",
}  # fmt: skip

#: Layers of the result, from bottom to top.
RESULTS = ("zones", "parcels", "sites")


class RunDetermination(QgsProcessingAlgorithm):
    """Measure land disturbance and judge it by ordinances."""

    def createInstance(self) -> RunDetermination:  # noqa: N802
        """Return a new one."""
        return RunDetermination()

    def name(self) -> str:
        """Return its name in commands."""
        return "run"

    def displayName(self) -> str:  # noqa: N802
        """Return its name in the toolbox."""
        return "Run a determination"

    def shortHelpString(self) -> str:  # noqa: N802
        """Return what it does."""
        return (
            "Measures sites and parcels and judges them by ordinances, from a project file (geocheck.yaml) or from layers of the map. "
            "Writes tables, a GeoPackage, a report and more to a folder, and loads sites, parcels and zones with their styles. "
            "A layer that is left out is not checked; it never counts as outside."
        )

    def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802
        """Declare what it takes and gives."""
        self.addParameter(
            QgsProcessingParameterFile("PROJECT", "Project file (geocheck.yaml)", extension="yaml", optional=True)
        )
        for role, option in ROLES.items():
            name = role.upper()
            sort = [QgsProcessing.TypeVectorAnyGeometry]
            self.addParameter(QgsProcessingParameterVectorLayer(name, role.capitalize(), sort, optional=True))
            if option:
                field = QgsProcessingParameterField(
                    f"{name}_ID", f"Identifier of {role}", parentLayerParameterName=name, optional=True
                )
                self.addParameter(field)
        ordinance = QgsProcessingParameterString(
            "ORDINANCES",
            "Ordinances, separated by commas",
            defaultValue="us/wi/washington-county-village/87-5",
            optional=True,
        )
        self.addParameter(ordinance)
        self.addParameter(QgsProcessingParameterFile("STATEMENTS", "Statements (CSV)", extension="csv", optional=True))
        self.addParameter(QgsProcessingParameterFolderDestination("FOLDER", "Folder for the outputs"))
        self.addOutput(QgsProcessingOutputFile("REPORT", "Report"))
        self.addOutput(QgsProcessingOutputFile("GEOPACKAGE", "GeoPackage"))

    def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> dict[str, Any]:  # noqa: N802
        """Run it."""
        folder = self.parameterAsString(parameters, "FOLDER", context)
        words = ["run", "-o", folder, "--overwrite"]
        project = self.parameterAsFile(parameters, "PROJECT", context)
        if project:
            words.append(project)
        else:
            words += self._layers(parameters, context, feedback)
            named = self.parameterAsString(parameters, "ORDINANCES", context).split(",")
            words += [word for name in named if name.strip() for word in ("--ordinance", name.strip())]
        statements = self.parameterAsFile(parameters, "STATEMENTS", context)
        if statements:
            words += ["--statements", statements]
        call(words, feedback)
        self._show(Path(folder) / "geocheck.gpkg", context)
        return {
            "FOLDER": folder,
            "REPORT": str(Path(folder) / "report.html"),
            "GEOPACKAGE": str(Path(folder) / "geocheck.gpkg"),
        }

    def _layers(self, parameters: Any, context: Any, feedback: Any) -> list[str]:
        """Options for the layers given; what is no file of its own is written to one first."""
        words: list[str] = []
        for role, option in ROLES.items():
            name = role.upper()
            if parameters.get(name) in (None, ""):
                continue
            path, layer = self.parameterAsCompatibleSourceLayerPathAndLayerName(
                parameters, name, context, ["shp", "gpkg", "geojson", "gdb"], "gpkg", feedback
            )
            words += [f"--{role}", path]
            if layer and path.lower().endswith((".gpkg", ".gdb")):
                words += ["--layer", f"{role}={layer}"]
            field = self.parameterAsString(parameters, f"{name}_ID", context) if option else ""
            if field:
                words += [option, field]
        return words

    def _show(self, path: Path, context: Any) -> None:
        """Load the results; their styles are in the GeoPackage."""
        for table in RESULTS:
            layer = QgsVectorLayer(f"{path}|layername={table}", table, "ogr")
            if layer.isValid() and layer.featureCount():
                context.temporaryLayerStore().addMapLayer(layer)
                context.addLayerToLoadOnCompletion(
                    layer.id(), QgsProcessingContext.LayerDetails(f"geocheck {table}", context.project(), table)
                )
