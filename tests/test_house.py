"""The house stays clean: imports in one direction, style, types, file sizes, nothing heavy at import."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(ROOT.glob("geocheck/**/*.py"))


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_imports_run_in_one_direction():
    done = command(
        sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c(standalone_mode=True)"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_a_wrong_import_would_be_seen(tmp_path):
    """The contracts are not empty words: a rule that reached for shapely is reported."""
    text = (ROOT / "pyproject.toml").read_text()
    broken = text.replace('forbidden_modules = ["geopandas", "shapely"', 'forbidden_modules = ["difflib", "shapely"')
    assert broken != text
    config = tmp_path / "pyproject.toml"
    config.write_text(broken)
    code = f"from importlinter.cli import lint_imports; raise SystemExit(lint_imports(config_filename={str(config)!r}))"
    done = command(sys.executable, "-c", code)
    assert done.returncode == 1 and "1 broken" in done.stdout


@pytest.mark.parametrize("words", [("check",), ("format", "--check")], ids=["ruff", "format"])
def test_ruff_finds_nothing(words):
    done = command(sys.executable, "-m", "ruff", *words, "geocheck", "tests", "notebooks")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_finds_nothing():
    done = command(sys.executable, "-m", "mypy")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_a_file_stays_small_and_says_what_it_is(path):
    text = path.read_text()
    assert text.count("\n") <= 400, "a noun is missing"
    assert text.startswith('"""'), "a module says in one line what it is"
    assert path.stem not in {"utils", "util", "helpers", "common", "misc", "manager", "base"}


def test_importing_geocheck_loads_nothing_heavy():
    code = "import sys, geocheck; dir(geocheck); print(*sys.modules)"
    loaded = command(sys.executable, "-c", code).stdout.split()
    assert not {"numpy", "pandas", "geopandas", "shapely", "ruamel", "click"} & {name.split(".")[0] for name in loaded}


def test_judging_needs_no_gis():
    code = """
import sys
for name in ("geopandas", "shapely", "pyproj", "pyogrio", "fiona", "rasterio", "exactextract"):
    sys.modules[name] = None
import geocheck
print(geocheck.judge({"disturbed_area": "4_000 ft2"}, "us/wi/washington-county-village/87-5").trace["(1)(a)"].truth)
"""
    done = command(sys.executable, "-c", code)
    assert done.stdout.strip() == "yes", done.stderr


def test_the_public_names_are_there_and_nothing_else():
    import geocheck

    assert dir(geocheck) == sorted(geocheck.__all__)
    for name in geocheck.__all__:
        assert getattr(geocheck, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'jugde'"):
        geocheck.jugde  # noqa: B018


def test_the_licence_and_the_constraints_name_no_address():
    assert "MIT License" in (ROOT / "LICENSE").read_text()
    assert not re.search(r"https?://|--index|@ ", (ROOT / "constraints.txt").read_text())
