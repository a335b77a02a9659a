"""The record of an adopted text: JSON that stays with the office, beside its files.

It holds the text itself, its SHA-256, and for each clause the offsets and the SHA-256 of its words; so words can be shown,
and compared with a newer text, long after the file that they came from has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import OutputError, Place, Problem, RuleFileError
from geocheck.rules.adopting import Adoption, pin_of, plain_words
from geocheck.rules.slicing import Slice

__all__ = ["FORMAT", "as_record", "load_adoption", "record_name", "save_adoption"]

FORMAT = "geocheck adoption 1"


def as_record(adoption: Adoption) -> dict[str, Any]:
    """Return the record as plain values."""
    slices = [
        {"label": adoption.label_of(s), "kind": s.kind, "written": s.label, "steps": list(s.steps), "start": s.start,
         "end": s.end, "words_from": s.words_from, "words": adoption.words_in(s),
         "sha256": pin_of(plain_words(adoption, s))}
        for s in adoption.slices
    ]  # fmt: skip
    return {
        "format": FORMAT, "ordinance": adoption.ordinance, "cite": adoption.cite, "fingerprint": adoption.fingerprint,
        "text_file": adoption.text_file, "sha256": adoption.sha256, "words": adoption.words,
        "clauses": list(adoption.labels.values()), "steps": [list(steps) for steps in adoption.labels],
        "slices": slices, "text": adoption.text,
    }  # fmt: skip


def record_name(ordinance: Ordinance) -> str:
    """Return the name of an adoption's record: chapter and day in force, such as ``87-5.2002-04-01.adopted.json``."""
    day = ordinance.in_force.isoformat() if ordinance.in_force else "undated"
    return f"{Path(ordinance.id).name.removesuffix('.yaml')}.{day}.adopted.json"


def save_adoption(adoption: Adoption, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the record of an adoption, aside and renamed, so that an older one stays whole until it is replaced.

    Raises
    ------
    OutputError
        If there is a record and ``overwrite`` is not asked for, or it cannot be written.
    """
    file = Path(path)
    if file.exists() and not overwrite:
        raise OutputError(f"{path} is there already; give --overwrite to take the new text")
    aside = file.with_name(f".{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(as_record(adoption), ensure_ascii=False, indent=1) + "\n"
        aside.write_text(text, encoding="utf-8", newline="\n")
        aside.replace(file)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from None


def load_adoption(path: str | Path) -> Adoption:
    """Read the record of an adoption and hold it to its pin.

    Raises
    ------
    RuleFileError
        If it is no such record, or its text, or a clause's words, are not what was pinned.
    """
    remedy = "Take the record from the office's copy, or run geocheck rules adopt again."

    def refuse(message: str) -> RuleFileError:
        return RuleFileError.of(Problem("adoption", message, Place(str(path)), remedy))  # type: ignore[return-value]

    try:
        plain = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise refuse(f"the record cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise refuse(f"this is no record of an adoption: {error}") from None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise refuse(f"this is no record of an adoption: it does not say format: {FORMAT}")
    try:
        found = _from_plain(plain)
        pins = [(str(row["label"]), str(row["sha256"])) for row in plain["slices"]]
        text_pin = plain["sha256"]
    except (KeyError, TypeError, ValueError) as error:
        raise refuse(f"the record is not complete: {error!r}") from None
    if text_pin != found.sha256:
        raise refuse("the text in the record is not the one that was adopted: its SHA-256 differs")
    for piece, (label, pin) in zip(found.slices, pins, strict=True):
        if pin_of(plain_words(found, piece)) != pin:
            raise refuse(f"the words of {label} are not those that were adopted: their SHA-256 differs")
    if "".join(found.text[s.start : s.end] for s in found.slices) != found.text:
        raise refuse("the slices in the record are not the whole of its text")
    return found


def _from_plain(plain: Mapping[str, Any]) -> Adoption:
    slices = tuple(
        Slice(str(row["kind"]), str(row["written"]), tuple(map(str, row["steps"])), int(row["start"]), int(row["end"]),
              int(row["words_from"]))
        for row in plain["slices"]
    )  # fmt: skip
    labels = {tuple(map(str, steps)): str(label) for steps, label in zip(plain["steps"], plain["clauses"], strict=True)}
    identifier, cite, fingerprint, text = (str(plain[key]) for key in ("ordinance", "cite", "fingerprint", "text"))
    return Adoption(identifier, cite, fingerprint, text, slices, labels, str(plain["text_file"]))
