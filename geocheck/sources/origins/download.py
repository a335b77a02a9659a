"""A file on the web: asked for only where it has changed, gone on with where it was cut off, and whole or not used."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from geocheck.model.ground import Copy, LayerSource
from geocheck.sources.arriving import arrived, place_of, plain_name, put, sha256_of, writing
from geocheck.sources.format import refuse
from geocheck.sources.formats import FORMATS
from geocheck.sources.hiding import shown
from geocheck.sources.origin import Origin, Progress, unavailable
from geocheck.sources.web import StumbleError, Web, beginning, reason

__all__ = ["ORIGIN"]

#: Bytes that are written at a time; what came of one that was cut is asked for again.
AT_A_TIME = 1 << 16
#: What files begin with whose address does not tell their format.
_BEGINNINGS = ((b"PK\x03\x04", ".zip"), (b"SQLite format 3\0", ".gpkg"), (b"PAR1", ".parquet"), (b"fgb", ".fgb"))


def _fits(source: str) -> int:
    return int(re.match(r"https?://", source, re.IGNORECASE) is not None)


class _Download:
    """One file on its way into the folder of its copy."""

    def __init__(self, web: Web, address: str, place: Path, progress: Progress) -> None:
        self.web, self.address, self.place, self.progress = web, address, place, progress
        self.part, self.about = place / ".download", place / ".download.json"

    def headers(self, known: Mapping[str, Any]) -> dict[str, str]:
        """Return what to ask with: not again what is here, and only the rest of what has begun to come."""
        asked = {"Accept-Encoding": "identity"}
        if known.get("etag"):
            asked["If-None-Match"] = str(known["etag"])
        elif known.get("last_modified"):
            asked["If-Modified-Since"] = str(known["last_modified"])
        mark = _read(self.about).get("mark", "")
        if mark and self.part.is_file() and self.part.stat().st_size:
            asked |= {"Range": f"bytes={self.part.stat().st_size}-", "If-Range": mark}
        return asked

    def once(self, known: Mapping[str, Any]) -> dict[str, Any] | None:
        """Ask once; return what the server says of the file that has come whole, None where the known one is still right."""
        with self._answer(self.headers(known)) as answer:
            if answer.status_code == 416:
                # More has come than there is now: it is another file.
                self.part.unlink(missing_ok=True)
                raise StumbleError("the file has changed while it was fetched")
            self.web.check(answer, answer.content[:4000] if answer.status_code >= 400 else b"")
            if answer.status_code == 304:
                return None
            told = {"etag": answer.headers.get("ETag", ""), "last_modified": answer.headers.get("Last-Modified", ""),
                    "name": _name(answer.headers.get("Content-Disposition", ""), answer.url)}  # fmt: skip
            self._save(answer, told)
            return told

    def _answer(self, headers: dict[str, str]) -> Any:
        web, url = self.web, self.address
        for _ in range(6):
            # A token goes to the server that the project names; where that sends on to a store of files, not with it.
            own = urlsplit(url).hostname == web.host
            sent = headers | ({"Authorization": f"Bearer {web.token}"} if web.token and own else {})
            answer = web.stream(url, sent)
            if not answer.is_redirect:
                return answer
            url, before = urljoin(url, answer.headers["Location"]), url
            answer.close()
            if urlsplit(before).scheme == "https" and urlsplit(url).scheme != "https":
                raise web.gone("the server sends on to an address that is not secure")
        raise web.gone("the server sends from one address to the next without an end")

    def _save(self, answer: Any, told: Mapping[str, Any]) -> None:
        strong = told["etag"] if not told["etag"].startswith("W/") else ""
        going_on = answer.status_code == 206
        begun = self.part.stat().st_size if going_on else 0
        length = answer.headers.get("Content-Length", "")
        whole = begun + int(length) if length.isdigit() else 0
        put(self.about, lambda file: file.write(json.dumps({"mark": strong or told["last_modified"]}).encode()))
        try:
            with self.part.open("ab" if going_on else "wb") as file:
                for piece in answer.iter_content(AT_A_TIME):
                    file.write(piece)
                    self.progress(file.tell(), whole)
                file.flush()
                os.fsync(file.fileno())
        except self.web.errors as error:
            raise StumbleError(reason(error)) from error
        size = self.part.stat().st_size
        if whole and size != whole:
            raise StumbleError(f"{size:,} of {whole:,} bytes came")


def _name(disposition: str, url: str) -> str:
    encoded = re.search(r"filename\*\s*=\s*[\w-]*''([^;]+)", disposition, re.IGNORECASE)
    given = re.search(r'filename\s*=\s*(?:"([^"]+)"|([^;\s]+))', disposition, re.IGNORECASE)
    found = unquote(encoded[1]) if encoded else (given[1] or given[2]) if given else ""
    return PurePosixPath(found or unquote(urlsplit(url).path)).name


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _ending(name: str, part: Path, web: Web) -> str:
    """Return the suffix of a file by its name, or by how it begins; a page instead of data is refused."""
    with part.open("rb") as file:
        head = file.read(4000)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if text.startswith((b"<!doctype html", b"<html")):
        raise web.gone(f"instead of a file there is {beginning(head)}")
    known = sorted({suffix for form in FORMATS for suffix in form.suffixes}, key=len, reverse=True)
    by_name = next((suffix for suffix in known if name.lower().endswith(suffix)), "")
    by_head = next((suffix for start, suffix in _BEGINNINGS if head.startswith(start)), ".json" if text[:1] in b"{[" and text else "")  # fmt: skip
    if by_head == ".zip" and by_name != ".zip":
        return ".zip"
    if not by_name and not by_head:
        raise refuse("unknown-format", f"the file {name or 'that comes'} is of no known format: {beginning(head)}", file=web.name, layer=web.layer, remedy="Name the address of the file itself.")  # fmt: skip
    return by_name or by_head


def _fetch(source: LayerSource, folder: Path, progress: Progress) -> Copy:
    if source.query:
        raise refuse("no-query", "`query` is for databases", file=shown(source.source), remedy="Use `where` to filter the records of a file.")  # fmt: skip
    web = Web(source.source, source.layer or source.role)
    place = place_of(folder, source)
    with writing(source, folder):
        record = _read(place / "record.json")
        file = place / str(record.get("file", ""))
        held = bool(record) and file.is_file() and sha256_of(file) == record.get("sha256")
        place.mkdir(parents=True, exist_ok=True)
        download = _Download(web, source.source, place, progress)
        told = web.patiently(lambda: download.once(record if held else {}))
        if told is not None:
            ending = _ending(told["name"], download.part, web)
            if ending == ".zip" and not zipfile.is_zipfile(download.part):
                download.part.unlink()
                raise unavailable("incomplete-source", "what came is no whole zip archive", source=web.name, layer=web.layer, remedy="Nothing of it is used. Try again, or ask the publisher.")  # fmt: skip
            stem = plain_name(told["name"])
            file = place / (stem if stem.lower().endswith(ending) else f"{stem}{ending}")
            download.part.replace(file)
            download.about.unlink(missing_ok=True)
            record = {"last_modified": told["last_modified"]}
            arrived(file, source, etag=told["etag"], last_modified=told["last_modified"])
    when = f", last modified {record['last_modified']}" if record.get("last_modified") else ""
    return Copy(str(file), source.layer, source.where, (f"downloaded from {web.name}{when}",))


ORIGIN = Origin(name="file on the web", example="https://example.org/parcels.zip", fits=_fits, fetch=_fetch)
