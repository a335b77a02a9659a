"""geocheck init: look at the layers in a folder and write a commented project file."""

from __future__ import annotations

from pathlib import Path

import click

from geocheck.cli.options import as_json, overwrite, print_json
from geocheck.model.problem import OutputError, SourceError

__all__ = ["COMMAND"]


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--name", default="", help="Name of the project; the folder's by default.")
@overwrite
@as_json
def COMMAND(folder: Path, name: str, overwrite: bool, as_json: bool) -> None:  # noqa: N802
    """Look at the layers in FOLDER and write geocheck.yaml there, with a comment on what was recognised and guessed."""
    from geocheck.sources.starting import candidates_in, project_text

    path = folder / "geocheck.yaml"
    if path.exists() and not overwrite:
        raise OutputError(f"{path} is there; use --overwrite to replace it")
    if not candidates_in(folder):
        raise SourceError(
            f"{folder}: no layers were found here; name the folder that holds the shapefiles or GeoPackages"
        )
    text = project_text(folder, name=name)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    if as_json:
        found = candidates_in(folder)
        layers = [{"source": c.path.name, "layer": c.listing.name, "role": c.role, "why": c.why} for c in found]
        print_json({"project": str(path), "layers": layers})
        return
    click.echo(f"Wrote {path}. Check it, then: geocheck run {path}")
