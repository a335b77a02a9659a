"""geocheck rules: list, show, check and test ordinances."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from geocheck.cli.options import as_json, overwrite, print_json

_folder = click.option(
    "--folder", type=click.Path(exists=True, file_okay=False), help="An office's own ordinances, besides geocheck's."
)
_as_of = click.option(
    "--as-of", type=click.DateTime(["%Y-%m-%d"]), help="Take the version in force on this day; default the newest."
)


_EPILOG = """\b
Examples:
  geocheck rules list
  geocheck rules show us/wi/washington-county-village/87-5
  geocheck rules lint our-law/12-3.yaml"""


@click.group("rules", epilog=_EPILOG)
def COMMAND() -> None:  # noqa: N802
    """List, show, check and test ordinances.

    An ordinance is named by its identifier (`geocheck rules list`) or by the path of its YAML file. One file holds one
    version and is named by the day it came into force. It mirrors the text: each clause with its label, what it says in
    your words, and `when:` it holds. Conditions are facts, numbers with units, one comparison, + - * /, and or not:

    \b
      clauses:
      - at: (1)
        when: any
        imposes: [permit]
        clauses:
        - at: (a)
          says: At least 4,000 square feet are disturbed.
          when: disturbed_area >= 4_000 ft2
      - at: (3)
        says: Crops are free of the whole chapter.
        when: grows_crops
        lifts: all

    The page docs/writing-an-ordinance.md teaches the whole format in ten minutes.
    """  # noqa: D301 - the mark for an example keeps its lines only where it is not raw


@COMMAND.command("list")
@_folder
@as_json
def list_(folder: str | None, as_json: bool) -> None:
    """List the ordinances and their versions."""
    from geocheck.rules.read import list_versions, load_ordinance

    rows = []
    for version in list_versions(folder):
        ordinance = load_ordinance(version.file)
        in_force = ordinance.in_force.isoformat() if ordinance.in_force else ""
        row = {"id": version.id, "cite": ordinance.cite, "title": ordinance.title, "in_force": in_force}
        rows.append({**row, "file": str(version.file)})
    if as_json:
        print_json(rows)
        return
    width = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row['id']:<{width}}  {row['in_force'] or 'undated':<10}  {row['cite']}  {row['title']}")


@COMMAND.command()
@click.argument("words", nargs=-1)
@as_json
def facts(words: tuple[str, ...], as_json: bool) -> None:
    """List the facts that all ordinances share, or those whose name or question has all the WORDS.

    What is marked + may also be asked over the common plan (name_of_plan) and over all phases (name_of_all_phases). What
    your text alone asks you declare in its file, under facts.
    """
    from geocheck.model.vocabulary import EXTENTS, VOCABULARY

    wanted = [word.lower() for word in words]
    rows = [
        {**declared.to_dict(), "extents": [name + suffix for suffix in EXTENTS if name + suffix in VOCABULARY]}
        for name, declared in VOCABULARY.items()
        if not name.endswith(tuple(EXTENTS)) and all(word in f"{name} {declared.asks}".lower() for word in wanted)
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        raise click.UsageError(f"no shared fact has the words {' '.join(words)!r}; `geocheck rules facts` lists all")
    width = max(len(str(row["name"])) for row in rows) + 2
    for row in rows:
        name = f"{row['name']}{' +' * bool(row['extents'])}"
        click.echo(f"{name:<{width}} {row['kind']:<8} {row['unit'] or 'yes/no':<6} {row['asks']}")


@COMMAND.command()
@click.argument("ordinance")
@_as_of
@_folder
@as_json
def show(ordinance: str, as_of: Any, folder: str | None, as_json: bool) -> None:
    """Show the clauses of an ORDINANCE, their conditions, readings and cases."""
    from geocheck.rules.read import load_ordinance

    found = load_ordinance(ordinance, as_of.date() if as_of else None, folder=folder)
    if as_json:
        print_json(found.to_dict())
        return
    for line in _shown(found):
        click.echo(line)


def _shown(ordinance: Any) -> Iterator[str]:
    in_force = f"in force {ordinance.in_force}" if ordinance.in_force else "day of coming into force not established"
    yield f"{ordinance.cite} {ordinance.title} ({in_force})"
    yield from (text for text in (ordinance.history, ordinance.note) if text)
    yield ""
    yield "Can require:"
    for obligation in ordinance.obligations:
        yield f"  {obligation.name}: {obligation.section}"
    for setting in ordinance.settings:
        yield f"Setting {setting.name} ({setting.cite}): {setting.asks}"
        yield from (f"  {name}: {words}" for name, words in setting.choices.items())
    for term in ordinance.terms:
        yield f"Term {term.name} ({term.cite}): {term.expression.text}"
    yield ""
    for clause in ordinance.every_clause:
        yield from _clause(clause, "  " * ordinance.depths[clause.label])
    yield ""
    yield f"{len(ordinance.cases)} cases; `geocheck rules test` runs them:"
    for case in ordinance.cases:
        expected = ", ".join(f"{what}: {word}" for what, word in case.expect)
        yield f"  {case.at}{f' {case.shows}' if case.shows else ''} -> {expected}"


def _clause(clause: Any, indent: str) -> Iterator[str]:
    yield f"{indent}{clause.at} {clause.says}"
    inner = indent + "    "
    for key in ("when", "unless"):
        condition = getattr(clause, key)
        if condition is not None:
            yield f"{inner}{key}: {condition.text}"
    for key in ("imposes", "lifts", "limits", "reaches", "waives", "carried_by"):
        if getattr(clause, key):
            yield f"{inner}{key}: {', '.join(getattr(clause, key))}"
    for key in ("instead", "not_modelled"):
        if getattr(clause, key):
            yield f"{inner}{key}: {getattr(clause, key)}"
    if clause.still_binds:
        yield f"{inner}still binds: {'; '.join(f'{name}: {what}' for name, what in clause.still_binds)}"
    if clause.incorporates is not None:
        yield f"{inner}incorporates: {clause.incorporates.ordinance}"
    for name, choice, form in clause.under:
        said = [f"when: {form.when.text}"] if form.when is not None else []
        said += [f"reaches: {', '.join(form.reaches)}"] if form.reaches else []
        yield f"{inner}{name}: {choice}: {'; '.join(said) or 'as written'}"
    if clause.reading is not None:
        yield f"{inner}reading: {clause.reading.says}"


@COMMAND.command()
@click.argument("targets", nargs=-1)
@_folder
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="sarif is for editors and CI.",
)
@click.option("--strict", is_flag=True, help="End with exit code 4 for warnings too.")
@as_json
def lint(targets: tuple[str, ...], folder: str | None, form: str, strict: bool, as_json: bool) -> None:
    """Check ordinances (TARGETS: identifiers, files, folders; default all) and show every problem with its place.

    Errors mean that the file is refused; warnings, that it can be judged by and something in it is untested or idle.
    Ends with exit code 4 where there is an error.
    """
    from geocheck.rules.lint import lint as look
    from geocheck.rules.lint_formats import FORMATS

    found = [item for target in targets or _all(folder) for item in look(target, folder)]
    text = FORMATS["json" if as_json else form](found)
    if text:
        click.echo(text)
    levels = [problem.severity for _, problems in found for problem in problems]
    errors, warnings = levels.count("error"), levels.count("warning")
    click.echo(f"{len(found)} files, {errors} errors, {warnings} warnings", err=True)
    sys.exit(4 if errors or (strict and warnings) else 0)


@COMMAND.command()
def schema() -> None:
    r"""Print the JSON Schema of ordinance files, for editors that complete and check as one types.

    In VS Code with the YAML extension, save it and begin the ordinance file with the line

    \b
      # yaml-language-server: $schema=ordinance.schema.json
    """
    from geocheck.rules.schema import shipped_schema

    click.echo(shipped_schema(), nl=False)


@COMMAND.command()
@click.argument("ordinance")
@click.option("--text", "text", type=click.Path(exists=True, dir_okay=False), required=True, help="The adopted words.")
@click.option("--to", "to", type=click.Path(file_okay=False), help="Folder for the record; default beside the text.")
@click.option("--partial", is_flag=True, help="Write the record though labels and clauses do not all meet.")
@overwrite
@_as_of
@_folder
@as_json
def adopt(
    ordinance: str,
    text: str,
    to: str | None,
    partial: bool,
    overwrite: bool,
    as_of: Any,
    folder: str | None,
    as_json: bool,
) -> None:
    """Set an office's own TEXT beside the clauses of an ORDINANCE and write a record of it.

    The record pins the words. Where there is one already, its words are compared with the text: the record stays as it
    is, the clauses that differ are shown, and the exit code is 1, until --overwrite takes the new text. Labels of the
    text that no clause has, and clauses without text, are shown and end with exit code 4.
    """
    from geocheck.rules.adopting import adopt as slice_text
    from geocheck.rules.adopting import problems_of, read_text
    from geocheck.rules.adoption_record import as_record, load_adoption, record_name, save_adoption
    from geocheck.rules.comparing import compare
    from geocheck.rules.read import load_ordinance
    from geocheck.rules.side_by_side import rows_of, side_by_side

    loaded = load_ordinance(ordinance, as_of.date() if as_of else None, folder=folder)
    adopted = slice_text(loaded, read_text(text), text_file=Path(text).name)
    record = Path(to or Path(text).parent) / record_name(loaded)
    compared = compare(load_adoption(record), adopted) if record.is_file() else None
    problems = list(problems_of(adopted))
    kept = (compared is not None and not compared.same and not overwrite) or bool(problems and not partial)
    if not kept and (compared is None or not compared.same or overwrite):
        save_adoption(adopted, record, overwrite=True)
    if as_json:
        plain = {key: value for key, value in as_record(adopted).items() if key not in ("slices", "steps", "text")}
        found = {"record": str(record), "written": not kept, "rows": rows_of(adopted, loaded)}
        shown = [problem.to_dict() for problem in problems]
        print_json({**plain, **found, "problems": shown, "compared": compared.to_dict() if compared else None})
    elif compared is not None:
        for change in compared.changes:
            click.echo(change.show())
    else:
        for line in side_by_side(adopted, loaded):
            click.echo(line)
    for problem in problems:
        click.echo(problem.show(), err=True)
    slices = sum(piece.kind == "clause" for piece in adopted.slices)
    state = "record" if not kept else "kept" if compared is not None else "not written"
    touched = "" if compared is None else f", {len(compared.touched)} differ from the record"
    click.echo(f"{adopted.words} words, {slices} clauses{touched}; {state}: {record}", err=True)
    sys.exit(4 if problems and not partial else 1 if kept else 0)


@COMMAND.command()
@click.argument("targets", nargs=-1)
@_folder
@as_json
def test(targets: tuple[str, ...], folder: str | None, as_json: bool) -> None:
    """Run the cases of ordinances (TARGETS: identifiers, files, folders; default all).

    Ends with exit code 4 where a case fails.
    """
    from geocheck.model.problem import GeocheckError
    from geocheck.rules.cases import disagreements, name_of_case
    from geocheck.rules.lint import files_of
    from geocheck.rules.read import load_ordinance

    rows = []
    for version in [v for target in targets or _all(folder) for v in files_of(target, folder)]:
        ordinance = load_ordinance(version.file, folder=folder)
        for case in ordinance.cases:
            try:
                wrong = [str(item) for item in disagreements(ordinance, case)]
            except GeocheckError as error:
                wrong = [str(error)]
            place = f"{Path(ordinance.file).name}:{case.place.line}"
            rows.append({"ordinance": ordinance.id, "place": place, "case": name_of_case(case), "wrong": wrong})
    failed = [row for row in rows if row["wrong"]]
    if as_json:
        print_json(rows)
    else:
        for row in failed:
            click.echo(f"{row['ordinance']} {row['place']}: {row['case']}")
            for line in row["wrong"]:
                click.echo(f"  {line}")
        click.echo(f"{len(rows)} cases, {len(failed)} failed")
    sys.exit(4 if failed else 0)


def _all(folder: str | None) -> list[str]:
    from geocheck.rules.read import list_ordinances

    return list_ordinances(folder)
