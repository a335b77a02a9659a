"""All records of an ArcGIS layer, page by page, held against the service's own count and object ids.

Pages are kept as they come, so that a fetch that was cut off goes on from there. An offset alone is not trusted: what the
service's list of object ids says is missing is asked for by object id, and a layer that changes meanwhile is read anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from geocheck.model.problem import SourceError, SourceIncompleteError
from geocheck.sources.arriving import put
from geocheck.sources.feature_layer import FeatureLayer
from geocheck.sources.origin import Progress, unavailable
from geocheck.sources.web import StumbleError

__all__ = ["ChangedError", "Pages"]

#: Seconds after which kept pages are too old to go on from: not every service says that it was edited.
FRESH = 6 * 3600.0
_FEWEST = 25
_EMPTY_PAGES = 3


class ChangedError(Exception):
    """The layer changed while it was read."""


class Pages:
    """The records of one layer that fit a filter.

    Parameters
    ----------
    layer : FeatureLayer
        As it described itself just now.
    where : str
        The filter, in the service's SQL.
    place : Path
        Where pages are kept.
    """

    def __init__(self, layer: FeatureLayer, where: str, place: Path) -> None:
        self.layer, self.where = layer, where
        self.told: list[str] = []
        self.count = layer.count(where)
        self.ids = layer.ids(where)
        if self.ids is not None and len(self.ids) != self.count:
            # Some servers cut the list of ids off too: then it says nothing of what is missing.
            self.ids = None if len(self.ids) < self.count else self.ids
        plan = [
            layer.address,
            where,
            self.count,
            self.ids,
            layer.edited_at,
            layer.fields,
            dict(layer.system),
            layer.most,
        ]
        self.folder = place / f".parts-{hashlib.sha256(json.dumps(plan, default=str).encode()).hexdigest()[:12]}"
        self.size = layer.most

    def all(self, progress: Progress) -> dict[int, str]:
        """Return every record as JSON by object id.

        Raises
        ------
        ChangedError
            If the layer is not what it was when reading began.
        SourceIncompleteError
            If the service gives less than it counts.
        """
        self._start()
        got: dict[int, str] = {}
        if self.layer.pages:
            self._by_offset(got, progress)
        if self.ids is not None:
            missing = [number for number in self.ids if number not in got]
            if missing and self.layer.pages:
                self.told.append(f"{len(missing):,} records were not in the service's pages and were asked for by object id")  # fmt: skip
            self._by_ids(missing, got, progress)
        elif len(got) < self.count:
            self._by_key(got, progress)
        self._settle(got)
        return got

    def clear(self) -> None:
        """Take the kept pages away; the copy holds them."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # Ways -------------------------------------------------------------------------------------------------------------

    def _by_offset(self, got: dict[int, str], progress: Progress) -> None:
        """Page by offset while the service says that there is more; stop where it says nothing new."""
        offset, empty = 0, 0
        while True:
            page = self._page(f"offset-{offset:012d}-{empty}", resultOffset=offset)
            if page is None:
                return
            new = [number for number in page.records if number not in got]
            got.update((number, page.records[number]) for number in new)
            progress(len(got), self.count)
            if not page.more and (page.records or len(got) >= self.count or empty):
                return
            if len(got) > self.count:
                raise ChangedError(f"more than the {self.count:,} records that the service counted have come")
            # An empty page is no end where the service says that there is more (Esri's documentation of the query): it is
            # asked again, and then the next one. Neither is one that holds nothing new.
            empty = 0 if new else empty + 1
            if empty >= _EMPTY_PAGES:
                return
            offset += len(page.records) if page.records else self.size if empty > 1 else 0

    def _by_ids(self, numbers: Sequence[int], got: dict[int, str], progress: Progress) -> None:
        """Ask for object ids, a range at a time; what a range does not give is asked for by name, in ever smaller lots."""
        for lot in _lots(numbers, self.size):
            for params in (self._range(lot), self._names(lot)):
                wanted = [number for number in lot if number not in got]
                if not wanted:
                    break
                page = self._page(f"ids-{lot[0]}-{lot[-1]}-{'objectIds' in params}", **params)
                if page is not None:
                    got.update((n, page.records[n]) for n in wanted if n in page.records)
            progress(len(got), self.count)
            missing = [number for number in lot if number not in got]
            if missing and len(lot) > 1:
                self.size = max(1, len(lot) // 2)
                self._by_ids(missing, got, progress)

    def _range(self, lot: Sequence[int]) -> dict[str, Any]:
        key = self.layer.key
        within = f"{key} >= {lot[0]} AND {key} <= {lot[-1]}"
        return {"where": within if self.where == "1=1" else f"({self.where}) AND {within}"}

    def _names(self, lot: Sequence[int]) -> dict[str, Any]:
        return {"objectIds": ",".join(map(str, lot)), "where": self.where}

    def _by_key(self, got: dict[int, str], progress: Progress) -> None:
        """Ask for what lies beyond the last object id, where a service neither pages well nor tells its object ids."""
        key, last = self.layer.key, -1
        got.clear()
        while len(got) < self.count:
            beyond = f"{key} > {last}"
            where = beyond if self.where == "1=1" else f"({self.where}) AND {beyond}"
            page = self._page(f"beyond-{last}", where=where, orderByFields=f"{key} ASC")
            new = [] if page is None else [n for n in page.records if n not in got]
            if page is None or not new:
                return
            got.update((n, page.records[n]) for n in new)
            last = max(new)
            progress(len(got), self.count)

    # Pages ------------------------------------------------------------------------------------------------------------

    def _page(self, name: str, **params: Any) -> _Page | None:
        """Return a page that was kept, or ask for it; smaller ones where the service fails at it; None where it cannot."""
        kept = self.folder / f"{re.sub(r'[^A-Za-z0-9-]', '_', name)}.json"
        try:
            return _Page(json.loads(kept.read_text(encoding="utf-8")), self.layer)
        except (FileNotFoundError, ValueError):
            pass
        asked = {"where": self.where, **params}
        if "resultOffset" in params:
            asked |= {"resultRecordCount": self.size, "orderByFields": f"{self.layer.key} ASC"}
        try:
            answer = self._asked(asked)
        except SourceIncompleteError:
            raise
        except SourceError:
            # It does not know a parameter that it says it knows: there is another way.
            return None
        page = _Page(answer, self.layer)
        put(kept, lambda file: file.write(json.dumps(answer, ensure_ascii=False).encode()))
        return page

    def _asked(self, params: dict[str, Any]) -> dict[str, Any]:
        while True:
            try:
                return self.layer.records(patiently=False, **params)
            except StumbleError:
                pass
            try:
                return self.layer.records(**params)
            except SourceIncompleteError as error:
                smaller = params.get("resultRecordCount", 0) // 4
                if error.problems[0].code != "source-unavailable" or smaller < _FEWEST:
                    raise
                # What is too much for a server at once, large outlines above all, may come in smaller pages.
                self.size = params["resultRecordCount"] = smaller

    # Whole or not -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        began = self.folder / "began"
        if began.is_file() and time.time() - began.stat().st_mtime > FRESH:
            self.clear()
        if not began.is_file():
            put(began, lambda file: file.write(self.layer.address.encode()))

    def _settle(self, got: dict[int, str]) -> None:
        """Hold what came against what the service says now."""
        count, ids = self.layer.count(self.where), self.layer.ids(self.where) if self.ids is not None else None
        again = self._edited_now()
        if count != self.count or (ids is not None and ids != self.ids) or again != self.layer.edited_at:
            self.clear()
            raise ChangedError(f"the layer changed while it was read: {self.count:,} records before, {count:,} after")
        if self.ids is not None:
            known = set(self.ids)
            for number in [number for number in got if number not in known]:
                del got[number]
        elif len(got) > count:
            self.clear()
            raise ChangedError(f"{len(got):,} records came, {count:,} are counted")
        if len(got) != count:
            missing = [number for number in self.ids or () if number not in got]
            which = f" (missing: {self.layer.key} {', '.join(map(str, missing[:5]))}{', …' if len(missing) > 5 else ''})" if missing else ""  # fmt: skip
            # The pages are not kept: going on from them would end the same way.
            self.clear()
            raise unavailable(
                "incomplete-source", f"the service counts {count:,} records and gave {len(got):,}{which}",
                source=self.layer.web.name, layer=self.layer.web.layer,
                remedy="Nothing of it is used: fewer records would look like a smaller county. Try again, or ask for a file.",
            )  # fmt: skip
        if self.ids is None:
            self.told.append("the service does not list its object ids; the records are held against its count alone")

    def _edited_now(self) -> int | None:
        from geocheck.sources.feature_layer import layer_of

        return layer_of(self.layer.web, self.layer.address).edited_at


class _Page:
    """One answer: its records by object id, as JSON in one spelling, and whether the service says that there is more."""

    def __init__(self, answer: Mapping[str, Any], layer: FeatureLayer) -> None:
        self.records = {
            number: json.dumps(
                {"attributes": each["attributes"], "geometry": each.get("geometry")}, ensure_ascii=False, separators=(",", ":")
            )
            for number, each in layer.checked(answer).items()
        }  # fmt: skip
        self.more = bool(answer.get("exceededTransferLimit"))


def _lots(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), max(1, size)):
        yield numbers[start : start + size]
