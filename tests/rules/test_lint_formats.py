"""Lint as text, JSON and SARIF, and the exit codes that tell errors from warnings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import geocheck.rules
from geocheck.cli import application
from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.rules.lint import files_of, lint
from geocheck.rules.lint_formats import FORMATS, READING, as_json, as_sarif, as_text
from geocheck.rules.read import Version

WARNED = """
clauses:
- {at: (1), says: Much., when: disturbed_area > 1 acre, imposes: [permit, fee]}
"""
BROKEN = """
clauses:
- {at: (1), says: Much., when: disturbed_aera > 1 acre, imposes: [permit, fee]}
- {at: (2), says: More., when: parcel_area > 2, imposes: [permits]}
"""

#: What this program writes of SARIF 2.1.0, after the standard's chapters 3.13 (log) to 3.30 (region).
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
NUMBER = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
REGION = {
    "type": "object",
    "required": ["startLine"],
    "additionalProperties": False,
    "properties": {"startLine": NUMBER, "startColumn": NUMBER, "endColumn": NUMBER, "snippet": TEXT},
}
ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "properties": {
        "uri": {"type": "string", "pattern": r"^(file:///[^\s\\]+|[^\s\\:/][^\s\\:]*)$"},
        "index": {"minimum": 0},
    },
}
PLACE = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "required": ["artifactLocation"],
            "properties": {"artifactLocation": ARTIFACT, "region": REGION},
        }
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0}, "level": LEVEL, "message": TEXT,
        "locations": {"type": "array", "minItems": 1, "items": PLACE},
    },
}  # fmt: skip
RULE = {
    "type": "object",
    "required": ["id", "shortDescription"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": TEXT,
        "defaultConfiguration": {"properties": {"level": LEVEL}},
    },
}
DRIVER = {
    "type": "object",
    "required": ["name", "version", "rules"],
    "properties": {"rules": {"type": "array", "items": RULE}},
}
SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "minItems": 1,
            "items": {
                "required": ["tool", "results", "artifacts", "columnKind"],
                "properties": {
                    "tool": {"required": ["driver"], "properties": {"driver": DRIVER}},
                    "results": {"type": "array", "items": RESULT},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                },
            },
        },
    },
}


@pytest.fixture
def found(write):
    return lambda text: list(lint(write(text)))


def run(*words):
    return CliRunner().invoke(application, ["rules", "lint", *map(str, words)])


def test_text_shows_every_problem_and_underlines_it(found):
    text = as_text(found(BROKEN))
    assert "Did you mean disturbed_area?" in text
    assert re.search(r"law\.yaml:\d+:\d+: error: 2 has no unit \[missing-unit\]", text)


def test_json_holds_every_problem_with_its_place(found):
    looked = found(BROKEN)
    rows = json.loads(as_json(looked))
    assert len(rows) == len(looked[0][1]) > 0
    assert {"missing-unit", "unknown-obligation"} <= {row["code"] for row in rows}
    assert all(row["place"]["line"] and row["severity"] in ("error", "warning") for row in rows)


@pytest.mark.parametrize("text", [WARNED, BROKEN, "clauses: ["], ids=["warned", "broken", "no YAML"])
def test_sarif_has_the_shape_of_its_standard(text, found):
    looked = found(text)
    log = json.loads(as_sarif(looked))
    jsonschema.validate(log, SARIF)
    (sarif,) = log["runs"]
    rules = sarif["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert len(sarif["results"]) == len(looked[0][1]) > 0
    for result in sarif["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert sarif["artifacts"][location["index"]]["location"]["uri"] == location["uri"]


def test_a_region_is_the_span_that_is_wrong(found):
    looked = found(BROKEN)
    results = json.loads(as_sarif(looked))["runs"][0]["results"]
    (wrong,) = [result for result in results if result["ruleId"] == "missing-unit"]
    region = wrong["locations"][0]["physicalLocation"]["region"]
    line = looked[0][0].file.read_text(encoding="utf-8").splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "2"


def test_files_below_the_working_folder_are_named_from_there(write, monkeypatch):
    file = write(WARNED, "county rules/law.yaml")
    monkeypatch.chdir(file.parent.parent)
    log = json.loads(as_sarif(list(lint(file))))
    assert log["runs"][0]["artifacts"][0]["location"]["uri"] == "county%20rules/law.yaml"


def test_a_sound_file_gives_an_empty_list_of_results():
    log = json.loads(as_sarif(list(lint("us/wi/river-hills/6.04"))))
    jsonschema.validate(log, SARIF)
    assert log["runs"][0]["results"] == []


@pytest.mark.parametrize("form", FORMATS)
def test_errors_end_with_4_and_warnings_with_0(form, write):
    assert run(write(BROKEN), "--format", form).exit_code == 4
    warned = run(write(WARNED), "--format", form)
    assert (warned.exit_code, "0 errors" in warned.stderr) == (0, True)
    assert run(write(WARNED), "--format", form, "--strict").exit_code == 4


def test_machines_read_standard_output_alone(write):
    done = run(write(BROKEN), "--format", "sarif")
    assert json.loads(done.stdout)["version"] == "2.1.0"
    assert json.loads(run(write(BROKEN), "--json").stdout)


def test_a_file_that_is_not_there_is_said_to_be_missing():
    done = run("nowhere.yaml")
    assert done.exit_code == 4 and "nowhere.yaml" in done.stdout


def test_every_code_of_reading_has_its_words():
    """Each code that a module of the reader gives is in the table of words, and nothing else is."""
    given = set()
    for stem in ("yamltree", "keys", "structure", "expr", "read"):
        text = Path(geocheck.rules.__file__).with_name(f"{stem}.py").read_text(encoding="utf-8")
        given |= set(re.findall(r'(?:\bsay|_refuse|Problem|_none)\(\s*"([a-z-]+)"', text))
        given |= {code for code in ("missing-unit", "unknown-unit", "syntax", "no-ordinance") if f'"{code}"' in text}
    assert given == READING.keys()


def test_what_has_no_place_in_a_text_and_a_code_that_no_list_knows_are_logged_too(tmp_path):
    """A file that cannot be opened has no line; a check of another package has a code of its own."""
    version = Version("us/a", tmp_path / "law.yaml")
    file = str(version.file)
    problems = [
        Problem("unreadable", "the file cannot be read", Place(file)),
        Problem("office-style", "not as this office writes", Place(file, 3)),
        Problem("office-style", "not as this office writes", Place(file, 3, 5, 2)),
        Problem("unreadable", "the one that it takes in cannot be read", Place(str(tmp_path / "other.yaml"))),
    ]
    log = json.loads(as_sarif([(version, problems)]))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules.count("office-style") == 1
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [problem.code for problem in problems]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [place.get("region") for place in places] == [
        None, {"startLine": 3}, {"startLine": 3, "startColumn": 5, "endColumn": 7}, None,
    ]  # fmt: skip
    assert ["index" in place["artifactLocation"] for place in places] == [True, True, True, False]


def test_a_folder_is_all_files_in_it_and_what_is_not_there_is_said(write, tmp_path):
    for name in ("b.yaml", "a/2020-01-01.yml", "a/notes.txt"):
        write(WARNED, name)
    assert [version.file.name for version in files_of(tmp_path)] == ["2020-01-01.yml", "b.yaml"]
    with pytest.raises(RuleFileError, match=r"there is no ordinance 'us/wi/river-hill/6\.04'"):
        files_of("us/wi/river-hill/6.04")
