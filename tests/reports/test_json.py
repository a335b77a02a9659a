"""JSON: valid by its shipped schema, NaN null, dates ISO, every trace in it."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from importlib import resources

import jsonschema
import pandas as pd
import pytest

from geocheck import reports
from geocheck.model.determination import OUTCOMES
from geocheck.model.truth import GAP_REASONS
from geocheck.reports.cells import plain_rows
from geocheck.reports.columns import TABLES


@pytest.fixture(scope="module")
def out(findings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    reports.write(findings, folder, [name for name in reports.output_names() if name.endswith(".json")])
    return folder


def strict(path):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def schema(name):
    return json.loads(resources.files("geocheck.reports").joinpath("schema", f"{name}.schema.json").read_text())


@pytest.mark.parametrize("name", ["result", "run"])
def test_it_is_valid_by_the_schema_that_is_shipped(out, name):
    jsonschema.Draft202012Validator.check_schema(schema(name))
    jsonschema.Draft202012Validator(schema(name), format_checker=jsonschema.FormatChecker()).validate(
        strict(out / f"{name}.json")
    )


@pytest.mark.parametrize("name", ["result", "run"])
def test_an_empty_run_is_valid_too(bare_findings, tmp_path, name):
    reports.write(bare_findings, tmp_path, [f"{name}.json"])
    jsonschema.validate(strict(tmp_path / f"{name}.json"), schema(name))


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("result", lambda told: told["determinations"][0]["obligations"][0].update(outcome="maybe")),
        ("result", lambda told: told["facts"][0].pop("status")),
        ("result", lambda told: told.update(as_of="yesterday")),
        ("run", lambda told: told["counts"].update(sites=-1)),
        ("run", lambda told: told.pop("receipt")),
    ],
)
def test_the_schema_refuses_what_is_wrong(out, name, spoil):
    told = strict(out / f"{name}.json")
    spoil(told)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema(name), format_checker=jsonschema.FormatChecker()).validate(told)


def test_every_determination_has_its_whole_trace(findings, out):
    told = strict(out / "result.json")
    assert [len(d["trace"]) for d in told["determinations"]] == [len(d.trace.steps) for d in findings.determinations]
    assert told["determinations"][4]["trace"][1]["gaps"][0]["reason"] == "within tolerance"
    assert {tuple(d["receipt"]) for d in told["determinations"]} == {("id",)}
    assert told["receipt"]["layers"] == "ab12"
    waived = told["determinations"][6]["obligations"][1]["waiver"]
    assert waived["document"] == "minutes <2026>.pdf"


def test_determinations_and_questions_are_told_as_they_tell_themselves(findings, out):
    told = strict(out / "result.json")
    plain = json.loads(json.dumps([d.to_dict() for d in findings.determinations]))
    for row in plain:
        row["receipt"] = {"id": row["receipt"]["id"]}
    assert told["determinations"] == plain
    assert told["questions"] == json.loads(json.dumps([q.to_dict() for q in findings.questions]))


def test_counts_by_status_add_up(findings, out):
    counts = strict(out / "run.json")["counts"]
    assert sum(counts["parcels_by_status"].values()) == counts["parcels"] == len(findings.parcels)
    assert sum(counts["facts_by_status"].values()) == len(strict(out / "facts.json"))
    assert all(sum(found.values()) == counts["sites"] for found in counts["outcomes"].values())
    assert counts["parcels_by_status"] == dict(Counter(findings.parcels["status"]))


def test_the_run_says_versions_basis_foot_and_tolerance(out):
    told = strict(out / "run.json")
    assert {"geocheck", "GDAL", "GEOS", "PROJ"} <= set(told["versions"])
    assert told["basis"]["foot"] == "US survey foot"
    assert told["basis"]["same_as_threshold_within"] == 1e-6
    assert told["receipt"]["id"] == "50dec11247671160"


def test_unknown_is_null_and_dates_are_iso_text():
    frame = pd.DataFrame(
        {"n": [float("nan"), 1.0], "d": [date(2026, 1, 2), None], "t": pd.to_datetime(["2026-01-02", None])}
    )
    assert plain_rows(frame) == [{"n": None, "d": "2026-01-02", "t": "2026-01-02"}, {"n": 1.0, "d": None, "t": None}]


def test_tables_have_the_csv_s_columns_and_rows(findings, out):
    facts = strict(out / "facts.json")
    assert facts[0]["value"] == 8000.0
    assert facts[4]["value"] is True
    assert strict(out / "parcels.json")[1]["area_ft2"] is None


@pytest.mark.parametrize("name", ["result", "run"])
def test_the_schema_knows_every_reason_for_a_gap_and_every_outcome(name):
    assert tuple(schema(name)["$defs"]["gap"]["properties"]["reason"]["enum"]) == GAP_REASONS


def test_the_schema_knows_every_outcome_and_column():
    told = schema("result")
    assert tuple(told["$defs"]["outcome"]["properties"]["outcome"]["enum"]) == OUTCOMES
    for table in ("facts", "layers", "repairs"):
        assert list(told["properties"][table]["items"]["properties"]) == [column.name for column in TABLES[table]]
