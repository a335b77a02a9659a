"""geocheck completion: the script by which a shell completes commands and options."""

from __future__ import annotations

import click

__all__ = ["COMMAND"]

_EPILOG = """\b
Examples:
  eval "$(geocheck completion bash)"               in ~/.bashrc
  eval "$(geocheck completion zsh)"                in ~/.zshrc
  geocheck completion fish > ~/.config/fish/completions/geocheck.fish"""


@click.command("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def COMMAND(shell: str) -> None:  # noqa: N802
    """Print the script that lets SHELL complete geocheck's commands and options with the Tab key."""
    from click.shell_completion import get_completion_class

    from geocheck.cli import application

    made = get_completion_class(shell)
    assert made is not None  # click knows the three shells
    click.echo(made(application, {}, "geocheck", "_GEOCHECK_COMPLETE").source())
