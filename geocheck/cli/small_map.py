"""A layer as a small map: in the terminal by dots of Braille, or as a PNG."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from geocheck.model.problem import OutputError

__all__ = ["dots", "png", "shapes_of"]

#: Dots of a Braille letter by row and column, as bits.
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def shapes_of(path: Path, layer: str, role: str, *, alone: bool) -> Any:
    """Return the sound geometry of a layer as a run would read it."""
    from geocheck.model.ground import LayerSource
    from geocheck.sources.read import read_layer

    frame = read_layer(LayerSource(role or "streams", str(path), layer="" if alone else layer)).frame
    return frame.geometry[frame.geometry.notna()].to_numpy()


def dots(shapes: Any, columns: int = 60, rows: int = 18) -> list[str]:
    """Return the outlines of shapes as lines of text, in proportion, blank where there is nothing.

    Examples
    --------
    >>> import shapely
    >>> print(*dots(np.array([shapely.box(0, 0, 10, 10)]), columns=4, rows=2), sep="|")
    ⡏⠉⠉⢹|⣇⣀⣀⣸
    """
    places, starts = _places(shapes, columns * 2, rows * 4)
    if places is None:
        return []
    wide, high = (int(places[:, axis].max()) + 1 for axis in (0, 1))
    seen = np.zeros((-(-high // 4) * 4, -(-wide // 2) * 2), dtype=bool)
    for x, y in _stretches(places, starts):
        seen[y, x] = True
    cells = seen.reshape(seen.shape[0] // 4, 4, seen.shape[1] // 2, 2)
    letters = (cells * _BITS[None, :, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + bits) if bits else " " for bits in line).rstrip() for line in letters.tolist()]


def png(shapes: Any, width: int = 900, height: int = 700) -> bytes:
    """Return the outlines of shapes as a PNG.

    Raises
    ------
    OutputError
        If Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise OutputError("a PNG needs Pillow; install it with: pip install 'geocheck[report]'") from error
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    places, starts = _places(shapes, width - 20, height - 20)
    if places is not None:
        for first, last in zip(starts, [*starts[1:], len(places)], strict=True):
            line = [(x + 10, y + 10) for x, y in places[first:last].tolist()]
            pen.line(line if len(line) > 1 else line * 2, fill=(11, 83, 148), width=2, joint="curve")
    held = io.BytesIO()
    image.save(held, "PNG", optimize=True)
    return held.getvalue()


def _places(shapes: Any, wide: int, high: int) -> tuple[Any, list[int]]:
    """Vertices as whole numbers of a picture, y downwards, and where each line begins; None where there is nothing."""
    import shapely

    parts = shapely.get_parts(shapely.force_2d(np.asarray(shapes, dtype=object)))
    areal = shapely.get_dimensions(parts) == 2
    lines = np.concatenate((shapely.get_rings(parts[areal]), parts[~areal]))
    ground, index = shapely.get_coordinates(lines, return_index=True)
    if not len(ground):
        return None, []
    low, high_ = ground.min(axis=0), ground.max(axis=0)
    across, up = np.maximum(high_ - low, 1e-9)
    scale = min((wide - 1) / across, (high - 1) / up)
    places = np.rint(np.column_stack(((ground[:, 0] - low[0]) * scale, (high_[1] - ground[:, 1]) * scale))).astype(int)
    return places, np.flatnonzero(np.diff(index, prepend=-1)).tolist()


def _stretches(places: Any, starts: list[int]) -> Any:
    """Dots along each line, a stretch at a time; what does not leave its dot is one dot."""
    first = np.zeros(len(places), dtype=bool)
    first[starts] = True
    moved = first.copy()
    moved[1:] |= (places[1:] != places[:-1]).any(axis=1)
    places, first = places[moved], first[moved]
    for here, there, new in zip(places[:-1], places[1:], first[1:], strict=True):
        steps = 1 if new else int(np.abs(there - here).max()) + 1
        yield np.rint(np.linspace(here, here if new else there, steps)).astype(int).T
    yield places[-1]
