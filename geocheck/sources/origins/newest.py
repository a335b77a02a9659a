"""The newest of several files: a folder of deliveries, or a pattern such as deliveries/parcels_*.zip."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

from geocheck.model.ground import Copy, LayerSource
from geocheck.sources.format import refuse
from geocheck.sources.formats import FORMATS
from geocheck.sources.origin import Origin, Progress

__all__ = ["ORIGIN"]

_PATTERN = re.compile(r"[*?]|\[.+\]")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")
#: A delivery in a folder without a pattern is one of these; a shapefile's many files are named by a pattern.
_DELIVERED = (".zip", ".gpkg")


def _fits(source: str) -> int:
    if not source or "://" in source:
        return 0
    path = Path(source)
    if path.is_dir():
        return int(path.suffix.lower() != ".gdb" and any(_delivered(each) for each in path.iterdir()))
    return int(not path.exists() and _PATTERN.search(path.name) is not None)


def _delivered(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in _DELIVERED and not path.name.startswith((".", "~"))


def _fetch(source: LayerSource, folder: Path, progress: Progress) -> Copy:
    path = Path(source.source)
    if path.is_dir():
        found = sorted(each for each in path.iterdir() if _delivered(each))
        _refuse_strangers(path, found)
    else:
        endings = tuple(suffix for form in FORMATS for suffix in form.suffixes)
        found = sorted(p for p in path.parent.glob(path.name) if p.name.lower().endswith(endings) and not p.name.startswith((".", "~")))  # fmt: skip
    if not found:
        there = sorted(p.name for p in path.parent.iterdir())[:8] if path.parent.is_dir() else []
        raise refuse("missing-file", "no file fits this pattern", file=path, remedy=f"The folder holds {', '.join(there) or 'nothing'}.")  # fmt: skip
    file, why = _newest(path, found)
    # Of one file nothing was chosen, and the words stay the same when older ones are cleared away.
    return Copy(str(file), source.layer, source.where, (f"{file.name} is the newest by {why}",))


def _newest(path: Path, found: list[Path]) -> tuple[Path, str]:
    """Return the newest file, by the dates in their names where all have one, else by when they were last written."""
    dates = [_dated(each.name) for each in found]
    if all(day is not None for day in dates):
        last = max(day for day in dates if day is not None)
        held = [each for each, day in zip(found, dates, strict=True) if day == last]
        why, when = "the date in its name", last.isoformat()
    else:
        times = [each.stat().st_mtime_ns for each in found]
        held = [each for each, at in zip(found, times, strict=True) if at == max(times)]
        moment = datetime.fromtimestamp(max(times) / 1e9, UTC)
        why, when = "the time it was last written", f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    if len(held) > 1:
        names = ", ".join(each.name for each in held)
        raise refuse("two-newest", f"{names} are equally new ({when})", file=path, remedy="Take one away, or write a pattern that fits one of them.")  # fmt: skip
    return held[0], why


def _dated(name: str) -> date | None:
    found = [match.groups() for match in _DATE.finditer(name)]
    if len(found) != 1:
        return None
    try:
        return date(*map(int, found[0]))
    except ValueError:
        return None


def _refuse_strangers(folder: Path, found: list[Path]) -> None:
    """Refuse a folder whose files are not deliveries of one layer: their names differ in more than numbers."""
    names = {re.sub(r"[\W_]+|\d+", "", each.stem).lower() for each in found}
    if len(names) > 1:
        listed = ", ".join(each.name for each in found[:8])
        raise refuse("several-files", f"the folder holds deliveries of different names: {listed}", file=folder, remedy=f"Say which are meant with a pattern, such as {folder / (found[0].stem[:3] + '*' + found[0].suffix)}.")  # fmt: skip


ORIGIN = Origin(name="the newest of several files", example="deliveries/parcels_*.zip", fits=_fits, fetch=_fetch)
