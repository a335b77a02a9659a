"""What the page says of each site, as plain values for its template: verdicts, numbers, clauses, map."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from geocheck.model.determination import Determination, Question, TraceStep
from geocheck.model.facts import Fact, FactTable
from geocheck.model.problem import OutputError
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.model.vocabulary import declaration_of
from geocheck.reports.page.bar import bar_places
from geocheck.reports.page.content import cite_of
from geocheck.reports.page.margins import Margin, MarginColumns, comparisons
from geocheck.reports.page.site_map import LEGEND, LINES, SiteMaps
from geocheck.reports.page.words import OUTCOME_WORDS, REASON_WORDS, amount, plain_name, verdict
from geocheck.reports.tables import Tables

__all__ = ["Sites"]


class Sites:
    """The sites of the page, made one at a time."""

    def __init__(self, tables: Tables) -> None:
        findings = tables.findings
        self.findings = findings
        self.judged: dict[str, list[Determination]] = {}
        for determination in findings.determinations:
            self.judged.setdefault(determination.site_id, []).append(determination)
        self.asked: dict[str, list[Question]] = {}
        for question in findings.questions:
            self.asked.setdefault(question.site_id, []).append(question)
        frame = tables.rows("sites")
        self.ids = [str(name) for name in frame["site_id"]]
        self.plans = [_known(name) for name in frame.get("plan", [""] * len(frame))]
        self.phases = [_known(name) for name in frame.get("phase", [""] * len(frame))]
        self.areas = [
            None if area != area else float(area)
            for area in frame.get("disturbed_area_ft2", [float("nan")] * len(frame))
        ]
        self.maps = SiteMaps(findings) if len(frame) else None
        self.dates = {
            role: f"{role} {layer.source.date or 'of no stated date'}" for role, layer in findings.layers.items()
        }
        self.facts = findings.facts.table("site")
        self.fact_rows = {str(name): row for row, name in enumerate(self.facts.ids)}
        self.unknown = _unknown(self.facts)
        self._verdicts: dict[Any, str] = {}
        self.compared = {name: comparisons(o, findings.settings) for name, o in findings.ordinances.items()}
        foot = findings.ground.foot if findings.ground is not None else US_SURVEY_FOOT
        self.margins = {
            name: MarginColumns(found, findings.ordinances[name], self.facts, foot)
            for name, found in self.compared.items()
        }
        self.laws = list(dict.fromkeys([*findings.ordinances, *(d.ordinance for d in findings.determinations)]))
        self.law_places = {name: place for place, name in enumerate(self.laws)}
        self.columns = [
            (name, outcome.obligation)
            for name in findings.ordinances
            for d in (self._any(name),)
            if d is not None
            for outcome in d.obligations
        ]

    def _any(self, ordinance: str) -> Determination | None:
        return next((d for d in self.findings.determinations if d.ordinance == ordinance), None)

    def place_of(self, site: str) -> int:
        """Return where a site stands in the list.

        Raises
        ------
        OutputError
            If the run has no such site; the message suggests the nearest.
        """
        if site in self.ids:
            return self.ids.index(site)
        near = difflib.get_close_matches(site, self.ids, n=3, cutoff=0.4) or self.ids[:5]
        hint = f"did you mean {', '.join(near)}?" if near else "it has no sites at all"
        raise OutputError(f"the run has no site {site!r}; {hint}")

    def heads(self) -> list[dict[str, Any]]:
        """Return the columns of the list of sites: one an obligation."""
        return [{"ordinance": cite_of(self.findings, name), "obligation": plain_name(o)} for name, o in self.columns]

    def worst(self) -> list[str]:
        """Return for each site the outcome that it is marked by: the first of required, undetermined, waived, not required."""
        found = []
        for site in self.ids:
            has = {o.outcome for d in self.judged.get(site, ()) for o in d.obligations}
            found.append(next((outcome for outcome in OUTCOME_WORDS if outcome in has), ""))
        return found

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the list of sites: identifier, plan, area, and each outcome."""
        for place, site in enumerate(self.ids):
            found = {(d.ordinance, o.obligation): o for d in self.judged.get(site, ()) for o in d.obligations}
            outcomes = [found.get(key) for key in self.columns]
            yield {
                "place": place, "id": site, "plan": self.plans[place], "area": self.areas[place],
                "said": amount(self.areas[place], "ft2"),
                "outcomes": [(o.outcome, *OUTCOME_WORDS[o.outcome], o.borderline) if o else ("", "—", "", False) for o in outcomes],
            }  # fmt: skip

    def shared(self) -> dict[str, Any]:
        """Return what the sites have in common: words, and of each ordinance its clauses and comparisons."""
        return {
            "words": OUTCOME_WORDS,
            "means": REASON_WORDS,
            "legend": LEGEND,
            "lines": LINES,
            "dates": self.dates,
            "law": [self._law(name) for name in self.laws],
        }

    def _law(self, name: str) -> dict[str, Any]:
        ordinance = self.findings.ordinances.get(name)
        return {
            "cite": cite_of(self.findings, name),
            "title": "" if ordinance is None else ordinance.title,
            "says": {} if ordinance is None else {c.label: c.says for c in ordinance.every_clause},
            "adopted": dict(self.findings.adopted.get(name, {})),
            "numbers": [
                (one.clause, one.reading, one.words, one.sign, amount(float(one.threshold.value), one.threshold.unit))
                for one in self.compared.get(name, ())
            ],
        }

    def detail(self, place: int, *, whole: bool) -> dict[str, Any]:
        """Return all that the page says about one site, as plain values; ``whole`` with its map, all its facts and every clause."""
        site = self.ids[place]
        row = self.fact_rows.get(site)
        facts = self.facts.facts_at(row).values() if whole and row is not None else ()
        plain = {
            "place": place, "id": site, "plan": self.plans[place], "phase": self.phases[place], "area": amount(self.areas[place], "ft2"),
            "judged": [self._judged(d, row, whole) for d in self.judged.get(site, ())],
            "unknown": self.unknown.get(row, []) if row is not None else [],
            "questions": [(q.asks, q.fact, q.kind) for q in self.asked.get(site, ())],
        }  # fmt: skip
        if not whole:
            return plain
        drawing = self.maps.draw(place) if self.maps is not None else None
        return {
            **plain,
            "map": drawing,
            "dates": [self.dates[role] for role in drawing.shown if role in self.dates] if drawing is not None else [],
            "facts": [_fact(fact) for fact in facts if fact.value is not None],
        }

    def _judged(self, determination: Determination, row: int | None, whole: bool) -> dict[str, Any]:
        steps = determination.trace.steps
        deciding = dict.fromkeys(determination.because)
        by_label: dict[str, TraceStep] = {}
        for step in steps:
            if step.truth.known is None:
                deciding[step.clause] = None
            by_label[step.clause] = step
        columns = self.margins.get(determination.ordinance)
        numbers, idle = [], []
        for n, margin in columns.of(row) if columns is not None else ():
            if _idle(margin):
                idle.append(n)
            elif not _guard(margin):
                numbers.append(_number(n, margin))
        return {
            "law": self.law_places[determination.ordinance],
            "outcomes": self._grouped(determination),
            "open": _open(determination),
            "numbers": numbers,
            "idle": idle,
            "deciding": [_clause(label, by_label.get(label)) for label in deciding],
            "reserved": determination.reserved,
            "trace": [(*_clause(s.clause, s), s.depth) for s in steps] if whole else [],
        }

    def _grouped(self, determination: Determination) -> list[Any]:
        """Obligations in order; those with the same outcome for the same reason stand together."""
        found: dict[tuple[str, bool, str], list[tuple[str, str]]] = {}
        for o in determination.obligations:
            key = (o.outcome, o.best_estimate, o.borderline, o.because, o.instead, o.note, o.waiver)
            if key not in self._verdicts:
                self._verdicts[key] = verdict(o)
            found.setdefault((o.outcome, o.borderline, self._verdicts[key]), []).append(
                (plain_name(o.obligation), o.section)
            )
        return [(*key, names) for key, names in found.items()]


def _open(determination: Determination) -> list[tuple[str, str, str]]:
    """Each gap behind an open outcome once."""
    gaps = dict.fromkeys(gap for outcome in determination.obligations for gap in outcome.gaps)
    return [(plain_name(gap.fact), gap.reason, gap.note) for gap in gaps]


def _clause(label: str, step: TraceStep | None) -> tuple[str, str, str, str]:
    return (label, "", "", "") if step is None else (label, str(step.truth), step.facts_seen, step.note)


def _unknown(table: FactTable) -> dict[int, list[tuple[str, str, str]]]:
    """Facts that were not checked or could not be measured, by row."""
    found: dict[int, list[tuple[str, str, str]]] = {}
    for name, column in table.columns.items():
        if isinstance(column.statuses, str) and column.statuses not in _NOT_CHECKED:
            continue
        for row in range(len(table)):
            status = column.statuses if isinstance(column.statuses, str) else column.statuses[row]
            if status in _NOT_CHECKED:
                note = column.notes if isinstance(column.notes, str) else column.notes[row]
                found.setdefault(row, []).append((plain_name(name), status, note))
    return found


_NOT_CHECKED = ("outside coverage", "failed")


def _idle(margin: Margin) -> bool:
    """Whether there is exactly nothing of what has a threshold above it, so that no bar is worth drawing."""
    return margin.value == margin.low == margin.high == 0 and margin.met == "no" and not margin.reading


def _guard(margin: Margin) -> bool:
    """Whether it only says, under one reading, that there is something at all, and there is."""
    return bool(margin.reading) and margin.threshold == 0 and margin.sign == "more than" and margin.met == "yes"


def _number(place: int, margin: Margin) -> tuple[Any, ...]:
    """Its comparison, value, interval, why it is not known, whether it is met, and its bar."""
    near, unit = margin.threshold, margin.unit
    between = _between(margin.low, margin.high, unit, near)
    return place, amount(margin.value, unit, near), between, margin.status, margin.met, bar_places(margin)


def _between(low: float | None, high: float | None, unit: str, near: float | None = None) -> str:
    """The interval in words; nothing where it is a point."""
    if low is None or high is None or low == high:
        return ""
    first, last = amount(low, unit, near), amount(high, unit, near)
    return "" if first == last else f"{first} to {last}"


def _known(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _fact(fact: Fact) -> dict[str, str]:
    declared = declaration_of(fact.name)
    between, value = "", "not known"
    if isinstance(fact.value, Quantity):
        value = amount(float(fact.value.value), fact.value.unit)
        if fact.low is not None and fact.high is not None:
            between = _between(float(fact.low.value), float(fact.high.value), fact.value.unit)
    elif fact.value is not None:
        value = "yes" if fact.value else "no"
    return {
        "name": plain_name(fact.name), "asks": declared.asks if declared else "", "value": value, "between": between,
        "status": fact.status, "source": fact.source, "note": fact.note,
    }  # fmt: skip
