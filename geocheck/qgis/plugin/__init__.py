"""geocheck in QGIS: a provider of Processing algorithms that call the installed command."""

from __future__ import annotations

from typing import Any


def classFactory(iface: Any) -> Any:  # noqa: N802
    """Return the plugin, as QGIS asks for it."""
    from .provider import Plugin

    return Plugin()
