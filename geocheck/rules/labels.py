"""The labels of clauses as a text counts them: (1) (2), (a) (b), [a], 1. 2., (i) (ii), (A), and what comes next."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["SYSTEMS", "Label", "follows", "ordinal_in", "own_label", "system_of"]

#: Ways to count, as a text may use them.
SYSTEMS = ("number", "lower letter", "upper letter", "lower roman", "upper roman")
_SHAPE = re.compile(r"^(?P<before>[(\[]?)(?P<core>\d{1,3}[a-z]{0,2}|[a-z]{1,5}|[A-Z]{1,5})(?P<after>[)\]]?\.?)$")
_ROMAN = re.compile(r"^(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$")
_WORTH = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Label:
    """A label taken apart: its brackets and stop, and what counts.

    Examples
    --------
    >>> own_label("[b]")
    Label(before='[', core='b', after=']')
    >>> own_label("87-5") is None
    True
    """

    before: str
    core: str
    after: str

    @property
    def shape(self) -> tuple[str, str]:
        """Brackets and stop; neighbours share them."""
        return self.before, self.after


def own_label(text: str) -> Label | None:
    """Return a clause's own label taken apart, or None where it is not of a kind that is counted."""
    match = _SHAPE.match(text.strip())
    return Label(match["before"], match["core"], match["after"]) if match else None


def ordinal_in(system: str, core: str) -> float | None:
    """Return the place of a label in a way to count, from 1, or None where it does not count so.

    A number with a letter, as later acts insert them, stands a little after its number: 8m between 8 and 9.

    Examples
    --------
    >>> [ordinal_in(system, "i") for system in SYSTEMS]
    [None, 9, None, 1, None]
    >>> ordinal_in("lower letter", "aa")
    27
    """
    if system == "number":
        digits = core.rstrip("abcdefghijklmnopqrstuvwxyz")
        inserted = core[len(digits) :]
        return (
            int(digits) + sum((ord(c) - 96) / 100 ** (n + 1) for n, c in enumerate(inserted))
            if digits.isdigit()
            else None
        )
    if core[0].isdigit() or core.islower() != system.startswith("lower"):
        return None
    small = core.lower()
    if system.endswith("letter"):
        # After z come aa, bb, cc.
        return (len(small) - 1) * 26 + ord(small[0]) - 96 if len(set(small)) == 1 else None
    if not _ROMAN.match(small):
        return None
    worth = [_WORTH[char] for char in small]
    return sum(-v if any(later > v for later in worth[n + 1 : n + 2]) else v for n, v in enumerate(worth))


def system_of(cores: Sequence[str]) -> str | None:
    """Return the way in which labels count: of those that fit all, the one with the fewest steps that are not by one.

    Examples
    --------
    >>> system_of(["i", "ii"]), system_of(["h", "i", "j"]), system_of(["1", "a"])
    ('lower roman', 'lower letter', None)
    """
    best: tuple[int, str] | None = None
    for system in SYSTEMS:
        places = [ordinal_in(system, core) for core in cores]
        known = [place for place in places if place is not None]
        if len(known) == len(places) and known:
            faults = sum(1 for before, after in itertools.pairwise([0, *known]) if not follows(before, after))
            if best is None or faults < best[0]:
                best = (faults, system)
    return best[1] if best else None


def follows(before: float, after: float) -> bool:
    """Tell whether one place comes right after another: the next number, or one inserted before it.

    Examples
    --------
    >>> follows(8, 9), follows(8, 8.13), follows(8.13, 9), follows(8, 10), follows(8, 8)
    (True, True, True, False, False)
    """
    return before < after <= math.floor(before) + 1
