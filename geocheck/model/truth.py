"""Three-valued truth: yes, no, or unknown with the reasons why (Kleene's strong logic)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["GAP_REASONS", "NO", "YES", "Gap", "Truth", "all_of", "any_of", "unknown"]

#: Why something is not known.
GAP_REASONS = (
    "missing",
    "within tolerance",
    "outside coverage",
    "failed",
    "needs a decision",
    "not loaded",
    "not modelled",
    "undefined",
)


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """One reason for an unknown: which fact, setting or text, and why.

    Parameters
    ----------
    fact : str
        Name of the fact, setting or ordinance that is not known.
    reason : str
        One of `GAP_REASONS`.
    note : str
        More, for a reader: the interval that straddles, the layer that is missing.
    """

    fact: str
    reason: str
    note: str = ""

    def __post_init__(self) -> None:
        if self.reason not in GAP_REASONS:
            raise ValueError(f"unknown reason {self.reason!r}; one of {', '.join(GAP_REASONS)}")

    def __str__(self) -> str:
        return f"{self.fact} ({self.reason})"

    def to_dict(self) -> dict[str, str]:
        """Return the gap as plain values."""
        return {"fact": self.fact, "reason": self.reason, "note": self.note}


@dataclass(frozen=True, slots=True)
class Truth:
    """Yes, no, or unknown with its gaps.

    ``bool(truth)`` raises, so that three values never quietly become two; ask ``is_yes``, ``is_no``, ``is_unknown``.

    Examples
    --------
    >>> (YES | unknown("grows_crops", "missing")).is_yes
    True
    >>> str(NO | unknown("grows_crops", "missing"))
    'unknown'
    """

    known: bool | None
    gaps: frozenset[Gap] = frozenset()

    def __post_init__(self) -> None:
        if self.known is None and not self.gaps:
            raise ValueError("an unknown truth must say what is not known")
        if self.known is not None and self.gaps:
            raise ValueError("a known truth has no gaps")

    def __bool__(self) -> bool:
        raise TypeError("a Truth has three values; ask is_yes, is_no or is_unknown")

    def __str__(self) -> str:
        return {True: "yes", False: "no", None: "unknown"}[self.known]

    @property
    def is_yes(self) -> bool:
        """Whether it is known to hold."""
        return self.known is True

    @property
    def is_no(self) -> bool:
        """Whether it is known not to hold."""
        return self.known is False

    @property
    def is_unknown(self) -> bool:
        """Whether it is not known."""
        return self.known is None

    def __and__(self, other: Truth) -> Truth:
        return all_of((self, other))

    def __or__(self, other: Truth) -> Truth:
        return any_of((self, other))

    def __invert__(self) -> Truth:
        return self if self.known is None else (NO if self.known else YES)

    def to_dict(self) -> dict[str, object]:
        """Return the truth as plain values, gaps in a fixed order."""
        return {"truth": str(self), "gaps": [gap.to_dict() for gap in sorted(self.gaps)]}


YES = Truth(True)
NO = Truth(False)


def unknown(fact: str, reason: str, note: str = "") -> Truth:
    """Return the unknown that has this one gap."""
    return Truth(None, frozenset({Gap(fact, reason, note)}))


def all_of(truths: Iterable[Truth]) -> Truth:
    """Kleene's *and*: no if any is no, else unknown if any is unknown, else yes; of nothing, yes."""
    gaps: frozenset[Gap] = frozenset()
    seen_no = False
    for truth in truths:
        seen_no = seen_no or truth.known is False
        gaps |= truth.gaps
    return NO if seen_no else Truth(None, gaps) if gaps else YES


def any_of(truths: Iterable[Truth]) -> Truth:
    """Kleene's *or*: yes if any is yes, else unknown if any is unknown, else no; of nothing, no."""
    gaps: frozenset[Gap] = frozenset()
    seen_yes = False
    for truth in truths:
        seen_yes = seen_yes or truth.known is True
        gaps |= truth.gaps
    return YES if seen_yes else Truth(None, gaps) if gaps else NO
