"""How ground is measured: a shelf, one file an engine, each defining ENGINE."""

from geocheck.model.shelf import Shelf

__all__ = ["ENGINES"]

ENGINES = Shelf("geocheck.engines", "ENGINE", beside=("working",))
