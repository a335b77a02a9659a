"""What all tests share: random examples are the same in every run, so that a red test is red for its change; a database."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("fixed", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fixed")


class Cluster:
    """A private PostgreSQL cluster on a socket of its own; the superuser is ``postgres``."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder, self.binaries = folder, binaries
        # PostgreSQL refuses to run as root: Debian's package brings the user that it runs as.
        self.who = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

    @property
    def address(self) -> str:
        """Of the database; a schema can be added to it."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def command(self, name: str, *words: str) -> None:
        """Run one of PostgreSQL's programs, and fail with what it said."""
        log = self.folder / f"{name}.log"
        with log.open("w") as out:
            done = subprocess.run([str(self.binaries / name), *words], stdout=out, stderr=out, cwd=self.folder, check=False, **self.who)  # fmt: skip
        assert done.returncode == 0, log.read_text()

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c max_connections=40"
        self.command("pg_ctl", "-D", str(self.folder / "data"), "-o", options, "-l", str(self.folder / "server.log"), "-w", "start")  # fmt: skip

    def stop(self) -> None:
        """Stop it as a power failure would."""
        self.command("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")


@pytest.fixture(scope="session")
def postgis_cluster() -> Iterator[Cluster]:
    """Start a cluster with PostGIS; skip, with the reason, where its programs or the Python packages are missing."""
    for package in ("psycopg", "sqlalchemy"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed (extra postgis)")
    found = [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin")),
        *([Path(shutil.which("initdb")).parent] if shutil.which("initdb") else []),
    ]  # type: ignore[arg-type]
    if not found:
        pytest.skip("PostgreSQL's programs are not here (Debian: postgresql-15-postgis-3)")
    # A socket's path is short, and the folder must be open to the user that the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="gc-pg-", dir="/tmp"))
    cluster = Cluster(folder, found[-1])
    if cluster.who:
        shutil.chown(folder, "postgres", "postgres")
    try:
        cluster.command(
            "initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8"
        )
        cluster.start()
        import psycopg

        with psycopg.connect(f"host={folder} user=postgres dbname=postgres", autocommit=True) as base:
            try:
                base.execute("CREATE EXTENSION postgis")
            except psycopg.Error as error:
                pytest.skip(f"PostGIS is not here ({error}); Debian: postgresql-15-postgis-3")
        yield cluster
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgis(postgis_cluster: Cluster) -> str:
    """The address of a PostGIS database."""
    return postgis_cluster.address
