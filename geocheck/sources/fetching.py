"""Sources that are no files fetched, so that all that follows reads files: whole, or an error and the older copy left."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from geocheck.model.ground import Copy, LayerSource
from geocheck.model.problem import GeocheckError, SourceError, SourceIncompleteError
from geocheck.sources.format import refuse
from geocheck.sources.hiding import shown
from geocheck.sources.origins import origin_of

__all__ = ["fetch_layers", "fetched"]

_NO_FILES = ("", "extent", "jurisdiction")


def fetch_layers(
    sources: Mapping[str, LayerSource], folder: Path, progress: Callable[[str, int, int], None] | None = None
) -> dict[str, LayerSource]:
    """Fetch the layers of a project that are no files, one after another.

    Parameters
    ----------
    sources : mapping of str to LayerSource
        By role.
    folder : Path
        The project's. Copies stay in ``.geocheck/fetched`` there, so that what was judged can be looked at, and what has
        come of a fetch that was cut off is gone on from.
    progress : callable, optional
        Called with a stage, what has come and how much there is.

    Returns
    -------
    dict of str to LayerSource
        The same layers; those that were fetched name their `Copy`, and their address without its secrets.

    Raises
    ------
    SourceError, SourceIncompleteError
        All problems of all layers at once.
    """
    done: dict[str, LayerSource] = {}
    errors: list[GeocheckError] = []
    for role, source in sources.items():
        say = (lambda at, of, role=role: progress(f"fetching {role}", at, of)) if progress else None
        try:
            done[role] = fetched(source, folder / ".geocheck" / "fetched", say)
        except SourceError as error:
            errors.append(error)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        # A source that is down may be whole tomorrow; one that is wrong stays wrong, and decides.
        lacking = all(isinstance(error, SourceIncompleteError) for error in errors)
        kind = SourceIncompleteError if lacking else SourceError
        raise kind("\n".join(map(str, errors)), [p for error in errors for p in error.problems])
    return done


def fetched(
    source: LayerSource, folder: Path | None = None, progress: Callable[[int, int], None] | None = None
) -> LayerSource:
    """Return a source whose records, and whose ground of coverage, lie in files.

    Parameters
    ----------
    source : LayerSource
        What the project says about it; one that is a file, or was fetched, comes back as it is.
    folder : Path, optional
        Where copies are kept; by default a folder that is gone when the program ends.

    Raises
    ------
    SourceError
        If what is asked for is not there.
    SourceIncompleteError
        If the source does not answer, or gives less than it holds.
    """
    if source.parts:
        return replace(source, parts=tuple(fetched(part, folder, progress) for part in source.parts))
    say = progress or (lambda at, of: None)
    if source.copy is None and source.source:
        origin = origin_of(source.source)
        if origin is not None:
            copy = origin.fetch(source, folder or _passing(), say)
            # A file chosen among others is named as what it is; an address stays an address.
            name = shown(source.source) if "://" in source.source else copy.file
            source = replace(source, source=name, copy=copy)
        elif source.query:
            raise refuse("no-query", "`query` is for databases", file=source.source, layer=source.role, remedy="Use `where` to filter the records of a file.")  # fmt: skip
    if source.coverage not in _NO_FILES:
        source = _with_coverage(source, folder, say)
    return source


def _with_coverage(source: LayerSource, folder: Path | None, say: Callable[[int, int], None]) -> LayerSource:
    origin = origin_of(source.coverage)
    if origin is None:
        return source
    copy = origin.fetch(LayerSource("municipality", source.coverage), folder or _passing(), say)
    own = source.copy or Copy(source.source, source.layer, source.where)
    told = (f"coverage from {shown(source.coverage)}", *copy.told)
    return replace(source, coverage=copy.file, copy=replace(own, told=(*own.told, *told)))


def _passing() -> Path:
    return Path(_passing_folder().name)


@cache
def _passing_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="geocheck-", ignore_cleanup_errors=True)
