"""What can be measured: a shelf, one file a measure, each defining MEASURE over the language of regions and readings."""

from geocheck.model.shelf import Shelf

__all__ = ["MEASURES"]

MEASURES = Shelf("geocheck.measures", "MEASURE", beside=("language",))
