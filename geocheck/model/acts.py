"""Official acts: decisions, waivers and their revocations, and which of them are in force on a day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date

from geocheck.model.determination import Waiver
from geocheck.model.facts import Fact
from geocheck.model.problem import LedgerError

__all__ = ["ACT_KINDS", "Act", "decided_facts", "in_force", "waivers_of"]

ACT_KINDS = ("decision", "waiver", "revocation")


@dataclass(frozen=True, slots=True)
class Act:
    """One official act about one site, as it stands in the ledger.

    Parameters
    ----------
    kind : str
        decision, waiver or revocation.
    site_id : str
        The site it is about.
    by, on : str
        Who acted, and on which day (ISO).
    fact : str
        For a decision, and the revocation of one: the decided fact.
    value : bool
        For a decision: what was found.
    ordinance, obligation, ground : str
        For a waiver, and the revocation of one: the ordinance's identifier, the obligation waived, the clause of the
        finding.
    document, document_sha256 : str
        The written or electronic form, and the fingerprint of its file where one was given.
    note : str
        More, for a reader.
    recorded_at : str
        When it was entered in the ledger (ISO, UTC).
    number : int
        Running number in the ledger, from 1; 0 before it is recorded.
    """

    kind: str
    site_id: str
    by: str
    on: str
    fact: str = ""
    value: bool = True
    ordinance: str = ""
    obligation: str = ""
    ground: str = ""
    document: str = ""
    document_sha256: str = ""
    note: str = ""
    recorded_at: str = ""
    number: int = 0

    def __post_init__(self) -> None:
        if self.kind not in ACT_KINDS:
            raise LedgerError(f"an act is one of {', '.join(ACT_KINDS)}, not {self.kind!r}")
        if not (self.site_id and self.by):
            raise LedgerError(f"a {self.kind} names its site and who acted (--by)")
        try:
            date.fromisoformat(self.on)
        except ValueError:
            raise LedgerError(f"the day of a {self.kind} is written YYYY-MM-DD, not {self.on!r}") from None
        waives = bool(self.ordinance and self.obligation)
        if self.kind == "decision" and not self.fact:
            raise LedgerError("a decision names the fact it decides")
        if self.kind == "waiver" and not (waives and self.ground):
            raise LedgerError("a waiver names ordinance, obligation and ground (the clause of the finding)")
        if self.kind == "revocation" and bool(self.fact) == waives:
            raise LedgerError("a revocation names the decided fact, or the ordinance and obligation of the waiver")

    @property
    def about(self) -> tuple[str, str, str, str]:
        """What the act settles; a later act about the same supersedes an earlier one."""
        return (self.site_id, self.fact, self.ordinance, self.obligation)

    def __str__(self) -> str:
        what = (
            f"{self.fact} = {'yes' if self.value else 'no'}" if self.fact else f"{self.obligation} of {self.ordinance}"
        )
        return f"{self.kind} no. {self.number}, {what}, by {self.by} on {self.on}"

    def to_dict(self) -> dict[str, object]:
        """Return the act as plain values."""
        return asdict(self)


def in_force(acts: Iterable[Act], on: date) -> list[Act]:
    """Return the decisions and waivers in force on a day: the latest about each matter, unless it is a revocation."""
    latest: dict[tuple[str, str, str, str], Act] = {}
    for act in sorted(acts, key=lambda act: (act.on, act.number)):
        if date.fromisoformat(act.on) <= on:
            latest[act.about] = act
    return sorted((act for act in latest.values() if act.kind != "revocation"), key=lambda act: act.number)


def decided_facts(acts: Iterable[Act], site_id: str) -> dict[str, Fact]:
    """Return the decided facts of one site from acts in force."""
    return {
        act.fact: Fact(act.fact, "decided", act.value, source=f"ledger, act no. {act.number}", note=str(act))
        for act in acts
        if act.kind == "decision" and act.site_id == site_id
    }


def waivers_of(acts: Iterable[Act], site_id: str, ordinance: str) -> list[Waiver]:
    """Return the waivers of one site and ordinance from acts in force."""
    return [
        Waiver(act.obligation, act.by, act.on, act.ground, act.document, act.note)
        for act in acts
        if act.kind == "waiver" and act.site_id == site_id and act.ordinance == ordinance
    ]
