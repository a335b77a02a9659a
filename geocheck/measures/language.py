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
    "Answers", "Area", "Both", "Count", "Either", "Engine", "Gain", "Layer", "Length", "Measure", "Member", "Near",
    "Outside", "PercentOf", "Reading", "Region", "layers_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layer:
    """The ground of a role: the subject's own where it has one for that role, else the union of the whole layer.

    Parameters
    ----------
    role : str
        A role of the project file.
    only : tuple of (column, values)
        Keep records whose normalised column is one of these values, such as ``("surface", ("existing",))``; None among
        the values admits the unknown.
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


Reading = Area | Length | Count | Gain | PercentOf | Member


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
    values : sequence of float (or of str for membership)
        One a subject, in the measure's unit. Empty ground is 0, never null. NaN where not covered, failed or undefined.
    lows, highs : sequence of float
        Ends of the 95 % interval, in the measure's unit.
    covered : sequence of bool
        Whether every layer read covers the subject.
    failures : mapping of int to str
        Row to why measuring failed.
    notes : mapping of int to str
        Row to what a reader should know.
    """

    measure: Measure
    values: Sequence[Any]
    lows: Sequence[Any]
    highs: Sequence[Any]
    covered: Sequence[bool]
    failures: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)


class Engine(Protocol):
    """A way of measuring. Every engine agrees with the reference engine within its stated bound."""

    name: str

    def measure(self, measures: Sequence[Measure], subjects: Subjects, ground: Ground) -> Mapping[str, Answers]:
        """Answer each measure for each subject; every role named must be in ``subjects.grounds`` or ``ground.layers``."""
        ...
