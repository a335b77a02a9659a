"""A site's map as a PNG, for documents that take no SVG."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from geocheck.reports.page.drawing import Windows
from geocheck.reports.page.site_map import LEGEND, LINES, Drawing

if TYPE_CHECKING:
    from PIL import ImageDraw

__all__ = ["picture_of"]

#: role -> fill with its opacity, and line with its width.
_LOOKS: dict[str, tuple[tuple[int, int, int, int] | None, tuple[int, int, int], int]] = {
    "shoreland": ((86, 180, 233, 45), (59, 126, 168), 2), "floodplain": ((0, 114, 178, 60), (10, 95, 150), 2),
    "wetland": ((0, 158, 115, 60), (0, 114, 79), 2), "lakes": ((169, 211, 236, 255), (47, 125, 176), 2),
    "streams": (None, (47, 125, 176), 5), "channels": (None, (47, 125, 176), 3), "impervious": ((138, 138, 138, 165), (138, 138, 138), 1),
    "roads": (None, (109, 109, 109), 4), "parcels": (None, (119, 119, 119), 2), "municipality": (None, (122, 59, 143), 5),
    "others": (None, (179, 71, 0), 2), "site": ((213, 94, 0, 75), (163, 71, 0), 6),
}  # fmt: skip
_INK = {"of-site": (0, 0, 0), "of-parcel": (70, 70, 70), "of-other": (138, 59, 0)}
_STEP = re.compile(r"([MLHVZ])([-\d,]*)")


def picture_of(drawing: Drawing) -> bytes:
    """Return the map as a PNG, its legend below it."""
    from PIL import Image, ImageDraw, ImageFont

    wide, high = Windows.wide, Windows.high
    image = Image.new("RGB", (wide, high + 40 + 40 * ((len(drawing.shown) - 1) // 5 + 1)), "white")
    for role, path in drawing.paths:
        fill, line, width = _LOOKS[role]
        layer = Image.new("RGBA", (wide, high), (0, 0, 0, 0))
        _drawn(ImageDraw.Draw(layer), path, fill, line, width)
        image.paste(layer, (0, 0), layer)
    pen = ImageDraw.Draw(image)
    for kind, x, y, size, text in drawing.labels:
        font = ImageFont.load_default(size)
        pen.text((x, y - size * 0.35), text, _INK[kind], font, anchor="mm", stroke_width=4, stroke_fill="white")
    right, words = drawing.scale
    pen.line([(40, high - 48), (40, high - 34), (right, high - 34), (right, high - 48)], (0, 0, 0), 4)
    pen.text(
        (40, high - 56), words, (0, 0, 0), ImageFont.load_default(26), anchor="lb", stroke_width=4, stroke_fill="white"
    )
    x = wide - 45
    pen.polygon([(x, 30), (x + 18, 82), (x, 70), (x - 18, 82)], (0, 0, 0))
    pen.text((x, 112), "N", (0, 0, 0), ImageFont.load_default(28), anchor="mb")
    pen.rectangle([(0, 0), (wide - 1, high - 1)], outline=(120, 120, 120))
    for place, role in enumerate(drawing.shown):
        _key(pen, role, 10 + 238 * (place % 5), high + 20 + 40 * (place // 5), ImageFont.load_default(24))
    held = io.BytesIO()
    image.save(held, "PNG", optimize=True)
    return held.getvalue()


def _drawn(pen: ImageDraw.ImageDraw, path: str, fill: Any, line: Any, width: int) -> None:
    """Draw a path as SVG fills it: a ring turns once around what it holds, a hole back; ground under several polygons is full."""
    from PIL import Image, ImageDraw

    rings = list(_rings(path))
    if fill is not None:
        size = pen.im.size
        turns = np.zeros((size[1], size[0]), dtype=np.int32)
        for ring in rings:
            if len(ring) > 2:
                one = Image.new("1", size)
                ImageDraw.Draw(one).polygon(ring, fill=1)
                turns += np.where(np.asarray(one), _turn(ring), 0)
        pen.bitmap((0, 0), Image.fromarray(turns != 0), fill=fill)
    for ring in rings:
        pen.line(ring, fill=(*line, 255), width=width, joint="curve")


def _turn(ring: list[tuple[float, float]]) -> int:
    x, y = np.array(ring).T
    return 1 if np.dot(x, np.roll(y, -1)) > np.dot(np.roll(x, -1), y) else -1


def _rings(path: str) -> Any:
    points: list[tuple[float, float]] = []
    x = y = 0.0
    for step, numbers in _STEP.findall(path):
        if step == "Z":
            points.append(points[0])
            continue
        told = [float(number) for number in numbers.split(",")]
        if step == "M" and points:
            yield points
            points = []
        x, y = (told[0], y) if step == "H" else (x, told[0]) if step == "V" else (told[0], told[1])
        points.append((x, y))
    if points:
        yield points


def _key(pen: ImageDraw.ImageDraw, role: str, x: int, y: int, font: Any) -> None:
    fill, line, width = _LOOKS[role]
    if role in LINES:
        pen.line([(x, y + 24), (x + 50, y + 4)], line, width)
    else:
        paled = None if fill is None else tuple(round(255 - (255 - c) * fill[3] / 255) for c in fill[:3])
        pen.rectangle([(x, y), (x + 50, y + 28)], fill=paled, outline=line, width=min(width, 4))
    pen.text((x + 60, y + 14), LEGEND[role], (0, 0, 0), font, anchor="lm")
