"""What commands share: the output options, progress on a terminal, and printing for people and machines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

__all__ = [
    "OUTCOME_COLOURS",
    "as_json",
    "coloured",
    "output_folder",
    "overwrite",
    "pace",
    "print_json",
    "quietly",
    "reporting",
]

output_folder = click.option(
    "-o", "--output", "output", type=click.Path(file_okay=False), help="Folder for the outputs."
)
overwrite = click.option("--overwrite", is_flag=True, help="Replace outputs that are there.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
quietly = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


@contextmanager
def reporting(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a progress function: a bar with rate and remaining time on a terminal, nothing elsewhere or when quiet.

    Where the environment variable GEOCHECK_PROGRESS is ``lines``, each step is a line on standard error, for programs: the stage, a
    tab, and how many of how many are done.
    """
    if os.environ.get("GEOCHECK_PROGRESS") == "lines":
        yield _line
        return
    if quiet or not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<18}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    bar.update(task, visible=False)
                tasks[stage] = bar.add_task(stage, total=total or None, pace="")
            task = tasks[stage]
            elapsed = bar.tasks[bar.task_ids.index(task)].elapsed or 0.0
            bar.update(task, completed=done, total=total or None, pace=pace(done, total, elapsed))

        yield show


def _line(stage: str, done: int, total: int) -> None:
    click.echo(f"{stage}\t{done}/{total}", err=True)


def pace(done: int, total: int, seconds: float) -> str:
    """Return how fast it goes and how long it will still take; nothing before that can be told.

    Examples
    --------
    >>> pace(500, 2000, 10.0)
    '50/s, 30 s left'
    >>> pace(3, 1000, 60.0)
    '3/min, 5 h 32 min left'
    >>> pace(0, 0, 5.0)
    ''
    """
    if not (done and total and seconds > 0.5):
        return ""
    rate = done / seconds
    said = f"{rate:,.0f}/s" if rate >= 1 else f"{rate * 60:,.0f}/min"
    left = round((total - done) / rate)
    hours, minutes = left // 3600, left // 60 % 60
    if hours:
        return f"{said}, {hours} h {minutes} min left"
    return f"{said}, {minutes} min {left % 60} s left" if minutes else f"{said}, {left} s left"


#: outcome -> colour of a terminal; told apart by position and word too.
OUTCOME_COLOURS = {"required": "red", "undetermined": "yellow", "waived": "magenta", "not_required": "blue"}


def coloured(text: str, colour: str, stream: Any = None, **looks: Any) -> str:
    """Return a text in a colour where it is printed on a terminal and NO_COLOR is not set; else as it is."""
    stream = stream or sys.stdout
    plain = bool(os.environ.get("NO_COLOR")) or not stream.isatty() or os.environ.get("TERM") == "dumb"
    return text if plain else click.style(text, fg=colour, **looks)
