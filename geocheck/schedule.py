"""The unattended run put on a schedule: ready-made lines and files for what an office has, with the project's own paths."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from xml.sax.saxutils import escape

__all__ = ["SCHEDULES", "schedule"]


def schedule(kind: str, project: Path, *, program: str = "") -> str:
    """Return what puts ``geocheck update`` on a nightly schedule.

    Parameters
    ----------
    kind : str
        cron, systemd, windows or prefect.
    project : Path
        The project file.
    program : str
        The geocheck command; that of this installation by default.

    Examples
    --------
    >>> print(schedule("cron", Path("/srv/county/geocheck.yaml"), program="/opt/geocheck/bin/geocheck"))
    # geocheck: every night at 2:15. Add this line with `crontab -e`; its output is the summary, which cron mails.
    15 2 * * * cd /srv/county && /opt/geocheck/bin/geocheck update /srv/county/geocheck.yaml --log-format json 2>>/srv/county/update.log
    <BLANKLINE>
    """
    return SCHEDULES[kind](project.absolute(), program or _program())


def _program() -> str:
    """Return the command of this installation: beside its Python, else through it."""
    name = "geocheck.exe" if sys.platform == "win32" else "geocheck"
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def _cron(project: Path, program: str) -> str:
    folder = project.parent
    words = (
        f"cd {shlex.quote(str(folder))} && {shlex.quote(program)} update {shlex.quote(str(project))} --log-format json"
    )
    # In a crontab a percent sign ends the command.
    line = f"{words} 2>>{shlex.quote(str(folder / 'update.log'))}".replace("%", "\\%")
    return (
        "# geocheck: every night at 2:15. Add this line with `crontab -e`; its output is the summary, which cron mails.\n"
        f"15 2 * * * {line}\n"
    )


def _systemd(project: Path, program: str) -> str:
    def word(text: str) -> str:
        # systemd.syntax(7): quotes and backslashes are escaped inside quotes, percent signs and dollars doubled.
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
        return f'"{text}"'

    folder = str(project.parent).replace("%", "%%")
    return (
        dedent(
            """\
            # geocheck-update.service: put it into /etc/systemd/system, or into ~/.config/systemd/user
            [Unit]
            Description=geocheck: the county's new parcels
            Wants=network-online.target
            After=network-online.target

            [Service]
            Type=oneshot
            WorkingDirectory={folder}
            ExecStart={program} update {project} --log-format json
            TimeoutStartSec=6h
            Nice=10

            # geocheck-update.timer: put it beside the service, then: systemctl enable --now geocheck-update.timer
            [Unit]
            Description=geocheck: every night at 2:15

            [Timer]
            OnCalendar=*-*-* 02:15:00
            Persistent=true

            [Install]
            WantedBy=timers.target
            """
        )
        .replace("{folder}", folder)
        .replace("{program}", word(program))
        .replace("{project}", word(str(project)))
    )


def _windows(project: Path, program: str) -> str:
    arguments = escape(f'update "{project}" --log-format json')
    return dedent(
        f"""\
        <?xml version="1.0"?>
        <!-- Save as geocheck-update.xml, then: schtasks /Create /TN geocheck-update /XML geocheck-update.xml -->
        <Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
          <RegistrationInfo><Description>geocheck: the county's new parcels</Description></RegistrationInfo>
          <Triggers>
            <CalendarTrigger>
              <StartBoundary>2026-01-01T02:15:00</StartBoundary>
              <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
            </CalendarTrigger>
          </Triggers>
          <Principals>
            <Principal id="Author"><LogonType>S4U</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>
          </Principals>
          <Settings>
            <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
            <StartWhenAvailable>true</StartWhenAvailable>
            <ExecutionTimeLimit>PT6H</ExecutionTimeLimit>
          </Settings>
          <Actions Context="Author">
            <Exec>
              <Command>{escape(program)}</Command>
              <Arguments>{arguments}</Arguments>
              <WorkingDirectory>{escape(str(project.parent))}</WorkingDirectory>
            </Exec>
          </Actions>
        </Task>
        """
    )


def _prefect(project: Path, program: str) -> str:
    return dedent(
        f'''\
        """A Prefect flow: the county's new parcels, every night. Run it where geocheck and prefect are installed."""

        from prefect import flow, get_run_logger

        import geocheck

        PROJECT = {str(project)!r}


        @flow(name="geocheck update", retries=2, retry_delay_seconds=1800)
        def county_update(accept: str = "") -> dict:
            """Take the delivery and return the summary; a refused delivery or an incomplete source fails the flow."""
            night = geocheck.update(PROJECT, accept=accept, wait=600)
            get_run_logger().info(night.mail())
            return night.to_dict()


        if __name__ == "__main__":
            county_update.serve(name="every night", cron="15 2 * * *")
        '''
    )


#: Kinds of schedules, each made from the project file and the geocheck command.
SCHEDULES: dict[str, Callable[[Path, str], str]] = {
    "cron": _cron,
    "systemd": _systemd,
    "windows": _windows,
    "prefect": _prefect,
}
