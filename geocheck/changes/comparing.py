"""What happened to each parcel between two deliveries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from geocheck.changes.delivery import LABEL, PARCEL, PLACEHOLDER, Delivery, Parcels, parcels_of
from geocheck.changes.descent import Group, descents, groups
from geocheck.changes.matching import Links, Pairs, link, pair, shifts, tolerance_of
from geocheck.model.changes import Change, Descent

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two deliveries compared.

    Parameters
    ----------
    before, after : Parcels
        The parcels of each.
    changes : tuple of Change
        Every parcel to which something happened, those before in order, then those only after.
    descent : tuple of Descent
        Which ground went from which parcel to which.
    tolerance : float
        Feet by which an outline may stray and be the same.
    shift : array of float
        Of the parcels with the same identifier in both, feet by which the outline strayed.
    pairs : Pairs
        Those parcels.
    stays : array of bool
        Of each parcel after, whether nothing happened to its ground or attributes.
    before_row : array of int
        Of each parcel after, the parcel before that it still is, -1 where it is new.
    """

    before: Parcels
    after: Parcels
    changes: tuple[Change, ...]
    descent: tuple[Descent, ...]
    tolerance: float
    pairs: Pairs
    stays: Any
    before_row: Any
    notes: tuple[str, ...] = ()
    _counted: Counter[str] = field(default_factory=Counter, repr=False)

    @property
    def shift(self) -> Any:
        """Feet by which the outlines of the pairs strayed."""
        return self.pairs.shift

    def counts(self) -> Counter[str]:
        """Count the changes, parcels that stay as they are included; a split counts once, however many its parts."""
        count = Counter(change.change for change in self.changes)
        count["unchanged"] += int(self.stays.sum())
        return count

    def stayed(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return columns of the parcels that stay as they are, in the order of the delivery.

        Returns
        -------
        tuple of array
            Identifier; square feet before and after, NaN where there is no ground; feet by which the outline strayed; note.
        """
        rows = np.flatnonzero(self.stays)
        strayed = np.zeros(len(self.after))
        strayed[self.pairs.after] = self.pairs.shift
        shifts = strayed[rows]
        notes = np.where(shifts != 0, "within tolerance", "").astype(object)
        own = self.after.notes
        for place in np.flatnonzero(np.isin(rows, list(own))).tolist() if own else ():
            notes[place] = "; ".join(filter(None, (notes[place], own[int(rows[place])])))
        return self.after.names[rows], self.before.areas[self.before_row[rows]], self.after.areas[rows], shifts, notes

    def rows(self) -> Iterator[Change]:
        """Yield a row for every parcel: those that stay as they are in the order of the delivery, then all others."""
        names, before, after, shifts, notes = self.stayed()
        areas = ([None if np.isnan(area) else area for area in side.tolist()] for side in (before, after))
        for name, one, two, shift, note in zip(names, *areas, shifts.tolist(), notes, strict=True):
            yield Change(name, "unchanged", (), (), (), one, two, shift, note)
        yield from self.changes


def _area(side: Parcels, row: int) -> float | None:
    area = float(side.areas[row])
    return None if np.isnan(area) else area


def compare(before: Delivery, after: Delivery, *, tolerance: float | None = None) -> Comparison:
    """Compare two deliveries of parcels by identifier and by ground.

    Parameters
    ----------
    before, after : Delivery
        In the same plane system, each with its feet in a unit.
    tolerance : float, optional
        Feet by which an outline may stray and be the same: the stated accuracy of the lines. See
        `matching.tolerance_of` for what holds where it is not given.

    Examples
    --------
    >>> def lots(names, *boxes):
    ...     return Delivery(np.array(names, object), shapely.box(*np.array(boxes, float).T), np.array(["parcel"] * len(names)))
    >>> done = compare(lots(["P1"], (0, 0, 200, 100)), lots(["P1A", "P1B"], (0, 0, 100, 100), (100, 0, 200, 100)))
    >>> [(c.parcel_id, c.change, c.parents, c.children, c.share) for c in done.changes][:2]
    [('P1', 'split', (), ('P1A', 'P1B'), (0.5, 0.5)), ('P1A', 'split', ('P1',), (), (0.5,))]
    >>> compare(lots([]), lots([])).changes
    ()
    """
    feet = after.feet
    old, new = parcels_of(before), parcels_of(after)
    pairs = pair(old, new, feet)
    allowed = tolerance_of(pairs.shift, tolerance)
    return _Comparing(old, new, pairs, allowed, feet, before.fields, after.fields).done()


class _Comparing:
    """The state of one comparison while it goes."""

    def __init__(self, old: Parcels, new: Parcels, pairs: Pairs, tolerance: float, feet: float, *fields: tuple[str, ...]) -> None:  # fmt: skip
        self.old, self.new, self.pairs, self.tolerance, self.feet = old, new, pairs, tolerance, feet
        self.fields = fields
        self.stays = np.zeros(len(new), dtype=bool)
        self.before_row = np.full(len(new), -1)
        self.found: list[tuple[tuple[int, int], Change]] = []
        self.descent: list[Descent] = []

    def done(self) -> Comparison:
        same = self.pairs.shift <= self.tolerance
        self._settle(self.pairs.before[same], self.pairs.after[same], self.pairs.shift[same])
        for kinds in ((PARCEL, PLACEHOLDER), (LABEL,)):
            loose_old, loose_new = (self._loose(side, settled, kinds) for side, settled in ((self.old, self.pairs.before[same]), (self.new, self.pairs.after[same])))  # fmt: skip
            loose_old, loose_new = self._settle_nameless(loose_old, loose_new)
            links = link(self.old, self.new, loose_old, loose_new, tolerance=self.tolerance, feet=self.feet)
            for group in groups(links, loose_old, loose_new):
                self._group(group, links)
        changes = tuple(change for _, change in sorted(self.found, key=lambda item: item[0]))
        return Comparison(
            self.old, self.new, changes, tuple(self.descent), self.tolerance, self.pairs, self.stays, self.before_row
        )

    @staticmethod
    def _loose(side: Parcels, settled: Any, kinds: tuple[str, ...]) -> Any:
        loose = np.isin(side.kinds, kinds)
        loose[settled] = False
        return np.flatnonzero(loose)

    def _settle(self, before: Any, after: Any, shift: Any) -> None:
        """Take parcels whose ground is the same: nothing happened, or their attributes changed."""
        self.before_row[after] = before
        changed = self._attributes(before, after)
        self.stays[after[[not words for words in changed]]] = True
        for place, words in enumerate(changed):
            if words:
                one, two = int(before[place]), int(after[place])
                self._say(one, two, "attributes only", shift=float(shift[place]), words=words)

    def _attributes(self, before: Any, after: Any) -> list[str]:
        """Name the attribute fields that differ, one text a pair."""
        if self.old.attributes is None or self.new.attributes is None:
            return [""] * len(before)
        shared = [(self.fields[0].index(name), self.fields[1].index(name), name) for name in self.fields[1] if name in self.fields[0]]  # fmt: skip
        differs = np.zeros((len(before), len(shared)), dtype=bool)
        for column, (one, two, _) in enumerate(shared):
            differs[:, column] = self.old.attributes[before, one] != self.new.attributes[after, two]
        words = [""] * len(before)
        for row in np.flatnonzero(differs.any(axis=1)).tolist():
            words[row] = ", ".join(name for (_, _, name), differ in zip(shared, differs[row], strict=True) if differ)
        return words

    def _settle_nameless(self, old: Any, new: Any) -> tuple[Any, Any]:
        """Match parcels without identifier, and labels, that stand on the same ground in both deliveries."""
        one, two = (rows[side.kinds[rows] != PARCEL] for side, rows in ((self.old, old), (self.new, new)))
        one, two = (rows[~shapely.is_missing(side.grounds[rows])] for side, rows in ((self.old, one), (self.new, two)))
        if not len(one) or not len(two):
            return old, new
        at, found = shapely.STRtree(self.new.grounds[two]).query(self.old.grounds[one], predicate="intersects")
        one, two = one[at], two[found]
        shift = shifts(self.old.grounds[one], self.new.grounds[two], self.feet)
        taken: tuple[set[int], set[int]] = (set(), set())
        best: list[tuple[int, int, float]] = []
        for place in np.lexsort((self.old.names[one] != self.new.names[two], shift)).tolist():
            b, a = int(one[place]), int(two[place])
            if shift[place] <= self.tolerance and b not in taken[0] and a not in taken[1] and self.old.names[b] == self.new.names[a]:  # fmt: skip
                taken[0].add(b)
                taken[1].add(a)
                best.append((b, a, float(shift[place])))
        if best:
            self._settle(*(np.array(column) for column in zip(*best, strict=True)))
        return old[~np.isin(old, list(taken[0]))], new[~np.isin(new, list(taken[1]))]

    # Groups of parcels that descend from each other --------------------------------------------------------------------

    def _group(self, group: Group, links: Links) -> None:
        before, after = group.before, group.after
        if not after:
            self._alone(before[0], -1)
        elif not before:
            self._alone(-1, after[0])
        elif len(before) == len(after) == 1:
            self._one_to_one(before[0], after[0], links, group)
        elif len(before) == 1 or len(after) == 1 or not self._same_stack(group):
            word = "split" if len(before) == 1 else "merged" if len(after) == 1 else "re-cut"
            self._many(word, links, group)

    def _alone(self, before: int, after: int) -> None:
        """Tell of a parcel whose ground is linked with no other's: gone, new, or its number on other ground or on none."""
        gone = after < 0
        word = "removed" if gone else "added"
        side, other, row = (self.old, self.new, before) if gone else (self.new, self.old, after)
        words = "" if side.grounds[row] is not None else "no geometry"
        again = np.flatnonzero((other.names == side.names[row]) & (other.kinds == PARCEL))
        if side.kinds[row] == PARCEL and len(again):
            nowhere = other.grounds[again[0]] is None
            if nowhere or words:
                # The number stays and its ground is lost, or found: told on both sides as what it is.
                word, words = "reshaped", words or ("no geometry now" if gone else "no geometry before")
            else:
                words = "its number is on other ground now" if gone else "its number was on other ground"
        self._say(before, after, word, words=words)

    def _one_to_one(self, before: int, after: int, links: Links, group: Group) -> None:
        shift = float(shifts(self.old.grounds[[before]], self.new.grounds[[after]], self.feet)[0])
        same_name = self.old.names[before] == self.new.names[after]
        rows = descents(self.old, self.new, links, group, self.tolerance)
        self.descent += rows
        left = sum(row.share_of_parent for row in rows if not row.child)
        words = [] if left < 0.005 else [f"{100 * left:.3g} % of it is in no parcel now"]
        self.before_row[after] = before
        if same_name:
            self._say(before, after, "reshaped", shift=shift, words="; ".join(words))
            return
        if shift > self.tolerance:
            words.insert(0, "its outline changed too")
        self._say(before, after, "renumbered", shift=shift, words="; ".join(words), apart=True)

    def _same_stack(self, group: Group) -> bool:
        """Settle stacked parcels that were redrawn together: each is itself again by its number."""
        names = {self.new.names[row]: row for row in group.after}
        both = [(row, names[self.old.names[row]]) for row in group.before if self.old.names[row] in names]
        if len(both) != len(group.before) or len(both) != len(group.after):
            return False
        if len({self.old.grounds[b].wkb for b, _ in both}) > 1 or len({self.new.grounds[a].wkb for _, a in both}) > 1:
            return False
        for before, after in both:
            shift = float(shifts(self.old.grounds[[before]], self.new.grounds[[after]], self.feet)[0])
            self.before_row[after] = before
            self._say(before, after, "reshaped", shift=shift)
        return True

    def _many(self, word: str, links: Links, group: Group) -> None:
        rows = descents(self.old, self.new, links, group, self.tolerance)
        self.descent += rows
        of_child = word == "merged"
        for before in group.before:
            own = [row for row in rows if row.parent == self.old.known_as(before) and row.child]
            left = sum(row.share_of_parent for row in rows if row.parent == self.old.known_as(before) and not row.child)
            words = f"{100 * left:.3g} % of it is in no parcel now" if left >= 0.005 else ""
            share = tuple(row.share_of_child if of_child else row.share_of_parent for row in own)
            self._say(before, -1, word, children=tuple(row.child for row in own), share=share, words=words)
        for after in group.after:
            own = [row for row in rows if row.child == self.new.known_as(after) and row.parent]
            share = tuple(row.share_of_parent if word == "split" else row.share_of_child for row in own)
            self._say(-1, after, word, parents=tuple(row.parent for row in own), share=share)

    def _say(
        self, before: int, after: int, word: str, *, shift: float | None = None, words: str = "", apart: bool = False,
        parents: tuple[str, ...] = (), children: tuple[str, ...] = (), share: tuple[float, ...] = (),
    ) -> None:  # fmt: skip
        areas = (_area(self.old, before) if before >= 0 else None, _area(self.new, after) if after >= 0 else None)
        notes = (self.new.notes.get(after, "") if after >= 0 else self.old.notes.get(before, ""), words)
        if apart:
            parents, children, share = (self.old.known_as(before),), (), (1.0,)
        name = self.new.names[after] if after >= 0 else self.old.names[before]
        change = Change(name, word, parents, children, share, *areas, shift, "; ".join(filter(None, notes)))
        self.found.append(((0, before) if before >= 0 else (1, after), change))
