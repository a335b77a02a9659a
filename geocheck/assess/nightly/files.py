"""The files of a night beside those of every run: what happened to parcels, whose determination changed, and a stamp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from geocheck.changes import Comparison
from geocheck.model.changes import CHANGE_COLUMNS

__all__ = ["CHANGED_FILE", "CHANGES_FILE", "STAMP_FILE", "SUMMARY_FILE", "stamp_of", "write_own_files"]

CHANGES_FILE, CHANGED_FILE = "changes.csv", "changed_determinations.csv"
SUMMARY_FILE, STAMP_FILE = "update.txt", "update.json"
CHANGED_COLUMNS = ("site_id", "ordinance", "obligation", "before", "after", "because")


def write_own_files(folder: Path, outcome: Any, fingerprint: str, done: Comparison | None) -> list[str]:
    """Write what only a night writes and return the names of the files, the stamp last."""
    import pandas as pd

    from geocheck.reports.lines import save_csv

    save_csv(_table(done), folder / CHANGES_FILE)
    rows = [[getattr(change, name) for name in CHANGED_COLUMNS] for change in outcome.changed]
    save_csv(pd.DataFrame(rows, columns=list(CHANGED_COLUMNS), dtype=object), folder / CHANGED_FILE)
    (folder / SUMMARY_FILE).write_text(outcome.mail(), encoding="utf-8")
    stamp = {"run": outcome.run, "fingerprint": fingerprint, **outcome.to_dict()}
    (folder / STAMP_FILE).write_text(json.dumps(stamp, ensure_ascii=False, indent=1), encoding="utf-8")
    return [CHANGES_FILE, CHANGED_FILE, SUMMARY_FILE, STAMP_FILE]


def _table(done: Comparison | None) -> Any:
    """Return what happened to each parcel as a table: those that stay as they are, then all others; whole columns at a time."""
    import pandas as pd

    if done is None:
        return pd.DataFrame(columns=list(CHANGE_COLUMNS))
    names, before, after, shifts, notes = done.stayed()
    other = done.changes
    empty = [""] * len(names)

    def texts(first: Any, attribute: str) -> list[str]:
        return [*first, *("; ".join(getattr(change, attribute)) for change in other)]

    def numbers(first: Any, attribute: str) -> Any:
        found = np.array([*first.tolist(), *(getattr(change, attribute) for change in other)], dtype=float)
        return np.where(np.isfinite(found), found, np.nan)

    columns = {
        "parcel_id": [*names, *(change.parcel_id for change in other)],
        "change": [*(["unchanged"] * len(names)), *(change.change for change in other)],
        "parents": texts(empty, "parents"),
        "children": texts(empty, "children"),
        "share": [*empty, *("; ".join(f"{share:.9g}" for share in change.share) for change in other)],
        "area_before_ft2": numbers(before, "area_before_ft2"),
        "area_after_ft2": numbers(after, "area_after_ft2"),
        "shift_ft": numbers(shifts, "shift_ft"),
        "note": [*notes, *(change.note for change in other)],
    }
    return pd.DataFrame({name: columns[name] for name in CHANGE_COLUMNS})


def stamp_of(folder: Path) -> tuple[int, str] | None:
    """Return the run and the fingerprint that a folder's files are of; None where it does not say."""
    try:
        found = json.loads((folder / STAMP_FILE).read_text(encoding="utf-8"))
        return int(found["run"]), str(found["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
