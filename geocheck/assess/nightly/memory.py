"""What was measured before, by the fingerprint of all that went in: a memory that may be thrown away at any time."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geocheck.assess.nightly.prints import Tiles

__all__ = ["Answered", "Memory"]

_FORMAT = "geocheck memory 2"
_COLUMNS = ("keys", "numbers", "words", "covered")
#: Tiles of a layer that are more than this are made again each time rather than kept.
_MOST_TILES = 1_000_000


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
        self._tiles_before: dict[str, Tiles] = {}
        self._tiles: dict[str, Tiles] = {}
        with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            self.before = self._read()

    def recall(self, name: str) -> Answered | None:
        """Return the answers to one measure; None where there are none."""
        return self.before.get(name)

    def keep(self, name: str, answered: Answered) -> None:
        """Note the answers of this run; only what is noted is remembered by the next."""
        self.fresh[name] = answered

    def tiles(self, content: str, make: Callable[[], Tiles]) -> Tiles:
        """Return the tiles of a layer by the fingerprint of its content, made where they are not known."""
        found = self._tiles_before.get(content)
        if found is None:
            found = make()
        if found.sums[..., 0].size <= _MOST_TILES:
            self._tiles[content] = found
        return found

    def save(self) -> None:
        """Write what this run noted beside the file and rename it: a stop in between leaves the older one.

        A memory that cannot be written only makes the next run slower, so that is not an error.
        """
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with suppress(OSError):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with aside.open("wb") as file:
                    np.savez(file, **self._arrays())
                aside.replace(self.path)
            finally:
                aside.unlink(missing_ok=True)

    def _arrays(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {}
        names = []
        for number, (name, held) in enumerate(self.fresh.items()):
            said = {str(place): words for place, words in held.said.items()}
            names.append({"name": name, "said": said})
            for key in _COLUMNS:
                arrays[f"{number}_{key}"] = getattr(held, key)
        tiled = []
        for number, (content, tiles) in enumerate(self._tiles.items()):
            tiled.append({"content": content, "origin": list(tiles.origin), "size": tiles.size})
            arrays[f"tiles{number}"] = tiles.sums
        heading = json.dumps({"format": _FORMAT, "names": names, "tiles": tiled}).encode()
        return {"heading": np.frombuffer(heading, dtype=np.uint8), **arrays}

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
            for number, entry in enumerate(heading["tiles"]):
                x, y = (int(at) for at in entry["origin"])
                self._tiles_before[entry["content"]] = Tiles((x, y), float(entry["size"]), arrays[f"tiles{number}"])
        return found
