"""Layers and sites: ground as the files hold it, and ground brought into one reference system.

Geometries are handles here (arrays of shapely geometries, geopandas frames): this module imports no GIS library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.model.showing import html_table

__all__ = [
    "AREA_BASES",
    "RASTER_ROLES",
    "ROLES",
    "ZONES",
    "Copy",
    "FactField",
    "Ground",
    "Layer",
    "LayerSource",
    "Repair",
    "Site",
    "Subjects",
]

ZONES = ("shoreland", "wetland", "floodplain")
RASTER_ROLES = ("cover_raster", "surface_existing", "surface_proposed")
ROLES = (
    "parcels", "disturbance", *ZONES, "lakes", "streams", "channels", "municipality", "impervious", "roads",
    *RASTER_ROLES, "parcels_before",
)  # fmt: skip
AREA_BASES = ("auto", "ellipsoidal", "ground", "grid")


@dataclass(frozen=True, slots=True)
class FactField:
    """An attribute column that states a fact, and the unit of its numbers."""

    field: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """The file that holds what a source gave: a service's records, a downloaded file, the newest of several files.

    Parameters
    ----------
    file : str
        Path of the file.
    layer, where : str
        What is still to be asked of the file; empty where the source gave no more than was wanted.
    told : tuple of str
        What the source said of itself, the same words for the same records.
    """

    file: str
    layer: str = ""
    where: str = ""
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerSource:
    """What the project says about one layer: where it is and how to read it.

    Parameters
    ----------
    role : str
        One of `ROLES`.
    source : str
        Path of the file, already resolved against the project file's folder; or the address of a service, a database or
        a file on the web.
    layer, where, id, encoding : str
        Layer of a multi-layer file, attribute filter (OGR SQL), identifier field, text encoding.
    crs : str
        Reference system to assert; against the file's own only with ``override_crs``.
    accuracy : Quantity or None
        Horizontal accuracy at 95 %, a length.
    coverage : str
        A polygon file, ``extent``, ``jurisdiction``, or empty: not stated.
    date : str
        Date of the layer, ISO.
    plan, phase, day, status, connected : str
        Fields of the role's own columns; ``day`` holds the day on which each record was disturbed.
    classes : tuple
        Class values of a cover raster.
    facts : mapping of str to FactField
        Facts stated by attribute columns.
    derive : mapping or None
        How to derive the layer from others instead of reading it.
    vertical_unit : str
        Vertical unit of a surface: ft, ftUS, m, or empty.
    class_field : str
        Field that says what kind of water or wetland a record is; empty where none is named.
    parts : tuple of LayerSource
        Where the role is read from several files: the source of each.
    query : str
        What to ask a database instead of reading one of its tables.
    copy : Copy or None
        The file with the records, once they were fetched; None where the source is the file.
    """

    role: str
    source: str = ""
    layer: str = ""
    where: str = ""
    id: str = ""
    crs: str = ""
    override_crs: bool = False
    encoding: str = ""
    accuracy: Quantity | None = None
    coverage: str = ""
    date: str = ""
    plan: str = ""
    phase: str = ""
    status: str = ""
    connected: str = ""
    classes: tuple[int, ...] = ()
    facts: Mapping[str, FactField] = field(default_factory=dict)
    derive: Mapping[str, Any] | None = None
    vertical_unit: str = ""
    class_field: str = ""
    parts: tuple[LayerSource, ...] = ()
    day: str = ""
    query: str = ""
    copy: Copy | None = None

    @property
    def path(self) -> str:
        """The file that holds the records."""
        return self.source if self.copy is None else self.copy.file


@dataclass(frozen=True, slots=True)
class Repair:
    """One feature that was repaired, lost or is doubtful: a row of ``repairs.csv``.

    ``record`` counts from 1; areas are in square units of the layer's own system, None where it has none.
    """

    role: str
    record: int
    id: str
    problem: str
    action: str
    area_before: float | None = None
    area_after: float | None = None
    doubt: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the repair as plain values."""
        return asdict(self)


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """One layer as read: every record of the source a row, sound geometry, its losses counted.

    Parameters
    ----------
    role : str
        One of `ROLES`.
    source : LayerSource
        What was asked for.
    frame : geopandas.GeoDataFrame or None
        One row a record, in order. Columns: ``record`` (from 1), ``id`` (text or None), ``status`` (words as in
        ``parcels.csv``), for the roles that have them ``plan``, ``phase``, ``day``, ``surface`` (existing, proposed, removed),
        ``connected`` (True, False, None), the file's own fields under ``field:<name>``, and ``geometry``: valid or
        None, never empty. None for a raster.
    crs : pyproj.CRS or None
        System of ``frame``.
    source_crs : pyproj.CRS or None
        System of the source, where ``frame`` was brought into another; None where it is ``crs``.
    crs_from : str
        file, asserted or overridden.
    records, used, repaired, without_geometry, lost : int
        Counts: in the source after ``where``; with ground that counts; repaired; without geometry; unreadable.
    coverage : shapely geometry or None
        Ground that the layer covers; None where it covers everything that is asked.
    doubts : mapping of int to float
        Row to doubtful area, in square units of ``crs``: what an ambiguous repair leaves open.
    datum_operation, datum_accuracy_m : str, float or None
        How it came into the run's system; None is unknown.
    shift_doubt : float
        Metres by which the datum operation may be off (95 %); 0 where none was needed.
    """

    role: str
    source: LayerSource
    frame: Any
    crs: Any
    name: str = ""
    crs_from: str = "file"
    records: int = 0
    used: int = 0
    repaired: int = 0
    without_geometry: int = 0
    lost: int = 0
    coverage: Any = None
    coverage_note: str = ""
    datum_operation: str = ""
    datum_accuracy_m: float | None = None
    shift_doubt: float = 0.0
    sha256: str = ""
    doubts: Mapping[int, float] = field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()
    source_crs: Any = None

    def __repr__(self) -> str:
        return f"<Layer {self.role}: {self._counts()}; {self.source.source or 'derived'}>"

    def _counts(self) -> str:
        words = (
            (self.repaired, "repaired"), (self.without_geometry, "without geometry"), (self.lost, "lost"),
        )  # fmt: skip
        more = "".join(f", {count:,} {word}" for count, word in words if count)
        return f"{self.records:,} records, {self.used:,} used{more}"

    def _repr_html_(self) -> str:
        crs = self.source_crs or self.crs
        rows = [
            ("source", self.source.source or "derived"), ("records", self._counts()),
            ("reference system", f"{'' if crs is None else crs.name} ({self.crs_from})"),
            ("accuracy", self.source.accuracy or "not stated"), ("date", self.source.date or "not stated"),
            ("coverage", self.source.coverage or self.coverage_note or "not stated"), *(("note", note) for note in self.notes),
        ]  # fmt: skip
        return html_table(f"Layer {self.role}", ("", ""), rows)


@dataclass(frozen=True, slots=True)
class Site:
    """One site: its ground, common plan of development and phase.

    Parameters
    ----------
    id : str
        Identifier, as text.
    ground : shapely geometry or None
        Union of the site's disturbance records.
    plan, phase : str
        Common plan and phase; empty where the site has none.
    rows : tuple of int
        Rows of the disturbance layer.
    days : tuple of date, or None
        The first and the last day on which its records were disturbed; None where the layer does not say it of each.
    """

    id: str
    ground: Any
    plan: str = ""
    phase: str = ""
    rows: tuple[int, ...] = ()
    days: tuple[date, date] | None = None


@dataclass(frozen=True, eq=False)
class Ground:
    """All layers of a run in one reference system, and how its numbers become feet.

    Parameters
    ----------
    layers : mapping of str to Layer
        By role, frames in ``crs``.
    crs : pyproj.CRS
        The run's system: the office's measure_crs, or an equal-area system on the ellipsoid made for the place.
    metres_per_unit : Fraction
        Length of one unit of ``crs``.
    basis : str
        One of `AREA_BASES`.
    foot : Fraction
        Metres in one foot of the answers.
    scale : float
        Linear factor from the system's length to the basis's length (1, but for ``ground`` at an elevation).
    doubt : float
        Relative doubt of an area from the basis: 0.0003 for ``auto``, else 0.
    """

    layers: Mapping[str, Layer]
    crs: Any
    metres_per_unit: Fraction = Fraction(1)
    basis: str = "auto"
    foot: Fraction = US_SURVEY_FOOT
    scale: float = 1.0
    doubt: float = 0.0003

    @property
    def feet(self) -> float:
        """Feet of the answers in one unit of ``crs``, the basis's scale included."""
        return float(self.metres_per_unit / self.foot) * self.scale


@dataclass(frozen=True, eq=False)
class Subjects:
    """What is measured: one row a subject, with its own ground for some roles.

    A `measures.language.Layer` whose role is in ``grounds`` means the subject's own ground; every other role means the
    whole layer.

    Parameters
    ----------
    sort : str
        site, plan or parcel.
    ids : sequence of str
        Identifiers, in order.
    grounds : mapping of str to sequence of shapely geometry or None
        By role, one a subject, valid; None where a subject has no ground.
    accuracy : mapping of str to float
        Accuracy (95 %, horizontal) of these grounds by role, in units of the run's system; absent or 0 where not stated.
    doubts : sequence of float or None
        Doubtful area of each subject's own ground from ambiguous repairs, square units; None where there is none.
    as_of : date or None
        The day the ground stands for.
    """

    sort: str
    ids: Sequence[str]
    grounds: Mapping[str, Any]
    accuracy: Mapping[str, float] = field(default_factory=dict)
    doubts: Any = None
    as_of: date | None = None

    def __len__(self) -> int:
        return len(self.ids)
