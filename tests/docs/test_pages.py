"""The documentation says what is: its examples run, and it names every command, option of the project file, column and file."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from geocheck.cli import COMMANDS, application
from geocheck.model.ground import ROLES
from geocheck.model.problem import GeocheckError
from geocheck.project import open_project
from geocheck.project.reading import _KEYS, _LAYER_KEYS
from geocheck.reports import default_names
from geocheck.reports.columns import TABLES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
SAMPLE = DOCS.parent / "data" / "cedar-hollow"


def test_every_link_leads_somewhere():
    for name, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert target.startswith("http") or (DOCS / target).exists(), f"{name}: {target}"


def test_every_command_has_its_part():
    assert sorted(re.findall(r"^## geocheck (\S+)$", PAGES["commands"], re.MULTILINE)) == COMMANDS.names()


@pytest.mark.slow
def test_the_commands_do_what_the_page_shows(tmp_path, monkeypatch):
    """Typed in order in a copy of the sample project; each ends well and prints the lines that are shown."""
    folder = tmp_path / "cedar-hollow"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("out"))
    (folder / "geocheck.yaml").rename(folder / "village.yaml")  # init writes one of its own
    monkeypatch.chdir(folder)
    typed = 0
    for block in re.findall(r"^```console\n(.*?)^```$", PAGES["commands"], re.MULTILINE | re.DOTALL):
        for part in block.split("$ ")[1:]:
            line, *shown = part.rstrip().splitlines()
            words = shlex.split(line)
            assert words[0] == "geocheck"
            done = CliRunner().invoke(application, words[1:])
            if isinstance(done.exception, GeocheckError):
                raise AssertionError(line) from done.exception
            assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
            for expected in shown:
                assert expected.strip() in done.output, f"{line}\n{done.output}"
            typed += 1
    assert typed > 15


def test_the_project_file_names_every_key_and_role_and_its_example_is_one(tmp_path):
    page = PAGES["project-file"]
    named = set(re.findall(r"`([a-z_]+)`", page))
    assert set(_KEYS) <= named and set(_LAYER_KEYS) <= named and set(ROLES) <= named
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "geocheck.yaml").write_text(text, encoding="utf-8")
    project = open_project(tmp_path / "geocheck.yaml")
    assert project.name == "Cedar Hollow" and "shoreland" in project.layers


def test_the_outputs_name_every_file_and_every_column_with_its_meaning():
    page = PAGES["outputs"]
    listed = re.findall(r"^\| `([\w.]+\.\w+)` \|", page, re.MULTILINE)
    assert listed == default_names()
    for table, columns in TABLES.items():
        part = page.split(f"\n## {table}\n")[1].split("\n## ")[0]
        for column in columns:
            assert f"| `{column.name}` | {column.sort} | {column.meaning} |" in part


@pytest.mark.parametrize("name", [name for name, text in PAGES.items() if ">>>" in text])
def test_python_examples_run(name):
    test = doctest.DocTestParser().get_doctest(PAGES[name], {}, name, name, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
