"""result.json: everything that a run found, with the trace of every clause."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geocheck.model.determination import Determination, ObligationOutcome, Question, TraceStep
from geocheck.model.findings import Findings
from geocheck.model.truth import Truth
from geocheck.reports.output import Output

if TYPE_CHECKING:
    from geocheck.reports.tables import Tables

#: What sites have in common is kept as text so many times over, then made anew.
KEPT = 100_000


def write(tables: Tables, name: str, folder: Path) -> None:
    """Write it piece by piece, so that a large run needs no second copy in memory."""
    from geocheck.reports.lines import json_lines, save_lines  # pandas is loaded when something is written
    from geocheck.reports.run_json import heading

    findings = tables.findings
    with (folder / name).open("wb") as file:
        file.write(b"{\n")
        for key, value in heading(findings, "result").items():
            file.write(_coded(f"{json.dumps(key)}: {_dumped(value)},\n"))
        file.write(b'"determinations": [')
        file.writelines(map(_coded, _parted(_determinations(findings))))
        file.write(b'\n],\n"questions": [')
        file.writelines(map(_coded, _parted(_questions(findings.questions))))
        file.write(b"\n]")
        for table in ("sites", "parcels", "facts", "layers", "repairs"):
            file.write(_coded(f",\n{json.dumps(table)}: ["))
            save_lines(file, json_lines(tables.rows(table)))
            file.write(b"\n]")
        file.write(b"\n}\n")


def _coded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _parted(rows: Iterator[str]) -> Iterator[str]:
    for place, row in enumerate(rows):
        yield (",\n" if place else "\n") + row


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _questions(questions: tuple[Question, ...]) -> Iterator[str]:
    told = _Kept(_dumped)
    rest = _Kept(lambda parts: _dumped(dict(zip(("fact", "kind", "asks", "decides"), parts, strict=True)))[1:])
    for q in questions:
        yield f'{{"site_id": {told[q.site_id]}, {rest[q.fact, q.kind, q.asks, q.decides]}'


class _Kept(dict[Any, str]):
    """Texts of what sites have in common, made once."""

    def __init__(self, make: Callable[[Any], str]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Any) -> str:
        if len(self) > KEPT:
            self.clear()
        text = self[key] = self.make(key)
        return text


def _determinations(findings: Findings) -> Iterator[str]:
    """Determinations as `Determination.to_dict` tells them; of a receipt that is the run's own only its id, as it stands at the top."""
    told, truths, lists = _Kept(_dumped), _Kept(_truth), _Kept(lambda items: _dumped(list(items)))
    own = _dumped({"id": findings.receipt.to_dict()["id"]})

    def step(s: TraceStep) -> str:
        return (
            f'{{"clause": {told[s.clause]}, {truths[s.truth]}, "facts_seen": {told[s.facts_seen]}, "note": {told[s.note]}, '
            f'"depth": {s.depth}}}'
        )

    def outcome(o: ObligationOutcome) -> str:
        waiver = "null" if o.waiver is None else _dumped(_finite(o.waiver.to_dict()))
        return (
            f'{{"obligation": {told[o.obligation]}, "section": {told[o.section]}, "outcome": {told[o.outcome]}, {truths[o.truth]}, '
            f'"best_estimate": {told[o.best_estimate]}, "borderline": {"true" if o.borderline else "false"}, '
            f'"because": {lists[o.because]}, "instead": {lists[o.instead]}, "reserved": {lists[o.reserved]}, '
            f'"needs": {lists[o.needs]}, "waiver": {waiver}, "note": {told[o.note]}}}'
        )

    def determination(d: Determination) -> str:
        receipt = (
            own if d.receipt is findings.receipt or d.receipt == findings.receipt else _dumped(d.receipt.to_dict())
        )
        obligations, steps = ", ".join(map(outcome, d.obligations)), ", ".join(map(step, d.trace.steps))
        return (
            f'{{"site_id": {told[d.site_id]}, "ordinance": {told[d.ordinance]}, "obligations": [{obligations}], '
            f'"trace": [{steps}], "receipt": {receipt}}}'
        )

    return map(determination, findings.determinations)


def _truth(truth: Truth) -> str:
    return _dumped(truth.to_dict())[1:-1]


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
