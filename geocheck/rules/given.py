"""Facts as a person gives them, by name: a quantity as text, yes or no, or unknown; never a bare number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from geocheck.model.facts import Fact, yes_or_no
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Place, Problem, RuleFileError, UnitError
from geocheck.model.quantity import Interval, Quantity, parse_quantity
from geocheck.model.vocabulary import EXTENTS, VOCABULARY, FactDeclaration
from geocheck.rules.tracing import ONE_SITE
from geocheck.rules.units import nearest_name

__all__ = ["declared_in", "fact_given", "facts_given", "with_implied"]

_UNKNOWN_WORDS = frozenset({"", "?", "unknown"})
_BARE = re.compile(r"[-+]?[\d_,]*\.?\d+")


def declared_in(ordinance: Ordinance) -> dict[str, FactDeclaration]:
    """Return all facts that may be given for an ordinance: the vocabulary, its own, and those it takes in."""
    return {**VOCABULARY, **{d.name: d for d in ordinance.needs()}, **ordinance.facts}


def facts_given(facts: Mapping[str, object], ordinance: Ordinance) -> dict[str, Fact]:
    """Read facts by name, and complete what one site in one phase leaves unsaid.

    A fact over the common plan (``…_of_plan``) or over all phases (``…_of_all_phases``) that is not given is taken from
    the site's own fact, so long as no fact of that extent is given at all: then there is one site, one phase. The trace
    says so. As soon as one fact of an extent is given, even as unknown, the others of that extent are unknown.

    Parameters
    ----------
    facts : mapping of str to object
        Text such as ``"4_010 ± 25 ft2"``, bool, None for unknown, a Quantity, an Interval or a Fact. A count may be an int.
    ordinance : Ordinance
        Whose facts they are.

    Raises
    ------
    RuleFileError
        If the ordinance knows no fact of a name.
    UnitError
        If a value is not of the kind and dimension of its fact.
    """
    declared = declared_in(ordinance)
    found: dict[str, Fact] = {}
    unknown_names: list[Problem] = []
    misfits: list[Problem] = []
    for name, value in facts.items():
        if name not in declared:
            remedy = nearest_name(name, list(declared)) or f"Facts asked for: {', '.join(ordinance.facts_used)}."
            message = f"{name!r} is no fact that {ordinance.cite or ordinance.id} knows"
            unknown_names.append(Problem("unknown-fact", message, Place(), remedy))
            continue
        try:
            found[name] = fact_given(declared[name], value)
        except UnitError as error:
            misfits.append(Problem("wrong-fact", str(error)))
    if unknown_names:
        raise RuleFileError.of(*unknown_names, *misfits)
    if misfits:
        raise UnitError.of(*misfits)
    return with_implied(_one_site(found, ordinance))


def fact_given(declared: FactDeclaration, value: Any) -> Fact:
    """Read one fact.

    Raises
    ------
    UnitError
        If the value is not of the fact's kind and dimension.

    Examples
    --------
    >>> fact_given(VOCABULARY["disturbed_area"], "4_010 ± 25 ft2").high
    Quantity(4035, 'ft2')
    >>> fact_given(VOCABULARY["grows_crops"], None).status
    'missing'
    """
    name = declared.name
    if isinstance(value, Fact):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, str) and value.strip().lower() in _UNKNOWN_WORDS:
        value = None
    if value is None:
        # Said to be unknown is not the same as left out: an act that may or may not be on file is unknown too.
        return Fact(name, "stated" if declared.kind == "decided" else declared.kind, None)
    if not declared.unit:
        return Fact(name, declared.kind, _truth(name, value), source="given")
    interval = _interval(declared, value)
    wanted = Quantity(Fraction(0), declared.unit)
    if not interval.value.comparable(wanted):
        raise UnitError(
            f"{name} is {_a(wanted.dimension)} in {declared.unit}; {interval.value} is {_a(interval.value.dimension)}"
        )
    if interval.value.value < 0 and not declared.signed:
        raise UnitError(f"{name} cannot be below zero; {interval.value} was given")
    return Fact(name, declared.kind, interval.value, interval.low, interval.high, source="given")


def _truth(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            read = yes_or_no(value)
        except ValueError:
            read = None
        if read is not None:
            return read
    raise UnitError(f"{name} is yes or no; {str(value)!r} was given")


def _interval(declared: FactDeclaration, value: Any) -> Interval:
    if isinstance(value, Interval):
        return value
    if isinstance(value, Quantity):
        return Interval(value, value, value)
    if isinstance(value, str):
        try:
            return parse_quantity(value)
        except UnitError as error:
            if _BARE.fullmatch(value.strip()):
                raise UnitError(
                    f"{declared.name}: {value.strip()} has no unit; write {value.strip()} {declared.unit}"
                ) from None
            raise UnitError(f"{declared.name}: {error}") from None
    if isinstance(value, int) and not isinstance(value, bool) and declared.unit == "each":
        count = Quantity(Fraction(value), "each")
        return Interval(count, count, count)
    if isinstance(value, bool):
        raise UnitError(f"{declared.name} is a number in {declared.unit}; yes or no was given")
    raise UnitError(f'{declared.name}: {value!r} has no unit; write it as text, such as "{value} {declared.unit}"')


def _a(dimension: str) -> str:
    return f"{'an' if dimension[0] in 'aeiou' else 'a'} {dimension}"


def _one_site(facts: dict[str, Fact], ordinance: Ordinance) -> dict[str, Fact]:
    found = dict(facts)
    for suffix, words in EXTENTS.items():
        if any(name.endswith(suffix) for name in facts):
            continue
        for name in ordinance.facts_used:
            own = facts.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
            if own is not None:
                note = f"{name} taken from {own.name}: nothing was given {words}"
                found[name] = Fact(name, own.kind, own.value, own.low, own.high, own.status, ONE_SITE, note)
    return found


def with_implied(facts: Mapping[str, Fact], *, no_layer: bool = False) -> dict[str, Fact]:
    """Return the facts with what they imply: where no road is built, no foot of new road is built.

    Only a length that nobody measured or gave is filled in; one given as unknown, or that could not be measured, stays.

    Parameters
    ----------
    facts : mapping of str to Fact
        By name.
    no_layer : bool
        Whether a measured length that is merely missing stands for a layer that was not delivered, as in a run without
        roads; then it is filled in too. What failed or lies outside coverage never is.

    Examples
    --------
    >>> with_implied({"builds_road": Fact("builds_road", "stated", False)})["new_road_length"].value
    Quantity(0, 'ft')
    """
    found = dict(facts)
    road, length = facts.get("builds_road"), facts.get("new_road_length")
    undelivered = no_layer and length is not None and length.value is None and length.status == "missing"
    if road is not None and road.value is False and (length is None or undelivered):
        none = Quantity(Fraction(0), "ft")
        found["new_road_length"] = Fact("new_road_length", "stated", none, source="builds_road is no")
    return found
