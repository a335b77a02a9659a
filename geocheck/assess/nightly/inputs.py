"""Everything that goes into a night, as one fingerprint: where it is the same, there is nothing to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from geocheck.assess.accumulating import accumulating
from geocheck.model.acts import Act
from geocheck.model.ground import LayerSource
from geocheck.project import Project

__all__ = ["build", "night_fingerprint"]


@cache
def build() -> str:
    """Return the fingerprint of geocheck's own files: another program may measure and judge otherwise."""
    from geocheck import __version__

    package = Path(__file__).parents[2]
    files = sorted(path for path in package.rglob("*.*") if path.suffix in (".py", ".yaml", ".j2", ".css"))
    told = [(path.relative_to(package).as_posix(), s.st_size, s.st_mtime_ns) for path in files if (s := path.stat())]
    return hashlib.sha256(json.dumps([__version__, told]).encode()).hexdigest()


def night_fingerprint(
    project: Project, ordinances: Sequence[Any], acts: Sequence[Act], engine: str, as_of: date
) -> str:
    """Return the fingerprint of all that a night's result follows from.

    The day is in it only where an ordinance counts years back from it, or ground disturbed up to it. Else what follows
    from the day is: which versions of the ordinances and which acts are in force.

    Parameters
    ----------
    project : Project
        With its layers where they can be read: as files, or addresses already fetched.
    ordinances : iterable of Ordinance
        As in force on the day.
    acts : sequence of Act
        Those in force on the day.
    engine : str
        How ground is measured.
    as_of : date
        The day.
    """
    day = as_of.isoformat() if any(map(_counts_days, ordinances)) else ""
    digest = hashlib.sha256()
    plain = replace(project, path=None, as_of=None, output=Path(), ledger="")
    for part in (
        build(), engine, day, repr(plain), *(f"{o.id} {o.fingerprint}" for o in ordinances), *map(str, acts),
    ):  # fmt: skip
        digest.update(part.encode() + b"\0")
    for path in sorted(set(_files(project))):
        digest.update(str(path).encode() + b"\0")
        if path.is_file():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _counts_days(ordinance: Any) -> bool:
    """Tell whether the same layers may give an ordinance other facts on another day."""
    return ordinance.division_years is not None or bool(accumulating(ordinance.facts.values()))


def _files(project: Project) -> Iterator[Path]:
    for source in project.layers.values():
        yield from _of_layer(source)
    yield from project.statements
    if project.ordinance_folder is not None:
        yield from (path for path in project.ordinance_folder.rglob("*") if path.is_file())


def _of_layer(source: LayerSource) -> Iterator[Path]:
    for part in source.parts:
        yield from _of_layer(part)
    for text in (source.path, source.coverage):
        if text in ("", "extent", "jurisdiction") or "://" in text:
            continue
        path = Path(text)
        if path.is_dir():
            yield from (inner for inner in path.rglob("*") if inner.is_file())
        elif path.parent.is_dir():
            # What belongs to a file stands beside it under its name: .dbf, .prj, .cpg, .aux.xml.
            yield from (p for p in path.parent.iterdir() if p.name.startswith(f"{path.stem}.") and p.suffix not in (".lock", ".gpkg-journal"))  # fmt: skip
