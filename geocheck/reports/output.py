"""What an output is: the names of the files it writes, and how it writes one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

__all__ = ["Output"]


@dataclass(frozen=True, slots=True)
class Output:
    """One kind of output: a member of the shelf.

    Parameters
    ----------
    says : str
        What it is, in one line, for ``--help``.
    names : tuple of str
        The file names that it answers to.
    write : callable
        Takes the run's `Tables`, one of ``names`` and the folder to write into.
    default : tuple of str
        Those of ``names`` that a run writes when nothing is asked for.
    beside : tuple of str
        Suffixes, in place of the name's own, of files that belong to it: written with it, or stale once it is replaced.
    open_marks : tuple of str
        Endings, after the whole name, of files that exist only while another program has the output open.
    """

    says: str
    names: tuple[str, ...]
    write: Callable[[Tables, str, Path], None]
    default: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    open_marks: tuple[str, ...] = ()

    def files(self, name: str) -> tuple[str, ...]:
        """Return the name and all files that belong to it.

        Examples
        --------
        >>> shapefile = Output("", ("parcels.shp",), lambda tables, name, folder: None, beside=(".dbf", ".fields.csv"))
        >>> shapefile.files("parcels.shp")
        ('parcels.shp', 'parcels.dbf', 'parcels.fields.csv')
        """
        stem = name.rpartition(".")[0]
        return (name, *(stem + suffix for suffix in self.beside))
