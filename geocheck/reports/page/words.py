"""How the report says things: outcomes, units, names and numbers in a planner's words."""

from __future__ import annotations

from functools import lru_cache

from geocheck.model.determination import ObligationOutcome
from geocheck.model.ordinance import same_label

__all__ = ["OUTCOME_WORDS", "REASON_WORDS", "UNIT_WORDS", "amount", "plain_name", "verdict"]

#: outcome -> words, sign (told apart without colour).
OUTCOME_WORDS: dict[str, tuple[str, str]] = {
    "required": ("Required", "■"),
    "undetermined": ("Undetermined", "?"),
    "waived": ("Waived", "◇"),
    "not_required": ("Not required", "○"),
}
UNIT_WORDS = {
    "ft2": "sq ft", "m2": "sq m", "yd3": "cu yd", "ft3": "cu ft", "m3": "cu m", "ft": "ft", "m": "m", "acre": "acre", "ha": "ha",
    "mi": "mi", "km": "km", "%": "%", "each": "",
}  # fmt: skip
#: Why something is not known, in words.
REASON_WORDS = {
    "missing": "nobody has said or measured it",
    "within tolerance": "too near to the threshold for how sure the number is; a more accurate outline, or more room to the threshold, would settle it",
    "outside coverage": "a layer it needs is absent or does not cover the ground",
    "failed": "measuring it failed",
    "needs a decision": "the text can be read in more than one way and the office has not chosen",
    "not modelled": "what the clause asks is not modelled",
    "not loaded": "the ordinance that it refers to is not loaded",
    "undefined": "it is undefined here, as when the whole of a percentage is nothing",
}


def plain_name(name: str) -> str:
    """Return a fact's or obligation's name as words.

    Examples
    --------
    >>> plain_name("disturbed_area_in_zones")
    'disturbed area in zones'
    """
    return name.replace("_", " ")


def amount(value: float | None, unit: str, near: float | None = None) -> str:
    """Return a number with its unit as a reader reads it; unknown is said to be unknown.

    Parameters
    ----------
    value : float or None
        The number.
    unit : str
        Its unit.
    near : float, optional
        A threshold: so many decimals are written that a number that is not the threshold does not look like it.

    Examples
    --------
    >>> amount(3999.69, "ft2"), amount(12.5, "%"), amount(None, "ft2")
    ('3,999.69 sq ft', '12.5 %', 'not known')
    >>> amount(0.999923, "acre"), amount(0.999923, "acre", near=1.0)
    ('1 acre', '0.9999 acre')
    """
    return "not known" if value is None or value != value else _amount(value, unit, near)


@lru_cache(maxsize=100_000)
def _amount(value: float, unit: str, near: float | None) -> str:
    """The same of what is known; the sites of a run have many numbers in common."""
    words = UNIT_WORDS.get(unit, unit)
    decimals = 3 if unit == "acre" else 2
    if near is not None and abs(near) * 1e-6 < abs(value - near) <= 10.0**-decimals:
        while decimals < 9 and round(value, decimals) == round(near, decimals):
            decimals += 1
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{'0' if text == '-0' else text} {words}".rstrip()


def verdict(outcome: ObligationOutcome) -> str:
    """Return one sentence or more on why an obligation has its outcome."""
    waiver = outcome.waiver
    decided = ", ".join(
        label for label in outcome.because if waiver is None or same_label(label) != same_label(waiver.ground)
    )
    said: list[str] = []
    if outcome.outcome == "required":
        said.append(f"Decided by {decided}" if decided else "")
    elif outcome.outcome == "waived" and waiver is not None:
        document = f", {waiver.document}" if waiver.document else ""
        said += [f"Waived by {waiver.by} on {waiver.on} under {waiver.ground}{document}", waiver.note]
        said.append(f"It would be required by {decided}" if decided else "")
    elif outcome.outcome == "not_required":
        said.append(
            f"Freed by {decided}" if outcome.instead else f"Decided by {decided}" if decided else "No trigger applies"
        )
    else:
        said.append("A number is too near to its threshold for how sure it is" if outcome.borderline else "")
        if outcome.best_estimate != "undetermined":
            said.append(f"The best values alone would say: {OUTCOME_WORDS[outcome.best_estimate][0].lower()}")
    said.append(f"Instead: {'; '.join(outcome.instead)}" if outcome.instead else "")
    said.append(outcome.note.removeprefix(waiver.note).strip() if waiver is not None else outcome.note)
    return " ".join(f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in dict.fromkeys(said) if part)
