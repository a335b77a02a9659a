"""What an origin is: where records come from that are not simply a file, and how a copy of them is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from geocheck.model.ground import Copy, LayerSource
from geocheck.model.problem import Place, Problem, SourceIncompleteError
from geocheck.sources.format import LayerListing

__all__ = ["Origin", "Progress", "unavailable"]

#: Called with how many records or bytes have come, and how many there are; 0 where nobody knows.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Origin:
    """A kind of source that has to be fetched: a member of the shelf `geocheck.sources.origins`.

    Parameters
    ----------
    name : str
        What a person calls it.
    example : str
        An address of its kind.
    fits : callable
        Source as the project names it to how surely it is of this kind: 0 for not at all; the highest fetches it.
    fetch : callable
        Source, folder of the copies and progress to the `Copy`: whole, or an error.
    layers : callable or None
        Source to the listings of its layers; None where the copy tells them.
    """

    name: str
    example: str
    fits: Callable[[str], int]
    fetch: Callable[[LayerSource, Path, Progress], Copy]
    layers: Callable[[LayerSource], list[LayerListing]] | None = None


def unavailable(code: str, message: str, *, source: str, layer: str = "", remedy: str = "") -> SourceIncompleteError:
    """Return the error for a source that gave nothing, or less than it holds."""
    problem = Problem(code, message, Place(file=source, layer=layer), remedy)
    return SourceIncompleteError(problem.show(), (problem,))
