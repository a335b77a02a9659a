"""The command line: a thin shell, one file a command, over `geocheck.assess` and `geocheck.rules`."""

from __future__ import annotations

import errno
import sys
from typing import Any

import click

from geocheck.model.problem import GeocheckError
from geocheck.model.shelf import Shelf

__all__ = ["COMMANDS", "application", "main"]

#: What a disk or its owner may say at any moment, on any file; anything else that the system refuses is a fault of ours.
_DISK = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO")
    if hasattr(errno, name)
}

COMMANDS = Shelf("geocheck.cli", "COMMAND", beside=("options", "small_map"))


class _Shelf(click.Group):
    """A group whose commands are the modules beside it, imported only when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        try:
            command: click.Command = COMMANDS.load(cmd_name)
        except KeyError:
            return None
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            known = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"{error.message} Commands: {known}.", ctx) from None


@click.group(cls=_Shelf, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="geocheck")
def application() -> None:
    """Measure land disturbance and judge it by erosion-control and stormwater ordinances.

    Start with `geocheck demo`, then `geocheck run` on a project file or on your own shapefiles.
    """


def main() -> None:
    """Run the command line; every error that geocheck knows ends in one message and its exit code."""
    try:
        # Outside its standalone mode click gives back the code of an Exit instead of raising it.
        code = application(standalone_mode=False)
        if isinstance(code, int):
            sys.exit(code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        click.echo("stopped; older outputs are whole", err=True)
        sys.exit(130)
    except GeocheckError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno not in _DISK:
            raise
        where = f"{error.filename}: " if error.filename else ""
        click.echo(
            f"Error: {where}{error.strerror}; make room or get the right to write there, then start again", err=True
        )
        sys.exit(3)
