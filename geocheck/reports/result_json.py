"""result.json: everything that a run found, with the trace of every clause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.model.determination import Determination
from geocheck.model.findings import Findings
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write it piece by piece, so that a large run needs no second copy in memory."""
    from geocheck.reports.cells import plain_rows  # pandas is loaded when something is written, not for --help
    from geocheck.reports.run_json import heading

    findings = tables.findings
    parts: list[tuple[str, Iterable[Any]]] = [
        ("determinations", (_told(d, findings) for d in findings.determinations)),
        ("questions", (q.to_dict() for q in findings.questions)),
        *((table, plain_rows(tables.rows(table))) for table in ("sites", "parcels", "facts", "layers", "repairs")),
    ]
    with (folder / name).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write("{\n")
        for key, value in heading(findings, "result").items():
            file.write(f"{json.dumps(key)}: {_dumped(value)},\n")
        for place, (key, rows) in enumerate(parts):
            file.write(",\n" if place else "")
            file.write(f"{json.dumps(key)}: [")
            file.writelines(_lines(rows))
            file.write("\n]")
        file.write("\n}\n")


def _told(determination: Determination, findings: Findings) -> dict[str, Any]:
    """A determination; of a receipt that is the run's own only its id, as the whole stands at the top."""
    told: dict[str, Any] = _finite(determination.to_dict())
    if determination.receipt == findings.receipt:
        told["receipt"] = {"id": told["receipt"]["id"]}
    return told


def _lines(rows: Iterable[Any]) -> Iterator[str]:
    for place, row in enumerate(rows):
        yield (",\n" if place else "\n") + _dumped(row)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """The same with NaN and infinities null: JSON has neither."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


OUTPUT = Output(
    says="everything found, with the trace of every clause, as JSON (schema: geocheck/reports/schema)",
    names=("result.json",),
    write=write,
    default=("result.json",),
)
