"""Algorithm: one site's determination in words."""

from __future__ import annotations

from typing import Any

from qgis.core import (
    QgsProcessingAlgorithm,
    QgsProcessingOutputString,
    QgsProcessingParameterFile,
    QgsProcessingParameterString,
)

from .calling import call

__all__ = ["ExplainSite"]


class ExplainSite(QgsProcessingAlgorithm):
    """Tell why a site came out as it did."""

    def createInstance(self) -> ExplainSite:  # noqa: N802
        """Return a new one."""
        return ExplainSite()

    def name(self) -> str:
        """Return its name in commands."""
        return "explain"

    def displayName(self) -> str:  # noqa: N802
        """Return its name in the toolbox."""
        return "Explain a site"

    def shortHelpString(self) -> str:  # noqa: N802
        """Return what it does."""
        return "Tells the determination of one site in words: the answer first, then why. Reads the outputs of the last run; nothing is measured again."

    def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802
        """Declare what it takes and gives."""
        self.addParameter(QgsProcessingParameterString("SITE", "Site"))
        self.addParameter(
            QgsProcessingParameterFile("FOLDER", "Folder of the outputs", behavior=QgsProcessingParameterFile.Folder)
        )
        self.addParameter(
            QgsProcessingParameterString("WHAT_IF", "What if, such as disturbed_area=3_900ft2", optional=True)
        )
        self.addOutput(QgsProcessingOutputString("EXPLANATION", "In words"))

    def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> dict[str, Any]:  # noqa: N802
        """Run it."""
        site = self.parameterAsString(parameters, "SITE", context)
        words = ["explain", "-o", self.parameterAsFile(parameters, "FOLDER", context)]
        change = self.parameterAsString(parameters, "WHAT_IF", context)
        return {"EXPLANATION": call([*words, *(["--what-if", change] if change else []), "--", site], feedback)}
