"""From a tree of text to an ordinance: its parts, each with its place. Whether they fit together, the checks say."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

from geocheck.model.condition import Condition, Extreme, Node, Rounded, Row, Table, text_of
from geocheck.model.facts import KINDS
from geocheck.model.ordinance import (
    Case,
    Clause,
    Incorporation,
    Obligation,
    Ordinance,
    Reading,
    Setting,
    Term,
)
from geocheck.model.problem import Place, UnitError
from geocheck.model.quantity import UNITS, parse_quantity
from geocheck.model.vocabulary import FactDeclaration
from geocheck.rules.keys import KeyReader
from geocheck.rules.units import nearest_name
from geocheck.rules.yamltree import Mapped, Scalar, Tree

__all__ = ["CLAUSE_KEYS", "TOP_KEYS", "UNDER_KEYS", "StructureReader"]

TOP_KEYS = (
    "cite", "title", "in_force", "history", "source", "note", "division_years", "obligations", "facts", "settings", "terms",
    "clauses", "sites", "cases",
)  # fmt: skip
UNDER_KEYS = ("when", "unless", "imposes", "lifts", "limits", "reaches", "instead", "incorporates")
CLAUSE_KEYS = (
    "at", "says", *UNDER_KEYS, "waives", "still_binds", "carried_by", "not_modelled", "reading", "under", "clauses",
)  # fmt: skip
NOT_ESTABLISHED = "not established"
#: Years as `geocheck.rules.schema` allows them.
_YEARS = re.compile(r"[1-9][0-9]{0,2}")


class StructureReader(KeyReader):
    """Builds an `Ordinance` from a tree, and remembers every problem on the way."""

    def ordinance(self, tree: Tree, identifier: str, file: str, fingerprint: str) -> Ordinance:
        """Return the ordinance, as far as it can be read."""
        top = self.mapping(tree, "an ordinance", TOP_KEYS)
        start = Place(file, 1)
        if not isinstance(tree, Mapped):
            return Ordinance(identifier, "", "", None, (), (), file=file)
        if not self.items(top.get("clauses"), "clauses"):
            self.say("missing-key", "an ordinance has no clauses", start, "Add clauses: …")
        places = [(key.text, key.place) for key, _ in tree.entries]
        for section in ("facts", "terms", "settings", "obligations"):
            inner = top.get(section)
            if isinstance(inner, Mapped):
                places += [(f"{section}.{key.text}", key.place) for key, _ in inner.entries]
        return Ordinance(
            id=identifier,
            cite=self.required(top, "cite", "an ordinance", start),
            title=self.required(top, "title", "an ordinance", start),
            in_force=self._date(top, start),
            obligations=self._obligations(top.get("obligations")),
            clauses=tuple(self._clause(item, "") for item in self.items(top.get("clauses"), "clauses")),
            facts=self._facts(top.get("facts")),
            settings=self._settings(top.get("settings")),
            terms=self._terms(top.get("terms")),
            cases=self._cases(top.get("cases"), top.get("sites")),
            history=self.text(top.get("history"), "history"),
            source=self.text(top.get("source"), "source"),
            note=self.text(top.get("note"), "note"),
            division_years=self._years(top.get("division_years")),
            fingerprint=fingerprint,
            file=file,
            places=tuple(places),
        )

    def _years(self, tree: Tree | None) -> int | None:
        if tree is None:
            return None
        text = self.text(tree, "division_years")
        if _YEARS.fullmatch(text):
            return int(text)
        self.say("division-years", f"{text!r} is no number of years", tree.place, "Write a whole number, such as 5.")
        return None

    def _date(self, top: dict[str, Tree], start: Place) -> date | None:
        text = self.required(top, "in_force", "an ordinance", start)
        if not text or text == NOT_ESTABLISHED:
            return None
        return self._day(top["in_force"], "in_force", f", or {NOT_ESTABLISHED} where nobody knows")

    def _day(self, tree: Tree, key: str, instead: str = "") -> date | None:
        text = self.text(tree, key)
        try:
            return date.fromisoformat(text)
        except ValueError:
            self.say(key.replace("_", "-"), f"{text!r} is not a day", tree.place, f"Write it as 2002-04-01{instead}.")
            return None

    def _entries(self, tree: Tree | None, what: str) -> list[tuple[str, Tree, Place]]:
        values = self.mapping(tree, what)
        places = {key.text: key.place for key, _ in tree.entries} if isinstance(tree, Mapped) else {}
        return [(name, value, places[name]) for name, value in values.items()]

    def _obligations(self, tree: Tree | None) -> tuple[Obligation, ...]:
        found = []
        for name, value, place in self._entries(tree, "obligations"):
            if isinstance(value, Scalar):
                found.append(Obligation(name, value.text, place=place))
            else:
                inner = self.mapping(value, "an obligation", ("section", "says"))
                section = self.required(inner, "section", f"the obligation {name}", place)
                found.append(Obligation(name, section, self.text(inner.get("says"), "says"), place))
        return tuple(found)

    def _facts(self, tree: Tree | None) -> dict[str, FactDeclaration]:
        found = {}
        for name, value, place in self._entries(tree, "facts"):
            inner = self.mapping(value, "a fact", ("kind", "unit", "asks", "may_be_negative", "since", "counts"))
            kind = self.required(inner, "kind", f"the fact {name}", place)
            if kind and kind not in KINDS:
                self.say(
                    "wrong-kind", f"{kind!r} is no kind of fact", inner["kind"].place, f"Kinds: {', '.join(KINDS)}."
                )
            unit = self.text(inner.get("unit"), "unit")
            if unit and unit not in UNITS:
                remedy = nearest_name(unit, list(UNITS)) or f"Units: {', '.join(UNITS)}."
                self.say("unknown-unit", f"{unit!r} is not a unit", inner["unit"].place, remedy)
                unit = ""
            asks = self.required(inner, "asks", f"the fact {name}", place)
            signed = self.truth(inner.get("may_be_negative"), "may_be_negative")
            since = self._day(inner["since"], "since") if "since" in inner else None
            from_day, counts = since.isoformat() if since else "", self.text(inner.get("counts"), "counts")
            kind = kind if kind in KINDS else "stated"
            found[name] = FactDeclaration(name, kind, unit, asks, signed, from_day, counts)
        return found

    def _settings(self, tree: Tree | None) -> tuple[Setting, ...]:
        found = []
        for name, value, place in self._entries(tree, "settings"):
            inner = self.mapping(value, "a setting", ("asks", "cite", "choices"))
            asks = self.required(inner, "asks", f"the setting {name}", place)
            choices = {c: self.text(v, "a choice") for c, v, _ in self._entries(inner.get("choices"), "choices")}
            found.append(Setting(name, asks, choices, self.text(inner.get("cite"), "cite"), place))
        return tuple(found)

    def _terms(self, tree: Tree | None) -> tuple[Term, ...]:
        found = []
        for name, value, place in self._entries(tree, "terms"):
            keys = ("means", "table", "less_of", "greater_of", "rounded", "cite", "says")
            inner = self.mapping(value, "a term", keys)
            node = self._expression(name, inner, place)
            cite = self.required(inner, "cite", f"the term {name}", place)
            if node is not None:
                means = self._rounded(node, inner.get("rounded"), place)
                says = self.text(inner.get("says"), "says")
                found.append(Term(name, Condition(text_of(means), means), cite, says, place))
        return tuple(found)

    def _expression(self, name: str, inner: dict[str, Tree], place: Place) -> Node | None:
        ways = [key for key in ("means", "table", "less_of", "greater_of") if key in inner]
        if len(ways) != 1:
            self.say(
                "missing-key", f"the term {name} has {'no' if not ways else 'more than one'} expression", place,
                "Give one of means: , table: , less_of: , greater_of: .",
            )  # fmt: skip
            return None
        way, tree = ways[0], inner[ways[0]]
        if way == "means":
            condition = self.condition(tree, "means")
            return condition.node if condition else None
        if way == "table":
            return self._table(tree, place)
        parts = [self.condition(item, way) for item in self.items(tree, way)]
        nodes = tuple(part.node for part in parts if part is not None)
        if len(nodes) < 2 and len(nodes) == len(parts):
            self.say("wrong-shape", f"{way} takes two or more numbers", tree.place)
        return Extreme(way.removesuffix("_of"), nodes, tree.place) if nodes else None

    def _table(self, tree: Tree, place: Place) -> Node | None:
        rows: list[Row] = []
        otherwise: Node | None = None
        items = self.items(tree, "table")
        for item in items:
            row = self.mapping(item, "a row of a table", ("where", "is", "otherwise"))
            last = self.condition(row.get("otherwise"), "otherwise")
            where, value = self.condition(row.get("where"), "where"), self.condition(row.get("is"), "is")
            if otherwise is not None:
                self.say("wrong-shape", "a row after otherwise is never reached", item.place)
            if last is not None:
                otherwise = last.node
            elif where is not None and value is not None:
                rows.append(Row(where.node, value.node))
            elif not {"where", "is"} <= row.keys() and "otherwise" not in row:
                self.say("wrong-shape", "a row has where: and is: , the last one otherwise:", item.place)
        if otherwise is None:
            self.say("missing-key", "the table has no otherwise:", tree.place, "Say what holds where no row does.")
            return None
        return Table(tuple(rows), otherwise, tree.place)

    def _rounded(self, node: Node, tree: Tree | None, place: Place) -> Node:
        if tree is None:
            return node
        inner = self.mapping(tree, "rounded", ("to", "how"))
        how = self.text(inner.get("how"), "how") or "nearest"
        if how not in ("nearest", "up", "down"):
            self.say("wrong-shape", f"{how!r} is no way to round", tree.place, "Ways: nearest, up, down.")
            how = "nearest"
        try:
            step = parse_quantity(self.required(inner, "to", "rounded", place) or "1 ft").value
        except UnitError as error:
            self.say("missing-unit", str(error), tree.place)
            return node
        if step.value <= 0:
            self.say("wrong-shape", "the step of rounding is above zero", tree.place)
            return node
        return Rounded(node, step, how, place)

    def _clause(self, tree: Tree, parent: str) -> Clause:
        inner = self.mapping(tree, "a clause", CLAUSE_KEYS)
        at = self.text(inner.get("at"), "at")
        if not at:
            self.say(
                "clause-without-citation", "this clause has no label", tree.place, "Add at: with the label in the text."
            )
        label = parent + at
        clause = Clause(
            at=at,
            label=label,
            says=self.text(inner.get("says"), "says"),
            still_binds=tuple(
                (n, self.text(v, n)) for n, v, _ in self._entries(inner.get("still_binds"), "still_binds")
            ),
            not_modelled=self.text(inner.get("not_modelled"), "not_modelled"),
            reading=self._reading(inner.get("reading")),
            clauses=tuple(self._clause(item, label) for item in self.items(inner.get("clauses"), "clauses")),
            place=inner["at"].place if "at" in inner else tree.place,
        )
        clause = self._effects(clause, inner, ("waives", "carried_by", *UNDER_KEYS))
        if isinstance(tree, Mapped):
            keys = [(key.text, key.place) for key, _ in tree.entries if key.text not in dict(clause.places)]
            clause = replace(clause, places=(*clause.places, *keys))
        return replace(clause, under=self._under(clause, inner.get("under")))

    def _effects(self, clause: Clause, inner: dict[str, Tree], keys: tuple[str, ...]) -> Clause:
        """Return a clause with the keys that say when it holds and what it does."""
        found: dict[str, Any] = {}
        places: list[tuple[str, Place]] = [item for item in clause.places if item[0] not in inner]
        for key in keys:
            tree = inner.get(key)
            if tree is None:
                continue
            if key in ("when", "unless"):
                found[key] = self.condition(tree, key)
            elif key == "instead":
                found[key] = self.text(tree, key)
            elif key == "incorporates":
                found[key] = self._incorporation(tree)
            else:
                found[key], where = self.texts(tree, key)
                places += [(key, place) for place in where]
                continue
            places.append((key, tree.place))
        return replace(clause, **found, places=tuple(places))

    def _under(self, clause: Clause, tree: Tree | None) -> tuple[tuple[str, str, Clause], ...]:
        forms = []
        entries = self._entries(tree, "under")
        if len(entries) > 1:
            self.say("wrong-shape", "a clause stands under one setting", entries[1][2], "Split the clause.")
        for setting, choices, place in entries[:1]:
            for choice, keys, choice_place in self._entries(choices, f"the setting {setting}"):
                inner = self.mapping(keys, "a choice", UNDER_KEYS)
                form = self._effects(clause, inner, UNDER_KEYS)
                marks = (("under", place), ("choice", choice_place))
                forms.append((setting, choice, replace(form, clauses=(), places=(*marks, *form.places))))
        return tuple(forms)

    def _incorporation(self, tree: Tree) -> Incorporation:
        if isinstance(tree, Scalar):
            return Incorporation(tree.text, place=tree.place)
        inner = self.mapping(tree, "incorporates", ("ordinance", "obligation"))
        name = self.required(inner, "ordinance", "incorporates", tree.place)
        return Incorporation(name, self.text(inner.get("obligation"), "obligation"), place=tree.place)

    def _reading(self, tree: Tree | None) -> Reading | None:
        if tree is None:
            return None
        if isinstance(tree, Scalar):
            return Reading(self.text(tree, "reading"), place=tree.place)
        inner = self.mapping(tree, "a reading", ("says", "by", "since", "setting"))
        says = self.required(inner, "says", "a reading", tree.place)
        by, since, setting = (self.text(inner.get(key), key) for key in ("by", "since", "setting"))
        return Reading(says, by, since, setting, tree.place)

    def _cases(self, tree: Tree | None, sites: Tree | None) -> tuple[Case, ...]:
        known = {name: (self._pairs(value, "a site"), value) for name, value, _ in self._entries(sites, "sites")}
        return tuple(self._case(item, known) for item in self.items(tree, "cases"))

    def _pairs(self, tree: Tree | None, what: str) -> tuple[tuple[str, str], ...]:
        return tuple((name, self.text(value, name)) for name, value, _ in self._entries(tree, what))

    def _case(self, tree: Tree, sites: dict[str, tuple[tuple[tuple[str, str], ...], Tree]]) -> Case:
        keys = ("at", "shows", "site", "facts", "settings", "waivers", "expect")
        inner = self.mapping(tree, "a case", keys)
        facts = dict(self._pairs(inner.get("facts"), "facts"))
        site = self.text(inner.get("site"), "site")
        if site and site not in sites:
            remedy = nearest_name(site, list(sites)) or "Describe it under sites: ."
            self.say("unknown-site", f"there is no site {site!r}", inner["site"].place, remedy)
        described, where = sites.get(site, ((), None))
        merged = {**dict(described), **facts}
        waivers = [dict(self._pairs(w, "a waiver")) for w in self.items(inner.get("waivers"), "waivers")]
        if not self._pairs(inner.get("expect"), "expect"):
            self.say("missing-key", "the case expects nothing", tree.place, "Add expect: {…}.")
        places: list[tuple[str, Place]] = []
        # A case's own facts are found first, then those of its site, where they are written.
        for section, part in (*((key, inner.get(key)) for key in ("facts", "expect", "settings")), ("facts", where)):
            if isinstance(part, Mapped):
                places += [(f"{section}.{key.text}", key.place) for key, _ in part.entries]
        return Case(
            at=self.text(inner.get("at"), "at"),
            facts=tuple(merged.items()),
            expect=self._pairs(inner.get("expect"), "expect"),
            shows=self.text(inner.get("shows"), "shows"),
            settings=self._pairs(inner.get("settings"), "settings"),
            waivers=tuple(waivers),
            place=inner["at"].place if "at" in inner else tree.place,
            places=tuple(places),
        )
