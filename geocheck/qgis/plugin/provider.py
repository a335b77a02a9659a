"""The provider: geocheck's algorithms among those of QGIS Processing."""

from __future__ import annotations

from pathlib import Path

from qgis.core import QgsApplication, QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .explain_site import ExplainSite
from .inspect_layer import InspectLayer
from .run_determination import RunDetermination

__all__ = ["Plugin", "Provider"]


class Provider(QgsProcessingProvider):
    """The algorithms of geocheck."""

    def loadAlgorithms(self) -> None:  # noqa: N802
        """Add them."""
        for algorithm in (InspectLayer(), RunDetermination(), ExplainSite()):
            self.addAlgorithm(algorithm)

    def id(self) -> str:
        """Return its name in commands."""
        return "geocheck"

    def name(self) -> str:
        """Return its name in the toolbox."""
        return "geocheck"

    def icon(self) -> QIcon:
        """Return its picture."""
        return QIcon(str(Path(__file__).with_name("icon.svg")))


class Plugin:
    """What QGIS loads: it adds the provider and takes it away."""

    def __init__(self) -> None:
        self.provider: Provider | None = None

    def initProcessing(self) -> None:  # noqa: N802
        """Add the provider, also where there is no window."""
        self.provider = Provider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self) -> None:  # noqa: N802
        """Add the provider in the desktop program."""
        self.initProcessing()

    def unload(self) -> None:
        """Take the provider away."""
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
