"""The JSON Schema of ordinance files: what it takes, what it refuses, and that it and the reader know the same keys."""

from __future__ import annotations

import copy
import datetime
import json

import jsonschema
import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from geocheck.cli import application
from geocheck.rules.keys import KeyReader
from geocheck.rules.read import list_versions, read_ordinance
from geocheck.rules.schema import FILE, as_shipped, ordinance_schema, shipped_schema
from geocheck.rules.yamltree import Listing, Scalar, decode, read_tree

SCHEMA = ordinance_schema()
VERSIONS = list_versions()
NAMES = [f"{v.id}/{v.file.stem}" for v in VERSIONS]

#: Every key of the language once; it need not make sense.
ALL_KEYS = """\
cite: § 1
title: All keys
in_force: not established
history: h
source: s
note: n
obligations: {permit: {section: § 2, says: A permit}, fee: § 3}
facts: {depth: {kind: stated, unit: ft, asks: How deep?, may_be_negative: yes, since: 2020-01-01}}
settings: {way: {asks: Which?, cite: (1), choices: {one: first, two: second}}}
terms:
  a: {cite: (9), says: x, means: depth, rounded: {to: 1 ft, how: up}}
  b: {cite: (9), table: [{where: depth > 1 ft, is: 2 ft}, {otherwise: 1 ft}]}
  c: {cite: (9), less_of: [a, b]}
  d: {cite: (9), greater_of: [a, b]}
clauses:
- at: "[a]"
  says: s
  when: depth > 1 ft
  unless: builds_road
  imposes: [permit]
  lifts: fee
  limits: all
  reaches: [(1)]
  waives: all
  still_binds: {permit: § 4}
  instead: i
  incorporates: {ordinance: us/x, obligation: permit}
  carried_by: [(1)]
  not_modelled: n
  reading: {says: s, by: b, since: 2020, setting: way}
  under: {way: {one: {when: builds_road}, two: {}}}
  clauses:
  - {at: 1., says: s, reading: plain, incorporates: us/y}
sites: {s: {depth: 1 ft}}
cases:
- at: "[a]"
  shows: s
  site: s
  facts: {depth: 2 ft, builds_road: no}
  settings: {way: one}
  waivers: [{obligation: permit, by: b, on: 2020-01-01, ground: "[a]", document: d, note: n}]
  expect: {"[a]": yes, permit: required, instead: i, still_binds: § 4}
"""

#: what is wrong -> what is changed into what in the text above.
BROKEN = {
    "an unknown key of a clause": ("  unless: builds", "  unles: builds"),
    "an unknown key at the top": ("history: h", "hystory: h"),
    "no title": ("title: All keys\n", ""),
    "a day that is none": ("in_force: not established", "in_force: sometime"),
    "a kind of fact that is none": ("kind: stated", "kind: said"),
    "a unit that is none": ("unit: ft,", "unit: feets,"),
    "a fact that asks nothing": (", asks: How deep?", ""),
    "a setting with one choice": (", two: second}", "}"),
    "a term with two expressions": ("means: depth,", "means: depth, less_of: [a, b],"),
    "a term with none": ("less_of: [a, b]", "says: x"),
    "a term without a citation": ("c: {cite: (9), ", "c: {"),
    "clauses that are no list": ("clauses:\n  - {at: 1., says: s, reading: plain, incorporates: us/y}", "clauses: none"),
    "a condition that is a list": ("when: depth > 1 ft\n", "when: [depth]\n"),
    "a clause under two settings": ("two: {}}}", "two: {}}, side: {x: {}}}"),
    "a case that expects nothing": ('  expect: {"[a]": yes, permit: required, instead: i, still_binds: § 4}', "  expect: {}"),
    "a word that is no outcome": ("permit: required, instead", "permit: needed, instead"),
    "a waiver without a day": ("on: 2020-01-01, ", ""),
    "a way to round that is none": ("how: up", "how: off"),
}  # fmt: skip


def as_an_editor_reads(text):
    yaml = YAML(typ="safe", pure=True)
    return plain(yaml.load(text))


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime.date) else value


def as_the_reader_reads(text):
    def plain(tree):
        if isinstance(tree, Scalar):
            return tree.text
        return (
            [plain(i) for i in tree.items] if isinstance(tree, Listing) else {k.text: plain(v) for k, v in tree.entries}
        )

    return plain(read_tree(text, "law.yaml"))


def errors(value):
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(value)]


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_what_is_shipped_is_what_the_reader_knows():
    assert FILE.read_text(encoding="utf-8") == as_shipped(SCHEMA), "run python -m geocheck.rules.schema"


@pytest.mark.parametrize("read", [as_an_editor_reads, as_the_reader_reads], ids=["as an editor reads", "as text"])
@pytest.mark.parametrize("version", VERSIONS, ids=NAMES)
def test_every_ordinance_fits(version, read):
    assert errors(read(decode(version.file.read_bytes(), ""))) == []


@pytest.mark.parametrize("read", [as_an_editor_reads, as_the_reader_reads], ids=["as an editor reads", "as text"])
def test_every_key_fits(read):
    assert errors(read(ALL_KEYS)) == []


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_does_not_fit(what):
    old, new = BROKEN[what]
    assert ALL_KEYS.count(old) == 1
    assert errors(as_an_editor_reads(ALL_KEYS.replace(old, new)))


def test_the_schema_and_the_reader_know_the_same_keys(tmp_path, monkeypatch):
    """Each mapping that the reader takes apart with known keys has its definition, with exactly these keys."""
    known = {}
    mapping = KeyReader.mapping

    def watching(self, tree, what, keys=()):
        if keys and tree is not None:
            known[what] = set(keys)
        return mapping(self, tree, what, keys)

    monkeypatch.setattr(KeyReader, "mapping", watching)
    file = tmp_path / "law.yaml"
    file.write_text(ALL_KEYS, encoding="utf-8")
    read_ordinance(file)
    definitions = {
        "an ordinance": SCHEMA, "an obligation": "obligation", "a fact": "fact", "a setting": "setting", "a term": "term",
        "a row of a table": "row", "rounded": "rounding", "a clause": "clause", "a choice": "choice",
        "incorporates": "incorporation", "a reading": "reading", "a case": "case",
    }  # fmt: skip
    assert known.keys() == definitions.keys()
    for what, keys in known.items():
        found = definitions[what]
        schema = SCHEMA["$defs"][found] if isinstance(found, str) else found
        assert keys == schema["properties"].keys(), what


def test_every_key_has_its_words():
    missing = [
        (where, key)
        for where, schema in {"top": SCHEMA, **SCHEMA["$defs"]}.items()
        for key, inner in schema["properties"].items()
        if "description" not in inner and where not in ("row", "rounding", "waiver")
    ]
    assert missing == []


def test_a_key_without_its_definition_would_be_seen():
    smaller = copy.deepcopy(SCHEMA)
    del smaller["$defs"]["clause"]["properties"]["unless"]
    validator = jsonschema.Draft202012Validator(smaller)
    assert list(validator.iter_errors(as_an_editor_reads(ALL_KEYS)))


def test_the_command_prints_what_is_shipped():
    done = CliRunner().invoke(application, ["rules", "schema"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == json.loads(shipped_schema())


def test_the_module_writes_the_schema_that_is_shipped_and_only_when_it_is_run(tmp_path, monkeypatch):
    import runpy

    from geocheck.rules import schema

    shipped = schema.shipped_schema()
    monkeypatch.setattr(schema, "FILE", tmp_path / "schema.json")
    runpy.run_module("geocheck.rules.schema.__main__", run_name="imported")
    assert not schema.FILE.exists()
    runpy.run_module("geocheck.rules.schema", run_name="__main__")
    assert schema.FILE.read_text(encoding="utf-8") == shipped
