"""Layers made from others: shoreland by distance from water, and the protective areas of waters by their class.

No public layer states navigability, the ordinary high-water mark or the top of a channel: distances are taken from the
mapped water's edge, and that is said.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.model.ground import Ground, Layer, LayerSource
from geocheck.model.problem import GroundError, Place, Problem, UnitError
from geocheck.model.quantity import Quantity, parse_quantity

__all__ = ["GENERAL_WIDTH", "PROTECTIVE_AREA", "derive_layers", "width_of"]

PROTECTIVE_AREA = "protective_area"
#: Chords a quarter circle: the area of a buffer is then right within 0.04 %.
QUARTER_CHORDS = 32
#: Widths of protective areas in feet by words of a class, NR 151.125(1); the first that fits counts.
_WIDTHS: tuple[tuple[str, float | None], ...] = (
    (r"\bpiped?\b|\bculvert", 0.0),
    (r"\bless[ -]susceptible|\bdegraded|reed canary|cultivated hydric", None),
    (r"\boutstanding\b|\bexceptional\b|\b[oe]rw\b", 75.0),
    (r"highly[ -]susceptible|\bfen\b|sedge meadow|\bbog\b|low prairie|conifer swamp|hardwood swamp|ephemeral pond", 75.0),
    (r"concentrated flow|drainage channel", 10.0),
    (r"perennial|intermittent|stream|river|creek|lake|pond|flowage|reservoir|wetland|marsh|swamp|meadow|water", 50.0),
)  # fmt: skip
#: Streams on the maps, lakes, and wetlands that are neither highly nor less susceptible.
GENERAL_WIDTH = 50.0
_LESS_SUSCEPTIBLE = (10.0, 30.0)
_WATERS = ("lakes", "streams", "wetland")


def derive_layers(
    ground: Ground, sources: Mapping[str, LayerSource] | None = None, *, protective_area: bool = True
) -> Ground:
    """Add the layers that are derived from others.

    Parameters
    ----------
    ground : Ground
        Layers in the run's system.
    sources : mapping of str to LayerSource, optional
        The project's layers; those with ``derive`` are made: ``{near: {lakes: 1000 ft, streams: 300 ft}, or: floodplain
        of streams}``.
    protective_area : bool
        Whether the protective areas are wanted: they are made where lakes, streams or wetland are there.

    Raises
    ------
    GroundError
        If a layer to derive from is not there, or a rule cannot be read: a missing layer is never a "no".
    """
    layers = dict(ground.layers)
    for role, source in (sources or {}).items():
        if source.derive:
            layers[role] = _derived(role, source, ground)
    waters = [role for role in _WATERS if role in layers and layers[role].frame is not None]
    if protective_area and waters and PROTECTIVE_AREA not in layers:
        layers[PROTECTIVE_AREA] = _protective(waters, ground)
    return dataclasses.replace(ground, layers=layers)


def _refuse(role: str, message: str, remedy: str) -> GroundError:
    problem = Problem("derive", message, Place(layer=role), remedy)
    return GroundError(problem.show(), (problem,))


def _derived(role: str, source: LayerSource, ground: Ground) -> Layer:
    rule = dict(source.derive or {})
    near, beyond = rule.pop("near", {}), str(rule.pop("or", "") or "")
    if rule or not isinstance(near, Mapping) or not (near or beyond):
        raise _refuse(role, f"the rule {source.derive!r} is not understood", "Write derive: {near: {lakes: 1000 ft, streams: 300 ft}, or: floodplain of streams}.")  # fmt: skip
    pieces: list[Any] = []
    ids: list[Any] = []
    used: list[tuple[str, float]] = []
    for water, text in near.items():
        layer = _needed(role, str(water), ground)
        feet = _feet(role, str(text), ground)
        shapes = _shapes(layer)
        pieces.append(shapely.buffer(shapes, feet / ground.feet, quad_segs=QUARTER_CHORDS))
        ids += [f"{water} {i or n + 1}" for n, i in enumerate(_ids(layer))]
        used.append((str(water), feet))
    if beyond:
        match = re.fullmatch(r"\s*(\w+) of (\w+)\s*", beyond)
        if match is None:
            raise _refuse(role, f"the rule `or: {beyond}` is not understood", "Write or: floodplain of streams.")
        zone, water = _needed(role, match[1], ground), _needed(role, match[2], ground)
        shapes = _shapes(zone)
        rows = np.unique(shapely.STRtree(shapes).query(_shapes(water), predicate="intersects")[1])
        pieces.append(shapes[rows])
        names = _ids(zone)
        ids += [f"{match[1]} {names[r] or r + 1}" for r in rows.tolist()]
        used += [(match[1], 0.0), (match[2], 0.0)]
    note = (
        "derived: " + ", ".join(f"{feet:g} ft of {water}" for water, feet in used if feet)
        + (f", and each {beyond.split(' of ')[0]} polygon that meets {beyond.split(' of ')[1]}" if beyond else "")
        + "; distances from the mapped water, since no layer states navigability or the ordinary high-water mark"
    )  # fmt: skip
    return _layer(role, source, np.concatenate(pieces), ids, used, note, ground)


def _needed(role: str, water: str, ground: Ground) -> Layer:
    layer = ground.layers.get(water)
    if layer is None or layer.frame is None:
        raise _refuse(role, f"it is derived from {water}, which is not among the layers", f"Give {water} a source, or take it out of the rule; a missing layer is never a no.")  # fmt: skip
    return layer


def _feet(role: str, text: str, ground: Ground) -> float:
    try:
        quantity: Quantity = parse_quantity(text).value
    except UnitError as error:
        raise _refuse(role, f"{text!r} is no distance: {error}", "Write a length, such as 300 ft.") from error
    if quantity.dimension != "length" or quantity.value <= 0:
        raise _refuse(role, f"{text!r} is no distance", "Write a length, such as 300 ft.")
    return float(quantity.to("ft", ground.foot).value)


def _shapes(layer: Layer) -> Any:
    shapes = layer.frame.geometry.to_numpy()
    return shapes[~shapely.is_missing(shapes)]


def _ids(layer: Layer) -> list[Any]:
    frame = layer.frame
    return list(frame["id"].to_numpy(dtype=object)[frame.geometry.notna().to_numpy()])


def _layer(
    role: str,
    source: LayerSource,
    shapes: Any,
    ids: list[Any],
    used: list[tuple[str, float]],
    note: str,
    ground: Ground,
) -> Layer:
    import geopandas as gpd

    inputs = [ground.layers[water] for water, _ in used]
    shapes = np.asarray(shapes, dtype=object)
    kept = ~(shapely.is_missing(shapes) | shapely.is_empty(shapes))
    shapes, ids = shapes[kept], [i for i, k in zip(ids, kept.tolist(), strict=True) if k]
    frame = gpd.GeoDataFrame(
        {"record": np.arange(1, len(shapes) + 1), "id": pd.Series(ids, dtype=object), "status": "ok"},
        geometry=gpd.GeoSeries(shapes, crs=ground.crs), crs=ground.crs,
    )  # fmt: skip
    accuracies = [x.source.accuracy for x in inputs if x.source.accuracy is not None]
    accuracy = source.accuracy
    if accuracy is None and accuracies:
        accuracy = max(accuracies, key=lambda q: q.to("ft", ground.foot).value)
        note += f"; accuracy taken from its least accurate layer, {accuracy}"
    coverage, coverage_note = _coverage(inputs, used, ground)
    digest = hashlib.sha256("\n".join([note, *(x.sha256 for x in inputs)]).encode()).hexdigest()
    dates = sorted(x.source.date for x in inputs if x.source.date)
    return Layer(
        role=role, source=dataclasses.replace(source, accuracy=accuracy, date=source.date or (dates[0] if dates else "")),
        frame=frame, crs=ground.crs, name=", ".join(dict.fromkeys(w for w, _ in used)), crs_from="derived",
        records=len(frame), used=len(frame), coverage=coverage, coverage_note=coverage_note,
        shift_doubt=max((x.shift_doubt for x in inputs), default=0.0), sha256=digest, notes=(note,),
    )  # fmt: skip


def _coverage(inputs: list[Layer], used: list[tuple[str, float]], ground: Ground) -> tuple[Any, str]:
    """Where all inputs cover; a stated edge moves inwards by the distance, for unseen water may lie just beyond it."""
    whole = None
    notes = []
    for layer, (water, feet) in zip(inputs, used, strict=True):
        area = layer.coverage
        if area is None:
            continue
        if layer.source.coverage and layer.source.coverage != "jurisdiction" and feet:
            area = shapely.buffer(area, -feet / ground.feet)
            notes.append(f"{water}: {layer.coverage_note}, less {feet:g} ft")
        else:
            notes.append(f"{water}: {layer.coverage_note}")
        whole = area if whole is None else shapely.intersection(whole, area)
    return whole, "; ".join(dict.fromkeys(notes)) or "as its layers: not stated, taken to cover every site"


def width_of(word: str | None) -> float | None:
    """Width in feet of the protective area of a class of water; None for a less susceptible wetland, which has a formula.

    Raises
    ------
    KeyError
        If the word names no class.

    Examples
    --------
    >>> width_of("Exceptional resource water"), width_of("Intermittent stream"), width_of("fen")
    (75.0, 50.0, 75.0)
    """
    for pattern, width in _WIDTHS:
        if re.search(pattern, (word or "").lower()):
            return width
    raise KeyError(word)


def _protective(waters: list[str], ground: Ground) -> Layer:
    pieces, ids, used, notes = [], [], [], []
    for water in waters:
        layer = ground.layers[water]
        shapes = _shapes(layer)
        words = layer.frame["class"].to_numpy(dtype=object)[layer.frame.geometry.notna().to_numpy()] if "class" in layer.frame else [None] * len(shapes)  # fmt: skip
        widths, unknown = _widths(shapes, words, ground)
        if unknown == len(shapes) and len(shapes):
            notes.append(f"{water}: no class stated, the general {GENERAL_WIDTH:g} ft")
        elif unknown:
            notes.append(f"{water}: {unknown} records of no known class, the general {GENERAL_WIDTH:g} ft")
        kept = widths > 0
        pieces.append(shapely.buffer(shapes[kept], widths[kept] / ground.feet, quad_segs=QUARTER_CHORDS))
        ids += [f"{water} {i or n + 1}" for n, (i, k) in enumerate(zip(_ids(layer), kept.tolist(), strict=True)) if k]
        used.append((water, float(widths.max(initial=0.0))))
    note = (
        "derived: protective areas by class of water, the greatest governs; widths from the mapped water's edge, since the "
        "top of a channel and the susceptibility of a wetland are judged in the field"
    )
    note = "; ".join([note, *notes])
    return _layer(PROTECTIVE_AREA, LayerSource(role=PROTECTIVE_AREA), np.concatenate(pieces), ids, used, note, ground)


def _widths(shapes: Any, words: Any, ground: Ground) -> tuple[Any, int]:
    widths = np.full(len(shapes), GENERAL_WIDTH)
    unknown = 0
    for row, word in enumerate(words):
        try:
            width = width_of(word)
        except KeyError:
            unknown += 1
            continue
        widths[row] = _tenth_of_width(shapes[row], ground) if width is None else width
    return widths, unknown


def _tenth_of_width(shape: Any, ground: Ground) -> float:
    """10 % of a wetland's average width, at least 10 ft, at most 30: its area over its longest extent."""
    box = shapely.minimum_rotated_rectangle(shape)
    corners = shapely.get_coordinates(box)
    longest = float(np.hypot(*np.diff(corners, axis=0).T).max())
    width = 0.1 * float(shapely.area(shape)) / longest * ground.feet
    low, high = _LESS_SUSCEPTIBLE
    return min(high, max(low, width))
