"""Everything that one run found: what reports write and what displays show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from geocheck.model.determination import Determination, Question, Receipt
from geocheck.model.facts import FactSheet
from geocheck.model.ground import Ground, Layer

__all__ = ["Findings"]


@dataclass(frozen=True, eq=False)
class Findings:
    """The findings of one run.

    Parameters
    ----------
    name : str
        Name of the project.
    as_of : date
        The day the run stands for.
    facts : FactSheet
        All facts of all sites and plans.
    determinations : tuple of Determination
        One a site and ordinance, sites in order, ordinances in the project's order.
    questions : tuple of Question
        Missing facts that matter.
    ordinances : mapping of str to model.ordinance.Ordinance
        By identifier.
    layers : mapping of str to Layer
        By role: frames in the run's system, counts and repairs as read.
    ground : Ground
        The run's reference system and area basis.
    sites : geopandas.GeoDataFrame or None
        One row a site in the run's system: ``site_id``, ``plan``, ``phase``, ``disturbed_area_ft2``, for each ordinance
        and obligation ``<chapter>_<obligation>`` with its outcome, ``geometry``. None in a run about parcels alone.
    parcels : geopandas.GeoDataFrame or None
        ``parcels.csv`` with ``geometry``: one row an input record, in order.
    receipt : Receipt
        What the run was made from.
    settings : mapping of str to str
        Settings of readings in force.
    notes : tuple of str
        What every reader of the run must know: assumptions, layers not covering, best values used.
    seconds : mapping of str to float
        Time taken by stage.
    adopted : mapping of str to mapping of str to str
        The adopted words of clauses by ordinance and label, where the office has attached its text.
    jurisdiction : str
        Name of the municipality that decides, as the project states it; empty where it states none.
    """

    name: str
    as_of: date
    facts: FactSheet
    determinations: tuple[Determination, ...]
    questions: tuple[Question, ...]
    ordinances: Mapping[str, Any]
    layers: Mapping[str, Layer]
    ground: Ground | None
    sites: Any
    parcels: Any
    receipt: Receipt
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    adopted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    jurisdiction: str = ""
