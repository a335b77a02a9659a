"""What a ledger keeps of the unattended runs: deliveries, runs, parcels, sheets, determinations and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from geocheck.model.changes import Change, Descent

__all__ = ["ChangedOutcome", "DeliveryRecord", "Entry", "KeptDetermination", "ParcelRows", "RunRecord"]


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """One delivery of parcels, as the ledger remembers it.

    Parameters
    ----------
    number : int
        From 1; 0 before it is recorded.
    run : int
        The run that took it.
    taken_at : str
        When it was taken (ISO, UTC).
    day : str
        The day that the delivery stands for: its stated date, else the day it was taken.
    source, layer, sha256 : str
        Where it came from, and the fingerprint of its files.
    id_field : str
        The field that held the identifiers.
    fields : mapping of str to str
        Field names and their sorts.
    system : str
        The reference system it came in, as WKT.
    records, parcels, repeated, shared : int
        Counts.
    tolerance_ft : float
        By how much an outline could stray and be the same.
    counts : mapping of str to int
        Changes by kind.
    accepted : str
        Why it was accepted although it was suspect; empty where it was not.
    doubts : tuple of str
        What was suspect.
    """

    source: str
    sha256: str
    day: str
    id_field: str
    fields: Mapping[str, str]
    system: str
    records: int
    parcels: int
    repeated: int = 0
    shared: int = 0
    tolerance_ft: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    accepted: str = ""
    doubts: tuple[str, ...] = ()
    layer: str = ""
    taken_at: str = ""
    run: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One unattended run.

    Parameters
    ----------
    number : int
        From 1; 0 before it is recorded.
    started, finished : str
        ISO, UTC.
    as_of : str
        The day it judged for.
    fingerprint : str
        Of everything that went in: the same fingerprint means that there is nothing to do.
    receipt, summary : mapping
        What it was made from; parcels, sites, remeasured, rejudged, changed, seconds.
    """

    started: str
    finished: str
    as_of: str
    fingerprint: str
    receipt: Mapping[str, Any]
    summary: Mapping[str, Any]
    number: int = 0


@dataclass(frozen=True, eq=False)
class ParcelRows:
    """Parcels as columns: their identifiers, kinds, ground and fingerprints of their attributes.

    Parameters
    ----------
    ids, kinds : sequence of str
        As in a delivery; an empty identifier is none.
    wkb : sequence of bytes or None
        Ground, in the ledger's own system; None where there is none.
    attributes : sequence of bytes
        Fingerprints of the attribute values, four bytes a field.
    areas : sequence of float or None
        Square feet.
    numbers : sequence of int
        Their numbers in the ledger; empty before they are recorded.
    """

    ids: Sequence[str]
    kinds: Sequence[str]
    wkb: Sequence[bytes | None]
    attributes: Sequence[bytes]
    areas: Sequence[float | None] = ()
    numbers: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class KeptDetermination:
    """One determination as the ledger keeps it.

    Parameters
    ----------
    site_id, ordinance : str
        Which.
    outcomes : mapping of str to str
        Outcome of each obligation; empty where the site or the ordinance is gone.
    told : bytes
        The whole determination with its trace, compressed JSON.
    run : int
        The run that found it.
    """

    site_id: str
    ordinance: str
    outcomes: Mapping[str, str]
    told: bytes = b""
    run: int = 0


@dataclass(frozen=True, slots=True)
class ChangedOutcome:
    """An obligation whose outcome changed: a row of ``changed_determinations.csv``; empty where there was, or is, none."""

    site_id: str
    ordinance: str
    obligation: str
    before: str
    after: str
    because: str


@dataclass(frozen=True, eq=False)
class Entry:
    """Everything that one unattended run adds to a ledger, in one transaction.

    Parameters
    ----------
    run : RunRecord
        The run.
    delivery : DeliveryRecord or None
        The delivery that it took; None where there was no new one.
    parcels : ParcelRows or None
        Parcels that are new, or whose ground or attributes changed.
    ended : sequence of int
        Numbers of the parcels that they replace, or that are gone.
    changes : sequence of (Change, bytes or None)
        What happened, with ground to show it on.
    descent : sequence of Descent
        Shares of ground.
    sheets : mapping of (str, str) to str
        Sort and identifier of a subject to its facts as JSON where they changed; empty text where the subject is gone.
    determinations : sequence of KeptDetermination
        Those that differ from before in anything.
    changed : sequence of ChangedOutcome
        Outcomes that changed.
    """

    run: RunRecord
    delivery: DeliveryRecord | None = None
    parcels: ParcelRows | None = None
    ended: Sequence[int] = ()
    changes: Sequence[tuple[Change, bytes | None]] = ()
    descent: Sequence[Descent] = ()
    sheets: Mapping[tuple[str, str], str] = field(default_factory=dict)
    determinations: Sequence[KeptDetermination] = ()
    changed: Sequence[ChangedOutcome] = ()
