"""geocheck report: the last result as a page, a PDF, a memo or a workbook, of all sites or of one."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import output_folder, overwrite
from geocheck.model.problem import OutputError

__all__ = ["COMMAND"]

_EPILOG = """\b
Examples:
  geocheck report --format pdf                        the whole report, out/report.pdf
  geocheck report --site S-12 --format pdf            one site, out/S-12.pdf
  geocheck report --site S-12 --format docx \\
      --field applicant="A. Muster" --field file_number=26-014
  geocheck report --write-template memo.docx          the memo's template, to change
  geocheck report --site S-12 --format docx --template memo.docx"""


@click.command("report", epilog=_EPILOG)
@click.argument("project", required=False, type=click.Path())
@output_folder
@click.option("--site", help="One site alone; a memo is always about one.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "pdf", "docx", "xlsx"]),
    default="html",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--to",
    "to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; in the folder of the outputs by default.",
)
@click.option(
    "--template",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The office's own template for the memo, a .docx.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=TEXT",
    help="What the office fills in of a memo, such as applicant; may be repeated.",
)
@click.option(
    "--write-template",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the memo's own template to this file, and nothing else.",
)
@click.option(
    "--ordinance-folder", type=click.Path(file_okay=False), help="The office's own ordinances, if it has some."
)
@overwrite
def COMMAND(  # noqa: N802
    project: str | None,
    output: str | None,
    site: str | None,
    form: str,
    to: Path | None,
    template: Path | None,
    fields: tuple[str, ...],
    write_template: Path | None,
    ordinance_folder: str | None,
    overwrite: bool,
) -> None:
    """Write the last result in another form; nothing is measured or judged again.

    Reads the outputs of the last run: of PROJECT where it is named, else in the folder named with -o (out by default).
    """
    if write_template is not None:
        from geocheck.reports.memo.document import template_bytes

        _save(write_template, template_bytes(), overwrite)
        click.echo(
            f"Wrote {write_template}. Change it in Word, then: geocheck report --site … --format docx --template {write_template}"
        )
        return
    if form != "docx" and (template or fields):
        raise click.UsageError("--template and --field are for memos: add --format docx")
    folder, ordinance_folder = _where(project, output, ordinance_folder)
    told = _fields(fields)
    from geocheck.assess.last_findings import findings_of

    findings = findings_of(folder, ordinance_folder=ordinance_folder)
    site = site or (_only(findings) if form == "docx" else None)
    target = to or folder / (
        f"{_file_name(site)}.{form}" if site else f"{'geocheck' if form == 'xlsx' else 'report'}.{form}"
    )
    again = form == "html" and not site and to is None  # the run's own page, anew
    _save(target, _made(findings, form, site, template, told), overwrite or again)
    click.echo(f"Wrote {target}")


def _where(project: str | None, output: str | None, ordinance_folder: str | None) -> tuple[Path, str | None]:
    if project is None:
        return Path(output or "out"), ordinance_folder
    from geocheck.project import open_project

    opened = open_project(project)
    own = opened.ordinance_folder
    return Path(output) if output else opened.output, ordinance_folder or (str(own) if own else None)


def _fields(texts: tuple[str, ...]) -> dict[str, str]:
    from geocheck.model.memo_fields import FIELDS

    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or name not in FIELDS:
            raise click.UsageError(f"--field is written NAME=TEXT, with a name of {', '.join(FIELDS)}; not {text!r}")
        found[name] = value
    return found


def _only(findings: Any) -> str:
    """The one site of a run; of several, one must be named."""
    ids = [] if findings.sites is None else [str(name) for name in findings.sites["site_id"]]
    if len(ids) == 1:
        return ids[0]
    raise click.UsageError(
        f"a memo is about one site: name it with --site ({', '.join(ids[:5])}{', …' if len(ids) > 5 else ''})"
        if ids
        else "a memo is about one site, and the run had none"
    )


def _file_name(site: str | None) -> str:
    """A site's identifier as the name of a file on every system."""
    name = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", site or "").strip(" .")[:80]
    return name or "site"


def _made(findings: Any, form: str, site: str | None, template: Path | None, fields: dict[str, str]) -> bytes:
    from geocheck.reports.html_report import page
    from geocheck.reports.tables import Tables

    tables = Tables(findings)
    if form == "docx":
        from geocheck.reports.memo.document import memo_of

        return memo_of(tables, site or "", template=template, fields=fields)
    if form == "pdf":
        from geocheck.reports.pdf_report import pdf_of

        return pdf_of(tables, only=site)
    if form == "html":
        return "".join(page(tables, only=site)).encode("utf-8", "xmlcharrefreplace")
    from geocheck.reports.workbook import write

    with tempfile.TemporaryDirectory() as aside:
        write(Tables(_of_site(findings, site)) if site else tables, "geocheck.xlsx", Path(aside))
        return (Path(aside) / "geocheck.xlsx").read_bytes()


def _of_site(findings: Any, site: str) -> Any:
    """The findings about one site; the parcels and layers stay."""
    from geocheck.model.facts import FactColumn, FactSheet, FactTable
    from geocheck.reports.page.site_content import Sites
    from geocheck.reports.tables import Tables

    place = Sites(Tables(findings)).place_of(site)
    table = findings.facts.table("site")
    columns = {}
    if site in table.ids:
        row = list(table.ids).index(site)
        for name, column in table.columns.items():
            fact = column.at(row)
            value, low, high = ([getattr(end, "value", end)] for end in (fact.value, fact.low, fact.high))
            columns[name] = FactColumn(
                name, column.kind, column.unit, value, low, high, [fact.status], fact.source, [fact.note]
            )
    tables = [FactTable("site", [site], columns)]
    return replace(
        findings,
        facts=FactSheet(tables, findings.as_of),
        sites=findings.sites.iloc[[place]].reset_index(drop=True),
        determinations=tuple(d for d in findings.determinations if d.site_id == site),
        questions=tuple(q for q in findings.questions if q.site_id == site),
    )


def _save(target: Path, content: bytes, replace_it: bool) -> None:
    """Write aside and move in, so that a failure leaves the older file whole."""
    if target.exists() and not replace_it:
        raise OutputError(f"{target} is there; use --overwrite to replace it, or name another file with --to")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(prefix=".geocheck-", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(aside).chmod(0o644)
        Path(aside).replace(target)
    except OSError as error:
        raise OutputError(
            f"{target} cannot be written: {error.strerror or error}; close it in other programs, or name another file with --to"
        ) from error
