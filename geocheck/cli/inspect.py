"""geocheck inspect: layers, fields, reference system, unit, extent, faults, and what would be repaired."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, coloured, print_json
from geocheck.model.problem import OutputError

__all__ = ["COMMAND"]

_SHOWN = 12


_EPILOG = """\b
Examples:
  geocheck inspect parcels.shp
  geocheck inspect flood.gdb --layer S_FLD_HAZ_AR
  geocheck inspect wetlands.gpkg --png wetlands.png
  geocheck inspect https://gis.example.org/arcgis/rest/services/Land/FeatureServer

\b
Exit codes: 0 a run would read it; 3 it, or a layer of it, would be refused."""


@click.command("inspect", epilog=_EPILOG)
@click.argument("source")
@click.option("--layer", default="", help="Look into this layer only.")
@click.option("--map/--no-map", "drawn", default=None, help="Whether to draw a small map; on a terminal by default.")
@click.option("--png", type=click.Path(dir_okay=False, path_type=Path), help="Draw the map to this file instead.")
@as_json
def COMMAND(source: str, layer: str, drawn: bool | None, png: Path | None, as_json: bool) -> None:  # noqa: N802
    """Show what SOURCE holds, what is wrong with it, and what would be repaired. Nothing is changed."""
    from geocheck.sources.inspect import inspect_source

    report = inspect_source(source, layer=layer)
    refused = any(each.refused for each in report.layers)
    if as_json:
        print_json(report.to_dict())
        sys.exit(3 if refused else 0)
    drawable = [each for each in report.layers if each.extent and not each.refused and "://" not in source]
    if png and len(drawable) > 1:
        raise click.UsageError(f"--png draws one layer: name it with --layer ({', '.join(e.name for e in drawable)})")
    click.echo(f"{report.path}: {report.format}, {_count(len(report.layers), 'layer')}")
    alone = len(report.layers) == 1 and not layer
    for each in report.layers:
        _show(each)
        if each in drawable and (drawn or png or (drawn is None and sys.stdout.isatty())):
            _draw(Path(source), each, alone, png)
    for note in report.notes:
        click.echo(f"\n{note}")
    if png and not drawable:
        click.echo("Note: no layer could be drawn, so no picture was written.", err=True)
    sys.exit(3 if refused else 0)


def _draw(source: Path, layer: Any, alone: bool, target: Path | None) -> None:
    from geocheck.cli.small_map import dots, png, shapes_of

    shapes = shapes_of(source, layer.name, layer.role, alone=alone)
    if target is None:
        for line in dots(shapes):
            click.echo(f"  {line}")
        return
    try:
        target.write_bytes(png(shapes))
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error
    click.echo(f"  map      {target}")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _show(layer: Any) -> None:
    records = "records not counted" if layer.records is None else _count(layer.records, "record")
    click.echo(f"\n{layer.name}: {layer.geometry or 'no geometry'}, {records}")
    click.echo(f"  system   {layer.crs or 'none named'}" + (f", in {layer.unit}" if layer.unit else ""))
    if layer.extent:
        click.echo("  extent   " + ", ".join(f"{v:,.6f}".rstrip("0").rstrip(".") for v in layer.extent))
    if layer.degrees and layer.unit != "degrees":
        click.echo("  degrees  " + ", ".join(f"{v:.5f}" for v in layer.degrees))
    if layer.schema:
        click.echo(f"  schema   {layer.schema}: role {layer.role}")
    if layer.fields:
        click.echo("  fields   " + ", ".join(f"{name} ({kind})" for name, kind in layer.fields.items()))
    if layer.statuses:
        click.echo("  records  " + ", ".join(f"{count:,} {status}" for status, count in layer.statuses.items()))
    for repair in layer.repairs[:_SHOWN]:
        area = "" if repair.area_after is None or repair.area_before is None else f", area {repair.area_before:,.6g} to {repair.area_after:,.6g}"  # fmt: skip
        doubt = f", {repair.doubt}" if repair.doubt else ""
        click.echo(f"  repair   record {repair.record}: {repair.problem}; {repair.action}{area}{doubt}")
    if len(layer.repairs) > _SHOWN:
        click.echo(f"  repair   … and {len(layer.repairs) - _SHOWN:,} more; --json lists all")
    for note in layer.notes:
        click.echo(f"  note     {note}")
    if layer.refused:
        click.echo(coloured(f"  refused  {layer.refused}", "red"))
