"""GeoDataFrames measured as a run measures its layers: the same basis, intervals and memberships, without a project."""

from __future__ import annotations

from typing import Any

import numpy as np

from geocheck.measures.language import Area, Both, Layer, Length, Measure, Member, Near, Region
from geocheck.model.ground import Ground, LayerSource, Subjects
from geocheck.model.ground import Layer as GroundLayer
from geocheck.model.problem import GroundError
from geocheck.model.quantity import Quantity, parse_quantity

__all__ = ["areas", "lengths", "overlaps"]

_OWN, _OTHER = Layer("disturbance"), Layer("floodplain")


def areas(frame: Any, *, accuracy: str = "", **basis: Any) -> Any:
    """Return the area of each row: ``area_ft2``, ``low_ft2``, ``high_ft2``, ``area_acre``."""
    import pandas as pd

    ground, subjects = _together(frame, None, accuracy, "", basis)
    found = _measured([Measure("area", "ft2", Area(_OWN), "What is its area?")], subjects, ground)["area"]
    table = {
        "area_ft2": found.values,
        "low_ft2": found.lows,
        "high_ft2": found.highs,
        "area_acre": np.asarray(found.values) / 43560,
    }
    return pd.DataFrame(table, index=frame.index)


def overlaps(
    frame: Any, other: Any, *, within: str = "", accuracy: str = "", other_accuracy: str = "", **basis: Any
) -> Any:
    """Return how much of each row lies in another frame's ground, or within a distance of it.

    Columns: ``area_ft2``, ``overlap_ft2``, ``low_ft2``, ``high_ft2``, ``pct`` of the row's own area, ``member`` (inside, partly,
    touching, outside).
    """
    import pandas as pd

    ground, subjects = _together(frame, other, accuracy, other_accuracy, basis)
    region: Region = _OTHER if not within else Near(_OTHER, _distance(within))
    asked = [
        Measure("area", "ft2", Area(_OWN), "What is its area?"),
        Measure("overlap", "ft2", Area(Both(_OWN, region)), "How much of it lies there?"),
        Measure("member", "", Member(_OWN, region), "Is it there?"),
    ]
    found = _measured(asked, subjects, ground)
    area, overlap = (np.asarray(found[name].values, dtype=float) for name in ("area", "overlap"))
    part = np.minimum(overlap, area)
    with np.errstate(invalid="ignore", divide="ignore"):
        percent = np.where(area > 0, 100 * part / area, np.nan)
    table = {
        "area_ft2": area, "overlap_ft2": part, "low_ft2": found["overlap"].lows, "high_ft2": found["overlap"].highs, "pct": percent,
        "member": found["member"].values,
    }  # fmt: skip
    return pd.DataFrame(table, index=frame.index)


def lengths(frame: Any, lines: Any, *, accuracy: str = "", other_accuracy: str = "", **basis: Any) -> Any:
    """Return how many feet of another frame's lines lie in each row: ``length_ft``, ``low_ft``, ``high_ft``."""
    import pandas as pd

    ground, subjects = _together(frame, lines, accuracy, other_accuracy, basis, role="channels")
    reading = Length(Layer("channels"), _OWN)
    found = _measured([Measure("length", "ft", reading, "How many feet lie in it?")], subjects, ground)["length"]
    return pd.DataFrame({"length_ft": found.values, "low_ft": found.lows, "high_ft": found.highs}, index=frame.index)


def _distance(text: str) -> Quantity:
    distance = parse_quantity(text).value
    if distance.dimension != "length":
        raise GroundError(f"within is a distance, such as 300 ft, not {text!r}")
    return distance


def _measured(asked: list[Measure], subjects: Subjects, ground: Ground) -> Any:
    from geocheck.engines import ENGINES

    return ENGINES.load("local").measure(asked, subjects, ground)


def _together(
    frame: Any, other: Any, accuracy: str, other_accuracy: str, basis: dict[str, Any], role: str = "floodplain"
) -> tuple[Ground, Subjects]:
    """Both frames in one system made for the place, the first as what is measured."""
    from geocheck.sources.reference import bring_together

    layers = {"disturbance": _layer("disturbance", frame, accuracy, "the frame")}
    if other is not None:
        layers[role] = _layer(role, other, other_accuracy, "the other frame")
    ground = bring_together(layers, **basis)
    own = ground.layers["disturbance"].frame
    reach = layers["disturbance"].source.accuracy
    feet = 0.0 if reach is None else float(reach.to("ft", ground.foot).value) / ground.feet
    ids = [str(name) for name in own["id"]]
    return ground, Subjects("site", ids, {"disturbance": own.geometry.to_numpy()}, {"disturbance": feet})


def _layer(role: str, frame: Any, accuracy: str, what: str) -> GroundLayer:
    import geopandas as gpd

    if not isinstance(frame, gpd.GeoDataFrame | gpd.GeoSeries):
        raise GroundError(f"{what} is a {type(frame).__name__}, not a GeoDataFrame; set its geometry first")
    shapes = frame.geometry
    if shapes.crs is None:
        raise GroundError(
            f"{what} names no reference system, so its numbers have no unit; say which it is with .set_crs('EPSG:…'), not .to_crs"
        )
    wrong = shapes[shapes.notna() & ~shapes.is_valid]
    if len(wrong):
        raise GroundError(
            f"{what} has {len(wrong)} geometr{'y that crosses itself' if len(wrong) == 1 else 'ies that cross themselves'}, at {wrong.index[0]!r}"
            f"{' first' if len(wrong) > 1 else ''}; repair with .make_valid() "
            "and look at what came of it, or let `geocheck run` read the file, which reports each repair"
        )
    if shapes.crs.is_geographic and len(shapes) and max(map(abs, shapes.total_bounds)) > 360:
        raise GroundError(
            f"{what} says {shapes.crs.name}, which is in degrees, and its coordinates reach {max(map(abs, shapes.total_bounds)):,.0f}; "
            "say the right system with .set_crs('EPSG:…', allow_override=True)"
        )
    count = len(shapes)
    ground = np.where(shapes.isna() | shapes.is_empty, None, shapes.to_numpy())
    table = gpd.GeoDataFrame(
        {"record": np.arange(1, count + 1), "id": [str(name) for name in frame.index], "status": "ok"}, geometry=ground, crs=shapes.crs
    )  # fmt: skip
    stated = parse_quantity(accuracy).value if accuracy else None
    source = LayerSource(role, what, accuracy=stated)
    return GroundLayer(role, source, table, shapes.crs, records=count, used=int((table.geometry.notna()).sum()))
