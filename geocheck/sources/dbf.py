"""DBF tables read cell by cell type: digits exact, dates checked, text decoded; one bad cell never costs the file."""

from __future__ import annotations

import codecs
import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from geocheck.sources.encodings import codec_of, encoding_of_cpg, encoding_of_language_byte

__all__ = ["Table", "TableField", "read_header", "read_table"]


#: Cells of other programs that are numbers as they stand, by type and width: whole, double, and money in ten-thousandths.
_BINARY = {("I", 4): ("<i4", 1), ("+", 4): ("<i4", 1), ("O", 8): ("<f8", 1), ("B", 8): ("<f8", 1), ("Y", 8): ("<i8", 10_000)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableField:
    """One column of a DBF: name, type letter, width and decimals."""

    name: str
    kind: str
    start: int
    width: int
    decimals: int

    @property
    def title(self) -> str:
        """Type as a person reads it."""
        words = {"C": "text", "N": "number", "F": "number", "D": "date", "L": "yes/no", "I": "number", "O": "number"}
        return words.get(self.kind, f"type {self.kind}")


@dataclass(frozen=True, eq=False)
class Table:
    """What was read: the columns, what a reader should know about them, and the rows that are marked deleted."""

    frame: Any
    encoding: str
    notes: tuple[str, ...]
    deleted: Any = ()


def read_header(data: bytes) -> tuple[int, int, int, list[TableField]]:
    """Return records, header length, record length and fields that a DBF header states.

    Raises
    ------
    ValueError
        If the bytes are no DBF.
    """
    if len(data) < 33:
        raise ValueError("the table ends before its header does")
    records = int.from_bytes(data[4:8], "little")
    header, length = int.from_bytes(data[8:10], "little"), int.from_bytes(data[10:12], "little")
    if header < 33 or length < 1:
        raise ValueError("the header of the table makes no sense")
    fields: list[TableField] = []
    start = 1
    names: set[str] = set()
    for at in range(32, header - 1, 32):
        entry = data[at : at + 32]
        if len(entry) < 32 or entry[0] == 0x0D:
            break
        raw = entry[:11].partition(b"\x00")[0]
        name = _unique(_decode_name(raw), names)
        kind = chr(entry[11])
        width, decimals = entry[16], entry[17]
        if kind == "C":  # wide text keeps its high byte in the decimals
            width, decimals = width + 256 * decimals, 0
        fields.append(TableField(name, kind, start, width, decimals))
        start += width
    return records, header, length, fields


def _decode_name(raw: bytes) -> str:
    try:
        return raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace").strip()


def _unique(name: str, names: set[str]) -> str:
    base, count = name or "FIELD", 1
    name = base
    while name in names:
        name = f"{base}_{count}"
        count += 1
    names.add(name)
    return name


def read_table(
    data: bytes, *, fields: tuple[str, ...] | None = None, cpg: bytes | None = None, encoding: str = ""
) -> Table:
    """Read the columns of a DBF.

    Parameters
    ----------
    data : bytes
        The whole file.
    fields : tuple of str or None
        Columns to read; None reads all.
    cpg : bytes or None
        Content of the ``.cpg`` file beside it.
    encoding : str
        Encoding that the user states; it outranks the file's own.

    Returns
    -------
    Table
        Text columns hold str or None; whole numbers Int64 or, where digits exceed it, exact text; other numbers
        float64; dates ``datetime.date`` or None; yes/no True, False or None. Impossible dates and numbers are null, with
        a note that names the first record.
    """
    records, header, length, columns = read_header(data)
    held = max(0, len(data) - header) // length
    notes: list[str] = []
    if held < records:
        notes.append(f"the .dbf announces {records} records and holds {held}")
    count = min(records, held)
    cells = np.frombuffer(data, np.uint8, count * length, header).reshape(count, length)
    wanted = columns if fields is None else [c for c in columns if c.name in fields]
    declared = _declared(cpg, data[29], encoding, notes)
    out: dict[str, Any] = {}
    used = declared
    texts = {c.name: _bytes(cells, c) for c in wanted if c.kind == "C"}
    if texts:
        used = _settle(declared, list(texts.values()), bool(encoding), notes)
    for column in wanted:
        if column.kind == "C":
            out[column.name] = _text(texts[column.name], used, column.name, notes)
        elif column.kind in "NF":
            out[column.name] = _numbers(_bytes(cells, column), column, notes)
        elif column.kind == "D":
            out[column.name] = _dates(_bytes(cells, column), column.name, notes)
        elif column.kind == "L":
            out[column.name] = _yes_no(_bytes(cells, column))
        elif (column.kind, column.width) in _BINARY:
            kind, share = _BINARY[column.kind, column.width]
            part = np.ascontiguousarray(cells[:, column.start : column.start + column.width])
            binary = part.view(kind).reshape(count)
            out[column.name] = pd.Series(binary if share == 1 else binary / share)
        else:
            notes.append(f"field {column.name} has type {column.kind}, which is not read")
    deleted = np.flatnonzero(cells[:, 0] == 0x2A)
    if len(deleted):
        notes.append(f"{len(deleted)} records are marked deleted in the .dbf and are no records")
    return Table(pd.DataFrame(out, index=pd.RangeIndex(count)), used, tuple(notes), deleted)


def _bytes(cells: Any, column: TableField) -> Any:
    part = np.ascontiguousarray(cells[:, column.start : column.start + column.width])
    if part.shape[1] < column.width:
        part = np.pad(part, ((0, 0), (0, column.width - part.shape[1])), constant_values=32)
    if not len(part) or not column.width:
        return np.full(len(cells), b"", dtype=f"S{max(1, column.width)}")
    return np.char.strip(part.view(f"S{column.width}").reshape(-1), b" \x00\t\r\n")


def _declared(cpg: bytes | None, language: int, stated: str, notes: list[str]) -> str:
    if stated:
        codec = codec_of(stated)
        if not codec:
            raise ValueError(f"encoding {stated!r} is not known; name one such as cp1252 or UTF-8")
        return codec
    if cpg is not None:
        codec = encoding_of_cpg(cpg)
        if codec:
            return codec
        if cpg.strip(b" \x00\t\r\n"):
            notes.append(f"the .cpg names an encoding that is not known: {cpg.decode('latin-1').strip()!r}")
    return encoding_of_language_byte(language)


def _settle(declared: str, texts: list[Any], stated: bool, notes: list[str]) -> str:
    """Encoding that the bytes bear out: a declared one that they contradict is said and left."""
    cells = np.concatenate([t[~_ascii(t)] for t in map(np.ravel, texts)])
    beyond = [c for c in set(cells.tolist()) if not c.isascii()]
    if not beyond:
        return declared or "utf-8"
    utf8 = all(_decodes(c, "utf-8") for c in beyond)
    if not declared:
        used = "utf-8" if utf8 else "cp1252"
        notes.append(f"the text's encoding is not stated; read as {used}")
        return used
    if stated or all(_decodes(c, declared) for c in beyond):
        single = declared.startswith(("cp125", "iso8859", "cp437", "cp850"))
        if not stated and single and utf8:
            notes.append(f"the text is declared {declared} but is UTF-8; read as UTF-8")
            return "utf-8"
        return declared
    used = "utf-8" if utf8 else "cp1252"
    notes.append(f"the text is declared {declared}, which its bytes contradict; read as {used}")
    return used


def _ascii(cells: Any) -> Any:
    """Which cells hold no byte beyond ASCII."""
    if not len(cells):
        return np.ones(0, dtype=bool)
    return ~(np.ascontiguousarray(cells).view(np.uint8).reshape(len(cells), -1) > 127).any(axis=1)


def _decodes(content: bytes, codec: str) -> bool:
    """Whether the bytes are text in a codec; a cell cut in the middle of its last character still is."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        decoder.decode(content, False)
    except UnicodeError:
        return False
    return True


def _text(cells: Any, codec: str, name: str, notes: list[str]) -> Any:
    if _ascii(cells).all():
        text = cells.astype(str).astype(object)
        text[text == ""] = None
        return pd.Series(text, dtype=object)
    values, inverse = np.unique(cells, return_inverse=True)
    decoded = np.array([_decode(v, codec) for v in values.tolist()], dtype=object)
    damaged = sum("\ufffd" in v for v in decoded if v is not None)
    if damaged:
        notes.append(f"field {name}: {damaged} texts hold bytes that are no {codec}")
    return pd.Series(decoded[inverse] if len(values) else cells.astype(object), dtype=object)


def _decode(content: bytes, codec: str) -> str | None:
    text = content.decode(codec, "replace").strip()
    # A field cut by width may end in half a character: that half says nothing.
    if text.endswith("\ufffd") and _decodes(content, codec):
        text = text.rstrip("\ufffd")
    return text or None


def _numbers(cells: Any, column: TableField, notes: list[str]) -> Any:
    """Numbers with their digits: Int64 for whole ones, exact text beyond it, float64 for the rest."""
    values, inverse = np.unique(cells, return_inverse=True)
    numbers: list[Any] = []
    bad: list[Any] = []
    whole = column.kind == "N" and column.decimals == 0
    for value in values.tolist():
        number = _number(value)
        numbers.append(number)
        if number is None and value.strip(b"*- ") and value:
            bad.append(value)
        whole = whole and (number is None or isinstance(number, int))
    starred = [v for v in values.tolist() if v and not v.strip(b"*")]
    if bad or starred:
        first = int(np.flatnonzero(np.isin(cells, np.array(bad + starred, dtype=cells.dtype)))[0]) + 1
        notes.append(f"field {column.name}: cells that are no number are read as null, first in record {first}")
    missing = np.array([n is None for n in numbers], dtype=bool)
    if whole and all(n is None or -(2**63) <= n < 2**63 for n in numbers):
        table = np.array([n or 0 for n in numbers], dtype=np.int64)
        return pd.Series(pd.arrays.IntegerArray(table[inverse], missing[inverse]))
    if whole:
        exact = np.array([*(None if n is None else str(n) for n in numbers), None], dtype=object)[:-1]
        return pd.Series(exact[inverse], dtype=object)
    return pd.Series(np.array([np.nan if n is None else float(n) for n in numbers], dtype=float)[inverse])


def _number(value: bytes) -> int | float | None:
    text = value.decode("ascii", "replace").replace(",", ".")
    if "_" in text:  # Python's own spelling of digits in groups, which no table means
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _dates(cells: Any, name: str, notes: list[str]) -> Any:
    values, inverse = np.unique(cells, return_inverse=True)
    dates: list[datetime.date | None] = []
    bad = []
    for value in values.tolist():
        text = value.decode("ascii", "replace")
        date = None
        if text.strip("0"):
            try:
                date = (
                    datetime.date(int(text[:4]), int(text[4:6]), int(text[6:8]))
                    if len(text) == 8 and text.isdigit()
                    else None
                )
            except ValueError:
                date = None
            if date is None:
                bad.append(value)
        dates.append(date)
    if bad:
        first = int(np.flatnonzero(np.isin(cells, np.array(bad, dtype=cells.dtype)))[0])
        shown = cells[first].decode("ascii", "replace")
        notes.append(f"field {name}: {int(np.isin(cells, np.array(bad, dtype=cells.dtype)).sum())} impossible dates read as null, first in record {first + 1} ({shown})")  # fmt: skip
    table = np.array([*dates, None], dtype=object)[:-1]
    return pd.Series(table[inverse] if len(values) else np.array([], dtype=object), dtype=object)


def _yes_no(cells: Any) -> Any:
    words = {b"T": True, b"t": True, b"Y": True, b"y": True, b"F": False, b"f": False, b"N": False, b"n": False}
    values, inverse = np.unique(cells, return_inverse=True)
    return pd.Series(np.array([*map(words.get, values.tolist()), None], dtype=object)[:-1][inverse], dtype=object)
