"""The folder of copies: a file gets its name when it is whole, and a record beside it says where it came from."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from geocheck.model.ground import LayerSource
from geocheck.sources.format import refuse
from geocheck.sources.hiding import shown

__all__ = ["arrived", "place_of", "plain_name", "put", "sha256_of", "sweep", "writing"]

_DAY = 86_400.0


def place_of(folder: Path, source: LayerSource) -> Path:
    """Return the folder of one source's copy, the same for the same request; made when something is put into it."""
    asked = "\0".join((shown(source.source), source.layer, source.where, source.query))
    return folder / f"{source.role.replace(' ', '-')}-{hashlib.sha256(asked.encode()).hexdigest()[:12]}"


def plain_name(name: str) -> str:
    """Return a name of a file for the name of a layer.

    Examples
    --------
    >>> plain_name("Tax Parcels (2026)/v1"), plain_name("…")
    ('Tax_Parcels_2026_v1', 'layer')
    """
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80] or "layer"


@contextmanager
def writing(source: LayerSource, folder: Path) -> Iterator[None]:
    """Turn a failure to write a copy into an error that says so."""
    try:
        yield
    except OSError as error:
        raise refuse(
            "unwritable-copy",
            f"the copy cannot be kept in {folder}: {error.strerror or error}",
            file=shown(source.source),
            remedy="Make room there, or let geocheck write there; the older copy, if there is one, is whole.",
        ) from error


def put(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Write a file beside its place and give it its name when all of it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def arrived(path: Path, source: LayerSource, **more: Any) -> None:
    """Write the record of a copy that is whole: where it came from, when, its fingerprint; and take away older files."""
    told = {
        "source": shown(source.source), "layer": source.layer, "where": source.where, "query": source.query,
        "file": path.name, "sha256": sha256_of(path), "bytes": path.stat().st_size,
        "fetched_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **more,
    }  # fmt: skip
    text = json.dumps(told, ensure_ascii=False, indent=2, default=str) + "\n"
    put(path.parent / "record.json", lambda file: file.write(text.encode()))
    for other in path.parent.iterdir():
        if other.is_file() and other.name not in (path.name, "record.json") and not other.name.startswith("."):
            other.unlink()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sweep(place: Path, keep: Path | None, age: float = _DAY) -> None:
    """Take away what fetches that were cut off have left and that is too old to go on from."""
    for left in place.glob(".parts-*") if place.is_dir() else ():
        if left != keep and time.time() - left.stat().st_mtime > age:
            shutil.rmtree(left, ignore_errors=True)
