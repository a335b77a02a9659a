"""Algorithm: what a file holds, what is wrong with it, and what would be repaired."""

from __future__ import annotations

from typing import Any

from qgis.core import (
    QgsProcessingAlgorithm,
    QgsProcessingOutputString,
    QgsProcessingParameterFile,
    QgsProcessingParameterString,
)

from .calling import call

__all__ = ["InspectLayer"]


class InspectLayer(QgsProcessingAlgorithm):
    """Look at a file as geocheck would read it."""

    def createInstance(self) -> InspectLayer:  # noqa: N802
        """Return a new one."""
        return InspectLayer()

    def name(self) -> str:
        """Return its name in commands."""
        return "inspect"

    def displayName(self) -> str:  # noqa: N802
        """Return its name in the toolbox."""
        return "Inspect a layer"

    def shortHelpString(self) -> str:  # noqa: N802
        """Return what it does."""
        return "Shows layers, fields, reference system, unit, extent, faults, and what would be repaired. Nothing is changed."

    def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802
        """Declare what it takes and gives."""
        self.addParameter(QgsProcessingParameterFile("SOURCE", "File (shapefile, GeoPackage, GeoJSON, …)"))
        self.addParameter(QgsProcessingParameterString("LAYER", "Layer, of a file with several", optional=True))
        self.addOutput(QgsProcessingOutputString("REPORT", "What it holds"))

    def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> dict[str, Any]:  # noqa: N802
        """Run it."""
        words = ["inspect", self.parameterAsFile(parameters, "SOURCE", context)]
        layer = self.parameterAsString(parameters, "LAYER", context)
        return {"REPORT": call([*words, *(["--layer", layer] if layer else [])], feedback)}
