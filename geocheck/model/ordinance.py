"""An ordinance as a tree of its own clauses, with what it can require, its readings, its settings and its cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from geocheck.model.clause import EVERYTHING, Clause, Incorporation, Reading, same_label
from geocheck.model.condition import Condition, Number, names_in, walk
from geocheck.model.problem import Place
from geocheck.model.quantity import UNITS
from geocheck.model.vocabulary import FactDeclaration, declaration_of

__all__ = [
    "EVERYTHING", "Case", "Clause", "Incorporation", "Obligation", "Ordinance", "Reading", "Setting", "Term", "same_label",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Obligation:
    """Something that the ordinance can require, and the section that holds it."""

    name: str
    section: str
    says: str = ""
    place: Place = field(default=Place(), compare=False, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return the obligation as plain values."""
        return {"name": self.name, "section": self.section, "says": self.says}


@dataclass(frozen=True, slots=True)
class Setting:
    """A question that the text leaves open and an office decides: its choices, each in words.

    Not set means judged under every choice: where all agree that is the answer, else *needs a decision*.
    """

    name: str
    asks: str
    choices: Mapping[str, str]
    cite: str = ""
    place: Place = field(default=Place(), compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the choices."""
        return tuple(self.choices)

    def to_dict(self) -> dict[str, object]:
        """Return the setting as plain values."""
        return {"name": self.name, "asks": self.asks, "choices": dict(self.choices), "cite": self.cite}


@dataclass(frozen=True, slots=True)
class Term:
    """A definition of the ordinance's own: a name, an expression and where the text gives it."""

    name: str
    expression: Condition
    cite: str = ""
    says: str = ""
    place: Place = field(default=Place(), compare=False, repr=False)

    def to_dict(self) -> dict[str, object]:
        """Return the term as plain values."""
        return {"name": self.name, "expression": self.expression.text, "cite": self.cite, "says": self.says}


@dataclass(frozen=True, slots=True)
class Case:
    """Facts and what must come of them: a test that an attorney can read.

    Parameters
    ----------
    at : str
        Label of the clause that it is about.
    shows : str
        What it shows, in words.
    facts, settings : tuple of (name, text)
        As written in the file.
    waivers : tuple of mapping
        Waivers on file.
    expect : tuple of (label or obligation, word)
        A clause's truth (yes, no, unknown) or an obligation's outcome.
    """

    at: str
    facts: tuple[tuple[str, str], ...]
    expect: tuple[tuple[str, str], ...]
    shows: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    waivers: tuple[Mapping[str, str], ...] = ()
    place: Place = field(default=Place(), compare=False, repr=False)
    places: tuple[tuple[str, Place], ...] = field(default=(), compare=False, repr=False)

    def place_of(self, key: str) -> Place:
        """Return where one of its entries is written."""
        return next((place for name, place in self.places if name == key), self.place)


@dataclass(frozen=True)
class Ordinance:
    """One version of an ordinance.

    Parameters
    ----------
    id : str
        Such as ``us/wi/washington-county-village/87-5``; the path for a file outside any collection.
    cite, title : str
        As the code cites and calls it.
    in_force : date or None
        The day this version came into force; None where that is not established.
    obligations, clauses, facts, settings, terms, cases
        What it can require, says, asks on its own (by name), leaves open, defines, and is tested by, in the file's order.
    history, source, note : str
        Acts that made it, where the text was read, and what a reader must know.
    division_years : int or None
        Within how many years divisions of one parcel count together; None where the text states no time.
    fingerprint : str
        SHA-256 of the file.
    file : str
        The file, as found.
    """

    id: str
    cite: str
    title: str
    in_force: date | None
    obligations: tuple[Obligation, ...]
    clauses: tuple[Clause, ...]
    facts: Mapping[str, FactDeclaration] = field(default_factory=dict)
    settings: tuple[Setting, ...] = ()
    terms: tuple[Term, ...] = ()
    cases: tuple[Case, ...] = ()
    history: str = ""
    source: str = ""
    note: str = ""
    fingerprint: str = ""
    file: str = ""
    places: tuple[tuple[str, Place], ...] = field(default=(), compare=False, repr=False)
    division_years: int | None = None

    def __hash__(self) -> int:
        return hash((self.id, self.fingerprint))

    def place_of(self, key: str) -> Place:
        """Return where a top-level key, or ``facts.NAME``, is written."""
        return next((place for name, place in self.places if name == key), Place(self.file))

    @cached_property
    def every_clause(self) -> tuple[Clause, ...]:
        """All clauses, in the order of the text."""
        return tuple(clause for top in self.clauses for clause in top.walk())

    @cached_property
    def by_label(self) -> dict[str, Clause]:
        """All clauses by `same_label` of their full label."""
        return {same_label(clause.label): clause for clause in self.every_clause}

    def clause(self, label: str) -> Clause:
        """Return a clause by its full label, with or without the full stop that ends it.

        Raises
        ------
        KeyError
            If there is no such clause.
        """
        return self.by_label[same_label(label)]

    @cached_property
    def depths(self) -> dict[str, int]:
        """Nesting of each clause, by full label, from 0."""
        found: dict[str, int] = {}
        pending = [(clause, 0) for clause in self.clauses]
        while pending:
            clause, depth = pending.pop()
            found[clause.label] = depth
            pending += [(child, depth + 1) for child in clause.clauses]
        return found

    @cached_property
    def term_by_name(self) -> dict[str, Term]:
        """The terms by name."""
        return {term.name: term for term in self.terms}

    def declaration(self, name: str) -> FactDeclaration | None:
        """Return what a fact means here: the ordinance's own declaration, else the vocabulary's, else None."""
        return self.facts.get(name) or declaration_of(name)

    @cached_property
    def waiver_grounds(self) -> tuple[str, ...]:
        """Labels of the findings on which something may be waived."""
        tops = [clause for clause in self.every_clause if clause.waives]
        return tuple(c.label for top in tops for c in top.walk() if not c.clauses)

    def setting(self, name: str) -> Setting | None:
        """Return a setting by name, or None."""
        return next((setting for setting in self.settings if setting.name == name), None)

    def names_of(self, condition: Condition) -> tuple[str, ...]:
        """Return the facts that a condition rests on, terms resolved, each once, in reading order."""
        found: dict[str, None] = {}
        pending = list(reversed(names_in(condition.node)))
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            term = self.term_by_name.get(name)
            if term is None:
                found[name] = None
            elif name not in seen:
                seen.add(name)
                pending += reversed(names_in(term.expression.node))
        return tuple(found)

    @cached_property
    def facts_used(self) -> tuple[str, ...]:
        """Names of all facts that its conditions rest on, and those of the ordinances it incorporates."""
        found: dict[str, None] = {}
        for clause in self.every_clause:
            for condition in clause.conditions:
                found.update(dict.fromkeys(self.names_of(condition)))
        for ordinance in self.loaded:
            found.update(dict.fromkeys(ordinance.facts_used))
        return tuple(found)

    @cached_property
    def has_metric_numbers(self) -> bool:
        """Whether a threshold, here or in an ordinance taken in, is in metres: facts in feet meet it through either foot."""
        conditions = [c for clause in self.every_clause for c in clause.conditions] + [t.expression for t in self.terms]
        numbers = (n for c in conditions for n in walk(c.node) if isinstance(n, Number))
        own = any(UNITS[number.quantity.unit][2] == "metre" for number in numbers)
        return own or any(ordinance.has_metric_numbers for ordinance in self.loaded)

    @cached_property
    def loaded(self) -> tuple[Ordinance, ...]:
        """The ordinances that it takes in by reference, as far as they are loaded."""
        parts = [form.incorporates for clause in self.every_clause for form in clause.forms()]
        return tuple(part.loaded for part in parts if part is not None and part.loaded is not None)

    def needs(self) -> tuple[FactDeclaration, ...]:
        """Return what each needed fact means: what must be measured, stated or looked up before judging."""
        return self._needs

    @cached_property
    def _needs(self) -> tuple[FactDeclaration, ...]:
        return tuple(d for name in self.facts_used if (d := self._declaration_anywhere(name)) is not None)

    def _declaration_anywhere(self, name: str) -> FactDeclaration | None:
        own = self.declaration(name)
        if own is not None:
            return own
        found = (ordinance._declaration_anywhere(name) for ordinance in self.loaded)
        return next((declared for declared in found if declared is not None), None)

    def to_dict(self) -> dict[str, object]:
        """Return the ordinance as plain values, for JSON."""
        return {
            "id": self.id, "cite": self.cite, "title": self.title,
            "in_force": self.in_force.isoformat() if self.in_force else None,
            "history": self.history, "source": self.source, "note": self.note,
            "division_years": self.division_years,
            "obligations": [o.to_dict() for o in self.obligations], "facts": [f.to_dict() for f in self.facts.values()],
            "settings": [s.to_dict() for s in self.settings], "terms": [t.to_dict() for t in self.terms],
            "clauses": [c.to_dict() for c in self.clauses], "cases": len(self.cases), "fingerprint": self.fingerprint,
        }  # fmt: skip
