"""Small ordinances written in the test, and the two adopted chapters."""

from __future__ import annotations

import re
import sys
import textwrap

import pytest

from geocheck.rules.read import load_ordinance, read_ordinance

VILLAGE = "us/wi/washington-county-village/87-5"
RIVER_HILLS = "us/wi/river-hills/6.04"


@pytest.fixture(scope="session")
def village():
    return load_ordinance(VILLAGE)


@pytest.fixture(scope="session")
def river_hills():
    return load_ordinance(RIVER_HILLS)


@pytest.fixture
def write(tmp_path):
    """Write an ordinance file; what is not said of its top is filled in."""

    def write(text, name="law.yaml"):
        text = textwrap.dedent(text)
        for key, value in {"cite": "§ 1", "title": "Try", "in_force": "2020-01-01"}.items():
            if not re.search(rf"^{key}:", text, re.MULTILINE):
                text = f"{key}: {value}\n{text}"
        if not re.search(r"^obligations:", text, re.MULTILINE):
            text = f"obligations: {{permit: § 2, fee: § 3}}\n{text}"
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture
def patience():
    """How many times as long as usual anything may take: where lines are counted for coverage, longer."""
    coverage = sys.modules.get("coverage")
    return 8 if coverage is not None and coverage.Coverage.current() is not None else 1


@pytest.fixture
def law(write):
    """Load an ordinance from its text."""
    return lambda text: load_ordinance(write(text))


@pytest.fixture
def problems(write):
    """Return all that is wrong with a text, warnings too."""
    return lambda text: read_ordinance(write(text), thorough=True)[1]
