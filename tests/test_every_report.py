"""Every module on the shelf of outputs defines OUTPUT, explains itself, and is tested."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from geocheck import reports
from geocheck.reports import OUTPUTS
from geocheck.reports.output import Output

TESTS = "\n".join(
    path.read_text(encoding="utf-8") for path in Path(__file__).parent.joinpath("reports").glob("test_*.py")
)


@pytest.mark.parametrize("name", OUTPUTS.names())
def test_it_defines_what_the_shelf_expects_and_says_what_it_is(name):
    module = importlib.import_module(f"geocheck.reports.{name}")
    output = OUTPUTS.load(name)
    assert isinstance(output, Output)
    assert output is module.OUTPUT
    assert module.__doc__
    assert output.says
    assert output.names
    assert set(output.default) <= set(output.names)


@pytest.mark.parametrize("name", OUTPUTS.names())
def test_it_writes_each_of_its_names_and_nothing_unannounced(name, tmp_path, request):
    findings = request.getfixturevalue("shelf_findings")
    from geocheck.reports.tables import Tables

    output = OUTPUTS.load(name)
    for file in output.names:
        output.write(Tables(findings), file, tmp_path)
        written = {path.name for path in tmp_path.iterdir()}
        assert file in written
        assert written <= set(output.files(file))
        for path in tmp_path.iterdir():
            path.unlink()


@pytest.mark.parametrize("name", OUTPUTS.names())
def test_it_has_a_test(name):
    endings = {file.rpartition(".")[2] for file in OUTPUTS.load(name).names}
    assert any(re.search(rf"\b{ending}\b", TESTS) for ending in endings)


def test_no_two_outputs_write_the_same_file():
    files = [file for output in OUTPUTS for name in output.names for file in output.files(name)]
    assert sorted(files) == sorted(set(files))


def test_help_lists_every_name():
    listed = ", ".join(names for names, _ in reports.describe_outputs())
    assert all(name in listed for name in reports.output_names())


@pytest.fixture
def shelf_findings():
    """The least that an output must be able to write."""
    from datetime import date

    import pyproj

    from geocheck.model.determination import Receipt
    from geocheck.model.facts import FactSheet
    from geocheck.model.findings import Findings
    from geocheck.model.ground import Ground

    ground = Ground({}, pyproj.CRS.from_epsg(8104))
    return Findings("Nothing", date(2026, 1, 1), FactSheet([]), (), (), {}, {}, ground, None, None, Receipt({}))
