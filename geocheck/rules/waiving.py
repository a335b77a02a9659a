"""Waivers on file, held against the ordinance that grants them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from geocheck.model.determination import Waiver
from geocheck.model.ordinance import EVERYTHING, Ordinance, same_label
from geocheck.model.problem import LedgerError

__all__ = ["waivers_on_file"]


def waivers_on_file(ordinance: Ordinance, waivers: Iterable[Waiver]) -> dict[str, Waiver]:
    """Return the waivers by obligation, the latest of each; refuse those that do not fit the ordinance."""
    found: dict[str, Waiver] = {}
    known = [o.name for o in ordinance.obligations]
    for waiver in sorted(waivers, key=lambda w: w.on):
        if waiver.obligation not in known:
            raise LedgerError(_misfit(waiver.obligation, "no obligation", ordinance, known))
        scope = {
            same_label(c.label)
            for top in ordinance.every_clause
            if waiver.obligation in top.waives or EVERYTHING in top.waives
            for c in top.walk()
        }
        grounds = [label for label in ordinance.waiver_grounds if same_label(label) in scope]
        if same_label(waiver.ground) not in map(same_label, grounds):
            raise LedgerError(
                _misfit(waiver.ground, f"no ground on which {waiver.obligation} is waived", ordinance, grounds)
            )
        found[waiver.obligation] = waiver
    return found


def _misfit(word: str, what: str, ordinance: Ordinance, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    return f"waiver: {word!r} is {what} in {ordinance.cite}. {hint}There are: {', '.join(known) or 'none'}."
