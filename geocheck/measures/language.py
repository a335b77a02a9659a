"""The language of measures: regions, readings of a region, and the answers that engines give.

A measure says what is measured and holds no geometry and no SQL; ``engines/reference.py`` says in plain shapely, one
subject at a time, what each region and reading means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from geocheck.model.ground import Ground, Subjects
from geocheck.model.quantity import Quantity, dimension_of

__all__ = [
    "MEMBERSHIPS", "Answers", "Area", "Both", "Count", "Cut", "Divided", "Either", "Engine", "Fill", "Gain", "Layer",
    "Length", "Measure", "Member", "Near", "Outside", "PercentOf", "Reading", "Region", "Share", "Slope", "Steep",
    "layers_of",
]  # fmt: skip


#: The words of membership. ``touching`` is not a member; ``not checked``: no layer, or it does not cover the subject.
MEMBERSHIPS = ("inside", "partly", "touching", "outside", "not checked")


@dataclass(frozen=True, slots=True)
class Layer:
    """The ground of a role: the subject's own where it has one for that role, else the union of the whole layer.

    Parameters
    ----------
    role : str
        A role of the project file.
    only : tuple of (column, values)
        Keep records whose normalised column is one of these values, such as ``("surface", ("existing",))``; None among
        the values admits the unknown. In a layer without the column every record is unknown.
    """

    role: str
    only: tuple[tuple[str, tuple[Any, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Both:
    """Ground in both regions."""

    first: Region
    second: Region


@dataclass(frozen=True, slots=True)
class Either:
    """Ground in at least one of the regions: a union, never a sum."""

    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Outside:
    """Ground of the first region that is in none of the second."""

    first: Region
    second: Region


@dataclass(frozen=True, slots=True)
class Near:
    """Ground within a horizontal distance of a region, the region included."""

    region: Region
    distance: Quantity


Region = Layer | Both | Either | Outside | Near


@dataclass(frozen=True, slots=True)
class Area:
    """Area of a region, ground counted once."""

    region: Region


@dataclass(frozen=True, slots=True)
class Length:
    """Length of the lines of the first region's layer inside the second; coincident lines counted once."""

    lines: Layer
    within: Region


@dataclass(frozen=True, slots=True)
class Count:
    """How many records of a layer have ground (more than a touch) in a region."""

    layer: Layer
    within: Region


@dataclass(frozen=True, slots=True)
class Gain:
    """Area of the ground after less the area of the ground before; negative where it shrinks."""

    after: Region
    before: Region


@dataclass(frozen=True, slots=True)
class PercentOf:
    """Area of a part as a percentage of the area of the whole; undefined where the whole is empty."""

    part: Region
    whole: Region


@dataclass(frozen=True, slots=True)
class Member:
    """Membership of a subject's ground in a zone: inside, partly, touching or outside."""

    ground: Layer
    zone: Region


@dataclass(frozen=True, slots=True)
class Divided:
    """Into how many parcels of at most a size the most divided parent was divided, among the parents met by a region.

    A parent is divided where two or more parcels with outlines of their own hold most of their ground from it; a parent
    that is unchanged, within the accuracy of its lines, or only merged or trimmed, counts 0. All parcels of the parent
    count, those outside the region too: the act of dividing is one.

    Parameters
    ----------
    parcels, parents : Layer
        Records after and before. Always the layers' records, even where the subject has ground of its own for the role.
    within : Region
        The ground that decides which parents are asked about.
    at_most : Quantity
        The largest area that counts, itself included.
    """

    parcels: Layer
    parents: Layer
    within: Region
    at_most: Quantity


@dataclass(frozen=True, slots=True)
class Share:
    """Percentage of a region's ground that a cover raster shows as covered.

    The raster holds percentages, or classes where its source names those that count. Ground without data belongs to
    neither side: with too much of it the share is unknown.
    """

    raster: Layer
    within: Region


@dataclass(frozen=True, slots=True)
class Cut:
    """Volume between two surfaces where the proposed one lies below the existing one, within a region."""

    existing: Layer
    proposed: Layer
    within: Region


@dataclass(frozen=True, slots=True)
class Fill:
    """Volume between two surfaces where the proposed one lies above the existing one, within a region."""

    existing: Layer
    proposed: Layer
    within: Region


@dataclass(frozen=True, slots=True)
class Slope:
    """Slope of a surface within a region, in percent: rise over run, by Horn's three-by-three cells.

    Parameters
    ----------
    surface : Layer
        The surface.
    within : Region
        Where.
    statistic : str
        ``mean``, weighted by ground, or ``max``, over all cells with ground in the region.
    """

    surface: Layer
    within: Region
    statistic: str = "mean"


@dataclass(frozen=True, slots=True)
class Steep:
    """Area of a region's ground where a surface is at least so steep."""

    surface: Layer
    within: Region
    at_least: Quantity


Reading = Area | Length | Count | Gain | PercentOf | Member | Divided | Share | Cut | Fill | Slope | Steep


@dataclass(frozen=True, slots=True)
class Measure:
    """A declaration: what a measured fact is called, what is read, in which unit, and the question it answers.

    Parameters
    ----------
    name : str
        Name of the fact.
    unit : str
        Unit of the answers; empty for membership.
    reading : Reading
        What is read.
    asks : str
        The question in a planner's words.
    uncertain : Reading or None
        The same reading with everything that may belong to it (surface whose connection is unknown): its high end is
        the measure's high end.
    extents : bool
        Whether the fact is also given over the common plan (``_of_plan``) and over all phases (``_of_all_phases``).
    """

    name: str
    unit: str
    reading: Reading
    asks: str
    uncertain: Reading | None = None
    extents: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.reading, Member):
            dimension_of(self.unit)

    @property
    def layers(self) -> frozenset[str]:
        """Roles of the layers that the measure needs."""
        return layers_of(self.reading) | (layers_of(self.uncertain) if self.uncertain is not None else frozenset())


def layers_of(node: Reading | Region) -> frozenset[str]:
    """Return the roles named in a reading or region."""
    return frozenset(layer.role for layer in _walk(node))


def _walk(node: Any) -> Iterator[Layer]:
    if isinstance(node, Layer):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _walk(part)
    elif hasattr(node, "__dataclass_fields__") and not isinstance(node, Quantity):
        for name in node.__dataclass_fields__:
            yield from _walk(getattr(node, name))


@dataclass(frozen=True, eq=False)
class Answers:
    """What an engine found for one measure: value, covered and failed are three separate answers.

    Parameters
    ----------
    measure : Measure
        What was asked.
    values : array of float (or of str for membership)
        One a subject, in the measure's unit. Empty ground is 0, never null. NaN where not covered, failed or undefined;
        membership is then one of `MEMBERSHIPS`, ``not checked``.
    lows, highs : array of float
        Ends of the 95 % interval, in the measure's unit; the value itself for membership.
    covered : array of bool
        Whether every layer read covers the subject.
    failures : mapping of int to str
        Row to why measuring failed.
    notes : mapping of int to str
        Row to what a reader should know.
    """

    measure: Measure
    values: Any
    lows: Any
    highs: Any
    covered: Any
    failures: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)


class Engine(Protocol):
    """A way of measuring. Every engine agrees with the reference engine within its stated bound."""

    name: str

    def measure(
        self, measures: Sequence[Measure], subjects: Subjects, ground: Ground, *, intervals: bool = True
    ) -> Mapping[str, Answers]:
        """Answer each measure for each subject.

        Every role named must be in ``subjects.grounds`` or ``ground.layers``. Without ``intervals`` the lows and highs
        are the values themselves, which is faster; memberships are the same either way.

        Raises
        ------
        EngineError
            If a role has neither ground nor layer, or two measures share a name.
        """
        ...
