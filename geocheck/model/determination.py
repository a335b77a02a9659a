"""What an ordinance makes of one site: each obligation's outcome, the clauses behind it, the trace and the receipt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from geocheck.model.showing import html_table
from geocheck.model.truth import Gap, Truth

__all__ = ["OUTCOMES", "Determination", "ObligationOutcome", "Question", "Receipt", "Trace", "TraceStep", "Waiver"]

OUTCOMES = ("required", "not_required", "waived", "undetermined")


@dataclass(frozen=True, slots=True)
class Waiver:
    """An official waiver of an obligation: what, by whom, when, on which finding, in which document.

    Parameters
    ----------
    obligation : str
        The obligation waived.
    by, on : str
        Who waived it and on which day (ISO).
    ground : str
        Clause of the finding, such as ``(4)(a)1.``.
    document : str
        The written or electronic form in which it was granted.
    note : str
        More, for a reader.
    """

    obligation: str
    by: str
    on: str
    ground: str
    document: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the waiver as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One clause judged for one site.

    Parameters
    ----------
    clause : str
        Full label, such as ``(3)(b)2.``.
    truth : Truth
        Whether the clause applies.
    facts_seen : str
        The facts its condition named with their values and intervals, as a reader reads them.
    note : str
        Reading, setting, defeat by another clause, or why it was not modelled.
    depth : int
        Nesting in the ordinance, from 0.
    """

    clause: str
    truth: Truth
    facts_seen: str = ""
    note: str = ""
    depth: int = 0

    def to_dict(self) -> dict[str, object]:
        """Return the step as plain values."""
        return {
            "clause": self.clause,
            **self.truth.to_dict(),
            "facts_seen": self.facts_seen,
            "note": self.note,
            "depth": self.depth,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """All clauses of an ordinance judged for one site, in the ordinance's order."""

    steps: tuple[TraceStep, ...]

    def __getitem__(self, clause: str) -> TraceStep:
        # "(3)(b)2." and "(3)(b)2" are the same clause: texts differ in writing the last full stop.
        for step in self.steps:
            if step.clause.rstrip(".") == clause.rstrip("."):
                return step
        raise KeyError(clause)

    def __repr__(self) -> str:
        yes = [step.clause for step in self.steps if step.truth.is_yes]
        open_ = [step.clause for step in self.steps if step.truth.is_unknown]
        return f"<Trace: {len(self.steps)} clauses; yes: {', '.join(yes) or 'none'}; unknown: {', '.join(open_) or 'none'}>"

    def _repr_html_(self) -> str:
        rows = ((s.clause, str(s.truth), s.facts_seen, s.note) for s in self.steps)
        return html_table("Every clause", ("clause", "applies", "facts seen", "note"), rows)

    def to_dict(self) -> dict[str, object]:
        """Return the trace as plain values."""
        return {"steps": [step.to_dict() for step in self.steps]}


@dataclass(frozen=True, slots=True)
class ObligationOutcome:
    """What becomes of one obligation at one site.

    Parameters
    ----------
    obligation, section : str
        Its name in the ordinance file and the section that holds it.
    outcome : str
        One of `OUTCOMES`.
    truth : Truth
        Whether it is required, before waivers.
    best_estimate : str
        The outcome if every interval were its best value.
    borderline : bool
        Whether a number too near to its threshold is among what keeps the outcome open.
    because : tuple of str
        Labels of the clauses that decide it, triggers and exemptions.
    instead : tuple of str
        Law that takes over where an exemption holds.
    reserved : tuple of str
        Clauses that an official may still invoke.
    needs : tuple of str
        Facts or decisions whose knowledge could settle an undetermined outcome.
    gaps : tuple of Gap
        Why it is open, in a fixed order.
    waiver : Waiver or None
        The waiver on file.
    note : str
        What still binds, or what a reader should know.
    """

    obligation: str
    section: str
    outcome: str
    truth: Truth
    best_estimate: str
    borderline: bool = False
    because: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    waiver: Waiver | None = None
    note: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the outcome as plain values."""
        return {
            "obligation": self.obligation,
            "section": self.section,
            "outcome": self.outcome,
            **self.truth.to_dict(),
            "best_estimate": self.best_estimate,
            "borderline": self.borderline,
            "because": list(self.because),
            "instead": list(self.instead),
            "reserved": list(self.reserved),
            "needs": list(self.needs),
            "waiver": self.waiver.to_dict() if self.waiver else None,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an answer was made from: the same receipt means the same answer.

    Parameters
    ----------
    parts : mapping of str to str
        What entered, by name: geocheck's version, fingerprints of ordinance, layers, facts, decisions, engine, settings.
    """

    parts: Mapping[str, str]

    @property
    def id(self) -> str:
        """Fingerprint over all parts: 16 hexadecimal digits."""
        text = json.dumps(dict(self.parts), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, object]:
        """Return the receipt as plain values."""
        return {"id": self.id, **self.parts}


def _gathered(outcomes: tuple[ObligationOutcome, ...], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for outcome in outcomes for item in getattr(outcome, name)))


@dataclass(frozen=True, slots=True, repr=False)
class Determination:
    """One site judged by one ordinance.

    Parameters
    ----------
    site_id : str
        The site; empty where facts were judged without one.
    ordinance : str
        Identifier of the ordinance.
    obligations : tuple of ObligationOutcome
        In the ordinance's order.
    trace : Trace
        Every clause.
    receipt : Receipt
        What the answer was made from.
    """

    site_id: str
    ordinance: str
    obligations: tuple[ObligationOutcome, ...]
    trace: Trace
    receipt: Receipt = field(default_factory=lambda: Receipt({}))

    def __getitem__(self, obligation: str) -> ObligationOutcome:
        for outcome in self.obligations:
            if outcome.obligation == obligation:
                return outcome
        raise KeyError(obligation)

    @property
    def outcomes(self) -> dict[str, str]:
        """Outcome of each obligation."""
        return {o.obligation: o.outcome for o in self.obligations}

    @property
    def best_estimate(self) -> dict[str, str]:
        """Outcome of each obligation if every interval were its best value."""
        return {o.obligation: o.best_estimate for o in self.obligations}

    @property
    def because(self) -> tuple[str, ...]:
        """Clauses that decide any obligation."""
        return _gathered(self.obligations, "because")

    @property
    def instead(self) -> tuple[str, ...]:
        """Law that takes over."""
        return _gathered(self.obligations, "instead")

    @property
    def reserved(self) -> tuple[str, ...]:
        """Clauses that an official may still invoke."""
        return _gathered(self.obligations, "reserved")

    @property
    def needs(self) -> tuple[str, ...]:
        """Facts or decisions that could settle what is open."""
        return _gathered(self.obligations, "needs")

    def __repr__(self) -> str:
        told = ", ".join(
            f"{name.replace('_', ' ')} {outcome.replace('_', ' ')}" for name, outcome in self.outcomes.items()
        )
        return f"<Determination{f' of {self.site_id}' if self.site_id else ''} by {self.ordinance}: {told}>"

    def _repr_html_(self) -> str:
        rows = (
            (
                o.obligation.replace("_", " "), o.section, o.outcome.replace("_", " "), "yes" if o.borderline else "",
                ", ".join(o.because), ", ".join(name.replace("_", " ") for name in o.needs),
            )
            for o in self.obligations
        )  # fmt: skip
        heads = ("obligation", "section", "outcome", "borderline", "because", "needs")
        return html_table(f"{self.site_id} {self.ordinance}".strip(), heads, rows)

    def to_dict(self) -> dict[str, object]:
        """Return the determination as plain values, for JSON."""
        return {
            "site_id": self.site_id,
            "ordinance": self.ordinance,
            "obligations": [outcome.to_dict() for outcome in self.obligations],
            "trace": self.trace.to_dict()["steps"],
            "receipt": self.receipt.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """A missing fact that could still change an outcome: a row of ``questions.csv``.

    Parameters
    ----------
    site_id, fact, kind, asks : str
        Where, which fact, of which kind, and the question in words.
    decides : tuple of str
        Obligations that it could still settle, each as ``ordinance: obligation``.
    """

    site_id: str
    fact: str
    kind: str
    asks: str
    decides: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the question as plain values."""
        return {
            "site_id": self.site_id, "fact": self.fact, "kind": self.kind, "asks": self.asks, "decides": self.decides,
        }  # fmt: skip
