"""Settings and their choices: which readings are open, and what all of them agree on."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.model.truth import Gap, Truth

__all__ = ["MOST_COMBINATIONS", "Choices", "check_settings", "choices_under", "merged"]

#: A choice of each open setting, by its name.
Choices = tuple[tuple[str, str], ...]

#: More combinations of unset settings than this are refused: an office sets some.
MOST_COMBINATIONS = 256


def check_settings(ordinance: Ordinance, settings: Mapping[str, str], *, strict: bool = True) -> dict[str, str]:
    """Return the settings that are this ordinance's own, after a look at their names and choices.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    settings : mapping of str to str
        Choices by setting.
    strict : bool
        Whether a setting that the ordinance does not have is an error; a project's settings may be another ordinance's.

    Raises
    ------
    RuleFileError
        If there is no such setting or choice; the message lists those there are.
    """
    own = {setting.name: setting for setting in ordinance.settings}
    problems = []
    for name, choice in settings.items():
        if name not in own:
            if strict:
                near = get_close_matches(name, own, 1)
                remedy = f"Did you mean {near[0]}?" if near else f"Its settings: {', '.join(own) or 'none'}."
                message = f"{ordinance.cite} has no setting {name!r}"
                problems.append(Problem("unknown-setting", message, Place(), remedy))
        elif choice not in own[name].choices:
            message = f"{choice!r} is no choice of the setting {name}"
            problems.append(Problem("unknown-setting", message, Place(), f"Choices: {', '.join(own[name].names)}."))
    if problems:
        raise RuleFileError.of(*problems)
    return {name: choice for name, choice in settings.items() if name in own}


def choices_under(ordinance: Ordinance, settings: Mapping[str, str]) -> list[Choices]:
    """Return every combination of choices that the settings leave open.

    Raises
    ------
    RuleFileError
        If there are too many to judge under each.
    """
    used = {name for clause in ordinance.every_clause for name, _, _ in clause.under}
    each = [
        [(s.name, settings[s.name])] if s.name in settings else [(s.name, choice) for choice in s.names]
        for s in ordinance.settings
        if s.name in used
    ]
    count = 1
    for choices in each:
        count *= len(choices)
    if count > MOST_COMBINATIONS:
        open_ones = ", ".join(choices[0][0] for choices in each if len(choices) > 1)
        raise RuleFileError(f"{ordinance.cite}: {count} combinations of choices are open; set some of {open_ones}")
    return [tuple(choices) for choices in itertools.product(*each)]


def merged(truths: Sequence[Truth], choices: Sequence[Choices]) -> Truth:
    """Return the truth on which every choice agrees, else the unknown that needs a decision.

    Parameters
    ----------
    truths : sequence of Truth
        One for each of ``choices``.
    choices : sequence of tuple of (setting, choice)
        The combinations.
    """
    first = truths[0]
    if len(truths) == 1:
        return first
    if all(truth.known == first.known for truth in truths) and first.known is not None:
        return first
    gaps = frozenset[Gap]().union(*(truth.gaps for truth in truths))
    by_choice = dict(zip(choices, (truth.known for truth in truths), strict=True))
    for position, (name, _) in enumerate(choices[0]):
        others: dict[Choices, dict[str, bool | None]] = {}
        for choice, known in by_choice.items():
            rest = choice[:position] + choice[position + 1 :]
            others.setdefault(rest, {})[choice[position][1]] = known
        if any(len(set(seen.values())) > 1 for seen in others.values()):
            ways = " or ".join(dict.fromkeys(choice[position][1] for choice in choices))
            gaps |= {Gap(name, "needs a decision", f"read as {ways}, the answer differs")}
    return Truth(None, gaps)
