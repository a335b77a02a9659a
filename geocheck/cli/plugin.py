"""geocheck plugin: a plugin for QGIS or a toolbox for ArcGIS Pro that calls this installation."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from importlib import resources
from pathlib import Path

import click

from geocheck.cli.options import overwrite
from geocheck.model.problem import OutputError

__all__ = ["COMMAND"]

_EPILOG = """\b
Examples:
  geocheck plugin qgis                 geocheck_qgis.zip; in QGIS: Plugins, Install from ZIP
  geocheck plugin arcgis -o geocheck.pyt
      in ArcGIS Pro: Catalog, Toolboxes, Add Toolbox"""

#: Folder of the plugin inside its archive; not geocheck, which may be installed in QGIS's own Python.
_FOLDER = "geocheck_qgis"


@click.command("plugin", epilog=_EPILOG)
@click.argument("program", type=click.Choice(["qgis", "arcgis"]))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; geocheck_qgis.zip or geocheck.pyt by default.",
)
@overwrite
def COMMAND(program: str, output: Path | None, overwrite: bool) -> None:  # noqa: N802
    """Make a plugin for a desktop GIS (PROGRAM: qgis or arcgis): algorithms to inspect, run and explain.

    They call the installation that makes the plugin, in its own Python environment. Another one is chosen by the environment
    variable GEOCHECK_COMMAND.
    """
    target = output or Path("geocheck_qgis.zip" if program == "qgis" else "geocheck.pyt")
    if target.exists() and not overwrite:
        raise OutputError(f"{target} is there; use --overwrite to replace it, or name another file with -o")
    content = _qgis() if program == "qgis" else _arcgis()
    try:
        target.write_bytes(content)
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error
    where = (
        "Plugins, Manage and Install Plugins, Install from ZIP"
        if program == "qgis"
        else "Catalog, Toolboxes, Add Toolbox"
    )
    click.echo(f"Wrote {target}. In {'QGIS' if program == 'qgis' else 'ArcGIS Pro'}: {where}.")


def _command() -> str:
    """The words that start this installation, as JSON."""
    return json.dumps([sys.executable, "-c", "from geocheck.cli import main; main()"])


def _qgis() -> bytes:
    import geocheck

    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for entry in sorted(
            resources.files("geocheck.qgis").joinpath("plugin").iterdir(), key=lambda entry: entry.name
        ):
            if entry.is_file() and entry.name.endswith((".py", ".txt", ".svg")):
                text = entry.read_text(encoding="utf-8").replace("@VERSION@", geocheck.__version__)
                file.writestr(f"{_FOLDER}/{entry.name}", text)
        file.writestr(f"{_FOLDER}/command.json", _command())
    return held.getvalue()


def _arcgis() -> bytes:
    text = resources.files("geocheck.qgis").joinpath("arcgis_toolbox.py").read_text(encoding="utf-8")
    return text.replace("@COMMAND@", _command().replace("\\", "\\\\")).encode()
