"""Input formats: a shelf, one file a format, each defining FORMAT."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from geocheck.model.shelf import Shelf
from geocheck.sources.format import Format, refuse

__all__ = ["FORMATS", "format_of"]

FORMATS = Shelf("geocheck.sources.formats", "FORMAT")


def format_of(path: Path) -> Format:
    """Return the format of a file or folder.

    Raises
    ------
    SourceError
        If it is not there, is a folder of files, or is of no known format.
    """
    if not path.exists():
        there = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
        near = ", ".join(
            [n for n in there if n.startswith(path.stem + ".")][:6] or get_close_matches(path.name, there, n=1)
        )
        raise refuse(
            "missing-file",
            "there is no such file",
            file=path,
            remedy=f"The folder holds {near}."
            if near
            else "Check the path; in a project file it is relative to that file, on the command line to this folder.",
        )
    formats: list[Format] = list(FORMATS)
    name = path.name.lower()
    fitting = sorted(
        ((len(suffix), form) for form in formats for suffix in form.suffixes if name.endswith(suffix)),
        key=lambda pair: -pair[0],
    )
    for _, form in fitting:
        if form.accepts is None or form.accepts(path):
            return form
    known = ", ".join(sorted({suffix for form in formats for suffix in form.suffixes}))
    if path.is_dir():
        inside = ", ".join(sorted(p.name for p in path.iterdir() if p.suffix.lower() in known)[:12])
        raise refuse("folder", "this is a folder, not a layer", file=path, remedy=f"Name one file in it: {inside}.")
    raise refuse(
        "unknown-format",
        "the file is of no vector format that is read here",
        file=path,
        remedy=f"Known endings: {known}.",
    )
