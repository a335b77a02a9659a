"""Which band of a raster is meant, and whether its numbers look like what its role means."""

from __future__ import annotations

from typing import Any

import numpy as np

from geocheck.model.ground import LayerSource
from geocheck.model.problem import Place, Problem, SourceError

__all__ = ["band_of", "doubts_of_numbers"]

#: Cells along a side of the sample that is looked at.
_SAMPLE = 512
#: Codes of the National Land Cover Database, Level II legend: none of them is a percentage.
_LAND_COVER = frozenset({11, 12, 21, 22, 23, 24, 31, 41, 42, 43, 51, 52, 71, 72, 73, 74, 81, 82, 90, 95})


def band_of(source: LayerSource, data: Any) -> int:
    """Return the number of the band to read, from 1: the only one, or the one that ``layer`` names.

    Parameters
    ----------
    source : LayerSource
        Its ``layer`` is a band's number or description.
    data : rasterio.DatasetReader
        The raster, open.

    Raises
    ------
    SourceError
        If there are several and none is named, none at all, or not the one named. A band of transparency is none.
    """
    from rasterio.enums import ColorInterp

    bands = {i: said or "" for i, kind, said in zip(data.indexes, data.colorinterp, data.descriptions, strict=True) if kind != ColorInterp.alpha}  # fmt: skip
    listed = ", ".join(f"{i} ({said})" if said else str(i) for i, said in bands.items())
    if source.layer:
        for number, said in bands.items():
            if source.layer in (str(number), said):
                return int(number)
        raise _refused(source, "no-such-band", f"there is no band {source.layer!r}", f"Its bands are {listed or 'none'}.")  # fmt: skip
    if len(bands) == 1:
        return int(next(iter(bands)))
    if not bands:
        inside = f"; it holds {', '.join(data.subdatasets[:6])}" if data.subdatasets else ""
        raise _refused(source, "no-band", f"the raster holds no band of numbers{inside}", "Name a raster with one.")
    raise _refused(source, "several-bands", f"the raster has {len(bands)} bands and none is named", f"Name one with `layer:`, by number or description: {listed}.")  # fmt: skip


def _refused(source: LayerSource, code: str, message: str, remedy: str) -> SourceError:
    problem = Problem(code, f"{source.role}: {message}", Place(source.source), remedy)
    return SourceError(problem.show(), (problem,))


def doubts_of_numbers(source: LayerSource, data: Any, band: int) -> tuple[str, ...]:
    """Return what is odd about a cover raster's numbers, as questions: percentages are meant, and other things look alike.

    A sample of the cells is looked at; shares are confirmed on all of them.
    """
    if source.role != "cover_raster" or source.classes:
        return ()
    size = (min(data.height, _SAMPLE), min(data.width, _SAMPLE))
    numbers = _scaled(data.read(band, out_shape=size, masked=True), data, band)
    known = np.unique(numbers[np.isfinite(numbers)])
    if len(known) and known.min() >= 0 and 0 < known.max() <= 1 and not _exceeds(data, band, 1.0):
        return ("its numbers run from 0 to 1, where percent from 0 to 100 are meant: are they shares, or 1 for covered (then state class: [1])?",)  # fmt: skip
    if len(known) > 1 and _LAND_COVER.issuperset(known.tolist()):
        return ("its numbers are codes of land cover, where percent from 0 to 100 are meant: which of them count as impervious (class: [22, 23, 24])?",)  # fmt: skip
    return ()


def _scaled(found: Any, data: Any, band: int) -> Any:
    numbers = np.where(np.ma.getmaskarray(found), np.nan, found.data.astype(float))
    return numbers * (data.scales[band - 1] or 1.0) + data.offsets[band - 1]


def _exceeds(data: Any, band: int, most: float) -> bool:
    for _, window in data.block_windows(band):
        numbers = _scaled(data.read(band, window=window, masked=True), data, band)
        if np.nanmax(numbers, initial=-np.inf) > most:
            return True
    return False
