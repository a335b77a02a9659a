"""Schedules as an office puts them to use: each is read, or run, by what it is written for."""

from __future__ import annotations

import shutil
import subprocess
import sys
import types
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from geocheck.cli import application
from geocheck.schedule import SCHEDULES, schedule

SAMPLE = Path(__file__).parents[1] / "data" / "cedar-hollow"
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
#: Names that a shell, a crontab, systemd and XML each read in their own way.
ODD = ["plain", "a b", "50% $done", "O'Brien & Sons"]


@pytest.fixture(params=ODD)
def project(request, tmp_path):
    """The sample project in a folder of an awkward name, its path with its ledger."""
    folder = tmp_path / request.param
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("out"))
    return folder / "geocheck.yaml"


def program():
    return str(Path(sys.executable).parent / "geocheck")


@pytest.mark.parametrize("kind", list(SCHEDULES))
def test_the_command_prints_it_and_does_nothing_else(kind, tmp_path):
    done = CliRunner().invoke(application, ["update", str(tmp_path / "geocheck.yaml"), "--print-schedule", kind])
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "geocheck.yaml") in done.output
    assert not list(tmp_path.iterdir())


def test_a_folder_means_its_project_file(tmp_path):
    done = CliRunner().invoke(application, ["update", str(tmp_path), "--print-schedule", "cron"])
    assert f"update {tmp_path / 'geocheck.yaml'} " in done.output


def test_the_cron_line_runs_as_cron_runs_it(project):
    line = schedule("cron", project, program=program()).splitlines()[-1]
    minute, hour, *_, command = line.split(" ", 5)
    assert (minute, hour) == ("15", "2")
    # crontab(5): an unescaped percent sign ends the command, an escaped one is itself.
    command = command.replace("\\%", "\0")
    assert "%" not in command
    done = subprocess.run(
        ["/bin/sh", "-c", command.replace("\0", "%")], cwd="/", capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr + (project.parent / "update.log").read_text()
    assert "Delivery of" in done.stdout, "cron mails the summary"
    assert (project.parent / "out" / "changed_determinations.csv").exists()
    assert '"event"' in (project.parent / "update.log").read_text()


def test_systemd_takes_the_units(project, tmp_path):
    text = schedule("systemd", project, program=program())
    service, timer = text.split("# geocheck-update.timer", 1)
    units = {"geocheck-update.service": service, "geocheck-update.timer": f"#{timer}"}
    for name, unit in units.items():
        (tmp_path / name).write_text(unit, encoding="utf-8")
    assert "OnCalendar=*-*-* 02:15:00" in timer and "Persistent=true" in timer
    # What the manager expands, it is told to leave alone.
    assert service.count("%") == 2 * service.count("%%")
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed: the units were only looked at")
    done = subprocess.run(
        [analyze, "verify", *(str(tmp_path / name) for name in units)], capture_output=True, text=True, check=False
    )
    assert "geocheck-update" not in done.stderr, done.stderr


def test_windows_reads_the_task(project):
    root = ET.fromstring(schedule("windows", project, program=r"C:\Program Files\geocheck & co\geocheck.exe"))
    (command,), (arguments,), (folder,) = (
        list(root.iter(f"{TASK}{n}")) for n in ("Command", "Arguments", "WorkingDirectory")
    )
    assert command.text == r"C:\Program Files\geocheck & co\geocheck.exe"
    assert arguments.text == f'update "{project}" --log-format json'
    assert folder.text == str(project.parent)


def test_the_prefect_flow_takes_the_delivery(project, monkeypatch):
    said = []
    stand_in = types.ModuleType("prefect")
    stand_in.flow = lambda **options: lambda function: function
    stand_in.get_run_logger = lambda: types.SimpleNamespace(info=said.append)
    monkeypatch.setitem(sys.modules, "prefect", stand_in)
    names = {"__name__": "flow_of_an_office"}
    exec(compile(schedule("prefect", project), "flow.py", "exec"), names)
    found = names["county_update"]()
    assert found["parcels"] > 0 and "Delivery of" in said[0]
    assert names["county_update"]()["remeasured"] == 0
