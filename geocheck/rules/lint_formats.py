"""What lint found, as text for people, as JSON, and as SARIF 2.1.0, which editors and code hosts show in place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from geocheck.model.problem import Problem
from geocheck.rules.checks import CHECKS, Check
from geocheck.rules.read import Version

__all__ = ["FORMATS", "READING", "Found", "as_json", "as_sarif", "as_text"]

Found = Sequence[tuple[Version, Sequence[Problem]]]

#: What reading a file finds before any check looks at it: code -> why it is a mistake.
READING = {
    "anchor": "Anchors and aliases are not read: a small file could stand for a huge one.",
    "clause-without-citation": "A clause has no label, so nobody can find it in the text.",
    "division-years": "The time within which divisions count together is no number of years.",
    "duplicate-key": "A key stands twice in one place; which one counts nobody can tell.",
    "empty": "The file is empty.",
    "encoding": "The file is not UTF-8.",
    "file-too-large": "The file is larger than any chapter.",
    "in-force": "The day of coming into force is no day, or not the one in the file's name.",
    "missing-key": "Something that must be said is not.",
    "missing-unit": "A number has no unit: 4,000 of what nobody can tell.",
    "no-ordinance": "There is no such ordinance, file or version.",
    "syntax": "A condition cannot be read.",
    "tab": "A line is indented with a tab, which looks like blanks and is not.",
    "tag": "Tags are not read: a rule file is data.",
    "too-deep": "Lists or conditions are nested deeper than any text.",
    "unknown-key": "A key is not part of the language; most likely it is misspelt.",
    "unknown-site": "A case starts from a site that is not described.",
    "unknown-unit": "A unit is not one that is known.",
    "unreadable": "The file cannot be opened.",
    "unseen-character": "A character cannot be seen and can change what is read.",
    "wrong-kind": "A fact is measured, stated or decided, and nothing else.",
    "wrong-shape": "A list stands where a text is wanted, or the reverse.",
    "yaml": "The file is not YAML.",
}
_LEVELS = {"error": "error", "warning": "warning"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_text(found: Found) -> str:
    """Return the problems as a user reads them: place, message, the source underlined, what to do."""
    return "\n".join(problem.show() for _, problems in found for problem in problems)


def as_json(found: Found) -> str:
    """Return the problems as a JSON list, each with code, message, place, remedy and severity."""
    rows = [problem.to_dict() for _, problems in found for problem in problems]
    return json.dumps(rows, ensure_ascii=False, indent=2)


def as_sarif(found: Found) -> str:
    """Return the problems as a SARIF 2.1.0 log with one run: rules, files looked at, results with their regions.

    Files below the working folder are named relative to it; others by their full address.
    """
    rules = _rules()
    index = {rule["id"]: n for n, rule in enumerate(rules)}
    for _, problems in found:
        for problem in problems:
            if problem.code not in index:
                index[problem.code] = len(rules)
                rules.append({"id": problem.code, "shortDescription": {"text": problem.code}})
    files = list(dict.fromkeys(_address(str(version.file)) for version, _ in found))
    results = [_result(problem, version, index, files) for version, problems in found for problem in problems]
    driver = {"name": "geocheck", "version": version("geocheck"), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": file}, "sourceLanguage": "yaml"} for file in files],
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _rules() -> list[dict[str, Any]]:
    checks: list[Check] = list(CHECKS)
    known = {code: (says, "error") for code, says in READING.items()}
    known |= {check.code: (check.finds, check.severity) for check in checks}
    return [
        {"id": code, "shortDescription": {"text": says}, "defaultConfiguration": {"level": _LEVELS[severity]}}
        for code, (says, severity) in sorted(known.items())
    ]


def _result(problem: Problem, version: Version, index: Mapping[str, int], files: list[str]) -> dict[str, Any]:
    place = problem.place
    file = _address(place.file or str(version.file))
    location: dict[str, Any] = {"artifactLocation": {"uri": file}}
    if file in files:
        location["artifactLocation"]["index"] = files.index(file)
    if place.line is not None:
        region: dict[str, Any] = {"startLine": place.line}
        if place.column is not None:
            region |= {"startColumn": place.column, "endColumn": place.column + max(1, place.length)}
        if place.text:
            region["snippet"] = {"text": place.text}
        location["region"] = region
    return {
        "ruleId": problem.code,
        "ruleIndex": index[problem.code],
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{problem.message}. {problem.remedy}".rstrip(". ") + "."},
        "locations": [{"physicalLocation": location}],
    }


def _address(file: str) -> str:
    path = Path(file).resolve()
    here = Path.cwd().resolve()
    return quote(path.relative_to(here).as_posix()) if path.is_relative_to(here) else path.as_uri()


#: Name of a format -> what writes it.
FORMATS: Mapping[str, Callable[[Found], str]] = {"text": as_text, "json": as_json, "sarif": as_sarif}
