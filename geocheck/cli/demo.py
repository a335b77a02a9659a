"""geocheck demo: the sample projects, copied and run."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import click

from geocheck.cli.options import overwrite
from geocheck.model.problem import OutputError

__all__ = ["COMMAND", "sample_projects"]


def sample_projects() -> list[Path]:
    """Return the folders of the sample projects that came with geocheck.

    Raises
    ------
    OutputError
        If this installation has none.
    """
    package = Path(str(files("geocheck")))
    # In a wheel they lie inside the package; in a checkout beside it.
    for folder in (package / "data", package.parent / "data"):
        found = sorted(path.parent for path in folder.glob("*/geocheck.yaml"))
        if found:
            return found
    raise OutputError("this installation of geocheck has no sample projects; install it again from its wheel")


_EPILOG = """\b
Examples:
  geocheck demo
  geocheck demo samples --overwrite"""


@click.command("demo", epilog=_EPILOG)
@click.argument("folder", default="geocheck-demo", type=click.Path(file_okay=False))
@overwrite
@click.pass_context
def COMMAND(context: click.Context, folder: str, overwrite: bool) -> None:  # noqa: N802
    """Copy the sample projects to FOLDER and run them.

    Two invented villages: Cedar Hollow, judged by section 87-5, and Heron Bay, judged by section 6.04. EXPECTED.md in each
    explains every outcome, clause by clause.
    """
    from geocheck.cli.run import COMMAND as RUN

    target = Path(folder)
    if target.exists() and any(target.iterdir()) and not overwrite:
        raise OutputError(
            f"{target} is not empty; name another folder, or add --overwrite to replace the sample files in it"
        )
    for sample in sample_projects():
        own = target / sample.name
        try:
            shutil.copytree(sample, own, dirs_exist_ok=True, ignore=shutil.ignore_patterns("out"))
        except OSError as error:
            raise OutputError(f"{own}: the sample project cannot be copied here ({error})") from error
        RUN.main([str(own / "geocheck.yaml"), "--overwrite"], standalone_mode=False, parent=context)
        click.echo(
            f"  What it should say, and why: {own / 'EXPECTED.md'}\n  Open in a browser: {own / 'out' / 'report.html'}\n"
        )
