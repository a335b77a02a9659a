"""What commands share: the output options, progress on a terminal, and printing for people and machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

__all__ = ["as_json", "output_folder", "overwrite", "print_json", "quietly", "reporting"]

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
    """Yield a progress function: a bar on a terminal, nothing elsewhere or when quiet."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    bar.update(task, visible=False)
                tasks[stage] = bar.add_task(stage, total=total or None)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield show
