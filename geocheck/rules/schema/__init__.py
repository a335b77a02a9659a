"""The JSON Schema of ordinance files, for editors that complete and check as one types; lint knows far more.

Made from the reader's own tables of keys; ``python -m geocheck.rules.schema`` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from geocheck.model.determination import OUTCOMES, Waiver
from geocheck.model.facts import KINDS
from geocheck.model.quantity import UNITS
from geocheck.rules.cases import BESIDE_TRUTHS
from geocheck.rules.structure import CLAUSE_KEYS, NOT_ESTABLISHED, TOP_KEYS, UNDER_KEYS

__all__ = ["FILE", "as_shipped", "ordinance_schema", "shipped_schema"]

#: The schema as it is shipped.
FILE = Path(__file__).with_name("ordinance.schema.json")

Schema = dict[str, Any]

# An editor's YAML gives numbers, booleans and lists where the reader takes text: `at: 1.`, `yes`, `[a]`.
_TEXT: Schema = {"type": ["string", "number", "boolean"]}
_LABEL: Schema = {"anyOf": [{"type": ["string", "number"]}, {"type": "array", "items": {"type": ["string", "number"]}}]}
_CONDITION: Schema = {"type": ["string", "boolean"], "minLength": 1}
_DAY: Schema = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_NAMES: Schema = {"anyOf": [_LABEL, {"type": "array", "items": _LABEL}]}
_TRUTHS: Schema = {"enum": ["yes", "no", "unknown", "true", "false", True, False, *OUTCOMES]}

_SAYS = {
    "cite": "As the code cites it, such as § 87-5.",
    "title": "As the code calls it.",
    "in_force": f"The day this version came into force, such as 2002-04-01, or: {NOT_ESTABLISHED}.",
    "history": "Acts that made it.",
    "source": "Where the text was read.",
    "note": "What a reader must know.",
    "division_years": "Within how many years divisions of one parcel count together; left out where the text states no time.",
    "obligations": "What the ordinance can require: name, and the section that holds it.",
    "facts": "Facts that this ordinance alone asks for; shared ones come from the vocabulary.",
    "settings": "Questions that the text leaves open and an office decides, each with two or more choices.",
    "terms": "Definitions of the ordinance's own: a name, an expression, a citation.",
    "clauses": "The clauses, in the order of the text.",
    "sites": "Facts that several cases share, by a name.",
    "cases": "Facts and what must come of them: tests that an attorney can read.",
    "at": "Its label as the text writes it, such as (b) or 1. ; quote one in square brackets.",
    "says": "What it says, in your own words.",
    "when": "When it holds: facts, numbers with units, one comparison, + - * /, and or not; or any, all, always.",
    "unless": "It does not hold where this does.",
    "imposes": "Obligations that it brings about.",
    "lifts": "Obligations, or labels of clauses, that it takes away; all for everything.",
    "limits": "The same, taken away where the clause does not hold: a limit on reach.",
    "reaches": "Labels: it lifts only as far as these impose.",
    "waives": "Obligations that may be waived on a finding in a clause below; all for any.",
    "still_binds": "What a waiver of an obligation leaves standing.",
    "instead": "Law that takes over where the clause exempts.",
    "incorporates": "Another ordinance, by its identifier: the clause holds where that one requires something.",
    "carried_by": "Labels of the clauses that carry its meaning, where it says how others are read.",
    "not_modelled": "Why it is not modelled.",
    "reading": "How an ambiguous text is read, by whom, since when.",
    "under": "The clause as it stands under each choice of a setting.",
    "kind": "measured from ground, stated by the applicant, decided by an official act.",
    "unit": "Unit of a number; none for yes or no.",
    "asks": "The question that it answers.",
    "may_be_negative": "Whether a number may be below zero.",
    "choices": "The choices, each in words.",
    "setting": "The setting that decides between readings.",
    "by": "Who reads it so.",
    "since": "Since when.",
    "counts": "The measured fact that it adds up from that day on, over all sites of the plan.",
    "section": "The section that holds it.",
    "means": "An expression of facts and numbers with units.",
    "table": "Values that vary: rows with where: and is: , the last one otherwise: .",
    "less_of": "Whichever of these is less.",
    "greater_of": "Whichever of these is greater.",
    "rounded": "How the text rounds it.",
    "shows": "What the case shows, in words.",
    "site": "The site under sites: whose facts it starts from.",
    "waivers": "Waivers on file: obligation, by, on, ground, document.",
    "expect": "yes, no or unknown of a clause; required, not_required, waived or undetermined of an obligation.",
    "obligation": "One obligation of that ordinance; none means any.",
    "ordinance": "Its identifier.",
}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _named(inner: Schema, least: int = 0) -> Schema:
    found: Schema = {"type": "object", "additionalProperties": inner}
    return {**found, "minProperties": least} if least else found


def _listed(inner: Schema) -> Schema:
    return {"type": "array", "items": inner}


def _kinds() -> dict[str, Schema]:
    """Return what each key holds, wherever it stands."""
    found = dict.fromkeys(_SAYS, _TEXT)
    found |= {
        "in_force": {
            "anyOf": [_DAY, {"const": NOT_ESTABLISHED}],
        },
        "division_years": {"type": "integer", "minimum": 1, "maximum": 999},
        "obligations": _named({"anyOf": [_TEXT, _ref("obligation")]}),
        "facts": _named(_ref("fact")), "settings": _named(_ref("setting")), "terms": _named(_ref("term")),
        "clauses": _listed(_ref("clause")), "sites": _named(_named(_TEXT)), "cases": _listed(_ref("case")),
        "at": _LABEL, "when": _CONDITION, "unless": _CONDITION, "still_binds": _named(_TEXT),
        "incorporates": {"anyOf": [{"type": "string"}, _ref("incorporation")]},
        "reading": {"anyOf": [{"type": "string"}, _ref("reading")]},
        "under": {**_named(_named(_ref("choice"))), "maxProperties": 1},
        "kind": {"enum": list(KINDS)}, "unit": {"enum": list(UNITS)},
        "may_be_negative": {"enum": ["yes", "no", "true", "false", True, False]},
        "choices": _named(_TEXT, 2), "means": _CONDITION, "table": _listed(_ref("row")),
        "less_of": {**_listed(_CONDITION), "minItems": 2}, "greater_of": {**_listed(_CONDITION), "minItems": 2},
        "rounded": _ref("rounding"), "waivers": _listed(_ref("waiver")),
        "expect": {**_named(_TRUTHS, 1), "properties": dict.fromkeys(BESIDE_TRUTHS, _TEXT)},
    }  # fmt: skip
    found |= dict.fromkeys(("imposes", "lifts", "limits", "reaches", "waives", "carried_by"), _NAMES)
    return found


def _object(
    keys: tuple[str, ...], required: tuple[str, ...] = (), special: Mapping[str, Schema] | None = None
) -> Schema:
    kinds = {**_kinds(), **(special or {})}
    properties = {}
    for key in keys:
        inner = kinds.get(key, _TEXT)
        properties[key] = {**({"description": _SAYS[key]} if key in _SAYS else {}), **inner}
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": list(required)} if required else found


def ordinance_schema() -> Schema:
    """Return the JSON Schema (2020-12) of an ordinance file.

    What a schema cannot say is left to `geocheck rules lint`: whether names exist, units fit, labels follow, cases hold.

    Examples
    --------
    >>> sorted(ordinance_schema()["required"])
    ['cite', 'clauses', 'in_force', 'title']
    """
    ways = ("means", "table", "less_of", "greater_of")
    definitions: dict[str, Schema] = {
        "obligation": _object(("section", "says"), ("section",)),
        "fact": _object(("kind", "unit", "asks", "may_be_negative", "since", "counts"), ("kind", "asks"), {"since": _DAY}),
        "setting": _object(("asks", "cite", "choices"), ("asks", "choices")),
        "term": {
            **_object((*ways, "rounded", "cite", "says"), ("cite",)),
            "oneOf": [{"required": [way]} for way in ways],
        },
        "row": _object(("where", "is", "otherwise"), (), dict.fromkeys(("where", "is", "otherwise"), _CONDITION)),
        "rounding": _object(("to", "how"), ("to",), {"how": {"enum": ["nearest", "up", "down"]}}),
        "clause": _object(CLAUSE_KEYS, ("at",)),
        "choice": _object(UNDER_KEYS),
        "incorporation": _object(("ordinance", "obligation"), ("ordinance",)),
        "reading": _object(("says", "by", "since", "setting"), ("says",)),
        "case": _object(
            ("at", "shows", "site", "facts", "settings", "waivers", "expect"), ("at", "expect"),
            {"facts": _named(_TEXT), "settings": _named(_TEXT)},
        ),
        "waiver": _object(
            tuple(field.name for field in fields(Waiver)), ("obligation", "by", "on", "ground")
        ),
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An ordinance file of geocheck",
        "description": "One version of one chapter, named by the day it came into force.",
        **_object(TOP_KEYS, ("cite", "title", "in_force", "clauses")),
        "$defs": definitions,
    }


def shipped_schema() -> str:
    """Return the schema as it is shipped, as text."""
    return FILE.read_text(encoding="utf-8")


def as_shipped(schema: Schema) -> str:
    """Return a schema as its file holds it."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
