"""geocheck record: official acts into the ledger."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, print_json
from geocheck.model.problem import LedgerError

__all__ = ["COMMAND"]


_EPILOG = """\b
Examples:
  geocheck record decision authority_finds_erosion_risk yes --site S-12 \\
      --by "Village Engineer" --on 2026-09-14
  geocheck record waiver us/wi/washington-county-village/87-5 permit --site S-12 \\
      --by "Village Board" --on 2026-09-14 --ground "(4)(a)1."
"""


@click.group("record", epilog=_EPILOG)
def COMMAND() -> None:  # noqa: N802
    """Record an official act: a decision, a waiver, or the revocation of one.

    Acts are kept in the project's ledger, who, when and on what ground; nothing recorded is ever changed. The next run
    respects them.
    """


def _act(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        (
            click.option(
                "--project", default="geocheck.yaml", show_default=True, help="The project whose ledger is meant."
            ),
            click.option("--site", required=True, help="The site that the act is about."),
            click.option("--by", required=True, help="Who acted."),
            click.option("--on", required=True, metavar="YYYY-MM-DD", help="On which day."),
            click.option("--document", default="", help="The written or electronic form: a reference, or a file."),
            click.option("--note", default="", help="More, for readers."),
            as_json,
        )
    ):
        command = option(command)
    return command


@COMMAND.command()
@click.argument("fact")
@click.argument("value", type=click.Choice(["yes", "no"]))
@_act
def decision(fact: str, value: str, **options: Any) -> None:
    """Record that an official decided a FACT, such as authority_finds_erosion_risk: yes or no."""
    _record("decision", options, fact=fact, value=value == "yes")


@COMMAND.command()
@click.argument("ordinance")
@click.argument("obligation")
@click.option("--ground", required=True, help="The clause of the finding, such as '(4)(a)1.'.")
@_act
def waiver(ordinance: str, obligation: str, ground: str, **options: Any) -> None:
    """Record that an official waived an OBLIGATION of an ORDINANCE."""
    _record("waiver", options, ordinance=ordinance, obligation=obligation, ground=ground)


@COMMAND.command()
@click.option("--fact", default="", help="The decided fact that is revoked.")
@click.option("--ordinance", default="", help="The ordinance of the waiver that is revoked.")
@click.option("--obligation", default="", help="The obligation of the waiver that is revoked.")
@_act
def revocation(**options: Any) -> None:
    """Record that a decision or waiver was revoked."""
    _record("revocation", options, **{key: options.pop(key) for key in ("fact", "ordinance", "obligation")})


def _record(kind: str, options: dict[str, Any], **what: Any) -> None:
    from geocheck.ledger import open_ledger
    from geocheck.model.acts import Act
    from geocheck.model.ordinance import same_label
    from geocheck.project import open_project
    from geocheck.rules.read import load_ordinance

    project = open_project(options["project"])
    if not project.ledger:
        raise LedgerError(f"{options['project']}: the project names no ledger; add the line `ledger: ledger.gpkg`")
    loaded = [load_ordinance(name, folder=project.ordinance_folder) for name in project.ordinances]
    ordinances = {ordinance.id: ordinance for ordinance in loaded}
    if what.get("fact"):
        decided = {
            declared.name for ordinance in loaded for declared in ordinance.needs() if declared.kind == "decided"
        }
        _known(what["fact"], decided, "fact that an official decides in the project's ordinances")
    if what.get("ordinance"):
        _known(what["ordinance"], ordinances, "ordinance of the project")
        ordinance = ordinances[what["ordinance"]]
        _known(what["obligation"], [o.name for o in ordinance.obligations], f"obligation of {what['ordinance']}")
        if kind == "waiver":
            grounds = {same_label(label): label for label in ordinance.waiver_grounds}
            what["ground"] = grounds.get(same_label(what["ground"]), what["ground"])
            _known(what["ground"], ordinance.waiver_grounds, f"ground of a waiver in {what['ordinance']}")
    _known(options["site"], _sites(project), "site of the disturbance layer")
    document = Path(options["document"])
    sha256 = hashlib.sha256(document.read_bytes()).hexdigest() if options["document"] and document.is_file() else ""
    act = Act(
        kind, options["site"], options["by"], options["on"], document=options["document"], document_sha256=sha256,
        note=options["note"], **what,
    )  # fmt: skip
    recorded = open_ledger(project.ledger).record(act)
    if options["as_json"]:
        print_json(recorded.to_dict())
    else:
        click.echo(f"Recorded in {project.ledger}: {recorded}")
        if date.fromisoformat(recorded.on) > date.today():
            click.echo(f"Note: it counts from {recorded.on} on; runs for an earlier day only mention it.")


def _sites(project: Any) -> list[str]:
    from geocheck.assess.sites import sites_of
    from geocheck.sources.read import read_layer

    if "disturbance" not in project.layers:
        raise LedgerError("the project has no disturbance layer, so it has no site that an act could be about")
    return [site.id for site in sites_of(read_layer(project.layers["disturbance"]))]


def _known(word: str, words: Any, what: str) -> None:
    known = list(words)
    if word not in known:
        near = difflib.get_close_matches(word, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known[:12]) or 'none'}"
        raise LedgerError(f"{word!r} is no {what}; {hint}")
