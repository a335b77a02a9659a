"""Fact sheets and determinations as the ledger keeps them, and what changed from one night to the next, and why."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from geocheck.model.acts import Act
from geocheck.model.determination import Determination
from geocheck.model.facts import FactColumn, FactSheet
from geocheck.model.findings import Findings
from geocheck.model.history import ChangedOutcome, KeptDetermination

__all__ = ["changed_outcomes", "kept", "sheets_of", "told"]

#: Digits that a fact keeps in the ledger; what differs beyond them is the arithmetic's and changes nothing.
_DIGITS = 12
_NEW_SITE, _GONE_SITE = "the site is new", "the site is no longer in the disturbance layer"
_NEW_LAW, _GONE_LAW = "the ordinance is new to the project", "the ordinance is no longer in the project"


def sheets_of(findings: Findings, acts: Sequence[Act]) -> dict[tuple[str, str], str]:
    """Return the sheet of each subject: its facts, the acts about it, and the law it is judged by, as JSON."""
    law = {name: ordinance.fingerprint for name, ordinance in findings.ordinances.items()}
    common = {"law": law, "settings": dict(findings.settings)}
    by_site: dict[str, list[str]] = {}
    for act in acts:
        by_site.setdefault(act.site_id, []).append(str(act))
    found = {}
    for subject, identifier, facts in _rows(findings.facts):
        sheet: dict[str, Any] = {"facts": facts}
        if subject == "site":
            sheet |= {"acts": by_site.get(identifier, []), **common}
        found[subject, identifier] = json.dumps(sheet, ensure_ascii=False)
    return found


def _rows(sheet: FactSheet) -> Iterator[tuple[str, str, dict[str, list[Any]]]]:
    for table in sheet.tables:
        names = list(table.columns)
        cells = [_cells(column, len(table)) for column in table.columns.values()]
        for row, identifier in enumerate(table.ids):
            yield table.subject, identifier, {name: column[row] for name, column in zip(names, cells, strict=True)}


def _cells(column: FactColumn, count: int) -> list[list[Any]]:
    """Return value, low, high, unit, status and note of each subject."""

    def number(values: Any) -> list[Any]:
        if values is None:
            return [None] * count
        return [
            v if v is None or isinstance(v, bool) else None if v != v else float(f"{float(v):.{_DIGITS}g}")
            for v in values
        ]

    def words(values: Any) -> list[str]:
        return [values] * count if isinstance(values, str) else list(values)

    values = number(column.values)
    lows, highs = (values if ends is None else number(ends) for ends in (column.lows, column.highs))
    statuses, notes = words(column.statuses), words(column.notes)
    return [
        [v, lo, hi, column.unit, s, n] for v, lo, hi, s, n in zip(values, lows, highs, statuses, notes, strict=True)
    ]


def kept(determination: Determination) -> KeptDetermination:
    """Return a determination as the ledger keeps it: whole, with its trace and receipt."""
    text = json.dumps(determination.to_dict(), ensure_ascii=False, default=str)
    return KeptDetermination(
        determination.site_id, determination.ordinance, dict(determination.outcomes), zlib.compress(text.encode(), 1)
    )


def told(record: KeptDetermination) -> dict[str, Any]:
    """Return a kept determination as plain values: outcomes, trace, receipt."""
    found: dict[str, Any] = json.loads(zlib.decompress(record.told)) if record.told else {}
    return found


def changed_outcomes(
    before: Mapping[tuple[str, str], KeptDetermination], findings: Findings, old: Mapping[tuple[str, str], str],
    new: Mapping[tuple[str, str], str],
) -> list[ChangedOutcome]:  # fmt: skip
    """Return every obligation whose outcome differs from before, and because of what.

    Parameters
    ----------
    before : mapping of (site, ordinance) to KeptDetermination
        As the last run left them.
    old, new : mapping of (sort, identifier) to str
        Sheets then and now.
    """
    found = []
    now = {(d.site_id, d.ordinance): d for d in findings.determinations}
    judged_before, laws_before = {site for site, _ in before}, {law for _, law in before}
    sites_now = {site for site, _ in now}
    for key, determination in now.items():
        site, law = key
        held = before.get(key)
        was = held.outcomes if held is not None else {}
        differing = [o for o in determination.obligations if was.get(o.obligation, "") != o.outcome]
        gone = [name for name in was if name not in determination.outcomes]
        if not differing and not gone:
            continue
        reason = (
            _NEW_SITE if site not in judged_before else _NEW_LAW if held is None and law not in laws_before
            else _differences(site, law, findings, old.get(("site", site), ""), new.get(("site", site), ""))
        )  # fmt: skip
        for outcome in differing:
            clauses = f"now by {', '.join(outcome.because)}" if outcome.because else ""
            because = "; ".join(filter(None, (reason, clauses)))
            found.append(
                ChangedOutcome(site, law, outcome.obligation, was.get(outcome.obligation, ""), outcome.outcome, because)
            )
        found += [ChangedOutcome(site, law, name, was[name], "", reason) for name in gone]
    for key, held in before.items():
        if key not in now:
            reason = _GONE_SITE if key[0] not in sites_now else _GONE_LAW
            found += [ChangedOutcome(*key, name, outcome, "", reason) for name, outcome in held.outcomes.items()]
    return found


def _differences(site: str, law: str, findings: Findings, old: str, new: str) -> str:
    """Return in words which facts, acts and law of a site differ."""
    then, now = (json.loads(text) if text else {} for text in (old, new))
    words = []
    used = set(findings.ordinances[law].facts_used)
    for name, cell in now.get("facts", {}).items():
        past = then.get("facts", {}).get(name)
        if name in used and past != cell:
            words.append(f"{name} {_say(past)} → {_say(cell)}")
    acts = [*then.get("acts", []), *now.get("acts", [])]
    for act in dict.fromkeys(acts):
        if act not in now.get("acts", []):
            words.append(f"no longer in force: {act}")
        elif act not in then.get("acts", []):
            words.append(f"in force: {act}")
    if then.get("law", {}).get(law) not in (None, now.get("law", {}).get(law)):
        words.append("the ordinance changed")
    if then.get("settings") not in (None, now.get("settings")):
        words.append("a setting of the project changed")
    return "; ".join(words) or "geocheck judges otherwise than before"


def _say(cell: Sequence[Any] | None) -> str:
    if cell is None:
        return "not asked"
    value, low, high, unit, status, _ = cell
    if value is None:
        # What is not a number may still be known to lie above or below something.
        ends = [f"{word} {end:,.6g}" for word, end in (("at least", low), ("at most", high)) if end is not None]
        return f"{' and '.join(ends)} {unit}" if ends else str(status)
    if isinstance(value, bool):
        return "yes" if value else "no"
    width = "" if low == high else f" ({low:,.6g} to {high:,.6g})"
    return f"{value:,.6g}{width} {unit}"
