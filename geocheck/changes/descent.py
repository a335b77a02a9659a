"""Groups of parcels that came from each other, and the shares of ground between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geocheck.changes.delivery import Parcels
from geocheck.changes.matching import Links
from geocheck.model.changes import Descent

__all__ = ["Group", "descents", "groups"]


@dataclass(frozen=True, slots=True)
class Group:
    """Parcels before and after that are linked with each other, however many steps away; either side may be empty."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    links: tuple[int, ...] = ()


def groups(links: Links, old: Any, new: Any) -> Iterator[Group]:
    """Yield the groups of linked parcels, and each loose parcel that is linked with none as a group of its own."""
    roots: dict[tuple[int, int], tuple[int, int]] = {}

    def root(node: tuple[int, int]) -> tuple[int, int]:
        path = []
        while roots.setdefault(node, node) != node:
            path.append(node)
            node = roots[node]
        for each in path:
            roots[each] = node
        return node

    ends = list(zip(links.before.tolist(), links.after.tolist(), strict=True))
    for before, after in ends:
        roots[root((1, after))] = root((0, before))
    members: dict[tuple[int, int], tuple[list[int], list[int], list[int]]] = {}
    for side, rows in enumerate((old.tolist(), new.tolist())):
        for row in rows:
            members.setdefault(root((side, row)), ([], [], []))[side].append(row)
    for number, (before, _) in enumerate(ends):
        members[root((0, before))][2].append(number)
    for before_rows, after_rows, own in members.values():
        yield Group(tuple(before_rows), tuple(after_rows), tuple(own))


def descents(old: Parcels, new: Parcels, links: Links, group: Group, tolerance: float) -> list[Descent]:
    """Return the common grounds of a group with their shares, and the ground that is in no parcel, or was in none.

    What is missing from a whole by no more than the tolerance along its outline is the noise of drawing: the shares are
    then of the ground accounted for, and add up to 1 all the same.
    """
    numbers = np.array(group.links, dtype=int)
    before, after, area = links.before[numbers], links.after[numbers], links.area[numbers]
    wholes = []
    left: list[Descent] = []
    for side, ends, rows in ((old, before, group.before), (new, after, group.after)):
        whole = {}
        for row in rows:
            accounted, own = float(area[ends == row].sum()), float(side.areas[row])
            slack = tolerance * float(shapely.length(side.grounds[row])) * np.sqrt(own / max(float(shapely.area(side.grounds[row])), 1e-300))  # fmt: skip
            noise = own - accounted <= slack
            whole[row] = accounted if noise else own
            if not noise:
                share = (own - accounted) / own
                name = side.known_as(row)
                left.append(Descent(name, "", own - accounted, share, 0.0) if side is old else Descent("", name, own - accounted, 0.0, share))  # fmt: skip
        wholes.append(whole)
    linked = [
        Descent(old.known_as(b), new.known_as(a), ground, ground / wholes[0][b], ground / wholes[1][a])
        for b, a, ground in zip(before.tolist(), after.tolist(), area.tolist(), strict=True)
    ]
    order = {new.known_as(row): place for place, row in enumerate(group.after)}
    linked.sort(key=lambda row: (row.parent, order[row.child]))
    return linked + left
