"""geocheck ask: the facts still missing that would settle something."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, output_folder, print_json

__all__ = ["COMMAND"]


_EPILOG = """\b
Examples:
  geocheck ask > statements.csv              everything that is open
  geocheck ask --site S-12 -o answers"""


@click.command("ask", epilog=_EPILOG)
@output_folder
@click.option("--site", help="Ask about one site only.")
@click.option(
    "--ordinance-folder", type=click.Path(file_okay=False), help="The office's own ordinances, if it has some."
)
@as_json
def COMMAND(output: str | None, site: str | None, ordinance_folder: str | None, as_json: bool) -> None:  # noqa: N802
    """Print the facts still missing that would settle something, as a CSV to fill in.

    Reads the last result (in out, or the folder named with -o). Fill in the column value, save the file, name it as
    statements in the project file, and run again.
    """
    from geocheck.assess.last import LastResult

    last = LastResult(Path(output or "out"))
    questions = [q for q in last.questions() if site in (None, q["site_id"])]
    if as_json:
        print_json(questions)
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["site_id", "fact", "value", "unit", "kind", "asks", "decides"])
    units = _units(questions, last.heading(), ordinance_folder)
    writer.writerows(
        [q["site_id"], q["fact"], "", units[q["fact"]], q["kind"], q["asks"], _joined(q["decides"])] for q in questions
    )


def _units(questions: Sequence[Any], heading: Mapping[str, Any], folder: str | None) -> dict[str, str]:
    """Return the unit of each fact, ``yes or no`` where it has none; blank where its ordinance is not found."""
    from geocheck.model.problem import RuleFileError
    from geocheck.model.vocabulary import VOCABULARY
    from geocheck.rules.given import declared_in
    from geocheck.rules.read import load_ordinance

    asked, known = {q["fact"] for q in questions}, dict(VOCABULARY)
    for name in heading["ordinances"] if not asked <= known.keys() else ():
        try:
            known |= declared_in(load_ordinance(name, date.fromisoformat(heading["as_of"]), folder=folder))
        except RuleFileError:
            continue
    return {fact: (known[fact].unit or "yes or no") if fact in known else "" for fact in asked}


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else "; ".join(value)
