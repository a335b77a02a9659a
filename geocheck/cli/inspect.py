"""geocheck inspect: layers, fields, reference system, unit, extent, faults, and what would be repaired."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, print_json

__all__ = ["COMMAND"]

_SHOWN = 12


@click.command("inspect")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--layer", default="", help="Look into this layer only.")
@as_json
def COMMAND(source: Path, layer: str, as_json: bool) -> None:  # noqa: N802
    """Show what SOURCE holds, what is wrong with it, and what would be repaired. Nothing is changed.

    Examples: geocheck inspect parcels.shp; geocheck inspect flood.gdb --layer S_FLD_HAZ_AR
    """
    from geocheck.sources.inspect import inspect_source

    report = inspect_source(source, layer=layer)
    if as_json:
        print_json(report.to_dict())
        return
    click.echo(f"{report.path}: {report.format}, {_count(len(report.layers), 'layer')}")
    for each in report.layers:
        _show(each)
    for note in report.notes:
        click.echo(f"\n{note}")


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
        click.echo(f"  refused  {layer.refused}")
