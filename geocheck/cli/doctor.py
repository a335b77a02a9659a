"""geocheck doctor: versions, GDAL and PROJ data in use, datum grids present."""

from __future__ import annotations

import click

from geocheck.cli.options import as_json, print_json

__all__ = ["COMMAND"]


_EPILOG = """\b
Examples:
  geocheck doctor
  geocheck doctor --json"""


@click.command("doctor", epilog=_EPILOG)
@as_json
def COMMAND(as_json: bool) -> None:  # noqa: N802
    """Show what this computer brings: versions, data folders, datum grids, and what is missing."""
    from geocheck.sources.grids import GRIDS, examine

    found = examine()
    if as_json:
        print_json(found)
    else:
        click.echo(f"geocheck {found['geocheck']}, Python {found['python']}, {found['platform']}")
        for name, version in found["packages"].items():
            click.echo(f"  {name:<14}{version or 'MISSING'}")
        click.echo(f"GDAL: {', '.join(f'{v} in {n}' for n, v in found['gdal'].items())}; GEOS {found['geos']}")
        click.echo(f"PROJ {found['proj']['pyproj']}, EPSG database {found['proj']['database']}")
        for folder in found["data"]["proj"]:
            click.echo(f"  data in {folder}")
        click.echo("Datum grids:")
        for name, path in found["grids"].items():
            click.echo(f"  {'present' if path else 'absent ':<9}{name}: {GRIDS[name]}")
        if not all(found["grids"].values()):
            click.echo("  Without a grid a datum change is a ballpark, and said to be one. To fetch grids: pyproj sync --source-id us_noaa")  # fmt: skip
        click.echo("Extras:")
        for name, extra in found["extras"].items():
            click.echo(f"  {extra['version'] or 'absent':<14}{name}: {extra['for']}")
    for warning in found["warnings"]:
        click.echo(f"Warning: {warning}", err=True)
    missing = [name for name, version in found["packages"].items() if version is None]
    if missing:
        click.echo(f"Missing: {', '.join(missing)}. Install geocheck again.", err=True)
        raise click.exceptions.Exit(1)
