"""What came of a night: numbers for machines, words for a mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from geocheck.model.history import ChangedOutcome, DeliveryRecord, RunRecord

__all__ = ["NightOutcome"]

_SHOWN = 25


@dataclass(frozen=True, eq=False)
class NightOutcome:
    """What came of a night.

    Parameters
    ----------
    run : int
        Number of the run in the ledger.
    nothing_to_do : bool
        Whether everything was as the last run left it.
    summary : mapping of str to number
        parcels, sites, remeasured, rejudged, changed, seconds.
    changes : mapping of str to int
        What happened to parcels, by kind; empty where there was no new delivery.
    changed : tuple of ChangedOutcome
        Outcomes that changed.
    folder : Path
        Where the files are.
    delivery : DeliveryRecord or None
        The delivery taken.
    notes : tuple of str
        What every reader must know.
    undetermined : int
        Obligations that stay open.
    written : tuple of Path
        The files written.
    """

    run: int
    nothing_to_do: bool
    summary: Mapping[str, Any]
    changes: Mapping[str, int]
    changed: tuple[ChangedOutcome, ...]
    folder: Path
    delivery: DeliveryRecord | None = None
    notes: tuple[str, ...] = ()
    undetermined: int = 0
    written: tuple[Path, ...] = field(default=(), compare=False)

    @classmethod
    def nothing(cls, last: RunRecord, seconds: float, folder: Path) -> NightOutcome:
        """Return the outcome of a night in which nothing was to do."""
        counts = {key: last.summary.get(key, 0) for key in ("parcels", "sites")}
        summary = {**counts, "remeasured": 0, "rejudged": 0, "changed": 0, "seconds": seconds}
        return cls(last.number, True, summary, {}, (), folder, undetermined=last.summary.get("undetermined", 0))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for machines."""
        return {
            **self.summary,
            "run": self.run,
            "nothing_to_do": self.nothing_to_do,
            "changes": dict(self.changes),
            "accepted": self.delivery.accepted if self.delivery is not None else "",
            "doubts": list(self.delivery.doubts) if self.delivery is not None else [],
            "determinations": [asdict(change) for change in self.changed[:1000]],
        }

    def mail(self) -> str:
        """Return a plain summary fit for a mail."""
        if self.nothing_to_do:
            return f"Nothing to do: everything is as run {self.run} left it.\n"
        one = self.summary
        lines = [f"{one['changed']:,} outcome{'s' * (one['changed'] != 1)} changed."]
        if self.run == 1:
            lines = ["The first update: what it found is what later ones compare with."]
        for change in self.changed[:_SHOWN]:
            lines.append(f"  {change.site_id}: {change.obligation.replace('_', ' ')} ({change.ordinance}): {_word(change.before)} → {_word(change.after)}")  # fmt: skip
            lines.append(f"    {change.because}")
        if len(self.changed) > _SHOWN:
            lines.append(f"  and {len(self.changed) - _SHOWN:,} more in changed_determinations.csv")
        lines.append("")
        if self.delivery is not None:
            told = ", ".join(f"{count:,} {word}" for word, count in sorted(self.changes.items()) if count)
            lines.append(f"Delivery of {self.delivery.day}: {self.delivery.records:,} records; {told} (changes.csv).")
            lines += [f"Accepted although: {doubt} Reason given: {self.delivery.accepted}" for doubt in self.delivery.doubts if self.delivery.accepted]  # fmt: skip
        else:
            lines.append("No new delivery of parcels.")
        lines.append(
            f"{one['parcels']:,} parcel records, {one['sites']:,} sites; {one['remeasured']:,} measured anew, {one['rejudged']:,} judged on other "
            f"grounds than before; {one['seconds']:,} seconds. Run {self.run}."
        )
        return "\n".join([*lines, f"Files: {self.folder}", ""])


def _word(outcome: str) -> str:
    return outcome.replace("_", " ") or "none"
