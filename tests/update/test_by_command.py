"""The night as a schedule starts it: a process, its exit code, one error, its log; full disks and folders shut to it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from datetime import datetime
from pathlib import Path

import pytest

from geocheck.ledger import open_ledger
from tests.update.test_killed import ledger_of

GEOCHECK = str(Path(sys.executable).parent / "geocheck")


def started(path, *words, before=()):
    """Start an update of a project; ``before`` is a program that starts it."""
    command = [*before, GEOCHECK, "update", str(path), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=path.parent)


def ended(process):
    """Return how it ended: exit code, output, errors."""
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def updated(path, *words, before=()):
    return ended(started(path, *words, before=before))


def files(one):
    return {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()}


@pytest.fixture(params=["geopackage", "postgis"])
def stored(request):
    """The address of a ledger that is not there yet."""
    if request.param == "geopackage":
        return "ledger.gpkg"
    return f"{request.getfixturevalue('postgis')}&schema=c{uuid.uuid4().hex[:12]}"


@pytest.fixture
def known(county, lot, stored):
    """A county after its first night, with a second delivery that lies ready."""
    one = county(ledger=stored)
    one.update()
    del one.parcels["P0404"]
    one.parcels["NEW"] = lot(3000, 0, 3400, 400)
    one.write()
    return one


@pytest.fixture
def nothing_changed(known):
    """Return a check that ledger and files are as they were, and that the next night succeeds all the same."""
    older, kept = ledger_of(known), files(known)

    def check(goes_on=True):
        assert ledger_of(known) == older
        assert files(known) == kept
        if goes_on:
            assert updated(known.folder / "geocheck.yaml", "--quiet") == (0, "", "")
            assert known.changes() == [("NEW", "added"), ("P0404", "removed")]

    return check


def test_done_then_nothing_to_do(known):
    path = known.folder / "geocheck.yaml"
    code, out, err = updated(path)
    assert code == 0 and "Error" not in err
    assert out == (known.folder / "out" / "update.txt").read_text()
    code, out, _ = updated(path, "--json", "--quiet")
    assert code == 0 and json.loads(out)["nothing_to_do"] is True
    assert updated(path, "--quiet") == (0, "", "")


def test_changed_outcomes_end_with_1_where_that_was_asked_for(county):
    one = county()
    path = one.write()
    assert updated(path, "--quiet", "--fail-on", "changed")[0] == 0, "what is found for the first time has not changed"
    one.wetlands["W-9"] = one.sites["S-4"].buffer(30)
    one.write()
    code, _, err = updated(path, "--quiet", "--fail-on", "changed")
    assert (code, err) == (1, "")
    assert one.rows("changed_determinations.csv")


def few(one):
    for key in list(one.parcels)[:20]:
        del one.parcels[key]
    one.write()


def no_layer(one):
    (one.folder / "flood.gpkg").write_bytes(b"no GeoPackage")


def misspelt(one):
    one.lines.append("ledgers: x.gpkg")
    one.write()


def no_ledger(one):
    one.ledger = "parcels.gpkg"
    one.write()


@pytest.mark.parametrize(
    "spoil, code, says",
    [(few, 3, "fewer-parcels"), (no_layer, 3, "flood.gpkg"), (misspelt, 4, "ledgers"), (no_ledger, 3, "parcels.gpkg")],
)
def test_what_is_refused_has_its_code_one_error_and_changes_nothing(county, spoil, code, says):
    one = county()
    one.update()
    older, kept, was = ledger_of(one), files(one), one.ledger
    spoil(one)
    found, _, err = updated(one.folder / "geocheck.yaml", "--quiet")
    assert found == code, err
    assert says in err and err.count("Error") == 1 and "Traceback" not in err
    one.ledger = was
    assert ledger_of(one) == older and files(one) == kept


def test_usage_ends_with_2(county):
    code, _, err = updated(county().write(), "--fail-on", "everything")
    assert code == 2 and "--fail-on" in err


# Log -----------------------------------------------------------------------------------------------------------------


def test_the_log_is_a_line_of_json_for_each_event(known):
    path = known.folder / "geocheck.yaml"
    code, out, err = updated(path, "--log-format", "json", "--json")
    lines = [json.loads(line) for line in err.splitlines()]
    assert code == 0 and json.loads(out)["run"] == 2
    assert lines[0]["event"] == "started" and len(lines) > 2
    assert all(datetime.fromisoformat(line["time"]).tzinfo and line["level"] == "info" for line in lines)
    assert lines[0]["ledger"] == open_ledger(known.ledger if ":" in known.ledger else path.parent / known.ledger).name


def test_the_last_line_of_the_log_says_why_a_night_failed(county):
    one = county()
    one.update()
    for key in list(one.parcels)[:20]:
        del one.parcels[key]
    code, _, err = updated(one.write(), "--log-format", "json")
    events = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert code == 3
    assert events[-1]["event"] == "failed" and events[-1]["level"] == "error" and events[-1]["exit_code"] == 3
    assert "fewer-parcels" in events[-1]["error"]


# Two at once ---------------------------------------------------------------------------------------------------------


def test_an_update_says_who_holds_the_ledger_or_waits_for_it(known, nothing_changed):
    path = known.folder / "geocheck.yaml"
    ledger = open_ledger(known.ledger if ":" in known.ledger else known.folder / known.ledger)
    with ledger.writer("geocheck update"):
        code, _, err = updated(path, "--quiet")
        assert code == 3 and f"geocheck update, process {os.getpid()} on " in err and "--wait" in err
        nothing_changed(goes_on=False)
        let_go = time.monotonic() + 3
        waiting = started(path, "--quiet", "--wait", "200")
        threading.Event().wait(let_go - time.monotonic())
        assert waiting.poll() is None
    assert ended(waiting) == (0, "", "")
    assert known.changes() == [("NEW", "added"), ("P0404", "removed")]


@pytest.mark.parametrize("patience", [("--wait", "200"), ()], ids=["waiting", "at-once"])
def test_two_updates_at_once_make_one_run(known, patience):
    path = known.folder / "geocheck.yaml"
    both = [started(path, "--quiet", *patience) for _ in range(2)]
    found = [ended(process) for process in both]
    for code, _, err in found:
        assert (code, err) == (0, "") or (not patience and code == 3 and "is held by geocheck update, process" in err)
    assert 0 in [code for code, _, _ in found]
    assert len(open_ledger(known.ledger if ":" in known.ledger else known.folder / known.ledger).runs()) == 2
    assert known.changes() == [("NEW", "added"), ("P0404", "removed")]


# Disk and folders ----------------------------------------------------------------------------------------------------


def bound():
    """Return what starts a program that permissions bind, also where the tests run as the superuser."""
    if os.geteuid() != 0:
        return []
    rights = "-dac_override,-dac_read_search"
    before = ["setpriv", "--bounding-set", rights, "--inh-caps", rights]
    if not shutil.which("setpriv") or subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("permissions do not bind the superuser, and setpriv cannot take its rights here")
    return before


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("shut", ["out", "."])
def test_a_folder_that_cannot_be_written_to_is_one_error(known, nothing_changed, shut):
    # Without these rights the superuser cannot reach the other store's socket either.
    if ":" in known.ledger:
        pytest.skip("a database is not in the folder")
    before = bound()
    folder = known.folder / shut
    folder.chmod(0o500)
    try:
        code, _, err = updated(known.folder / "geocheck.yaml", "--quiet", before=before)
    finally:
        folder.chmod(0o700)
    assert code == 3 and str(known.folder) in err and ("Permission denied" in err or "readonly" in err), err
    assert err.startswith("Error: ") and err.count("\n") == 1
    nothing_changed()


class Disk:
    """A small disk that can be filled up to a rest."""

    def __init__(self, place):
        self.place, self.ballast = place, place / "ballast"

    def leave(self, kilobytes):
        """Leave so much room; all of it for None."""
        self.ballast.unlink(missing_ok=True)
        if kilobytes is not None:
            free = os.statvfs(self.place)
            self.ballast.write_bytes(b"x" * max(0, free.f_bavail * free.f_frsize - 1024 * kilobytes))


@pytest.fixture
def disk():
    """A disk of its own, open to the user that the database runs as."""
    place = Path(tempfile.mkdtemp(prefix="gc-disk-", dir="/tmp"))
    command = ["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(place)]
    try:
        if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("a small disk cannot be mounted here")
        try:
            yield Disk(place)
        finally:
            subprocess.run(["umount", str(place)], check=False)
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def on_disk(disk, tmp_path, request):
    """Return folder and ledger of a county, either or both on the small disk."""

    def where(kind):
        if kind == "all":
            return disk.place / "county", "ledger.gpkg"
        import psycopg

        cluster = request.getfixturevalue("postgis_cluster")
        tables = disk.place / "tables"
        tables.mkdir()
        shutil.chown(tables, "postgres", "postgres")
        base = psycopg.connect(f"host={cluster.folder} user=postgres dbname=postgres", autocommit=True)
        base.execute(f"CREATE TABLESPACE small LOCATION '{tables}'")
        base.execute("CREATE DATABASE small TABLESPACE small")
        request.addfinalizer(base.close)
        request.addfinalizer(lambda: base.execute("DROP TABLESPACE small"))
        request.addfinalizer(lambda: base.execute("DROP DATABASE small WITH (FORCE)"))
        with psycopg.connect(f"host={cluster.folder} user=postgres dbname=small", autocommit=True) as small:
            small.execute("CREATE EXTENSION postgis")
        return tmp_path / "county", cluster.address.replace("/postgres?", "/small?")

    return where


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["all", "database"])
def test_a_disk_without_room_is_one_error_and_changes_nothing(county_kind, disk, on_disk, lot, kind):
    folder, address = on_disk(kind)
    one = county_kind(folder, ledger=address)
    one.update()
    del one.parcels["P0404"]
    one.parcels |= {f"N{number:03d}": lot(3000 + 100 * number, 0, 3100 + 100 * number, 300) for number in range(150)}
    path = one.write()
    older, kept, failed, free = ledger_of(one), files(one), 0, 0
    while True:
        disk.leave(free)
        code, _, err = updated(path, "--quiet", "--accept", "a new suburb")
        disk.leave(None)
        if code == 0:
            break
        assert code == 3 and err.startswith("Error: ") and err.count("\n") == 1, err
        assert "No space left on device" in err or "disk is full" in err or "Check free disk space" in err
        assert ledger_of(one) == older and files(one) == kept
        failed, free = failed + 1, max(8, int(free * 1.7))
    assert failed > 3
    assert ("P0404", "removed") in one.changes() and len(one.changes()) == 151
    assert [run["number"] for run in ledger_of(one)["runs"]] == [1, 2]
