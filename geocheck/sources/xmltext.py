"""XML files are read whole before GDAL sees them: its parser gives the beginning of a cut-off one without a word."""

from __future__ import annotations

import xml.parsers.expat
from pathlib import Path

from geocheck.sources.format import refuse

__all__ = ["check_xml"]


def check_xml(path: Path) -> None:
    """Refuse a file that is not well-formed XML from its first byte to its last.

    Raises
    ------
    SourceError
        The message says where it breaks.
    """
    parser = xml.parsers.expat.ParserCreate()
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except xml.parsers.expat.ExpatError as error:
        reason = xml.parsers.expat.ErrorString(error.code)
        cut = reason in ("no element found", "unclosed token", "unclosed CDATA section")
        raise refuse(
            "damaged-file",
            f"the file is {'cut off' if cut else 'no XML'}: {reason} at line {error.lineno}, column {error.offset}",
            file=path,
            remedy="Get the file again; nothing of it is used.",
        ) from error
