"""A case about a clause, fact, obligation or setting that the ordinance does not have."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.determination import OUTCOMES
from geocheck.model.ordinance import Case, Ordinance, same_label
from geocheck.model.problem import Problem, UnitError
from geocheck.rules.cases import BESIDE_TRUTHS
from geocheck.rules.checks import Check
from geocheck.rules.given import declared_in, fact_given
from geocheck.rules.units import nearest_name

_TRUTHS = ("yes", "no", "unknown", "true", "false")


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    for case in ordinance.cases:
        if same_label(case.at) not in ordinance.by_label:
            remedy = nearest_name(case.at, [c.label for c in ordinance.every_clause])
            yield Problem(
                "unknown-in-case", f"there is no clause {case.at!r}", case.place, remedy or "Give its full label."
            )
        yield from _facts(ordinance, case)
        yield from _expectations(ordinance, case)
        for name, choice in case.settings:
            setting = ordinance.setting(name)
            if setting is None or choice not in setting.choices:
                known = [s.name for s in ordinance.settings] if setting is None else list(setting.choices)
                message = f"{name}: {choice} is no setting and choice of this ordinance"
                yield Problem(
                    "unknown-in-case", message, case.place_of(f"settings.{name}"), f"There are: {', '.join(known)}."
                )


def _facts(ordinance: Ordinance, case: Case) -> Iterator[Problem]:
    declared = declared_in(ordinance)
    for name, value in case.facts:
        place = case.place_of(f"facts.{name}")
        if name not in declared:
            yield Problem("unknown-in-case", f"there is no fact {name!r}", place, nearest_name(name, list(declared)))
            continue
        try:
            fact_given(declared[name], value)
        except UnitError as error:
            yield Problem("unknown-in-case", str(error), place)


def _expectations(ordinance: Ordinance, case: Case) -> Iterator[Problem]:
    obligations = [o.name for o in ordinance.obligations]
    for what, expected in case.expect:
        place = case.place_of(f"expect.{what}")
        if what in BESIDE_TRUTHS and what not in obligations:
            continue
        if what in obligations:
            words: tuple[str, ...] = OUTCOMES
        elif same_label(what) in ordinance.by_label:
            words = _TRUTHS
        else:
            remedy = nearest_name(what, [*obligations, *BESIDE_TRUTHS, *(c.label for c in ordinance.every_clause)])
            yield Problem("unknown-in-case", f"there is no clause or obligation {what!r}", place, remedy)
            continue
        if expected not in words:
            remedy = nearest_name(expected, words) or f"Words: {', '.join(words)}."
            yield Problem("unknown-in-case", f"{what} is never {expected!r}", place, remedy)


CHECK = Check(
    "unknown-in-case",
    "A case names a clause, fact, obligation, outcome, setting or choice that the ordinance does not have.",
    _look,
)
