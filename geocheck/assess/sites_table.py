"""The sites table: one row a site, with its ground and its outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from geocheck.model.determination import Determination
from geocheck.model.facts import FactSheet
from geocheck.model.ground import Ground, Site

__all__ = ["sites_table"]


def sites_table(
    sites: Sequence[Site], ground: Ground, facts: FactSheet, determinations: Sequence[Determination]
) -> Any:
    """Return one row a site: its ground, plan, phase and disturbed area, and every outcome under its ordinance's short name."""
    import geopandas

    columns: dict[str, Any] = {
        "site_id": [site.id for site in sites],
        "plan": [site.plan or None for site in sites],
        "phase": [site.phase or None for site in sites],
    }
    area = facts.table("site").columns.get("disturbed_area")
    columns["disturbed_area_ft2"] = [np.nan if v is None else float(v) for v in area.values] if area else np.nan
    chapters = _chapters({determination.ordinance for determination in determinations})
    for determination in determinations:
        chapter = chapters[determination.ordinance]
        for outcome in determination.obligations:
            columns.setdefault(f"{chapter}_{outcome.obligation}", []).append(outcome.outcome)
    return geopandas.GeoDataFrame(
        columns, geometry=np.array([site.ground for site in sites], dtype=object), crs=ground.crs
    )


def _chapters(identifiers: Iterable[str]) -> dict[str, str]:
    """Return a short name of each ordinance: its chapter, with its place before it where two chapters are named alike."""
    parts = {identifier: identifier.split("/") for identifier in identifiers}

    def ends(identifier: str, depth: int) -> str:
        return "_".join(parts[identifier][-depth:])

    def alone(identifier: str, depth: int) -> bool:
        return [ends(other, depth) for other in parts].count(ends(identifier, depth)) == 1

    return {i: ends(i, next(d for d in range(1, len(own) + 1) if alone(i, d))) for i, own in parts.items()}
