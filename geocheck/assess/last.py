"""The last result of a project, read back from its ``result.json``: for explaining and asking without measuring again."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from geocheck.model.determination import Determination, ObligationOutcome, Receipt, Trace, TraceStep, Waiver
from geocheck.model.facts import Fact
from geocheck.model.problem import OutputError
from geocheck.model.quantity import Quantity
from geocheck.model.truth import Gap, Truth

__all__ = ["LastResult"]


class LastResult:
    """What a folder of outputs holds.

    Parameters
    ----------
    folder : Path
        Where `geocheck run` wrote.

    Raises
    ------
    OutputError
        If there is no whole result.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "result.json"
        if not self.path.exists():
            raise OutputError(
                f"{self.path}: there is no result yet; run `geocheck run` first, or name its folder with -o"
            )

    def heading(self) -> dict[str, Any]:
        """Return the name, day, basis, settings and ordinances of the run."""
        lines = []
        with self.path.open(encoding="utf-8") as file:
            for line in file:
                if line.startswith('"determinations": ['):
                    break
                lines.append(line)
        found: dict[str, Any] = self._parsed("".join(lines).rstrip().rstrip(",") + "}")
        if "receipt" not in found:
            raise OutputError(f"{self.path}: this is not a whole result (no receipt); run `geocheck run` again")
        return found

    def determinations(self, site_id: str) -> list[Determination]:
        """Return the determinations of one site, one an ordinance.

        Raises
        ------
        OutputError
            If the result has no such site; the message suggests the nearest.
        """
        receipt = self.heading()["receipt"]
        found = [_determination(row, receipt) for row in self.rows("determinations") if row["site_id"] == site_id]
        if not found:
            known = sorted({row["site_id"] for row in self.rows("determinations")})
            near = difflib.get_close_matches(site_id, known, n=3, cutoff=0.4) or known[:5]
            hint = f"did you mean {', '.join(near)}?" if near else "it judged no site at all"
            raise OutputError(f"{self.path}: no site is called {site_id!r}; {hint}")
        return found

    def every_determination(self) -> Iterator[Determination]:
        """Yield the determinations of all sites."""
        receipt = self.heading()["receipt"]
        return (_determination(row, receipt) for row in self.rows("determinations"))

    def facts(self, site_id: str) -> dict[str, Fact]:
        """Return the facts of one site, by name."""
        rows = (row for row in self.rows("facts") if row["subject"] == "site" and row["subject_id"] == site_id)
        return {row["fact"]: _fact(row) for row in rows}

    def questions(self) -> list[dict[str, Any]]:
        """Return the open questions."""
        return list(self.rows("questions"))

    def rows(self, part: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of one part; the file holds one a line, so that a large result need not fit in memory."""
        with self.path.open(encoding="utf-8") as file:
            inside = False
            for line in file:
                if inside and line.startswith("]"):
                    return
                if inside:
                    yield self._parsed(line.rstrip().rstrip(","))
                inside = inside or line.startswith(f'"{part}": [')

    def _parsed(self, text: str) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise OutputError(f"{self.path}: this is not a whole result ({error}); run `geocheck run` again") from error


def _truth(row: dict[str, Any]) -> Truth:
    known = {"yes": True, "no": False, "unknown": None}[row["truth"]]
    return Truth(known, frozenset(Gap(**gap) for gap in row["gaps"]))


def _determination(row: dict[str, Any], of_run: dict[str, Any]) -> Determination:
    # A receipt that is the run's own is told once, at the top of the file.
    whole = of_run if row["receipt"]["id"] == of_run["id"] else row["receipt"]
    receipt = {key: value for key, value in whole.items() if key != "id"}
    steps = (TraceStep(s["clause"], _truth(s), s["facts_seen"], s["note"], s["depth"]) for s in row["trace"])
    outcomes = (_outcome(o) for o in row["obligations"])
    return Determination(row["site_id"], row["ordinance"], tuple(outcomes), Trace(tuple(steps)), Receipt(receipt))


def _outcome(row: dict[str, Any]) -> ObligationOutcome:
    lists = {key: tuple(row[key]) for key in ("because", "instead", "reserved", "needs")}
    truth = _truth(row)
    waiver = Waiver(**row["waiver"]) if row["waiver"] else None
    return ObligationOutcome(
        row["obligation"], row["section"], row["outcome"], truth, row["best_estimate"], row["borderline"],
        gaps=tuple(sorted(truth.gaps)), waiver=waiver, note=row["note"], **lists,
    )  # fmt: skip


def _fact(row: dict[str, Any]) -> Fact:
    def read(value: Any) -> Any:
        if value is None or isinstance(value, bool) or not row["unit"]:
            return {"yes": True, "no": False}.get(value, value) if isinstance(value, str) else value
        return Quantity(Fraction(value), row["unit"])

    value, low, high = read(row["value"]), read(row["low"]), read(row["high"])
    return Fact(row["fact"], row["kind"], value, low, high, row["status"], row["source"] or "", row["note"] or "")
