"""geocheck record, ask and explain: acts on file, questions handed back, one site in words."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

VILLAGE = "us/wi/washington-county-village/87-5"


@pytest.fixture
def project(layers, monkeypatch):
    (layers / "geocheck.yaml").write_text(
        f"""name: acts
ordinances: [{VILLAGE}]
ledger: ledger.gpkg
statements: statements.csv
layers:
  disturbance: {{source: sites.shp, id: ID}}
"""
    )
    (layers / "statements.csv").write_text("site_id,fact,value\nS-1,grows_crops,no\n")
    monkeypatch.chdir(layers)
    return layers


WAIVER = (
    "record",
    "waiver",
    VILLAGE,
    "permit",
    "--ground",
    "(4)(a)1",
    "--site",
    "S-1",
    "--by",
    "Board",
    "--on",
    "2026-09-14",
)


def test_a_waiver_is_respected_by_the_next_run(geocheck_command, project):
    ended = geocheck_command(*WAIVER)
    assert ended.code == 0 and "waiver no. 1, permit" in ended.out
    assert geocheck_command("run", "--quiet").code == 0
    told = geocheck_command("explain", "S-1")
    assert told.code == 0 and "waived" in told.out.lower() and "Board" in told.out


def test_a_decision_is_recorded_and_revoked(geocheck_command, project):
    who = ("--site", "S-1", "--by", "Engineer", "--on", "2026-09-14")
    assert geocheck_command("record", "decision", "authority_finds_erosion_risk", "yes", *who).code == 0
    geocheck_command("run", "--quiet", "--write", "result.json,trace.csv")
    trace = {
        row["clause"]: row["truth"]
        for row in csv.DictReader(Path("out/trace.csv").read_text(encoding="utf-8").splitlines())
    }
    assert trace["(1)(d)"] == "yes"
    assert geocheck_command("record", "revocation", "--fact", "authority_finds_erosion_risk", *who).code == 0
    geocheck_command("run", "--quiet", "--overwrite", "--write", "result.json,trace.csv")
    trace = {
        row["clause"]: row["truth"]
        for row in csv.DictReader(Path("out/trace.csv").read_text(encoding="utf-8").splitlines())
    }
    assert trace["(1)(d)"] == "no"


@pytest.mark.parametrize(
    "words, message",
    [
        ((*WAIVER[:7], "S-9", *WAIVER[8:]), "'S-9' is no site of the disturbance layer"),
        ((*WAIVER[:3], "permits", *WAIVER[4:]), "did you mean permit?"),
        ((*WAIVER[:5], "(4)(b)9", *WAIVER[6:]), "is no ground of a waiver"),
        ((*WAIVER[:-1], "14 September"), "YYYY-MM-DD"),
        (("record", "decision", "grows_crops", "yes", *WAIVER[6:]), "is no fact that an official decides"),
    ],
    ids=["site", "obligation", "ground", "day", "stated-fact"],
)
def test_nothing_is_recorded_for_what_does_not_exist(geocheck_command, project, words, message):
    ended = geocheck_command(*words)
    assert ended.code == 3 and message in ended.err, ended.err
    assert not (project / "ledger.gpkg").exists()


def test_the_questions_are_handed_back_as_statements(geocheck_command, project):
    assert geocheck_command("run", "--quiet").code == 0
    asked = geocheck_command("ask")
    rows = list(csv.DictReader(io.StringIO(asked.out)))
    assert {"by_state_agency", "one_or_two_family_building"} <= {row["fact"] for row in rows}
    filled = [{**row, "value": "no"} if row["kind"] == "stated" else row for row in rows]
    with (project / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(filled[0]))
        writer.writeheader()
        writer.writerows(filled)
    path = project / "geocheck.yaml"
    path.write_text(path.read_text().replace("statements.csv", "[statements.csv, answers.csv]"))
    assert geocheck_command("run", "--quiet", "--overwrite").code == 0
    left = {row["fact"] for row in csv.DictReader(io.StringIO(geocheck_command("ask").out))}
    assert not left & {"by_state_agency", "one_or_two_family_building", "grows_crops"}


def test_what_if_and_how_to(geocheck_command, project):
    stated = [
        "grows_crops",
        "by_state_agency",
        "one_or_two_family_building",
        "designed_by_land_conservation",
        "village_or_county_work",
    ]
    (project / "statements.csv").write_text("site_id,fact,value\n" + "".join(f"S-1,{name},no\n" for name in stated))
    assert geocheck_command("run", "--quiet").code == 0
    changed = geocheck_command("explain", "S-1", "--what-if", "grows_crops=yes")
    assert changed.code == 0 and "permit" in changed.out and "-> not required" in changed.out
    ways = geocheck_command("explain", "S-1", "--how-to", "erosion_control=not_required")
    assert ways.code == 0 and "grows_crops" in ways.out
    assert geocheck_command("explain", "S-1", "--what-if", "grow_crops=yes").code == 4


def test_statements_as_spreadsheets_write_them(geocheck_command, project):
    (project / "statements.csv").write_text(
        "\ufeffsite_id;fact;value\r\nS-1;excavated_volume;0\r\nS-1;grows_crops;NO\r\n", encoding="utf-8"
    )
    assert geocheck_command("run", "--quiet").code == 0
    (project / "statements.csv").write_text("site_id,fact,value\nS-1,excavated_volume,250\n")
    ended = geocheck_command("run", "--quiet", "--overwrite")
    assert ended.code == 3 and "excavated_volume needs its unit: write 250 yd3" in ended.err
    (project / "statements.csv").unlink()
    assert "there is no such file of statements" in geocheck_command("run", "--quiet", "--overwrite").err


def test_a_misspelt_obligation_is_said(geocheck_command, project):
    assert geocheck_command("run", "--quiet").code == 0
    ended = geocheck_command("explain", "S-1", "--how-to", "permt=not_required")
    assert ended.code == 2 and "did you mean permit?" in ended.err
