"""How the command line feels: colours only where they are wanted, pace and remaining time, steps for programs, completion."""

from __future__ import annotations

import doctest
import io
import re

import geopandas
import pytest

from geocheck.cli import COMMANDS, options, small_map
from geocheck.cli.options import coloured, pace, reporting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colours_are_for_terminals_that_want_them(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert coloured("x", "red", Terminal()).startswith("\x1b[")
    assert coloured("x", "red", io.StringIO()) == "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured("x", "red", Terminal()) == "x"


@pytest.mark.parametrize(
    ("done", "total", "seconds", "said"),
    [
        (0, 0, 9.0, ""), (0, 100, 9.0, ""), (10, 100, 0.1, ""), (500, 2000, 10.0, "50/s, 30 s left"),
        (100, 10_000, 10.0, "10/s, 16 min 30 s left"), (3, 1000, 60.0, "3/min, 5 h 32 min left"), (100, 100, 10.0, "10/s, 0 s left"),
    ],
)  # fmt: skip
def test_the_pace_says_how_long_it_will_still_take(done, total, seconds, said):
    assert pace(done, total, seconds) == said


def test_steps_are_lines_for_a_program_that_asks(monkeypatch, capsys):
    monkeypatch.setenv("GEOCHECK_PROGRESS", "lines")
    with reporting(quiet=True) as progress:
        progress("judging", 100, 8381)
    assert capsys.readouterr().err == "judging\t100/8381\n"


def test_a_bar_shows_on_a_terminal_alone(monkeypatch, capsys):
    with reporting(quiet=False) as progress:
        progress("judging", 1, 2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_commands(monkeypatch, geocheck_command, shell):
    ended = geocheck_command("completion", shell)
    assert ended.code == 0 and "_GEOCHECK_COMPLETE" in ended.out


@pytest.mark.parametrize("name", COMMANDS.names())
def test_help_has_examples_that_name_real_options(geocheck_command, name):
    """Every word of an example that begins with two dashes is an option of its command."""
    text = COMMANDS.load(name).epilog or ""
    assert "Examples:" in text, f"{name} shows no example"
    command = COMMANDS.load(name)
    known = {
        option
        for one in [command, *getattr(command, "commands", {}).values()]
        for p in one.params
        for option in p.opts + p.secondary_opts
    }
    used = set(re.findall(r"(?<!\S)(--?[a-z][\w-]*)", text.replace("--help", "")))
    assert used <= known | {"--"}, used - known


def test_a_map_is_drawn_in_letters_and_as_a_picture(geocheck_command, layers, tmp_path):
    ended = geocheck_command("inspect", layers / "parcels.shp", "--map")
    assert ended.code == 0
    drawn = [line for line in ended.out.splitlines() if any(0x2800 < ord(letter) < 0x2900 for letter in line)]
    assert len(drawn) > 5 and len({len(line) for line in drawn[1:-1]}) == 1  # two lots side by side: a box with a wall
    assert geocheck_command("inspect", layers / "parcels.shp").out.count("⡇") == 0  # not where no one looks
    ended = geocheck_command("inspect", layers / "parcels.shp", "--png", tmp_path / "map.png")
    assert ended.code == 0 and (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_is_of_one_layer(geocheck_command, layers, tmp_path):
    both = tmp_path / "both.gpkg"
    for name in ("parcels", "sites"):
        geopandas.read_file(layers / f"{name}.shp").to_file(both, layer=name)
    ended = geocheck_command("inspect", both, "--png", tmp_path / "map.png")
    assert ended.code == 2 and "--layer (parcels, sites)" in ended.err and not (tmp_path / "map.png").exists()
    assert geocheck_command("inspect", both, "--layer", "sites", "--png", tmp_path / "map.png").code == 0
    assert (tmp_path / "map.png").exists()


def test_a_layer_that_would_be_refused_ends_with_three(geocheck_command, layers):
    (layers / "parcels.prj").unlink()
    ended = geocheck_command("inspect", layers / "parcels.shp")
    assert ended.code == 3 and "refused" in ended.out
    assert geocheck_command("inspect", layers / "parcels.shp", "--json").code == 3


def test_init_says_which_file_plays_which_role_and_why(geocheck_command, layers):
    ended = geocheck_command("init", layers)
    assert ended.code == 0
    assert re.search(r"disturbance +sites.shp: guessed from its name; 1 record$", ended.out, re.MULTILINE)


def test_init_says_not_used_of_what_another_file_does(geocheck_command, layers):
    for path in layers.glob("parcels.*"):
        path.rename(layers / f"it's parcels{path.suffix}")
    geopandas.read_file(layers / "sites.shp").to_file(layers / "old lots.shp")
    ended = geocheck_command("init", layers)
    assert re.search(r"parcels +it's parcels.shp: guessed", ended.out)
    assert re.search(r"not used +old lots.shp: guessed", ended.out)


def test_the_example_of_the_dots_runs():
    assert doctest.testmod(small_map).failed == 0
    assert doctest.testmod(options).failed == 0


def test_a_disk_that_fails_anywhere_is_one_error(geocheck_command, monkeypatch):
    def full(*words, **keys):
        raise OSError(28, "No space left on device", "out/facts.csv")

    monkeypatch.setattr("geocheck.assess.nightly.update", full)
    ended = geocheck_command("update", "geocheck.yaml", "--quiet")
    assert ended.code == 3
    assert ended.err.startswith("Error: out/facts.csv: No space left on device; ") and ended.err.count("\n") == 1


def test_what_is_no_fault_of_the_disk_is_not_hidden(geocheck_command, monkeypatch):
    def wrong(*words, **keys):
        raise FileNotFoundError(2, "No such file or directory", "x")

    monkeypatch.setattr("geocheck.assess.nightly.update", wrong)
    with pytest.raises(FileNotFoundError):
        geocheck_command("update", "geocheck.yaml", "--quiet")
