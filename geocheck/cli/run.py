"""geocheck run: the main job."""

from __future__ import annotations

import difflib
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import (
    OUTCOME_COLOURS,
    as_json,
    coloured,
    output_folder,
    overwrite,
    print_json,
    quietly,
    reporting,
)
from geocheck.model.ground import AREA_BASES, ROLES
from geocheck.model.problem import ProjectError

__all__ = ["COMMAND"]

_LAYER_OPTIONS = {
    "parcels": {"id": "--parcel-id"},
    "disturbance": {"id": "--site-id", "plan": "--plan", "phase": "--phase"},
    "impervious": {"status": "--impervious-status", "connected": "--impervious-connected"},
    "municipality": {"id": "--municipality-name-field"},
}
_HELP = {
    "--parcel-id": "Field that holds the parcels' identifiers.",
    "--site-id": "Field of the disturbance layer that holds the sites' identifiers.",
    "--plan": "Field that names the common plan of development.",
    "--phase": "Field that names the phase.",
    "--impervious-status": "Field that says existing, proposed or removed.",
    "--impervious-connected": "Field that says whether the surface is connected: yes, no, or blank.",
    "--municipality-name-field": "Field that holds the municipalities' names, for --jurisdiction.",
}


def _layer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command an option for each role, and for the fields of some."""
    for role in reversed(ROLES):
        for flag in reversed(_LAYER_OPTIONS.get(role, {}).values()):
            command = click.option(flag, help=_HELP[flag])(command)
        shown = f"--{role.replace('_', '-')}"
        command = click.option(shown, role, metavar="FILE", help=f"Layer with the role {role}.")(command)
    return command


_EPILOG = """\b
Examples:
  geocheck run                                  the geocheck.yaml of this folder
  geocheck run village/geocheck.yaml -o answers --overwrite
  geocheck run --parcels parcels.shp --parcel-id PIN --disturbance sites.shp --site-id ID \\
      --wetland wetlands.shp --floodplain flood.shp \\
      --ordinance us/wi/washington-county-village/87-5 -o answers

\b
Exit codes: 0 done; 1 the condition of --fail-on is met; 2 usage; 3 data refused;
4 rule or project file wrong; 5 source incomplete."""


@click.command("run", epilog=_EPILOG)
@click.argument("project", required=False, type=click.Path())
@output_folder
@overwrite
@click.option("--write", "names", metavar="FILES", help="Which files to write, separated by commas; all by default.")
@_layer_options
@click.option(
    "--layer", "layer_names", multiple=True, metavar="ROLE=LAYER", help="Layer to take from a file that has several."
)
@click.option(
    "--accuracy",
    multiple=True,
    metavar="ROLE=LENGTH",
    help="Horizontal accuracy (95 %) of a layer, such as wetland=40ft.",
)
@click.option(
    "--crs",
    multiple=True,
    metavar="ROLE=CRS",
    help="Reference system of a file that names none, such as parcels=EPSG:2289.",
)
@click.option(
    "--ordinance", "ordinances", multiple=True, help="Ordinance to judge by: an identifier or a file; may be repeated."
)
@click.option("--jurisdiction", help="Name of the municipality that decides.")
@click.option("--area-basis", type=click.Choice(AREA_BASES), help="How areas are taken; auto by default.")
@click.option("--measure-crs", help="The reference system to measure in, with --area-basis grid.")
@click.option("--elevation", metavar="LENGTH", help="Elevation of the ground, with --area-basis ground.")
@click.option("--strict-datum", is_flag=True, help="Refuse layers whose datum cannot be changed with a known accuracy.")
@click.option(
    "--statements",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="CSV of stated facts: site_id, fact, value; may be repeated.",
)
@click.option("--ledger", help="Where decisions and waivers are recorded.")
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=CHOICE",
    help="How an ambiguous text is read; may be repeated.",
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Judge by the law and the decisions of this day; today by default.",
)
@click.option("--engine", default="auto", show_default=True, help="How ground is measured: local, edges, reference.")
@click.option(
    "--fail-on",
    type=click.Choice(["undetermined"]),
    help="End with exit code 1 when any obligation stays undetermined.",
)
@quietly
@click.option("-v", "--verbose", is_flag=True, help="Say what took how long.")
@as_json
def COMMAND(project: str | None, output: str | None, **options: Any) -> None:  # noqa: N802
    """Measure and judge: a PROJECT file, or layers named by options.

    Writes facts, determinations, traces, tables and a report to the output folder (out beside the project file, unless
    -o says otherwise).
    """
    with reporting(options["quiet"] or options["as_json"]) as progress:
        progress("starting", 0, 0)  # loading what measures takes seconds the first time
        from geocheck.assess import run
        from geocheck.reports import check_writable

        made = _project(project, options)
        folder = Path(output) if output else made.output
        names = [name.strip() for name in options["names"].split(",") if name.strip()] if options["names"] else None
        check_writable(folder, names, options["overwrite"])
        result = run(made, progress=progress, engine=options["engine"])
        written = result.write(
            folder,
            names,
            overwrite=options["overwrite"],
            progress=lambda done, total, what: progress("writing", done, total),
        )
    if options["as_json"]:
        print_json(
            {
                "outcomes": dict(result.outcomes()),
                "written": [str(path) for path in written],
                "seconds": dict(result.findings.seconds),
            }
        )
    elif not options["quiet"]:
        _summary(result, folder, options["verbose"])
    if options["fail_on"] == "undetermined" and result.outcomes()["undetermined"]:
        raise click.exceptions.Exit(1)


def _project(path: str | None, options: dict[str, Any]) -> Any:
    """Make the project from its file, or from the layers named, with the options that override it."""
    from geocheck.project import PROJECT_FILE, Project, layer_source, open_project

    named = {role: options[role] for role in ROLES if options[role]}
    if path is None and named:
        project = Project(name="geocheck run", folder=Path.cwd(), layers={}, output=Path("out"))
    else:
        project = open_project(path or PROJECT_FILE)
    extra = {
        key: _pairs(options[option], key)
        for key, option in (("layer", "layer_names"), ("accuracy", "accuracy"), ("crs", "crs"))
    }
    layers = dict(project.layers)
    for role, source in named.items():
        fields = {key: options[flag[2:].replace("-", "_")] for key, flag in _LAYER_OPTIONS.get(role, {}).items()}
        keys = {key: pairs[role] for key, pairs in extra.items() if role in pairs}
        layers[role] = layer_source(role, Path(), source=source, **fields, **keys)
    for key, pairs in extra.items():
        for role in pairs:
            if role not in named:
                near = difflib.get_close_matches(role, ROLES, n=1) if role not in ROLES else []
                hint = f"; did you mean {near[0]}?" if near else ""
                raise click.UsageError(f"--{key} {role}=…: no --{role.replace('_', '-')} is named beside it{hint}")
    return _overridden(replace(project, layers=layers), options)


def _overridden(project: Any, options: dict[str, Any]) -> Any:
    from geocheck.model.quantity import parse_quantity

    day: datetime | date | None = options["as_of"]
    changes: dict[str, Any] = {
        "ordinances": tuple(options["ordinances"]),
        "jurisdiction": options["jurisdiction"],
        "area_basis": options["area_basis"],
        "measure_crs": options["measure_crs"],
        "elevation": parse_quantity(options["elevation"]).value if options["elevation"] else None,
        "strict_datum": options["strict_datum"],
        "statements": tuple(Path(name) for name in options["statements"]),
        "ledger": options["ledger"],
        "settings": {**project.settings, **_pairs(options["settings"], "setting")},
        "as_of": day.date() if isinstance(day, datetime) else day,
    }
    project = replace(project, **{key: value for key, value in changes.items() if value})
    if project.jurisdiction and "municipality" not in project.layers:
        raise click.UsageError("--jurisdiction needs the layer that holds it: name it with --municipality")
    if project.area_basis == "grid" and not project.measure_crs:
        raise ProjectError("--area-basis grid needs --measure-crs, the system to measure in, such as EPSG:8104")
    if project.area_basis == "ground" and project.elevation is None:
        raise ProjectError("--area-basis ground needs --elevation, such as 900ft")
    return project


def _pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise click.UsageError(f"--{option} is written NAME=VALUE, not {text!r}")
        pairs[name.strip()] = value.strip()
    return pairs


def _summary(result: Any, folder: Path, verbose: bool) -> None:
    """Print what was read, what came out, and where it stands."""
    findings = result.findings
    width = min(100, shutil.get_terminal_size().columns)
    click.echo(f"{findings.name}, as of {findings.as_of}")
    for role, layer in findings.layers.items():
        lost = f", {layer.lost} lost" if layer.lost else ""
        empty = f", {layer.without_geometry} without geometry" if layer.without_geometry else ""
        mended = f", {layer.repaired} repaired" if layer.repaired else ""
        click.echo(f"  {role:<18}{layer.records:>8,} records, {layer.used:,} used{mended}{empty}{lost}")
    if result.parcels is not None:
        counts = Counter(result.parcels["status"])
        text = "; ".join(f"{count:,} {status}" for status, count in counts.most_common(6))
        rest = sum(counts.values()) - sum(count for _, count in counts.most_common(6))
        click.echo(
            f"  parcels by status: {text}{f'; {rest:,} others' if rest else ''} (together {len(result.parcels):,})"
        )
    _outcomes(findings)
    for note in findings.notes:
        click.echo(click.wrap_text(f"Note: {note}", width))
    if verbose:
        click.echo("  ".join(f"{stage} {seconds:.1f} s" for stage, seconds in findings.seconds.items()))
    click.echo(f"Written to {folder}")


def _outcomes(findings: Any) -> None:
    from geocheck.model.determination import OUTCOMES

    counts: dict[tuple[str, str], Counter[str]] = {}
    for determination in findings.determinations:
        for outcome in determination.obligations:
            counts.setdefault((determination.ordinance, outcome.obligation), Counter())[outcome.outcome] += 1
    if counts:
        click.echo(f"  {'':<32}" + "".join(f"{word.replace('_', ' '):>14}" for word in OUTCOMES))
    shown = ""
    for (ordinance, obligation), count in counts.items():
        if ordinance != shown:
            click.echo(f"  {findings.ordinances[ordinance].cite} ({ordinance})")
            shown = ordinance
        numbers = (
            coloured(f"{count[word]:>14,}", OUTCOME_COLOURS[word] if count[word] else "bright_black")
            for word in OUTCOMES
        )
        click.echo(f"    {obligation.replace('_', ' '):<30}" + "".join(numbers))
    if findings.questions:
        click.echo(f"  {len(findings.questions):,} open questions: questions.csv")
