"""The files of a night beside those of every run: what happened to parcels, whose determination changed, and a stamp."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from geocheck.changes import Comparison
from geocheck.model.changes import CHANGE_COLUMNS, Change

__all__ = ["CHANGED_FILE", "CHANGES_FILE", "STAMP_FILE", "SUMMARY_FILE", "stamp_of", "write_own_files"]

CHANGES_FILE, CHANGED_FILE = "changes.csv", "changed_determinations.csv"
SUMMARY_FILE, STAMP_FILE = "update.txt", "update.json"
CHANGED_COLUMNS = ("site_id", "ordinance", "obligation", "before", "after", "because")


def write_own_files(folder: Path, outcome: Any, fingerprint: str, done: Comparison | None) -> list[str]:
    """Write what only a night writes and return the names of the files, the stamp last."""
    _write(
        folder / CHANGES_FILE, CHANGE_COLUMNS, (_row(change) for change in (done.rows() if done is not None else ()))
    )
    rows = ([getattr(change, name) for name in CHANGED_COLUMNS] for change in outcome.changed)
    _write(folder / CHANGED_FILE, CHANGED_COLUMNS, rows)
    (folder / SUMMARY_FILE).write_text(outcome.mail(), encoding="utf-8")
    stamp = {"run": outcome.run, "fingerprint": fingerprint, **outcome.to_dict()}
    (folder / STAMP_FILE).write_text(json.dumps(stamp, ensure_ascii=False, indent=1), encoding="utf-8")
    return [CHANGES_FILE, CHANGED_FILE, SUMMARY_FILE, STAMP_FILE]


def _write(path: Path, columns: Iterable[str], rows: Iterable[list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _row(change: Change) -> list[Any]:
    return [
        change.parcel_id, change.change, "; ".join(change.parents), "; ".join(change.children),
        "; ".join(f"{share:.9g}" for share in change.share), _number(change.area_before_ft2), _number(change.area_after_ft2),
        _number(change.shift_ft), change.note,
    ]  # fmt: skip


def _number(value: float | None) -> str:
    return "" if value is None or value != value or value in (float("inf"),) else repr(round(value, 6))


def stamp_of(folder: Path) -> tuple[int, str] | None:
    """Return the run and the fingerprint that a folder's files are of; None where it does not say."""
    try:
        found = json.loads((folder / STAMP_FILE).read_text(encoding="utf-8"))
        return int(found["run"]), str(found["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
