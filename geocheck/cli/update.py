"""geocheck update: the county's new parcels, unattended."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, output_folder, print_json, quietly, reporting
from geocheck.schedule import SCHEDULES, schedule

__all__ = ["COMMAND"]

_EPILOG = """\b
Examples:
  geocheck update county/geocheck.yaml
  geocheck update county/geocheck.yaml --accept "annexation of 14 September, letter of the county surveyor"
  geocheck update county/geocheck.yaml --print-schedule systemd

\b
Exit codes: 0 done, also when nothing was to do; 1 the condition of --fail-on is met; 2 usage;
3 delivery refused, or the ledger cannot be used; 4 rule or project file wrong; 5 source incomplete."""


@click.command("update", epilog=_EPILOG)
@click.argument("project", default="geocheck.yaml", type=click.Path())
@output_folder
@click.option(
    "--accept", default="", metavar="REASON", help="Take a suspect delivery all the same; the reason is recorded."
)
@click.option(
    "--write", "names", metavar="FILES", help="Which files to write beside changes.csv and changed_determinations.csv."
)
@click.option("--wait", default=0.0, metavar="SECONDS", help="How long to wait for another update to end.")
@click.option("--engine", default="local", show_default=True, help="How ground is measured.")
@click.option(
    "--fail-on",
    type=click.Choice(["changed", "undetermined"]),
    help="End with exit code 1 when outcomes changed, or are open.",
)
@click.option(
    "--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to log on stderr."
)
@click.option(
    "--print-schedule",
    "kind",
    type=click.Choice(list(SCHEDULES)),
    help="Print what puts this update on a nightly schedule, and do nothing else.",
)
@quietly
@as_json
def COMMAND(project: str, kind: str | None, **options: Any) -> None:  # noqa: N802
    """Take the county's new delivery of parcels into PROJECT's ledger and say whose determination changed.

    Compares the delivery with the last one and refuses a suspect one before anything is written; measures only what is touched; judges
    again; writes the ledger, changes.csv, changed_determinations.csv and the tables. The same delivery twice: nothing to do.
    """
    from geocheck.assess.nightly import update
    from geocheck.model.problem import GeocheckError

    path = Path(project)
    if kind:
        file = path / "geocheck.yaml" if path.is_dir() else path
        click.echo(schedule(kind, file), nl=False)
        return
    log = _Log(options["log_format"], options["quiet"])
    names = [name.strip() for name in options["names"].split(",") if name.strip()] if options["names"] else None
    try:
        with reporting(options["quiet"] or options["as_json"] or options["log_format"] == "json") as progress:
            night = update(
                path,
                accept=options["accept"],
                output=options["output"],
                names=names,
                engine=options["engine"],
                wait=options["wait"],
                progress=progress,
                log=log,
            )
    except GeocheckError as error:
        log("failed", level="error", exit_code=error.exit_code, error=str(error))
        raise
    if options["as_json"]:
        print_json(night.to_dict())
    elif not options["quiet"]:
        click.echo(night.mail(), nl=False)
    failed = {"changed": night.summary["changed"], "undetermined": night.undetermined}.get(options["fail_on"])
    if failed:
        raise click.exceptions.Exit(1)


class _Log:
    """Events on standard error: a line of JSON each, or nothing but what the program prints anyway."""

    def __init__(self, form: str, quiet: bool) -> None:
        self.json, self.quiet = form == "json", quiet

    def __call__(self, event: str, *, level: str = "info", **more: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self.json:
            click.echo(
                json.dumps({"time": now, "level": level, "event": event, **more}, ensure_ascii=False, default=str),
                err=True,
            )
        elif not self.quiet and level == "info":
            told = ", ".join(f"{key} {value}" for key, value in more.items())
            click.echo(f"{now[:19].replace('T', ' ')} {event}{': ' if told else ''}{told}", err=True)
