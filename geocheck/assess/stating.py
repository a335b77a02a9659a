"""Stated and decided facts: from attribute columns, the statements file and the ledger, onto the sites."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from geocheck.model.acts import Act, decided_facts
from geocheck.model.facts import Fact, FactColumn, yes_or_no
from geocheck.model.ground import FactField, Layer, Site
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Place, Problem, ProjectError, SourceError, UnitError
from geocheck.model.quantity import Quantity, parse_quantity
from geocheck.model.vocabulary import VOCABULARY, FactDeclaration
from geocheck.rules.read import Version

__all__ = ["Declarations", "Statements", "declarations_of", "read_statements", "refuse_two_versions", "stated_columns"]

Declarations = Mapping[str, FactDeclaration]
_BARE = re.compile(r"[-+]?\d+(\.\d+)?")
#: Facts by site and name.
Statements = dict[str, dict[str, Fact]]


def declarations_of(ordinances: Sequence[Ordinance]) -> dict[str, FactDeclaration]:
    """Return what every fact of a project means: the shared ones, and those that its ordinances declare.

    Raises
    ------
    ProjectError
        If two ordinances declare different numbers, or a number and a yes or no, under one name.
    """
    found, by = dict(VOCABULARY), dict[str, str]()
    for ordinance in ordinances:
        for name, declared in ordinance.facts.items():
            before = found.setdefault(name, declared)
            if name in by and _what(before) != _what(declared):
                raise ProjectError(
                    f"the fact {name} means one thing under {by[name]} ({_what(before)}) and another under {ordinance.id} "
                    f"({_what(declared)}); run them apart, or rename it in one of the two"
                )
            by.setdefault(name, ordinance.id)
    return found


def refuse_two_versions(ordinances: Sequence[Ordinance]) -> None:
    """Refuse two versions of one ordinance in one run: every site would straddle them, and have two answers.

    Raises
    ------
    ProjectError
        If two of them are versions of one ordinance.
    """
    seen: dict[str, Ordinance] = {}
    for ordinance in ordinances:
        file = Path(ordinance.file)
        # By its path, a version is named by its day, beside the others.
        one = file.parent.resolve().as_posix() if Version("", file).is_dated else ordinance.id
        before = seen.setdefault(one, ordinance)
        if before.file == ordinance.file:
            continue
        days = " and ".join(str(version.in_force or "undated") for version in (before, ordinance))
        raise ProjectError(
            f"ordinances: {days} are two versions of {ordinance.cite}, and every site would straddle them; name the ordinance "
            "once and give the day whose version counts (as_of in the project file, or --as-of), or run them apart"
        )


def _what(declared: FactDeclaration) -> str:
    since = f" since {declared.since}" if declared.since else ""
    return f"{declared.kind}, {declared.unit or 'yes or no'}{since}{f', counts {declared.counts}' if declared.counts else ''}"


def read_statements(paths: Sequence[Path], sites: Sequence[Site], declarations: Declarations) -> Statements:
    """Read the applicants' statements: CSV files with the columns ``site_id``, ``fact`` and ``value``.

    A blank value or ``?`` is not known. Other columns are ignored, so that the file of questions can be filled in and
    handed back.

    Raises
    ------
    SourceError
        With every line that cannot be used, and why.
    """
    found, problems = Statements(), []
    for path in paths:
        problems += list(_statements(path, {site.id for site in sites}, declarations, found))
    if problems:
        raise SourceError.of(*problems)
    return found


def _statements(path: Path, known: set[str], declarations: Declarations, found: Statements) -> Iterator[Problem]:
    """Add the statements of one file to those found, and yield what is wrong with it."""
    if not path.exists():
        raise SourceError(f"{path}: there is no such file of statements; correct the path")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: the statements cannot be read ({error}); write them as a UTF-8 CSV file") from error
    # Spreadsheets of many countries separate cells by semicolons.
    heading = text.partition("\n")[0]
    lines = csv.DictReader(io.StringIO(text), delimiter=";" if heading.count(";") > heading.count(",") else ",")
    absent = {"site_id", "fact", "value"} - set(lines.fieldnames or ())
    if absent:
        raise SourceError(
            f"{path}: the statements lack the column {', '.join(sorted(absent))}; they need site_id, fact, value"
        )
    for line in lines:
        site, name = (line["site_id"] or "").strip(), (line["fact"] or "").strip()
        if not (site or name):
            continue
        try:
            fact = _stated(name, (line["value"] or "").strip(), declarations, path.name)
            if site not in known:
                raise ValueError(f"no site is called {site!r}{_nearest(site, known)}")
            before = found.setdefault(site, {}).get(name)
            if before is not None and None not in (before.value, fact.value) and before.value != fact.value:
                raise ValueError(
                    f"{name} of site {site} is stated twice with different values, also in {before.source}"
                )
            if before is None or before.value is None:
                found[site][name] = fact
        except ValueError as error:
            yield Problem("bad-statement", str(error), Place(str(path), line=lines.line_num))


def _stated(name: str, text: str, declarations: Declarations, source: str, unit: str = "") -> Fact:
    declared = declarations.get(name)
    if declared is None:
        raise ValueError(f"no ordinance of the project asks for {name!r}{_nearest(name, declarations)}")
    if declared.kind == "decided":
        raise ValueError(f"{name} is an official decision, not a statement; record it with `geocheck record decision`")
    if not declared.unit:
        return Fact(name, "stated", yes_or_no(text), source=source)
    if text in ("", "?"):
        return Fact(name, "stated", None, source=source)
    if not unit and _BARE.fullmatch(text):
        if float(text) != 0:
            raise UnitError(f"{name} needs its unit: write {text} {declared.unit}")
        unit = declared.unit
    read = parse_quantity(f"{text} {unit}" if unit else text)
    if not read.value.comparable(Quantity(Fraction(0), declared.unit)):
        raise UnitError(f"{name} is given in {declared.unit} or alike, not in {read.value.unit}")
    value, low, high = (q.to(declared.unit) for q in (read.value, read.low, read.high))
    return Fact(name, "stated", value, low, high, source=source)


def _nearest(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _from_columns(layer: Layer, sites: Sequence[Site], declarations: Declarations) -> Statements:
    """Facts that attribute columns of the disturbance layer state."""
    found, problems = Statements(), []
    for name, column in layer.source.facts.items():
        if name not in declarations:
            raise ProjectError(f"disturbance facts: no such fact as {name!r}{_nearest(name, declarations)}")
        values = layer.frame[f"field:{column.field}"].tolist()
        for site in sites:
            try:
                facts = [_cell(name, values[row], column, declarations, layer) for row in site.rows]
            except ValueError as error:
                number = int(layer.frame["record"].iloc[site.rows[0]])
                problems.append(
                    Problem("bad-attribute", f"{column.field}: {error}", Place(layer.source.source, record=number))
                )
                continue
            found.setdefault(site.id, {})[name] = _one(facts)
    if problems:
        raise SourceError.of(*problems)
    return found


def _cell(name: str, value: Any, column: FactField, declarations: Declarations, layer: Layer) -> Fact:
    missing = value is None or value != value
    text = "" if missing else format(value, "f") if isinstance(value, float) else str(value).strip()
    unit = column.unit or declarations[name].unit
    return _stated(name, text, declarations, f"{Path(layer.source.source).name}, field {column.field}", unit)


def _one(facts: list[Fact]) -> Fact:
    """Return what several records of one site state together; records that disagree state nothing."""
    first = facts[0]
    if all(fact.value == first.value for fact in facts):
        return first
    said = ", ".join(dict.fromkeys("blank" if f.value is None else str(f.value) for f in facts))
    return Fact(first.name, "stated", None, source=first.source, note=f"the records of the site disagree: {said}")


def stated_columns(
    names: Sequence[str],
    sites: Sequence[Site],
    declarations: Declarations,
    *,
    layer: Layer,
    statements: Statements,
    acts: Sequence[Act],
) -> dict[str, FactColumn]:
    """Return a column for each stated or decided fact, and each measured one that somebody stated.

    Raises
    ------
    SourceError
        If an attribute column and the statements file say different things of a site.
    """
    columns = _from_columns(layer, sites, declarations)
    facts: Statements = {}
    problems = []
    for site in sites:
        own = {**columns.get(site.id, {}), **decided_facts(acts, site.id)}
        for name, fact in statements.get(site.id, {}).items():
            before = own.get(name)
            if before is not None and before.value is not None and fact.value not in (None, before.value):
                message = (
                    f"{name} of site {site.id}: {before.source} says {_say(before)}, {fact.source} says {_say(fact)}"
                )
                problems.append(Problem("contradiction", message, remedy="correct one of them"))
            if before is None or before.value is None:
                own[name] = fact
        facts[site.id] = own
    if problems:
        raise SourceError.of(*problems)
    wanted = [n for n in names if declarations[n].kind != "measured" or any(n in own for own in facts.values())]
    return {name: _column(declarations[name], [facts[site.id].get(name) for site in sites]) for name in wanted}


def _say(fact: Fact) -> str:
    return (
        {True: "yes", False: "no"}.get(fact.value, str(fact.value)) if isinstance(fact.value, bool) else str(fact.value)
    )


def _column(declared: FactDeclaration, facts: Sequence[Fact | None]) -> FactColumn:
    def number(value: Any) -> Any:
        return value.value if isinstance(value, Quantity) else value

    kind = "decided" if declared.kind == "decided" else "stated"
    absent = "no decision on file" if kind == "decided" else ""
    sources = dict.fromkeys(f.source for f in facts if f is not None and f.source)
    return FactColumn(
        declared.name,
        kind,
        declared.unit,
        [None if f is None else number(f.value) for f in facts],
        [None if f is None else number(f.low) for f in facts] if declared.unit else None,
        [None if f is None else number(f.high) for f in facts] if declared.unit else None,
        ["missing" if f is None or f.value is None else kind for f in facts],
        "; ".join(sources),
        [absent if f is None else f.note for f in facts],
    )
