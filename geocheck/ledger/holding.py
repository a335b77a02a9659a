"""A file that only one process can hold, and that says who: freed by the system when the process ends, however it ends."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from geocheck.model.problem import LedgerError

__all__ = ["holder", "holding", "told"]


def holder(who: str) -> dict[str, Any]:
    """Return who holds something: what for, process, host, since when."""
    return {
        "who": who,
        "pid": os.getpid(),
        "host": platform.node(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def told(held: dict[str, Any]) -> str:
    """Return a holder in words.

    Examples
    --------
    >>> told({"who": "geocheck update", "pid": 7, "host": "gis1", "since": "2026-10-01T02:00:00+00:00"})
    'geocheck update, process 7 on gis1, since 2026-10-01T02:00:00+00:00'
    """
    return f"{held.get('who', 'another program')}, process {held.get('pid', '?')} on {held.get('host', '?')}, since {held.get('since', '?')}"


@contextmanager
def holding(path: Path, who: str, what: str, wait: float = 0.0) -> Iterator[None]:
    """Hold a lock file while the block runs.

    Parameters
    ----------
    path : Path
        The lock file; it stays, empty, when it is let go.
    who, what : str
        What it is held for, and the thing that it guards, for messages.
    wait : float
        Seconds to wait for another holder.

    Raises
    ------
    LedgerError
        If another process holds it, or it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise LedgerError(
            f"{what}: the lock file {path} cannot be made ({error.strerror or error}); the folder must be writable"
        ) from error
    try:
        end = time.monotonic() + wait
        while not _take(file):
            if time.monotonic() >= end:
                raise LedgerError(
                    f"{what} is held by {told(_read(file))}; wait until it is done, or start with --wait SECONDS"
                )
            time.sleep(min(0.2, max(0.0, end - time.monotonic())))
        try:
            _write(file, holder(who))
        except OSError as error:
            raise LedgerError(
                f"{what}: the lock file {path} cannot be written ({error.strerror or error}); nothing was changed"
            ) from error
        try:
            yield
        finally:
            os.ftruncate(file, 0)
            _free(file)
    finally:
        os.close(file)


#: Windows locks bytes against reading too: the lock is a byte far behind the words.
_FAR = 1 << 20

if os.name == "nt":  # pragma: no cover - exercised on Windows only
    import msvcrt

    def _take(file: int) -> bool:
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True

    def _free(file: int) -> None:
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def _take(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _free(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


def _write(file: int, held: dict[str, Any]) -> None:
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, json.dumps(held).encode())


def _read(file: int) -> dict[str, Any]:
    os.lseek(file, 0, os.SEEK_SET)
    try:
        held: dict[str, Any] = json.loads(os.read(file, 4096).decode() or "{}")
    except (OSError, ValueError):
        return {}
    return held
