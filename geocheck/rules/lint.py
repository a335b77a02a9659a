"""Everything wrong with ordinance files, by identifier, path or folder: errors and warnings, all at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from geocheck.model.problem import Problem
from geocheck.rules.read import Version, read_ordinance, versions_of

__all__ = ["files_of", "lint"]


def files_of(target: str | Path, folder: str | Path | None = None) -> list[Version]:
    """Return the files that a target means: all versions of an identifier, a file, or all files of a folder.

    Raises
    ------
    RuleFileError
        If there is no such ordinance, file or folder.
    """
    path = Path(target)
    if path.suffix.lower() in (".yaml", ".yml"):
        return [Version(path.as_posix(), path)]
    if path.is_dir():
        return [Version(file.as_posix(), file) for file in sorted(path.rglob("*.y*ml"))]
    return versions_of(str(target), folder)


def lint(target: str | Path, folder: str | Path | None = None) -> Iterator[tuple[Version, tuple[Problem, ...]]]:
    """Yield each file that a target means, with its problems in the file's order.

    Parameters
    ----------
    target : str or Path
        An identifier, a file or a folder.
    folder : path or None
        An office's own ordinances.
    """
    for version in files_of(target, folder):
        yield version, read_ordinance(version.file, version.id, thorough=True)[1]
