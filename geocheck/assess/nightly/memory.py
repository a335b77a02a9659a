"""What was measured before, by the fingerprint of all that went in: a memory that may be thrown away at any time."""

from __future__ import annotations

import io
import json
import os
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Answered", "Memory"]

_FORMAT = "geocheck memory 1"
_COLUMNS = ("keys", "numbers", "words", "covered")


@dataclass(eq=False)
class Answered:
    """Answers to one measure by fingerprint.

    Parameters
    ----------
    keys : array of uint64, (answers, 2)
        Fingerprints, in order.
    numbers : array of float, (answers, 3)
        Value, low and high; empty for memberships.
    words : array of text
        Memberships; empty for numbers.
    covered : array of bool
        Whether every layer covered the subject.
    said : mapping of str to (str, str)
        Place to failure and note, where there is one.
    """

    keys: Any
    numbers: Any
    words: Any
    covered: Any
    said: dict[int, tuple[str, str]] = field(default_factory=dict)

    def find(self, keys: Any) -> Any:
        """Return the place of each fingerprint, -1 where it is not known."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.keys[:, 0], keys[:, 0]), len(self.keys) - 1)
        return np.where((self.keys[at] == keys).all(axis=1), at, -1)


class Memory:
    """Answers of the last run, in a file that is replaced whole.

    Parameters
    ----------
    path : Path
        The file. One that is missing, damaged or of another making is an empty memory.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before: dict[str, Answered] = {}
        self.fresh: dict[str, Answered] = {}
        with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            self.before = self._read()

    def recall(self, name: str) -> Answered | None:
        """Return the answers to one measure; None where there are none."""
        return self.before.get(name)

    def keep(self, name: str, answered: Answered) -> None:
        """Note the answers of this run; only what is noted is remembered by the next."""
        self.fresh[name] = answered

    def save(self) -> None:
        """Write what this run noted beside the file and rename it: a stop in between leaves the older one.

        A memory that cannot be written only makes the next run slower, so that is not an error.
        """
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with suppress(OSError):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                aside.write_bytes(self._packed())
                aside.replace(self.path)
            finally:
                aside.unlink(missing_ok=True)

    def _packed(self) -> bytes:
        arrays: dict[str, Any] = {}
        names = []
        for number, (name, held) in enumerate(self.fresh.items()):
            said = {str(place): words for place, words in held.said.items()}
            names.append({"name": name, "said": said})
            for key in _COLUMNS:
                arrays[f"{number}_{key}"] = getattr(held, key)
        heading = json.dumps({"format": _FORMAT, "names": names}).encode()
        file = io.BytesIO()
        np.savez(file, heading=np.frombuffer(heading, dtype=np.uint8), **arrays)
        return file.getvalue()

    def _read(self) -> dict[str, Answered]:
        found = {}
        with np.load(self.path, allow_pickle=False) as arrays:
            heading = json.loads(arrays["heading"].tobytes())
            if heading["format"] != _FORMAT:
                return {}
            for number, entry in enumerate(heading["names"]):
                said = {int(place): (words[0], words[1]) for place, words in entry["said"].items()}
                keys, numbers, words, covered = (arrays[f"{number}_{key}"] for key in _COLUMNS)
                found[entry["name"]] = Answered(keys, numbers, words, covered, said)
        return found
