"""geocheck explain: one site's determination in words, what if, and how to."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, output_folder, print_json

__all__ = ["COMMAND"]

_EPILOG = """\b
Examples:
  geocheck explain S-12
  geocheck explain S-12 --what-if disturbed_area=3_900ft2
  geocheck explain S-12 --how-to permit=not_required"""


@click.command("explain", epilog=_EPILOG)
@click.argument("site")
@output_folder
@click.option("--what-if", "changes", multiple=True, metavar="FACT=VALUE", help="Judge again with a fact changed.")
@click.option("--how-to", "wanted", metavar="OBLIGATION=OUTCOME", help="Which single change would bring this about.")
@click.option(
    "--ordinance-folder", type=click.Path(file_okay=False), help="The office's own ordinances, if it has some."
)
@as_json
def COMMAND(  # noqa: N802
    site: str,
    output: str | None,
    changes: tuple[str, ...],
    wanted: str | None,
    ordinance_folder: str | None,
    as_json: bool,
) -> None:
    """Tell the determination of one SITE in words: the answer first, then why.

    Reads the last result (in out, or the folder named with -o); nothing is measured again.
    """
    from geocheck.assess.last import LastResult
    from geocheck.rules.explaining import explain
    from geocheck.rules.read import load_ordinance

    last = LastResult(Path(output or "out"))
    heading = last.heading()
    told: list[Any] = []
    for determination in last.determinations(site):
        ordinance = load_ordinance(
            determination.ordinance, date.fromisoformat(heading["as_of"]), folder=ordinance_folder
        )
        if changes or wanted:
            told += _again(last, site, ordinance, determination, changes, wanted, heading["settings"])
            continue
        facts, settings = last.facts(site), heading["settings"]
        told.append(determination.to_dict() if as_json else explain(determination, ordinance, facts, settings))
        if determination.receipt.parts.get(f"ordinance {ordinance.id}") != ordinance.fingerprint:
            click.echo(f"Note: {ordinance.id} has changed since this result; run `geocheck run` again.", err=True)
    if wanted and not told:
        known = sorted({o.obligation for d in last.determinations(site) for o in d.obligations})
        near = difflib.get_close_matches(wanted.partition("=")[0], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
        raise click.UsageError(f"no ordinance of this result has the obligation {wanted.partition('=')[0]!r}; {hint}")
    if as_json:
        print_json(told)
    else:
        click.echo("\n\n".join(told))


def _again(
    last: Any, site: str, ordinance: Any, determination: Any, changes: Sequence[str], wanted: str | None, settings: Any
) -> Iterator[Any]:
    """Judge the site again, changed, and tell what turned; or search what would turn it."""
    from geocheck.rules.changing import read_changes, what_if
    from geocheck.rules.turning import how_to

    facts = {name: fact for name, fact in last.facts(site).items() if name in ordinance.facts_used}
    waivers = [outcome.waiver for outcome in determination.obligations if outcome.waiver is not None]
    own = {name: choice for name, choice in settings.items() if ordinance.setting(name) is not None}
    if wanted:
        obligation, sign, outcome = wanted.partition("=")
        if not sign:
            raise click.UsageError(
                f"--how-to is written OBLIGATION=OUTCOME, such as permit=not_required, not {wanted!r}"
            )
        if obligation not in [o.name for o in ordinance.obligations]:
            return
        if determination[obligation].outcome == outcome:
            yield f"{obligation.replace('_', ' ')} of site {site} is {outcome.replace('_', ' ')} already."
            return
        turns = how_to(ordinance, facts, obligation, outcome, waivers=waivers, settings=own)
        lines = [f"  {turn.says}" for turn in turns] or ["  no single change is enough"]
        what = f"{obligation.replace('_', ' ')} {outcome.replace('_', ' ')}"
        yield "\n".join([f"Site {site} under {ordinance.cite}, {what}, by any one of these:", *lines])
        return
    again = what_if(ordinance, facts, read_changes(changes), waivers=waivers, settings=own, site_id=site)
    lines = [
        f"  {name.replace('_', ' ')}: {before.replace('_', ' ')} -> {after.replace('_', ' ')}"
        for name, (before, after) in again.turned.items()
    ]
    yield "\n".join(
        [f"Site {site} under {ordinance.cite}, with {'; '.join(again.changes)}:", *(lines or ["  nothing changes"])]
    )
