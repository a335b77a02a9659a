"""One clause of an ordinance: its label, what it says, when it holds and what it does, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from geocheck.model.condition import Children, Condition
from geocheck.model.problem import Place

if TYPE_CHECKING:
    from geocheck.model.ordinance import Ordinance

__all__ = ["EVERYTHING", "Clause", "Incorporation", "Reading", "same_label"]

#: What ``lifts``, ``limits`` and ``waives`` say for every obligation of the ordinance.
EVERYTHING = "all"


def same_label(label: str) -> str:
    """Return a clause label as it is compared: without blanks, without the full stop that may end it.

    Examples
    --------
    >>> same_label("(3)(b) 2.")
    '(3)(b)2'
    """
    return "".join(label.split()).rstrip(".").lower()


@dataclass(frozen=True, slots=True)
class Reading:
    """How an ambiguous text is read, by whom, since when; with a setting where offices differ."""

    says: str
    by: str = ""
    since: str = ""
    setting: str = ""
    place: Place = field(default=Place(), compare=False, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return the reading as plain values."""
        return {"says": self.says, "by": self.by, "since": self.since, "setting": self.setting}


@dataclass(frozen=True, slots=True)
class Incorporation:
    """Another ordinance that a clause takes in by reference: the clause holds where that one requires something.

    Parameters
    ----------
    ordinance : str
        Identifier of the other ordinance.
    obligation : str
        Which of its obligations counts; empty for any.
    loaded : Ordinance or None
        The other ordinance; None where it is not loaded, which makes the clause unknown.
    """

    ordinance: str
    obligation: str = ""
    loaded: Ordinance | None = field(default=None, repr=False)
    place: Place = field(default=Place(), compare=False, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return the reference as plain values."""
        return {"ordinance": self.ordinance, "obligation": self.obligation, "loaded": self.loaded is not None}


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, as labelled in the text, in our own words.

    Parameters
    ----------
    at, label : str
        Its own label, such as ``(b)``, and the full one, such as ``(3)(b)``.
    says : str
        What it says, in our words.
    when, unless : Condition or None
        It applies when this holds, unless that holds.
    imposes : tuple of str
        Obligations that it brings about.
    lifts : tuple of str
        Obligations, or labels of clauses, that it takes away; ``all`` for everything.
    limits : tuple of str
        The same, taken away where the clause does *not* hold: a limit on reach.
    reaches : tuple of str
        Labels: what it and the clauses below it lift is lifted only as far as imposed by these; empty for no limit.
    waives : tuple of str
        Obligations that may be waived on a finding in a clause below; ``all`` for any.
    still_binds : tuple of (obligation, what)
        What a waiver of an obligation leaves standing.
    instead : str
        Law that takes over where the clause exempts.
    incorporates : Incorporation or None
        Another ordinance taken in by reference.
    carried_by : tuple of str
        Labels of clauses that carry this one's meaning, for a rule on how others are read.
    not_modelled : str
        Why it is not modelled; empty where it is.
    reading : Reading or None
        How an ambiguity is read.
    under : tuple of (setting, choice, Clause)
        The clause as it stands under each choice of a setting.
    clauses : tuple of Clause
        The clauses below, in order.
    """

    at: str
    label: str
    says: str = ""
    when: Condition | None = None
    unless: Condition | None = None
    imposes: tuple[str, ...] = ()
    lifts: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    reaches: tuple[str, ...] = ()
    waives: tuple[str, ...] = ()
    still_binds: tuple[tuple[str, str], ...] = ()
    instead: str = ""
    incorporates: Incorporation | None = None
    carried_by: tuple[str, ...] = ()
    not_modelled: str = ""
    reading: Reading | None = None
    under: tuple[tuple[str, str, Clause], ...] = ()
    clauses: tuple[Clause, ...] = ()
    place: Place = field(default=Place(), compare=False, repr=False)
    places: tuple[tuple[str, Place], ...] = field(default=(), compare=False, repr=False)

    def place_of(self, key: str, nth: int = 0) -> Place:
        """Return where one of its keys is written, or the nth item of a list; the clause's own place where neither is."""
        found = [place for name, place in self.places if name == key]
        return found[nth] if nth < len(found) else self.place

    def walk(self) -> Iterator[Clause]:
        """Yield the clause and all below it, in order."""
        yield self
        for clause in self.clauses:
            yield from clause.walk()

    def forms(self) -> tuple[Clause, ...]:
        """Return the forms in which it may stand: one for each choice of its setting, else itself."""
        return tuple(form for _, _, form in self.under) or (self,)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Its own conditions, under every choice."""
        return tuple(dict.fromkeys(c for form in self.forms() for c in (form.when, form.unless) if c is not None))

    @property
    def is_group(self) -> bool:
        """Whether it stands for the clauses below it: ``when: any``, ``when: all``, or no condition of its own."""
        if not self.clauses:
            return False
        return self.when is None or isinstance(self.when.node, Children)

    def to_dict(self) -> dict[str, object]:
        """Return the clause and those below it as plain values, without what is empty."""
        plain: dict[str, object] = {
            "label": self.label, "says": self.says,
            "when": self.when.text if self.when else "", "unless": self.unless.text if self.unless else "",
            "imposes": list(self.imposes), "lifts": list(self.lifts), "limits": list(self.limits), "reaches": list(self.reaches),
            "waives": list(self.waives), "still_binds": dict(self.still_binds), "instead": self.instead,
            "incorporates": self.incorporates.to_dict() if self.incorporates else None, "carried_by": list(self.carried_by),
            "not_modelled": self.not_modelled, "reading": self.reading.to_dict() if self.reading else None,
            "under": {choice: form.to_dict() for _, choice, form in self.under},
            "clauses": [clause.to_dict() for clause in self.clauses],
        }  # fmt: skip
        return {key: value for key, value in plain.items() if value or key == "label"}
