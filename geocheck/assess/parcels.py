"""The parcels table: one row an input record, areas and memberships of each parcel in each zone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import shapely

from geocheck.measures.language import (
    Answers,
    Area,
    Both,
    Either,
    Engine,
    Layer,
    Measure,
    Member,
    Outside,
    Region,
    Share,
)
from geocheck.model.ground import ZONES, Ground, Subjects

__all__ = ["NOT_CHECKED", "parcels_table"]

NOT_CHECKED = "not checked"
_OWN = Layer("parcels")


def parcels_table(ground: Ground, engine: Engine) -> tuple[Any, Ground, list[str]]:
    """Measure all parcels and return their table, with geometry, in the order of the input records.

    Parameters
    ----------
    ground : Ground
        The run's ground; its parcels carry ``subject``: for each record, the row that bears the parcel's numbers.
    engine : Engine
        How to measure.

    Returns
    -------
    geopandas.GeoDataFrame
        Columns as the contract names them. Records that do not carry a parcel's numbers have empty cells.
    Ground
        The same ground, with the parcels whose measuring failed counted out.
    list of str
        What a reader should know.
    """
    layer = ground.layers["parcels"]
    frame = layer.frame
    carriers = _carriers(frame)
    grounds = _grounds(frame, carriers)
    accuracy = layer.source.accuracy
    reach = 0.0 if accuracy is None else float(accuracy.to("ft", ground.foot).value) / ground.feet
    doubts = [layer.doubts.get(row) for row in carriers.tolist()] if layer.doubts else None
    ids = frame["id"].to_numpy()[carriers].tolist()
    subjects = Subjects("parcel", ids, {"parcels": grounds}, {"parcels": reach}, doubts)
    zones = [role for role in ZONES if role in ground.layers]
    asked = [Measure("area", "ft2", Area(_OWN), "What is the parcel's area?")]
    regions: dict[str, Region] = {role: Layer(role) for role in zones}
    if zones:
        regions["zones"] = Either(tuple(Layer(role) for role in zones))
    for name, region in regions.items():
        asked.append(
            Measure(f"{name} area", "ft2", Area(Both(_OWN, region)), f"How much of the parcel lies in {name}?")
        )
        asked.append(Measure(f"{name} member", "", Member(_OWN, region), f"Is the parcel in {name}?"))
    if "impervious" in ground.layers:
        surface = _surface_after(ground.layers["impervious"].frame)
        asked.append(
            Measure("impervious area", "ft2", Area(Both(_OWN, surface)), "How much of the parcel is impervious?")
        )
    elif "cover_raster" in ground.layers:
        share = Share(Layer("cover_raster"), _OWN)
        asked.append(
            Measure("impervious share", "%", share, "What share of the parcel does the raster show as impervious?")
        )
    answers = engine.measure(asked, subjects, ground, intervals=False)
    table = _Table(frame, carriers)
    area = table.number("area_ft2", answers["area"])
    table.values["area_acre"] = table.values["area_ft2"] / 43560.0
    for name in (*ZONES, "zones"):
        if name in regions:
            table.zone(name, answers[f"{name} area"], answers[f"{name} member"], area)
        else:
            table.unread(name)
    incomplete = [role for role in ZONES if role not in zones]
    notes = []
    if zones and incomplete:
        table.open_outside("zones")
        notes.append(
            f"zones is the union of {' and '.join(zones)} only: there is no {' and no '.join(incomplete)} layer, so a "
            "parcel outside it is not checked"
        )
    if "impervious" in ground.layers:
        table.share("impervious", answers["impervious area"], area)
    elif "cover_raster" in ground.layers:
        percent = table.number("impervious_pct", answers["impervious share"])
        table.values["impervious_area_ft2"] = table.values["area_ft2"] * table.values["impervious_pct"] / 100.0
        table.values["impervious_pct"] = table.values.pop("impervious_pct")
        notes += _unknown_shares(answers["impervious share"].failures, int(np.isnan(percent).sum()))
    else:
        table.values["impervious_area_ft2"] = table.values["impervious_pct"] = np.full(len(frame), np.nan)
    status, failed = table.statuses(answers)
    used = replace(layer, used=layer.used - failed)
    return table.frame(status), replace(ground, layers={**ground.layers, "parcels": used}), notes


def _unknown_shares(failures: Mapping[int, str], unknown: int) -> Iterator[str]:
    """Say why some parcels have no impervious share: the raster could not be read, or has too little data there."""
    for why, rows in Counter(why for why in failures.values() if why != "no ground").items():
        yield f"the impervious share of {rows:,} parcels is not known: {why}"
    scarce = unknown - len(failures)
    if scarce > 0:
        yield f"the cover raster has too little data over {scarce:,} parcels: their impervious share is not known"


def _carriers(frame: Any) -> np.ndarray:
    """Rows that carry numbers: the first record of each parcel, and each label record, which is ground but no parcel."""
    subject, rows = frame["subject"].to_numpy(), np.arange(len(frame))
    return np.flatnonzero((subject == rows) | ((subject < 0) & frame.geometry.notna().to_numpy()))


def _surface_after(frame: Any) -> Region:
    """Impervious ground after the project; the whole layer where nothing of it is to be removed."""
    if "surface" not in frame.columns or not (frame["surface"] == "removed").any():
        return Layer("impervious")
    existing, removed, proposed = (
        Layer("impervious", (("surface", (word,)),)) for word in ("existing", "removed", "proposed")
    )
    return Either((Outside(existing, removed), proposed))


def _grounds(frame: Any, carriers: np.ndarray) -> np.ndarray:
    """Ground of each carrier: its own, or the union over the records of the same parcel."""
    geometries = frame.geometry.to_numpy()
    subject = frame["subject"].to_numpy()
    grounds: np.ndarray = geometries[carriers].copy()
    extra = np.flatnonzero((subject >= 0) & (subject != np.arange(len(frame))))
    others: dict[int, list[int]] = {}
    for row in extra.tolist():
        others.setdefault(int(subject[row]), []).append(row)
    position = {carrier: place for place, carrier in enumerate(carriers.tolist())} if others else {}
    for carrier, rows in others.items():
        parts = [g for g in geometries[[carrier, *rows]] if g is not None]
        grounds[position[carrier]] = shapely.union_all(parts)
    return grounds


class _Table:
    """Columns under construction: arrays over all records, filled at the carriers."""

    def __init__(self, frame: Any, carriers: np.ndarray) -> None:
        self.source, self.carriers = frame, carriers
        self.values: dict[str, np.ndarray] = {}

    def _spread(self, values: Any, fill: Any, kind: Any) -> np.ndarray:
        column = np.full(len(self.source), fill, dtype=kind)
        column[self.carriers] = values
        return column

    def number(self, column: str, answers: Answers) -> np.ndarray:
        found = np.asarray(answers.values, dtype=float)
        self.values[column] = self._spread(found, np.nan, float)
        return found

    def share(self, name: str, answers: Answers, area: np.ndarray) -> None:
        # The overlay's arithmetic may exceed the whole by the last digits; a part never exceeds its whole.
        found = np.minimum(np.asarray(answers.values, dtype=float), area)
        with np.errstate(invalid="ignore", divide="ignore"):
            percent = np.where(area > 0, 100.0 * (found / area), np.nan)
        self.values[f"{name}_area_ft2"] = self._spread(found, np.nan, float)
        self.values[f"{name}_pct"] = self._spread(percent, np.nan, float)

    def zone(self, name: str, answers: Answers, member: Answers, area: np.ndarray) -> None:
        self.share(name, answers, area)
        words = np.where(np.asarray(member.covered, dtype=bool), np.asarray(member.values, dtype=object), NOT_CHECKED)
        self.values[f"{name}_member"] = self._spread(words, None, object)

    def unread(self, name: str) -> None:
        empty = np.full(len(self.source), np.nan)
        self.values[f"{name}_area_ft2"], self.values[f"{name}_pct"] = empty, empty
        self.values[f"{name}_member"] = self._spread(NOT_CHECKED, None, object)

    def open_outside(self, name: str) -> None:
        words = self.values[f"{name}_member"]
        words[np.isin(words, ("outside", "touching"))] = NOT_CHECKED

    def statuses(self, answers: Mapping[str, Answers]) -> tuple[np.ndarray, int]:
        status = self.source["status"].to_numpy(dtype=object).copy()
        failed: dict[int, str] = {}
        for answer in answers.values():
            failed.update(answer.failures)
        for place, why in failed.items():
            row = self.carriers[place]
            status[row] = f"{status[row]}; failed: {why}" if status[row] != "ok" else f"failed: {why}"
        return status, len(failed)

    def frame(self, status: np.ndarray) -> Any:
        columns = {"parcel_id": self.source["id"].to_numpy(dtype=object), "status": status, **self.values}
        columns["record"] = self.source["record"].to_numpy()
        table = pd.DataFrame(columns)
        return self.source[["geometry"]].set_axis(table.index).join(table)[[*table.columns, "geometry"]]
