"""geocheck init: look at the layers in a folder and write a commented project file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, coloured, overwrite, print_json
from geocheck.model.problem import OutputError, SourceError

__all__ = ["COMMAND"]


_EPILOG = """\b
Examples:
  geocheck init .                       look at this folder, write geocheck.yaml
  geocheck init deliveries --name "Village of Cedar Hollow"

Every guess says what it rests on, here and in the file; look at each before the first run."""


@click.command("init", epilog=_EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--name", default="", help="Name of the project; the folder's by default.")
@overwrite
@as_json
def COMMAND(folder: Path, name: str, overwrite: bool, as_json: bool) -> None:  # noqa: N802
    """Look at the layers in FOLDER and write geocheck.yaml there, with a comment on what was recognised and guessed."""
    from geocheck.sources.starting import candidates_in, chosen_of, project_text

    path = folder / "geocheck.yaml"
    if path.exists() and not overwrite:
        raise OutputError(f"{path} is there; use --overwrite to replace it")
    found = candidates_in(folder)
    if not found:
        raise SourceError(
            f"{folder}: no layers were found here; name the folder that holds the shapefiles or GeoPackages"
        )
    text = project_text(folder, name=name, found=found)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    if as_json:
        layers = [{"source": c.path.name, "layer": c.listing.name, "role": c.role, "why": c.why} for c in found]
        print_json({"project": str(path), "layers": layers})
        return
    _say(found, list(chosen_of(found).values()))
    click.echo(f"Wrote {path}. Check it, then: geocheck run {path}")


def _say(found: list[Any], chosen: list[Any]) -> None:
    """Which file plays which role, and why."""
    for each in sorted(found, key=lambda c: (not c.role, c.role)):
        name = each.path.name + (f", layer {each.listing.name}" if each.several else "")
        used = each in chosen
        role = each.role.replace("_", " ") if each.role and used else "not used"
        colour = "green" if each.schema is not None else "yellow" if each.role and used else "bright_black"
        why = each.problems[0] if each.problems else each.why
        click.echo(f"  {coloured(f'{role:<16}', colour)} {name}: {why}; {_records(each.listing.records)}")


def _records(count: int | None) -> str:
    return "records not counted" if count is None else f"{count:,} record{'' if count == 1 else 's'}"
