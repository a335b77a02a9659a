"""Nights: what is taken, what is refused, what is measured again, what is told; and nothing when there is nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geocheck.ledger import open_ledger
from geocheck.model.acts import Act
from geocheck.model.problem import LedgerError, OutputError, ProjectError, SourceError

VILLAGE = "us/wi/washington-county-village/87-5"
NOTHING = {"remeasured": 0, "rejudged": 0, "changed": 0}


def numbers(night, *names):
    return tuple(night.summary[name] for name in names or NOTHING)


def test_the_first_night_measures_everything_and_changes_nothing(county):
    one = county()
    night = one.update()
    assert numbers(night, "parcels", "sites", "remeasured", "changed") == (25, 5, 30, 0)
    assert {r["change"] for r in one.rows("changes.csv")} == {"added"}
    assert one.rows("changed_determinations.csv") == []
    one.compare_with_a_full_run()


def test_the_same_delivery_twice_is_nothing_to_do(county):
    one = county()
    one.update()
    before = {path: path.stat().st_mtime_ns for path in (one.folder / "out").iterdir()}
    from geocheck.assess.nightly import update

    night = update(one.folder / "geocheck.yaml")
    assert night.nothing_to_do and numbers(night) == (0, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in (one.folder / "out").iterdir()} == before
    assert len(open_ledger(one.folder / "ledger.gpkg").runs()) == 1
    assert "Nothing to do" in night.mail()


def test_a_file_exported_again_with_the_same_content_measures_nothing(county):
    one = county()
    one.update()
    one.extra = {"NOTE": ["x"] * 25}
    night = one.update()
    assert not night.nothing_to_do
    assert numbers(night) == (0, 0, 0)
    one.compare_with_a_full_run()


def test_c41(county, lot, shake):
    one = county()
    one.update()
    ground = one.parcels.pop("P0000")
    one.parcels["P1A"], one.parcels["P1B"] = lot(0, 0, 200, 400), lot(200, 0, 400, 400)
    one.owner["P0101"] = "somebody new"
    one.parcels["P0202"] = shake(one.parcels["P0202"], 0.02)
    night = one.update()
    assert one.changes() == [("P0000", "split"), ("P0101", "attributes only"), ("P1A", "split"), ("P1B", "split")]
    rows = {row["parcel_id"]: row for row in one.rows("changes.csv")}
    assert (rows["P0000"]["children"], rows["P0000"]["share"]) == ("P1A; P1B", "0.5; 0.5")
    assert rows["P0101"]["note"] == "OWNER"
    assert rows["P0202"]["change"] == "unchanged" and 0 < float(rows["P0202"]["shift_ft"]) < 0.03
    # The two halves and the shaken one; of the sites only those whose plan now has two small parcels are judged again.
    assert numbers(night, "remeasured", "rejudged", "changed") == (3, 2, 0)
    assert float(rows["P0000"]["area_before_ft2"]) == pytest.approx(ground.area, rel=1e-9)
    one.compare_with_a_full_run()


def test_a_renamed_field_is_refused_before_anything_is_written(county):
    one = county()
    one.update()
    kept = {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()}
    one.id_field = "PARCELID"
    with pytest.raises(SourceError, match=r"no field 'PIN'[\s\S]*The delivery of 2026-10-15 had it"):
        one.update()
    assert {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()} == kept
    assert len(open_ledger(one.folder / "ledger.gpkg").deliveries()) == 1


def lose(one):
    for name in [f"P{i:02d}04" for i in range(5)]:
        del one.parcels[name]


def retype(one):
    one.extra = {"NOTE": [1.0] * 25}


def other_system(one):
    one.crs = 2289


@pytest.mark.parametrize(
    "edit, words", [(lose, "fewer-parcels"), (retype, "field-retyped"), (other_system, "system-changed")]
)
def test_a_suspect_delivery_is_refused_and_can_be_accepted_with_a_reason(county, edit, words):
    one = county()
    one.extra = {"NOTE": ["x"] * 25}
    one.update()
    edit(one)
    if edit is lose:
        one.extra = {"NOTE": ["x"] * 20}
    with pytest.raises(SourceError, match=words) as told:
        one.update()
    assert told.value.exit_code == 3 and "--accept" in str(told.value)
    ledger = open_ledger(one.folder / "ledger.gpkg")
    assert len(ledger.deliveries()) == 1 and len(ledger.runs()) == 1
    night = one.update(accept="the county surveyor's letter")
    assert ledger.deliveries()[-1].accepted == "the county surveyor's letter"
    assert "the county surveyor's letter" in night.mail()
    one.compare_with_a_full_run()


def test_a_moved_zone_touches_what_lies_under_the_change_and_says_why(county, lot):
    one = county()
    one.update()
    one.wetlands["W-1"] = lot(500, 100, 900, 560)
    night = one.update()
    # The strip taken from the wetland lies in the tiles of a few parcels and of one or two sites.
    assert 0 < night.summary["remeasured"] < 30
    one.compare_with_a_full_run()
    one.wetlands["W-3"] = lot(1500, 1500, 1990, 1990)
    night = one.update()
    one.compare_with_a_full_run()
    reasons = one.rows("changed_determinations.csv")
    assert night.summary["changed"] == len(reasons)
    for row in reasons:
        assert "disturbed_area" in row["because"]


def test_a_waiver_is_respected_at_once_and_named(county):
    one = county()
    one.update()
    ledger = open_ledger(one.folder / "ledger.gpkg")
    ledger.record(
        Act("waiver", "S-0", "Board", "2026-10-02", ordinance=VILLAGE, obligation="erosion_control", ground="(4)(a)1.")
    )
    night = one.update()
    assert night.summary["remeasured"] == 0 and night.summary["rejudged"] == 1
    rows = one.rows("changed_determinations.csv")
    assert {row["site_id"] for row in rows} == {"S-0"} and len(rows) == night.summary["changed"] > 0
    assert all("in force: waiver no. 1" in row["because"] and row["after"] == "waived" for row in rows)
    one.compare_with_a_full_run()
    past, now = (ledger.determinations(run) for run in (1, 2))
    assert {d.site_id: d.outcomes for d in past}["S-0"] != {d.site_id: d.outcomes for d in now}["S-0"]


def test_a_site_that_comes_and_one_that_goes_are_told(county, lot):
    one = county()
    one.update()
    del one.sites["S-4"]
    one.sites["S-9"] = lot(1700, 100, 1800, 200)
    night = one.update()
    because = {(r["site_id"], r["because"].split(";")[0]) for r in one.rows("changed_determinations.csv")}
    assert because >= {("S-4", "the site is no longer in the disturbance layer"), ("S-9", "the site is new")}
    assert night.summary["sites"] == 5
    one.compare_with_a_full_run()
    assert {d.site_id for d in open_ledger(one.folder / "ledger.gpkg").determinations(told=False)} == {
        "S-0",
        "S-1",
        "S-2",
        "S-3",
        "S-9",
    }


def test_a_determination_is_read_again_with_its_trace_as_it_was(county):
    from geocheck.assess.nightly.sheets import told

    one = county()
    one.update()
    found = {d.site_id: told(d) for d in open_ledger(one.folder / "ledger.gpkg").determinations(1)}
    assert found["S-1"]["trace"] and found["S-1"]["receipt"]["id"]
    assert {o["obligation"] for o in found["S-1"]["obligations"]} >= {"permit", "erosion_control"}


def test_small_shifts_do_not_add_up_unseen(county, lot):
    one = county()
    one.update()
    for night in range(1, 5):
        one.parcels["P0404"] = lot(1600, 1600, 2000 + 0.4 * night, 2000)
        one.update()
        seen = ("P0404", "reshaped") in one.changes()
        assert seen == (night == 3), night


def test_missing_or_lost_files_are_written_again_and_the_ledger_is_left(county):
    from geocheck.assess.nightly import update

    one = county()
    one.update()
    del one.parcels["P0404"]
    one.update()
    kept = {
        name: (one.folder / "out" / name).read_bytes()
        for name in ("changes.csv", "changed_determinations.csv", "parcels.csv")
    }
    for path in (one.folder / "out").iterdir():
        path.unlink()
    night = update(one.folder / "geocheck.yaml")
    assert not night.nothing_to_do and night.run == 2
    assert {name: (one.folder / "out" / name).read_bytes() for name in kept} == kept
    assert len(open_ledger(one.folder / "ledger.gpkg").runs()) == 2
    assert update(one.folder / "geocheck.yaml").nothing_to_do


def test_a_lost_or_damaged_memory_only_costs_time(county):
    one = county()
    one.update()
    (memory,) = (one.folder / ".geocheck").iterdir()
    for damage in (b"", b"PK\3\4 not a zip", memory.read_bytes()[: memory.stat().st_size // 2]):
        memory.write_bytes(damage)
        one.owner["P0000"] += "x"
        night = one.update()
        assert night.summary["remeasured"] == 30
        one.compare_with_a_full_run()


def test_files_of_a_run_that_are_there_are_brought_up_to_date_too(county):
    one = county()
    one.update(names=["result.json", "determinations.csv"])
    del one.parcels["P0404"]
    night = one.update()
    assert {"result.json", "parcels.csv"} <= {path.name for path in night.written}


def test_an_update_without_a_ledger_is_refused(county):
    one = county()
    path = one.write()
    path.write_text(path.read_text().replace("ledger: ledger.gpkg\n", ""))
    from geocheck.assess.nightly import update

    with pytest.raises(ProjectError, match="needs a ledger"):
        update(path)


def test_a_second_update_says_who_holds_the_ledger(county):
    one = county()
    one.update()
    one.owner["P0000"] = "B"
    with (
        open_ledger(one.folder / "ledger.gpkg").writer("geocheck update"),
        pytest.raises(LedgerError, match="held by geocheck update, process"),
    ):
        one.update()
    assert not one.update().nothing_to_do


def test_a_disk_that_is_full_while_files_are_written_changes_nothing(county, monkeypatch):
    from geocheck.assess.nightly import night as module

    one = county()
    one.update()
    kept = {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()}
    del one.parcels["P0404"]

    def full(*words, **keys):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_own_files", full)
    with pytest.raises(OutputError, match="No space left on device; nothing was changed"):
        one.update()
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()} == kept
    assert len(open_ledger(one.folder / "ledger.gpkg").runs()) == 1
    assert one.update().run == 2


def test_a_ledger_that_fails_when_all_is_done_leaves_the_files(county, monkeypatch):
    from geocheck.ledger.geopackage import GeoPackageLedger

    one = county()
    one.update()
    kept = {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()}
    del one.parcels["P0404"]

    def down(self, entry):
        raise LedgerError("the database is down")

    monkeypatch.setattr(GeoPackageLedger, "append", down)
    with pytest.raises(LedgerError, match="down"):
        one.update()
    assert {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()} == kept


@pytest.mark.parametrize("store", ["geopackage", "postgis"])
def test_both_stores_tell_the_same(county, store, request):
    address = "ledger.gpkg" if store == "geopackage" else f"{request.getfixturevalue('postgis')}&schema=tell"
    one = county(ledger=address)
    one.update()
    del one.parcels["P0404"]
    one.parcels["NEW"] = one.parcels.pop("P0303")
    one.update()
    assert one.changes() == [("NEW", "renumbered"), ("P0404", "removed")]
    ledger = open_ledger(one.folder / address if store == "geopackage" else address)
    assert len(ledger.parcels()) == 24 and len(ledger.parcels(1)) == 25
    assert [c.parcel_id for c in ledger.changes(2)] == ["NEW", "P0404"]


def test_the_summary_is_there_for_machines(county):
    one = county()
    night = one.update()
    stamp = json.loads((one.folder / "out" / "update.json").read_text())
    assert {key: stamp[key] for key in night.summary} == night.summary
    assert list(night.summary)[:6] == ["parcels", "sites", "remeasured", "rejudged", "changed", "seconds"]
    assert Path(one.folder / "out" / "update.txt").read_text() == night.mail()


def test_shapefiles_and_other_systems_do_as_well(county, lot):
    one = county(ending="shp")
    one.lines[0] = one.lines[0].replace("area_basis: grid\nmeasure_crs: EPSG:8104", "area_basis: auto")
    one.update()
    one.parcels["P0404"] = lot(1600, 1600, 2000, 1950)
    assert one.update().summary["remeasured"] == 1
    assert one.changes() == [("P0404", "reshaped")]
    one.compare_with_a_full_run()


def test_acts_are_kept_beside_the_nights(county):
    one = county()
    one.write()
    ledger = open_ledger(one.folder / "ledger.gpkg")
    act = ledger.record(Act("decision", "S-0", "Village Engineer", "2026-10-02", fact="authority_finds_runoff_risk"))
    one.update()
    assert ledger.acts() == [act]
