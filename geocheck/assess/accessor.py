"""The accessor ``.geocheck`` on GeoDataFrames: there once a run was made, or geocheck.notebook imported."""

from __future__ import annotations

from typing import Any

import pandas as pd

from geocheck.assess import frames

__all__ = ["Measuring"]


@pd.api.extensions.register_dataframe_accessor("geocheck")
class Measuring:
    """Measures of a GeoDataFrame as geocheck takes them: on the ellipsoid, in US survey feet, each with its 95 % interval.

    Every method takes ``basis`` (auto, ellipsoidal, ground or grid), with ``measure_crs`` for grid, as a project file does, and the
    stated ``accuracy`` of a frame, such as ``"5 ft"``, which makes the interval. Both frames need a reference system; they need not
    be in the same one.

    Examples
    --------
    >>> import geopandas, geocheck.notebook
    >>> from shapely.geometry import box
    >>> sites = geopandas.GeoDataFrame(geometry=[box(0, 0, 100, 50), None], crs=8104, index=["S-1", "S-2"])
    >>> flood = geopandas.GeoDataFrame(geometry=[box(50, 0, 500, 500)], crs=8104)
    >>> sites.geocheck.overlap(flood)[["pct", "member"]].round(1)
          pct       member
    S-1  50.0       partly
    S-2   NaN  not checked
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def area(self, *, accuracy: str = "", **basis: Any) -> pd.DataFrame:
        """Return each row's area: ``area_ft2``, ``low_ft2``, ``high_ft2``, ``area_acre``.

        Raises
        ------
        GroundError
            If the frame has no geometry, no reference system, or geometries that cross themselves.
        """
        found: pd.DataFrame = frames.areas(self._frame, accuracy=accuracy, **basis)
        return found

    def overlap(self, other: Any, *, accuracy: str = "", other_accuracy: str = "", **basis: Any) -> pd.DataFrame:
        """Return how much of each row lies in the ground of another frame; ground under several of its shapes counts once.

        Returns
        -------
        DataFrame
            ``area_ft2``, ``overlap_ft2``, ``low_ft2``, ``high_ft2``, ``pct`` of the row's own area, ``member``: inside, partly,
            touching (the edges meet, or overlap by no more than the accuracy: not a member), outside, or not checked where a row has no ground.

        Raises
        ------
        GroundError
            As `area`.
        """
        found: pd.DataFrame = frames.overlaps(
            self._frame, other, accuracy=accuracy, other_accuracy=other_accuracy, **basis
        )
        return found

    def near(
        self, other: Any, distance: str, *, accuracy: str = "", other_accuracy: str = "", **basis: Any
    ) -> pd.DataFrame:
        """Return how much of each row lies within a distance of another frame, such as ``"300 ft"``; columns as `overlap`.

        Raises
        ------
        GroundError
            As `area`, or if the distance is no length.
        """
        found: pd.DataFrame = frames.overlaps(
            self._frame, other, within=distance, accuracy=accuracy, other_accuracy=other_accuracy, **basis
        )
        return found

    def length(self, lines: Any, *, accuracy: str = "", other_accuracy: str = "", **basis: Any) -> pd.DataFrame:
        """Return how many feet of another frame's lines lie in each row: ``length_ft``, ``low_ft``, ``high_ft``.

        Raises
        ------
        GroundError
            As `area`.
        """
        found: pd.DataFrame = frames.lengths(
            self._frame, lines, accuracy=accuracy, other_accuracy=other_accuracy, **basis
        )
        return found
