"""How the command line feels: colours only where they are wanted, pace and remaining time, steps for programs, completion."""

from __future__ import annotations

import io

import pytest

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
