"""geocheck measures land disturbance and judges it by erosion-control and stormwater ordinances."""

from __future__ import annotations

import importlib
from typing import Any

#: Public name -> module that defines it. Imported when first used: `import geocheck` loads no GIS library.
_PUBLIC: dict[str, str] = {
    "GeocheckError": "geocheck.model.problem",
    "judge": "geocheck.rules.asking",
    "load_ordinance": "geocheck.rules.read",
    "open_project": "geocheck.project",
    "run": "geocheck.assess",
    "update": "geocheck.assess.nightly",
}

__all__ = ["GeocheckError", "__version__", "judge", "load_ordinance", "open_project", "run", "update"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        value = getattr(importlib.import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'geocheck' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
