"""The public way to judge facts by an ordinance, law alone; and the questions that a determination leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from geocheck.model.determination import Determination, Question, Waiver
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance, same_label
from geocheck.model.problem import LedgerError
from geocheck.rules.choices import check_settings
from geocheck.rules.given import facts_given
from geocheck.rules.judge import judge_site
from geocheck.rules.read import load_ordinance
from geocheck.rules.relevance import ASKED, decisive

__all__ = ["judge", "questions", "waiver_given"]

_WAIVER_KEYS = ("obligation", "by", "on", "ground", "document", "note")


def judge(
    facts: Mapping[str, object],
    ordinance: str | Ordinance | Path,
    *,
    waivers: Iterable[Waiver | Mapping[str, object]] = (),
    settings: Mapping[str, str] | None = None,
    site_id: str = "",
    as_of: date | None = None,
    folder: str | Path | None = None,
) -> Determination:
    """Judge facts by an ordinance: law alone, no ground.

    Parameters
    ----------
    facts : mapping of str to object
        By name: a quantity as text (``"4_000 ft2"``, ``"4_010 ± 25 ft2"``), a bool, or None for unknown. A measured or
        stated fact left out is unknown; a decided one left out reads as no, and its clause is *reserved*. Where no fact
        over the common plan, or none over all phases, is given, there is one site, one phase: the site's own facts
        stand for them, and the trace says so. Where ``builds_road`` is no and ``new_road_length`` is left out, it is 0.
    ordinance : str, Ordinance or Path
        An identifier, an ordinance, or the path of a ``.yaml`` file.
    waivers : iterable of Waiver or mapping
        ``{"obligation": "permit", "by": …, "on": "2026-10-01", "ground": "(4)(a)1"}``, also ``document`` and ``note``.
    settings : mapping of str to str
        Choices of readings, such as ``{"within_zone": "wholly"}``.
    site_id : str
        A name for the site.
    as_of : date or None
        The day whose version of the ordinance counts, by identifier; None takes the newest.
    folder : path or None
        An office's own ordinances.

    Returns
    -------
    Determination

    Raises
    ------
    RuleFileError
        For an ordinance with errors or that is not there, a fact or setting that it does not know.
    UnitError
        For a value that is not of its fact's kind and dimension.
    LedgerError
        For a waiver of an obligation, or on a ground, that the ordinance does not have.

    Examples
    --------
    >>> d = judge({"disturbed_area": "4_100 ± 25 ft2", "grows_crops": True}, "us/wi/washington-county-village/87-5")
    >>> d.outcomes["erosion_control"], d.because
    ('not_required', ('(1)(a)', '(3)(a)1.'))
    >>> judge({"disturbed_area": None}, "us/wi/washington-county-village/87-5").outcomes["permit"]
    'undetermined'
    """
    loaded = ordinance if isinstance(ordinance, Ordinance) else load_ordinance(ordinance, as_of, folder=folder)
    own = check_settings(loaded, settings or {})
    on_file = [waiver if isinstance(waiver, Waiver) else waiver_given(waiver) for waiver in waivers]
    return judge_site(loaded, facts_given(facts, loaded), waivers=on_file, settings=own, site_id=site_id)


def waiver_given(waiver: Mapping[str, object]) -> Waiver:
    """Read a waiver from its parts.

    Raises
    ------
    LedgerError
        If one of obligation, by, on and ground is missing, a key is unknown, or the day is no day.
    """
    unknown = [key for key in waiver if key not in _WAIVER_KEYS]
    missing = [key for key in _WAIVER_KEYS[:4] if not str(waiver.get(key) or "").strip()]
    if unknown or missing:
        wrong = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has no key {', '.join(unknown)}"] * bool(unknown)
        raise LedgerError(f"a waiver {' and '.join(wrong)}; its keys are {', '.join(_WAIVER_KEYS)}")
    parts = {key: str(value) for key, value in waiver.items()}
    try:
        date.fromisoformat(parts["on"])
    except ValueError:
        raise LedgerError(f"the day of a waiver is written YYYY-MM-DD, not {parts['on']!r}") from None
    return Waiver(**parts)


def questions(
    determination: Determination, ordinance: Ordinance, facts: Mapping[str, Fact] | None = None,
    settings: Mapping[str, str] | None = None,
) -> tuple[Question, ...]:  # fmt: skip
    """Return the missing facts that could still change something, most decisive first.

    Parameters
    ----------
    determination : Determination
        What was judged.
    ordinance : Ordinance
        By which it was judged.
    facts, settings : mapping, or None
        What it was judged from; without facts, what keeps an answer open is asked for though it could not change it, such
        as a second trigger of what the first one imposes.

    Returns
    -------
    tuple of Question
        Measured and stated facts that are missing, failed or outside coverage. What an official may still decide is not
        asked here: it stands under ``reserved``.
    """
    declared = {d.name: d for d in ordinance.needs()}
    decides: dict[str, list[str]] = {}
    weight: dict[str, float] = {}
    open_ones = [outcome for outcome in determination.obligations if outcome.outcome == "undetermined"]
    matter = None
    if facts is not None and open_ones:
        grounds = {same_label(o.waiver.ground) for o in determination.obligations if o.waiver is not None}
        matter = decisive(ordinance, facts, settings=settings, grounds=frozenset(grounds))
    for outcome in open_ones:
        idle = (
            set()
            if matter is None
            else {gap.fact for gap in outcome.gaps if gap.reason in ASKED} - matter[outcome.obligation]
        )
        open_facts = {gap.fact for gap in outcome.gaps} - idle
        for gap in outcome.gaps:
            if gap.fact in declared and gap.fact in open_facts and gap.reason in ASKED:
                decides.setdefault(gap.fact, []).append(f"{ordinance.id}: {outcome.obligation}")
                # The fewer facts keep an answer open, the more each of them decides.
                weight[gap.fact] = weight.get(gap.fact, 0.0) + 1 / len(open_facts)
    order = {name: n for n, name in enumerate(declared)}
    names = sorted(decides, key=lambda name: (-round(weight[name], 9), order[name]))
    return tuple(
        Question(
            determination.site_id, name, declared[name].kind, declared[name].asks, tuple(dict.fromkeys(decides[name]))
        )
        for name in names
    )
