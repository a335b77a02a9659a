"""What an engine has to see of the ground, so that readings mean the same in every engine."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from geocheck.engines.working.grids import Field
from geocheck.engines.working.overlay import Failures
from geocheck.engines.working.setting import Setting
from geocheck.engines.working.surroundings import Surroundings
from geocheck.engines.working.zonal import Sums
from geocheck.measures.language import Divided, Layer, Member, Region

__all__ = ["Sight"]


class Sight(Protocol):
    """The ground as one engine sees it, for all subjects of a setting; every array has one entry a subject."""

    setting: Setting
    failures: Failures

    def areas(self, region: Region) -> tuple[np.ndarray, np.ndarray]:
        """Return the area of a region in square units, noise set to 0, and where that was done."""
        ...

    def shapes(self, region: Region) -> np.ndarray:
        """Return the ground of a region, as polygons."""
        ...

    def members(self, member: Member) -> tuple[np.ndarray, np.ndarray]:
        """Return memberships as lines and accuracies give them, and as a doubtful datum leaves them."""
        ...

    def near(self, regions: tuple[Region, ...], margin: float) -> np.ndarray:
        """Return the rows of subjects that are neither clear of every line of the regions' layers nor deep within."""
        ...

    def around(self, regions: tuple[Region, ...], rows: np.ndarray, margin: float) -> Surroundings:
        """Return what lies around some subjects, right up to a distance of the margin from them."""
        ...

    def length_within(self, leaf: Layer, shapes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the length of a leaf's lines within shapes, coincident lines counted once."""
        ...

    def count_within(self, leaf: Layer, shapes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return how many records of a leaf have ground in shapes, more than noise."""
        ...

    def sums(self, field: Field, shapes: np.ndarray) -> Sums:
        """Return what a raster field holds in shapes, given in the field's reference system."""
        ...

    def divided(self, reading: Divided) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return value, low and high of the parcels into which the most divided parent was divided."""
        ...
