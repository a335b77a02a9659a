"""Every command has help that a planner can read."""

from __future__ import annotations

import click
import pytest

from geocheck.cli import COMMANDS


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_command_has_help(geocheck_command, name):
    ended = geocheck_command(name, "--help")
    assert ended.code == 0 and "Usage: geocheck" in ended.out
    command = COMMANDS.load(name)
    assert command.help and command.name == name
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help, f"{name}: {parameter.name} has no help"


def test_the_commands_of_the_contract_are_there():
    assert {"demo", "inspect", "run", "explain", "ask", "record", "rules", "doctor"} <= set(COMMANDS.names())


def test_the_version_is_told(geocheck_command):
    import geocheck

    assert geocheck_command("--version").out.strip().endswith(geocheck.__version__)
