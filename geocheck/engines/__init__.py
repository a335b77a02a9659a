"""How ground is measured: a shelf, one file an engine, each defining ENGINE."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from geocheck.model.problem import EngineError
from geocheck.model.shelf import Shelf

if TYPE_CHECKING:
    from geocheck.measures.language import Engine

__all__ = ["AUTO", "ENGINES", "choose"]

ENGINES = Shelf("geocheck.engines", "ENGINE", beside=("working",))

#: Name that leaves the choice to `choose`.
AUTO = "auto"

#: Sites or parcels from which compiled loops save more time than they take to load.
MANY = 5000


def choose(name: str, subjects: int) -> Engine:
    """Return the engine of a name; for ``auto`` the fast one where it is installed and there is much to measure.

    Parameters
    ----------
    name : str
        ``auto`` or a name on the shelf.
    subjects : int
        How many sites or parcels there are.

    Raises
    ------
    EngineError
        If there is no such engine.
    """
    if name == AUTO:
        name = "edges" if subjects >= MANY and importlib.util.find_spec("numba") is not None else "local"
    if name not in ENGINES.names():
        raise EngineError(f"no engine is called {name!r}; there are {', '.join([AUTO, *ENGINES.names()])}")
    engine: Engine = ENGINES.load(name)
    return engine
