"""The project as a noun: what to run, and how ground is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from pathlib import Path

from geocheck.model.ground import LayerSource
from geocheck.model.quantity import Quantity

__all__ = ["Project"]


@dataclass(frozen=True, slots=True)
class Project:
    """What to run: layers, ordinances, and how ground is measured.

    Parameters
    ----------
    name : str
        For reports.
    folder : Path
        Where relative paths start.
    layers : mapping of str to LayerSource
        By role.
    ordinances : tuple of str
        Identifiers or paths of ordinance files.
    ordinance_folder : Path or None
        A folder of the office's own ordinances, searched before the shipped ones.
    jurisdiction : str
        Name of the municipality to take from the municipality layer; empty: all of it.
    area_basis, measure_crs, elevation, foot, strict_datum
        How ground becomes numbers: see `sources.reference.bring_together`. ``foot`` None: the measure_crs's own foot,
        else the US survey foot.
    impervious_within : str
        disturbance or parcels: the ground on which impervious surface counts.
    settings : mapping of str to str
        Choices of readings, by their names in the ordinances.
    statements : tuple of Path
        Files of the applicants' statements.
    ledger, output : str or Path
        The ledger's address, where outputs go.
    as_of : date or None
        The day to judge for; None is today.
    tolerance : Quantity or None
        How far an outline of a delivery may stray from the one before and be the same; None: see `changes.compare`.
    fewest : float
        Least share of the parcels that must still have their ground in a delivery.
    path : Path or None
        The project file; None for a project made on the command line.
    """

    name: str
    folder: Path
    layers: Mapping[str, LayerSource]
    ordinances: tuple[str, ...] = ()
    ordinance_folder: Path | None = None
    jurisdiction: str = ""
    area_basis: str = "auto"
    measure_crs: str = ""
    elevation: Quantity | None = None
    foot: Fraction | None = None
    strict_datum: bool = False
    impervious_within: str = "disturbance"
    settings: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[Path, ...] = ()
    ledger: str = ""
    output: Path = Path("out")
    as_of: date | None = None
    tolerance: Quantity | None = None
    fewest: float = 0.95
    path: Path | None = None
