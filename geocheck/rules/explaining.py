"""A determination told as a planner would: the answer, what decides it, what was not needed, reserved, taken over, missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from geocheck.model.determination import Determination, ObligationOutcome, Question, TraceStep
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.truth import Gap
from geocheck.rules.asking import questions

__all__ = ["OUTCOME_WORDS", "explain", "in_words"]

#: Outcomes as a sentence ends.
OUTCOME_WORDS = {
    "required": "required",
    "not_required": "not required",
    "waived": "waived",
    "undetermined": "undetermined",
}


def in_words(name: str) -> str:
    """Return a name as a reader reads it.

    Examples
    --------
    >>> in_words("financial_guarantee")
    'financial guarantee'
    """
    return name.replace("_", " ")


def explain(
    determination: Determination, ordinance: Ordinance, facts: Mapping[str, Fact] | None = None,
    settings: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """Tell a determination in words.

    Parameters
    ----------
    determination : Determination
        What was judged.
    ordinance : Ordinance
        By which it was judged: the clauses' words and the open questions.
    facts, settings : mapping, or None
        What it was judged from: with the facts, only what could change an answer is told as missing.

    Returns
    -------
    str
        Lines of text: first the answer for each obligation, then the clauses that decide it with their numbers and
        intervals, then what keeps an answer open, what did not apply and what was not needed, what is reserved to
        officials, what law takes over, and what is missing.

    Examples
    --------
    >>> from geocheck.rules.asking import judge
    >>> from geocheck.rules.read import load_ordinance
    >>> law = load_ordinance("us/wi/washington-county-village/87-5")
    >>> print(explain(judge({"disturbed_area": "9_000 ft2", "grows_crops": True}, law), law).splitlines()[1])
    Erosion control, stormwater management, permit, financial guarantee and fee: not required.
    """
    return "\n".join(_Telling(determination, ordinance, questions(determination, ordinance, facts, settings)).lines())


class _Telling:
    def __init__(self, determination: Determination, ordinance: Ordinance, asked: Sequence[Question]) -> None:
        self.determination, self.ordinance, self.asked = determination, ordinance, asked
        self.steps = {step.clause: step for step in determination.trace.steps}

    def lines(self) -> Iterator[str]:
        site = f"Site {self.determination.site_id} under " if self.determination.site_id else "Under "
        yield f"{site}{self.ordinance.cite}, {self.ordinance.title}"
        yield from self.answers()
        yield from self.section("What decides", self.ordered(self.determination.because))
        yield from self.open()
        yield from self.without()
        yield from self.section(
            "Reserved: an official may still invoke", self.ordered(self.determination.reserved), facts=False
        )
        yield from self.listed("Law that takes over", self.determination.instead)
        yield from self.listed("Missing", [f"{question.fact}: {question.asks}" for question in self.asked])
        yield from self.listed("Read this way", self.readings())

    def ordered(self, labels: Sequence[str]) -> list[str]:
        """Return labels in the order of the text; those of ordinances taken in come last."""
        order = [clause.label for clause in self.ordinance.every_clause]
        return sorted(labels, key=lambda label: order.index(label) if label in order else len(order))

    def answers(self) -> Iterator[str]:
        groups: dict[tuple[object, ...], list[ObligationOutcome]] = {}
        for outcome in self.determination.obligations:
            alike = (outcome.outcome, outcome.best_estimate, outcome.waiver, outcome.note)
            groups.setdefault(alike, []).append(outcome)
        for outcomes in groups.values():
            names = _joined([in_words(outcome.obligation) for outcome in outcomes])
            yield f"{names[0].upper()}{names[1:]}: {self.verdict(outcomes[0])}."

    def verdict(self, outcome: ObligationOutcome) -> str:
        said = OUTCOME_WORDS[outcome.outcome]
        if outcome.outcome == "undetermined" and outcome.best_estimate != "undetermined":
            said += f"; by the best values alone, {OUTCOME_WORDS[outcome.best_estimate]}"
        if outcome.waiver is not None:
            waiver = outcome.waiver
            said += f" (waiver by {waiver.by} on {waiver.on}, {waiver.ground}"
            said += f", {waiver.document})" if waiver.document else ")"
        return f"{said}; {outcome.note}" if outcome.note else said

    def section(self, heading: str, labels: Sequence[str], *, facts: bool = True) -> Iterator[str]:
        if labels:
            yield ""
            yield f"{heading}:"
            for label in labels:
                yield f"  {self.clause(label, facts=facts)}"

    def clause(self, label: str, *, facts: bool = True) -> str:
        step = self.steps.get(label)
        says = self.ordinance.clause(label).says if label in self.labels else ""
        told = f"{label} {says}".rstrip()
        if step is None or not facts:
            return told
        return f"{told} {_seen(step)}".rstrip()

    @property
    def labels(self) -> set[str]:
        return {clause.label for clause in self.ordinance.every_clause}

    def open(self) -> Iterator[str]:
        gaps: dict[Gap, list[str]] = {}
        for outcome in self.determination.obligations:
            for gap in outcome.gaps if outcome.outcome == "undetermined" else ():
                gaps.setdefault(gap, []).append(in_words(outcome.obligation))
        if not gaps:
            return
        yield ""
        yield "What keeps it open:"
        for gap, names in sorted(gaps.items(), key=lambda item: (-len(item[1]), str(item[0]))):
            where = [
                step.clause for step in self.determination.trace.steps if gap in step.truth.gaps and self.leaf(step)
            ]
            told = f"  {gap}{f' in {_joined(where)}' if where else ''}: {_joined(names)}"
            yield f"{told}. {gap.note}" if gap.note else f"{told}."

    def leaf(self, step: TraceStep) -> bool:
        return step.clause in self.labels and not self.ordinance.clause(step.clause).clauses

    def without(self) -> Iterator[str]:
        """Yield what does not apply, and what is not known and does not matter."""
        open_gaps = {gap for o in self.determination.obligations if o.outcome == "undetermined" for gap in o.gaps}
        leaves = [step for step in self.determination.trace.steps if self.leaf(step)]
        deciding = set(self.determination.because)
        waivers = set(self.ordinance.waiver_grounds)
        no = [
            s for s in leaves if s.truth.is_no and s.clause not in deciding and s.clause not in waivers and s.facts_seen
        ]
        if no:
            yield ""
            yield "Does not apply:"
            yield from (f"  {step.clause} {_seen(step)}" for step in no)
        idle = [s for s in leaves if s.truth.is_unknown and not s.truth.gaps & open_gaps]
        if idle:
            yield ""
            yield "Not known, and not needed:"
            for step in idle:
                reasons = _joined([str(gap) for gap in sorted(step.truth.gaps)])
                yield f"  {step.clause} {reasons}"

    def readings(self) -> list[str]:
        """Return the readings that deciding or open clauses rest on."""
        labels = [
            *self.determination.because,
            *(s.clause for s in self.determination.trace.steps if s.truth.is_unknown),
        ]
        found = []
        for label in dict.fromkeys(labels):
            clause = self.ordinance.clause(label) if label in self.labels else None
            if clause is not None and clause.reading is not None:
                by = f" ({clause.reading.by})" if clause.reading.by else ""
                found.append(f"{label} {clause.reading.says}{by}")
        return found

    def listed(self, heading: str, lines: Sequence[str]) -> Iterator[str]:
        if lines:
            yield ""
            yield f"{heading}:"
            yield from (f"  {line}" for line in lines)


def _seen(step: TraceStep) -> str:
    lifted = next((part for part in step.note.split("; ") if part.startswith("lifted by")), "")
    seen = "; ".join(part for part in (step.facts_seen, lifted) if part)
    return f"[{step.truth}: {seen}]" if seen else f"[{step.truth}]"


def _joined(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
