"""The determination memo as a Word document: a template, the office's or geocheck's own, filled for one site."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geocheck.model.problem import OutputError
from geocheck.reports.tables import Tables

__all__ = ["check_memo", "memo_of", "template_bytes"]

#: Characters that no Word document can hold.
_IMPOSSIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def check_memo() -> None:
    """Refuse, before any work, what a memo could not be made without.

    Raises
    ------
    OutputError
        If docxtpl is not installed.
    """
    try:
        import docxtpl  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
        import PIL  # noqa: F401
    except ImportError as error:
        raise OutputError(
            "a memo needs docxtpl and Pillow; install them with: pip install 'geocheck[report]'"
        ) from error


def template_bytes() -> bytes:
    """Return geocheck's own template, for an office to change.

    Raises
    ------
    OutputError
        If docxtpl is not installed.
    """
    from geocheck.reports.memo.template import default_template

    check_memo()
    return default_template()


def memo_of(
    tables: Tables, site: str, *, template: Path | None = None, fields: Mapping[str, str] | None = None
) -> bytes:
    """Return the determination memo of one site.

    Parameters
    ----------
    tables : Tables
        The run's tables.
    site : str
        Identifier of the site.
    template : Path, optional
        The office's own template, a .docx; geocheck's own when not given.
    fields : mapping of str to str, optional
        What the office fills in (see `model.memo_fields`).

    Raises
    ------
    OutputError
        If docxtpl is not installed, the template cannot be read or asks for what there is not, or the run has no such site.
    """
    from geocheck.reports.memo.content import memo_content
    from geocheck.reports.memo.picture import picture_of

    check_memo()
    import docxtpl
    import jinja2
    from docx.opc.exceptions import PackageNotFoundError
    from docx.shared import Mm

    content = memo_content(tables, site, fields)
    drawing = content.pop("drawing")
    source: Any = io.BytesIO(template_bytes()) if template is None else str(template)
    try:
        document = docxtpl.DocxTemplate(source)
        content = _possible(content)
        content["map"] = (
            docxtpl.InlineImage(document, io.BytesIO(picture_of(drawing)), width=Mm(150)) if drawing else ""
        )
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=True)
        document.render(content, environment, autoescape=True)
    except (PackageNotFoundError, KeyError, ValueError) as error:
        raise OutputError(f"{template}: this is no Word document that can be filled ({error})") from error
    except jinja2.TemplateError as error:
        raise OutputError(
            f"{template or 'the template'}: {error}; `geocheck report --write-template memo.docx` writes one that works, to start from"
        ) from error
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _possible(value: Any) -> Any:
    """The same without characters that no Word document can hold; each is a sign that something was there."""
    if isinstance(value, str):
        return _IMPOSSIBLE.sub("�", value)
    if isinstance(value, dict):
        return {key: _possible(item) for key, item in value.items()}
    return [_possible(item) for item in value] if isinstance(value, (list, tuple)) else value
