"""Official acts: what is recorded stays, the latest counts, a revocation ends it."""

from __future__ import annotations

import sqlite3
from datetime import date

import pyogrio
import pytest

from geocheck.ledger import open_ledger
from geocheck.model.acts import Act, decided_facts, in_force, waivers_of
from geocheck.model.problem import LedgerError

ORDINANCE = "us/wi/washington-county-village/87-5"


def finding(on: str, value: bool = True) -> Act:
    return Act("decision", "S-1", "Village Engineer", on, fact="authority_finds_erosion_risk", value=value)


def waiver(on: str) -> Act:
    return Act("waiver", "S-1", "Board of Appeals", on, ordinance=ORDINANCE, obligation="permit", ground="(4)(a)1.")


@pytest.fixture
def ledger(tmp_path):
    return open_ledger(tmp_path / "ledger.gpkg")


def test_an_empty_ledger_has_no_acts_and_no_file(ledger):
    assert ledger.acts() == []
    assert not ledger.path.exists()


def test_what_is_recorded_is_read_again(ledger):
    first, second = ledger.record(finding("2026-09-01")), ledger.record(waiver("2026-09-02"))
    assert (first.number, second.number) == (1, 2)
    assert ledger.acts() == [first, second]


def test_gdal_reads_the_ledger_as_a_table(ledger):
    ledger.record(finding("2026-09-01"))
    assert pyogrio.list_layers(ledger.path).tolist() == [["acts", None]]
    assert pyogrio.read_dataframe(ledger.path)["site_id"].tolist() == ["S-1"]


def test_acts_cannot_be_changed_or_removed(ledger):
    ledger.record(finding("2026-09-01"))
    database = sqlite3.connect(ledger.path)
    for sql in ("UPDATE acts SET value = 0", "DELETE FROM acts"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            database.execute(sql)
    database.close()


def test_the_latest_act_about_a_matter_counts(ledger):
    for act in (finding("2026-09-01"), waiver("2026-09-02"), finding("2026-09-10", value=False)):
        ledger.record(act)
    early, late = (in_force(ledger.acts(), date(2026, 9, day)) for day in (5, 20))
    assert decided_facts(early, "S-1")["authority_finds_erosion_risk"].value is True
    assert decided_facts(late, "S-1")["authority_finds_erosion_risk"].value is False
    assert [w.ground for w in waivers_of(late, "S-1", ORDINANCE)] == ["(4)(a)1."]
    assert decided_facts(late, "S-2") == {}


def test_a_revocation_ends_a_waiver(ledger):
    ledger.record(waiver("2026-09-02"))
    ledger.record(Act("revocation", "S-1", "Board", "2026-09-09", ordinance=ORDINANCE, obligation="permit"))
    assert waivers_of(in_force(ledger.acts(), date(2026, 9, 8)), "S-1", ORDINANCE)
    assert not waivers_of(in_force(ledger.acts(), date(2026, 9, 9)), "S-1", ORDINANCE)


@pytest.mark.parametrize(
    "wrong, message",
    [
        (
            {"kind": "waiver", "site_id": "S-1", "by": "B", "on": "2026-09-01", "obligation": "permit"},
            "ordinance, obligation and ground",
        ),
        ({"kind": "decision", "site_id": "S-1", "by": "B", "on": "2026-09-01"}, "names the fact"),
        ({"kind": "decision", "site_id": "S-1", "by": "B", "on": "1.9.2026", "fact": "x"}, "YYYY-MM-DD"),
        ({"kind": "decision", "site_id": "", "by": "B", "on": "2026-09-01", "fact": "x"}, "names its site"),
        ({"kind": "revocation", "site_id": "S-1", "by": "B", "on": "2026-09-01"}, "a revocation names"),
        ({"kind": "pardon", "site_id": "S-1", "by": "B", "on": "2026-09-01"}, "an act is one of"),
    ],
    ids=[
        "waiver-without-ground",
        "decision-without-fact",
        "bad-day",
        "no-site",
        "revocation-of-nothing",
        "unknown-kind",
    ],
)
def test_an_incomplete_act_is_refused(wrong, message):
    with pytest.raises(LedgerError, match=message):
        Act(**wrong)


def test_a_file_that_is_no_ledger_is_refused(tmp_path):
    path = tmp_path / "ledger.gpkg"
    path.write_text("not a database")
    with pytest.raises(LedgerError, match=r"ledger\.gpkg: the ledger cannot be used"):
        open_ledger(path).acts()
    with pytest.raises(LedgerError, match="no ledger of this kind"):
        open_ledger("ledger.txt")
