"""Geometry that several measures of one call need for the same subjects, made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
import shapely

from geocheck.engines.working.overlay import Failures

__all__ = ["MOST", "Memory"]

#: Subjects up to which geometry is kept; with more, what is kept would fill the memory.
MOST = 5000


@dataclass(eq=False)
class Memory:
    """What is known of each subject, by key.

    Parameters
    ----------
    count : int
        How many subjects.
    """

    count: int
    _kept: dict[Hashable, np.ndarray] = field(default_factory=dict)

    def recall(
        self, key: Hashable, rows: np.ndarray, make: Callable[[np.ndarray], np.ndarray], failures: Failures
    ) -> np.ndarray:
        """Return the geometries of some subjects; what is not known is made, for the entries of ``rows`` given to make.

        What of a subject that is among the failures afterwards is not kept: the next measure makes it again, and fails too.

        Examples
        --------
        >>> memory = Memory(3)
        >>> circles = lambda entries: shapely.buffer(shapely.points([[0, 0]] * len(entries)), 1)
        >>> len(memory.recall("circle", np.array([0, 2]), circles, {}))
        2
        """
        if self.count > MOST:
            return make(np.arange(len(rows)))
        kept = self._kept.setdefault(key, np.full(self.count, None, dtype=object))
        found = np.asarray(kept[rows], dtype=object)
        todo = np.flatnonzero(shapely.is_missing(found))
        if len(todo):
            found[todo] = make(todo)
            sound = todo[~np.isin(rows[todo], list(failures))]
            kept[rows[sound]] = found[sound]
        return found
