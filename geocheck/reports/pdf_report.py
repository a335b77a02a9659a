"""report.pdf: the report for paper and files: numbered pages, bookmarks, the same words and pictures as the page."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.model.problem import OutputError
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

__all__ = ["OUTPUT", "pdf_of"]


def pdf_of(tables: Tables, *, only: str | None = None) -> bytes:
    """Return the report, or one site's, as PDF.

    Raises
    ------
    OutputError
        If WeasyPrint, or a library of the system that it needs, is not installed; or the run has no such site.
    """
    from geocheck.reports.html_report import page

    try:
        import weasyprint  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise OutputError(
            "a PDF needs WeasyPrint; install it with: pip install 'geocheck[report]', or open report.html in a browser and print it"
        ) from error
    except OSError as error:
        raise OutputError(
            f"a PDF needs WeasyPrint, and a library that it rests on is missing here ({error}); on Windows and macOS see "
            "WeasyPrint's page on installing, or open report.html in a browser and print it"
        ) from error

    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    text = "".join(page(tables, only=only, printed=True))
    document: Any = weasyprint.HTML(string=text, url_fetcher=_nothing, media_type="print")
    made: bytes = document.write_pdf()
    return made


def _nothing(address: str, *arguments: Any, **more: Any) -> Any:
    """Fetch nothing: the page asks for nothing, and whatever did would not get it."""
    raise ValueError(f"nothing is fetched for a PDF: {address}")


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write the report; of more than 200 sites the summary and the list."""
    (folder / name).write_bytes(pdf_of(tables))


OUTPUT = Output(
    says="the report as PDF, numbered pages (needs the extra: report); of more than 200 sites the summary and the list",
    names=("report.pdf",),
    write=write,
)
