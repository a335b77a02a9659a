"""One night: take the delivery, measure what it touches, judge, say what changed; the ledger and the files, or nothing."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from geocheck.assess.nightly.files import CHANGED_FILE, CHANGES_FILE, stamp_of, write_own_files
from geocheck.assess.nightly.inputs import build, night_fingerprint
from geocheck.assess.nightly.outcome import NightOutcome
from geocheck.ledger import Ledger, open_ledger
from geocheck.model.acts import in_force
from geocheck.model.history import ChangedOutcome, Entry, KeptDetermination, RunRecord
from geocheck.model.problem import OutputError, ProjectError
from geocheck.project import Project, open_project
from geocheck.reports.writing import check_writable, default_names, move_in, output_names, write
from geocheck.rules.read import load_ordinance

__all__ = ["LIGHT", "update"]

#: What a night writes where nothing is asked for and nothing else is there yet.
LIGHT = (
    "facts.csv", "determinations.csv", "parcels.csv", "questions.csv", "layers.csv", "repairs.csv", "run.json",
)  # fmt: skip
Log = Callable[..., None]


def update(
    project: Project | str | Path,
    *,
    accept: str = "",
    output: str | Path | None = None,
    names: Sequence[str] | None = None,
    engine: str = "local",
    wait: float = 0.0,
    progress: Callable[[str, int, int], None] | None = None,
    log: Log | None = None,
) -> NightOutcome:
    """Take the county's delivery, measure what it touches, judge again, and say whose determination changed.

    Parameters
    ----------
    project : Project, str or Path
        A project with a ledger.
    accept : str
        Why a suspect delivery is taken all the same; recorded with it.
    output : str or Path, optional
        Folder of the outputs; the project's by default.
    names : sequence of str, optional
        Outputs to write besides ``changes.csv`` and ``changed_determinations.csv``; by default the tables, and whatever
        else of a run's outputs is in the folder already.
    engine : str
        How ground is measured.
    wait : float
        Seconds to wait for another update to end.
    progress, log : callable, optional
        Called with stage, done and total; with an event and what goes with it.

    Raises
    ------
    ProjectError
        If the project names no ledger.
    SourceError
        If a layer cannot be read, or the delivery is suspect; SourceIncompleteError if a service gives too little.
    LedgerError
        If another update holds the ledger, or it cannot be used.
    """
    if not isinstance(project, Project):
        project = open_project(project)
    if not project.ledger:
        where = project.path or project.name
        raise ProjectError(
            f"{where}: an update needs a ledger, which remembers the parcels; add the line `ledger: ledger.gpkg`"
        )
    if output is not None:
        project = replace(project, output=Path(output))
    quiet: Log = lambda event, **more: None  # noqa: E731 - a log that says nothing
    night = _Night(project, accept.strip(), names, engine, progress or (lambda stage, done, total: None), log or quiet)
    ledger = open_ledger(project.ledger)
    with ledger.writer("geocheck update", wait):
        return night.done(ledger)


class _Night:
    """The state of one night."""

    def __init__(self, project: Project, accept: str, names: Sequence[str] | None, engine: str, progress: Any, log: Log) -> None:  # fmt: skip
        self.project, self.accept, self.engine, self.progress, self.log = project, accept, engine, progress, log
        self.folder = project.output
        self.names = list(names) if names is not None else self._names()
        self.as_of = project.as_of or date.today()
        self.begin, self.started = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")

    def _names(self) -> list[str]:
        there = [name for name in output_names() if (self.folder / name).exists()]
        order = {name: place for place, name in enumerate(default_names())}
        return sorted({*LIGHT, *there}, key=lambda name: (order.get(name, len(order)), name))

    def done(self, ledger: Ledger) -> NightOutcome:
        from geocheck.sources.fetching import fetch_layers

        self.log("started", project=self.project.name, ledger=ledger.name, as_of=self.as_of.isoformat())
        check_writable(self.folder, self.names, overwrite=True)
        self._sweep()
        # What is no file is fetched before anything is compared: a service that gives less ends the night here.
        layers = fetch_layers(self.project.layers, self.project.folder, self.progress)
        self.project = replace(self.project, layers=layers)
        ordinances = [load_ordinance(n, as_of=self.as_of, folder=self.project.ordinance_folder) for n in self.project.ordinances]  # fmt: skip
        self.acts = in_force(ledger.acts(), self.as_of)
        fingerprint = night_fingerprint(self.project, ordinances, self.acts, self.engine, self.as_of)
        last = ledger.last_run()
        again = last is not None and last.fingerprint == fingerprint
        if again and last is not None and stamp_of(self.folder) == (last.number, fingerprint) and self._all_there():
            self.log("nothing to do", run=last.number, since=last.finished)
            return NightOutcome.nothing(last, self.seconds, self.folder)
        return self._work(ledger, fingerprint, last, again)

    @property
    def seconds(self) -> float:
        return round(time.perf_counter() - self.begin, 3)

    def _all_there(self) -> bool:
        return all((self.folder / name).exists() for name in (*self.names, CHANGES_FILE, CHANGED_FILE))

    def _sweep(self) -> None:
        """Take away what a night that was stopped has left aside."""
        for left in self.folder.glob(".geocheck-night-*") if self.folder.is_dir() else ():
            shutil.rmtree(left, ignore_errors=True)

    # Work -------------------------------------------------------------------------------------------------------------

    def _work(self, ledger: Ledger, fingerprint: str, last: RunRecord | None, again: bool) -> NightOutcome:
        from geocheck.assess.nightly.memory import Memory
        from geocheck.assess.nightly.remembering import RememberingEngine
        from geocheck.assess.nightly.running import NightRun
        from geocheck.assess.nightly.sheets import changed_outcomes, kept, sheets_of
        from geocheck.engines import choose

        memory = Memory(self._memory_file())
        engine = RememberingEngine(choose(self.engine, 0), memory, build())
        run = NightRun(
            self.project,
            self.progress,
            engine,
            ledger,
            accept=self.accept,
            again=last if again else None,
            as_of=self.as_of,
        )
        result = run.result()
        memory.save()
        findings, taken = result.findings, run.taken
        sheets = sheets_of(findings, self.acts)
        old_sheets = ledger.sheets()
        touched = {key for key in {*sheets, *old_sheets} if sheets.get(key) != old_sheets.get(key)}
        before = {(d.site_id, d.ordinance): d for d in ledger.determinations(told=False)}
        if again and last is not None:
            changed = ledger.changed(last.number)
        elif last is None:
            # What is found for the first time has not changed.
            changed = []
        else:
            changed = changed_outcomes(before, findings, old_sheets, sheets)
        rejudged = {key[1] for key in touched if key[0] == "site" and key in sheets}
        measured = {sort: engine.measured.get(sort, set()) for sort in ("parcel", "site")}
        sites = 0 if findings.sites is None else len(findings.sites)
        site_ids = set(findings.facts.table("site").ids)
        summary = {
            "parcels": 0 if findings.parcels is None else len(findings.parcels),
            "sites": sites,
            "remeasured": len(measured["parcel"]) + len(measured["site"] & site_ids),
            "rejudged": len(rejudged),
            "changed": len(changed),
            "seconds": self.seconds,
        }
        self.log("judged", **summary)
        record = RunRecord(
            self.started, "", self.as_of.isoformat(), fingerprint, result.findings.receipt.to_dict(), summary
        )
        number = last.number if again and last is not None else (last.number if last is not None else 0) + 1
        counts = dict(taken.record.counts) if taken is not None else {}
        with self._aside() as aside:
            written = [
                path.name
                for path in write(
                    findings,
                    aside,
                    self.names,
                    progress=lambda done, total, what: self.progress("writing", done, total),
                )
            ]
            summary["seconds"] = self.seconds
            outcome = NightOutcome(
                number,
                False,
                summary,
                counts,
                tuple(changed),
                self.folder,
                taken.record if taken else None,
                findings.notes,
            )
            written += write_own_files(aside, outcome, fingerprint, taken.done if taken is not None else None)
            if not again:
                record = replace(
                    record, finished=datetime.now(UTC).isoformat(timespec="seconds"), summary=dict(summary)
                )
                entry = self._entry(record, run, sheets, old_sheets, touched, before, changed, kept)
                recorded, _ = ledger.append(entry)
                assert recorded == number
                self.log("recorded", run=number, delivery=taken is not None)
            older = aside.parent / "old"
            older.mkdir()
            move_in(self.folder, aside, older, written)
        self.log("finished", run=number, **summary)
        return replace(outcome, written=tuple(self.folder / name for name in written))

    def _entry(
        self, record: RunRecord, run: Any, sheets: Any, old: Any, touched: set[tuple[str, str]], before: Any,
        changed: Sequence[ChangedOutcome], kept: Any,
    ) -> Entry:  # fmt: skip
        now = {(d.site_id, d.ordinance): d for d in run.determinations}
        fresh = [kept(d) for key, d in now.items() if ("site", key[0]) in touched or key not in before]
        ended = [KeptDetermination(key[0], key[1], {}) for key in before if key not in now]
        entry = Entry(
            record,
            sheets={key: sheets.get(key, "") for key in sorted(touched)},
            determinations=[*fresh, *ended],
            changed=changed,
        )
        taken = run.taken
        if taken is None:
            return entry
        delivery = replace(taken.record, taken_at=self.started)
        return replace(
            entry,
            delivery=delivery,
            parcels=taken.parcels,
            ended=taken.ended,
            changes=taken.changes,
            descent=taken.done.descent,
        )

    def _memory_file(self) -> Path:
        import hashlib

        name = hashlib.sha256(f"{self.project.ledger} {self.project.path}".encode()).hexdigest()[:12]
        return self.project.folder / ".geocheck" / f"memory-{name}.npz"

    @contextmanager
    def _aside(self) -> Iterator[Path]:
        """Make a folder beside the outputs for the new ones; whatever happens, it is gone afterwards."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            aside = Path(tempfile.mkdtemp(prefix=".geocheck-night-", dir=self.folder))
        except OSError as error:
            raise OutputError(
                f"cannot write into {self.folder}: {error.strerror or error}; nothing was changed"
            ) from error
        try:
            (aside / "new").mkdir()
            yield aside / "new"
        except OSError as error:
            raise OutputError(
                f"cannot write into {self.folder}: {error.strerror or error}; nothing was changed"
            ) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
