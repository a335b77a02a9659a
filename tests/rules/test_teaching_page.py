"""The page that teaches the format: its chapters lint clean and their cases hold, what it shows lint to say is what lint says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from geocheck.cli.rules import COMMAND
from geocheck.model.quantity import UNITS
from geocheck.model.vocabulary import EXTENTS, VOCABULARY
from geocheck.rules.cases import disagreements, name_of_case
from geocheck.rules.read import load_ordinance, read_ordinance
from geocheck.rules.structure import CLAUSE_KEYS, TOP_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "writing-an-ordinance.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CHAPTERS = [text for kind, text in BLOCKS if kind == "yaml"]
IDS = [re.search(r"cite: (.*)", text)[1] for text in CHAPTERS]


@pytest.fixture
def save(tmp_path):
    def save(text):
        day = re.search(r"^in_force: (\S+)$", text, re.MULTILINE)
        file = tmp_path / f"{day[1] if day else 'undated'}.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    return save


def test_there_are_chapters():
    assert len(CHAPTERS) >= 3


@pytest.mark.parametrize("text", CHAPTERS, ids=IDS)
def test_a_chapter_lints_clean(text, save):
    _, problems = read_ordinance(save(text), thorough=True)
    assert not problems, "\n".join(problem.show() for problem in problems)


@pytest.mark.parametrize("text", CHAPTERS, ids=IDS)
def test_the_cases_of_a_chapter_hold(text, save):
    ordinance = load_ordinance(save(text))
    assert ordinance.cases
    for case in ordinance.cases:
        assert [str(wrong) for wrong in disagreements(ordinance, case)] == [], name_of_case(case)


def test_lint_says_what_the_page_shows_it_to_say(save):
    shown = next(text for kind, text in BLOCKS if kind == "text")
    right, wrong = "disturbed_area >= 4_000", "disturbed_aera >= 4_000"
    assert right in CHAPTERS[0] and wrong in shown
    file = save(CHAPTERS[0].replace(right, wrong))
    _, problems = read_ordinance(file)
    assert [problem.show().replace(str(file), file.name) for problem in problems] == [shown.rstrip("\n")]


def test_the_table_of_shared_facts_is_the_vocabulary():
    rows = re.findall(r"^\| `(\w+)`( \+)? \| (\w+) \| (\S*) ?\| (.*) \|$", PAGE, re.MULTILINE)
    expected = [
        (name, " +" if f"{name}_of_plan" in VOCABULARY else "", declared.kind, declared.unit, declared.asks)
        for name, declared in VOCABULARY.items()
        if not name.endswith(tuple(EXTENTS))
    ]
    assert rows == expected


def test_only_what_the_page_says_may_be_negative():
    signed = {name for name, d in VOCABULARY.items() if d.signed and not name.endswith(tuple(EXTENTS))}
    assert signed == {"impervious_area_added"}


@pytest.mark.parametrize("word", sorted({*CLAUSE_KEYS, *TOP_KEYS, *UNITS}))
def test_the_page_names_every_key_and_unit(word):
    assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w])", PAGE), word


def test_the_help_shows_its_example_line_by_line_and_names_the_page():
    shown = CliRunner().invoke(COMMAND, ["--help"]).output
    assert "    - at: (1)\n      when: any\n      imposes: [permit]\n" in shown
    assert "docs/writing-an-ordinance.md" in shown


def test_the_command_lists_the_shared_facts_by_any_word():
    def said(*words):
        return CliRunner().invoke(COMMAND, ["facts", *words])

    assert len(said().output.splitlines()) == sum(not name.endswith(tuple(EXTENTS)) for name in VOCABULARY)
    lines = said("road", "NEW").output.splitlines()
    assert [line.split()[0] for line in lines] == ["new_road_length", "builds_road"]
    assert "new_road_length +" in lines[0] and "measured ft " in lines[0] and "stated   yes/no" in lines[1]
    row = json.loads(said("grows_crops", "--json").output)
    assert row[0]["kind"] == "stated" and row[0]["extents"] == []
    missed = said("zebra")
    assert missed.exit_code == 2 and "`geocheck rules facts` lists all" in missed.output
