"""Two adopted texts compared word by word: which clauses are touched, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher

from geocheck.rules.adopting import Adoption, words_of

__all__ = ["ClauseChange", "Comparison", "compare", "word_diff"]

#: A stretch of words: kept, taken out or put in.
Stretch = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """One clause that differs.

    Parameters
    ----------
    label : str
        Its full label; ``heading`` or ``history`` outside the clauses.
    kind : str
        ``changed``, ``added`` or ``removed``.
    old, new : str
        Its words before and after.
    """

    label: str
    kind: str
    old: str
    new: str

    @property
    def diff(self) -> tuple[Stretch, ...]:
        """The words kept, taken out and put in, in order."""
        return word_diff(self.old, self.new)

    def show(self) -> str:
        """Return the change as a reader reads it: taken out in ``[-…-]``, put in in ``{+…+}``."""
        marks = {"kept": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
        return f"{self.label} ({self.kind}): " + " ".join(marks[how].format(words) for how, words in self.diff)

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain values."""
        return {**asdict(self), "diff": [list(stretch) for stretch in self.diff]}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two adopted texts, in the order of the new one; removed clauses last."""

    changes: tuple[ClauseChange, ...]

    @property
    def same(self) -> bool:
        """Whether all words are the same, clause by clause; layout does not count."""
        return not self.changes

    @property
    def touched(self) -> tuple[str, ...]:
        """Labels of the clauses that differ."""
        return tuple(change.label for change in self.changes)

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain values."""
        return {"same": self.same, "touched": list(self.touched), "changes": [c.to_dict() for c in self.changes]}


def compare(old: Adoption, new: Adoption) -> Comparison:
    """Compare two adopted texts clause by clause.

    Parameters
    ----------
    old, new : Adoption
        Before and after; clauses are matched by their labels.

    Examples
    --------
    >>> from geocheck.rules.adopting import adopt
    >>> law = "us/wi/river-hills/6.04"
    >>> compare(adopt(law, "(1) One acre. (2) All land."), adopt(law, "(1) Two acres. (2) All land.")).touched
    ('(1)',)
    """
    before, after = dict(_labelled(old)), dict(_labelled(new))
    changes = []
    for key, (label, words) in after.items():
        if key not in before:
            changes.append(ClauseChange(label, "added", "", words))
        elif before[key][1] != words:
            changes.append(ClauseChange(label, "changed", before[key][1], words))
    changes += [ClauseChange(label, "removed", words, "") for key, (label, words) in before.items() if key not in after]
    return Comparison(tuple(changes))


def _labelled(adoption: Adoption) -> Iterator[tuple[tuple[str, ...], tuple[str, str]]]:
    for piece in adoption.slices:
        key = piece.steps if piece.kind == "clause" else (f" {piece.kind}",)
        yield key, (adoption.label_of(piece), words_of(adoption, piece.label or piece.kind))


def word_diff(old: str, new: str) -> tuple[Stretch, ...]:
    """Return the stretches of words that are ``kept``, taken ``out`` and put ``in``.

    Examples
    --------
    >>> word_diff("more than 400 cubic yards", "at least 400 cubic yards")
    (('out', 'more than'), ('in', 'at least'), ('kept', '400 cubic yards'))
    """
    left, right = old.split(), new.split()
    found: list[Stretch] = []
    for how, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if how == "equal":
            found.append(("kept", " ".join(left[i1:i2])))
            continue
        found += [(kind, " ".join(words)) for kind, words in (("out", left[i1:i2]), ("in", right[j1:j2])) if words]
    return tuple(found)
