"""geocheck ask: the facts still missing that would settle something."""

from __future__ import annotations

import csv
import sys
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
@as_json
def COMMAND(output: str | None, site: str | None, as_json: bool) -> None:  # noqa: N802
    """Print the facts still missing that would settle something, as a CSV to fill in.

    Reads the last result (in out, or the folder named with -o). Fill in the column value, save the file, name it as
    statements in the project file, and run again.
    """
    from geocheck.assess.last import LastResult

    questions = [q for q in LastResult(Path(output or "out")).questions() if site in (None, q["site_id"])]
    if as_json:
        print_json(questions)
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["site_id", "fact", "value", "unit", "kind", "asks", "decides"])
    writer.writerows(
        [q["site_id"], q["fact"], "", _unit(q["fact"]), q["kind"], q["asks"], _joined(q["decides"])] for q in questions
    )


def _unit(fact: str) -> str:
    from geocheck.model.vocabulary import declaration_of

    declared = declaration_of(fact)
    return "" if declared is None else declared.unit or "yes or no"


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else "; ".join(value)
