"""What the page says of each site, as plain values for its template: verdicts, numbers, clauses, map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from geocheck.model.determination import Determination, Question, TraceStep
from geocheck.model.facts import Fact
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.model.vocabulary import declaration_of
from geocheck.reports.page.bar import bar
from geocheck.reports.page.content import cite_of
from geocheck.reports.page.margins import Margin, comparisons, margins
from geocheck.reports.page.site_map import SiteMaps
from geocheck.reports.page.words import OUTCOME_WORDS, amount, plain_name, verdict, why_open
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
        self.compared = {name: comparisons(o, findings.settings) for name, o in findings.ordinances.items()}
        self.columns = [
            (name, outcome.obligation)
            for name in findings.ordinances
            for d in (self._any(name),)
            if d is not None
            for outcome in d.obligations
        ]

    def _any(self, ordinance: str) -> Determination | None:
        return next((d for d in self.findings.determinations if d.ordinance == ordinance), None)

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

    def detail(self, place: int, *, whole: bool) -> dict[str, Any]:
        """Return all that the page says about one site; ``whole`` with all its facts and every clause."""
        site = self.ids[place]
        table = self.findings.facts.table("site")
        facts = self.findings.facts.of("site", site) if site in self._with_facts(table.ids) else {}
        drawn, shown = self.maps.draw(place) if self.maps is not None else ("", [])
        dates = [f"{role} {self._date(role)}" for role in shown if role in self.findings.layers]
        judged = [self._judged(d, facts, whole) for d in self.judged.get(site, ())]
        unknown = [_fact(fact) for fact in facts.values() if fact.status in ("outside coverage", "failed")]
        return {
            "place": place, "id": site, "plan": self.plans[place], "phase": self.phases[place],
            "area": amount(self.areas[place], "ft2"), "map": drawn, "shown": shown, "dates": dates, "judged": judged, "unknown": unknown,
            "facts": [_fact(fact) for fact in facts.values() if fact.value is not None] if whole else [],
            "questions": [{"asks": q.asks, "fact": q.fact, "kind": q.kind} for q in self.asked.get(site, ())],
        }  # fmt: skip

    def _date(self, role: str) -> str:
        return self.findings.layers[role].source.date or "of no stated date"

    def _with_facts(self, ids: Any) -> set[str]:
        if not hasattr(self, "_known_ids"):
            self._known_ids = set(ids)
        return self._known_ids

    def _judged(self, determination: Determination, facts: Mapping[str, Fact], whole: bool) -> dict[str, Any]:
        ordinance = self.findings.ordinances.get(determination.ordinance)
        steps = {step.clause: step for step in determination.trace.steps}
        foot = self.findings.ground.foot if self.findings.ground is not None else US_SURVEY_FOOT
        numbers = (
            [] if ordinance is None else list(margins(self.compared[determination.ordinance], ordinance, facts, foot))
        )
        deciding = list(determination.because)
        deciding += [s.clause for s in determination.trace.steps if s.truth.is_unknown and s.clause not in deciding]
        return {
            "cite": cite_of(self.findings, determination.ordinance),
            "title": "" if ordinance is None else ordinance.title,
            "outcomes": _grouped(determination),
            "numbers": [_number(margin) for margin in numbers if not _idle(margin) and not _guard(margin)],
            "idle": [f"{m.clause} {m.compared}, {m.sign} {amount(m.threshold, m.unit)}" for m in numbers if _idle(m)],
            "deciding": [self._clause(ordinance, label, steps.get(label)) for label in deciding],
            "reserved": [self._clause(ordinance, label, steps.get(label)) for label in determination.reserved],
            "open": why_open(determination),
            "trace": [self._clause(ordinance, s.clause, s) for s in determination.trace.steps] if whole else [],
        }  # fmt: skip

    @staticmethod
    def _clause(ordinance: Any, label: str, step: TraceStep | None) -> dict[str, Any]:
        try:
            says = "" if ordinance is None else ordinance.clause(label).says
        except KeyError:
            says = ""
        return {
            "label": label, "says": says, "truth": _truth(step), "seen": step.facts_seen if step else "",
            "note": step.note if step else "", "depth": step.depth if step else 0,
        }  # fmt: skip


def _grouped(determination: Determination) -> list[dict[str, Any]]:
    """Obligations in order; those with the same outcome for the same reason stand together."""
    found: dict[tuple[str, bool, str], list[tuple[str, str]]] = {}
    for o in determination.obligations:
        found.setdefault((o.outcome, o.borderline, verdict(o)), []).append((plain_name(o.obligation), o.section))
    return [
        {"outcome": outcome, "words": OUTCOME_WORDS[outcome], "borderline": borderline, "why": why, "obligations": names}
        for (outcome, borderline, why), names in found.items()
    ]  # fmt: skip


def _idle(margin: Margin) -> bool:
    """Whether there is exactly nothing of what has a threshold above it, so that no bar is worth drawing."""
    return margin.value == margin.low == margin.high == 0 and margin.met == "no" and not margin.reading


def _guard(margin: Margin) -> bool:
    """Whether it only says, under one reading, that there is something at all, and there is."""
    return bool(margin.reading) and margin.threshold == 0 and margin.sign == "more than" and margin.met == "yes"


def _number(margin: Margin) -> dict[str, Any]:
    near = margin.threshold
    return {
        "clause": margin.clause, "reading": margin.reading, "compared": margin.compared, "sign": margin.sign,
        "threshold": amount(near, margin.unit), "value": amount(margin.value, margin.unit, near), "status": margin.status,
        "bar": bar(margin), "met": margin.met, "between": _between(margin.low, margin.high, margin.unit, near),
    }  # fmt: skip


def _truth(step: TraceStep | None) -> str:
    return "" if step is None else str(step.truth)


def _between(low: float | None, high: float | None, unit: str, near: float | None = None) -> str:
    """The interval in words; nothing where it is a point."""
    if low is None or high is None:
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
