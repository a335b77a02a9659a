"""Shelves: folders in which a new file is a new measure, format, output, engine or check, with no edit elsewhere."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

__all__ = ["Shelf"]


@dataclass(frozen=True, slots=True)
class Shelf:
    """A package whose modules each define one expected name.

    Parameters
    ----------
    package : str
        Dotted name of the package; also the entry-point group that admits members from other packages.
    expected : str
        The name that each module defines, such as ``MEASURE``.
    beside : tuple of str
        Modules of the package that are not members.
    """

    package: str
    expected: str
    beside: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Return the members' module names, sorted; nothing is imported but the package itself."""
        path = tuple(importlib.import_module(self.package).__path__)
        return sorted((_listed(path) - set(self.beside)) | set(_admitted(self.package)))

    def load(self, name: str) -> Any:
        """Import one member and return what it defines under the expected name.

        Raises
        ------
        KeyError
            If there is no such member.
        """
        point = _admitted(self.package).get(name)
        if point is not None:
            return point.load()
        if name not in self.names():
            raise KeyError(name)
        return getattr(importlib.import_module(f"{self.package}.{name}"), self.expected)

    def __iter__(self) -> Iterator[Any]:
        return (self.load(name) for name in self.names())


@cache
def _listed(path: tuple[str, ...]) -> frozenset[str]:
    """Modules in a package's folders; listed once, for it reads the disk and is asked for each site."""
    return frozenset(module.name for module in pkgutil.iter_modules(path))


@cache
def _admitted(group: str) -> dict[str, EntryPoint]:
    """Members from other packages; looked up once, for it reads the metadata of everything installed."""
    return {point.name: point for point in entry_points(group=group)}
