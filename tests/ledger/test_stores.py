"""Every ledger keeps the same promises, whatever holds its tables."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
import threading
from datetime import date

import pytest
import shapely

from geocheck.ledger import LEDGERS, open_ledger
from geocheck.model.acts import Act
from geocheck.model.changes import Change, Descent
from geocheck.model.history import ChangedOutcome, DeliveryRecord, Entry, KeptDetermination, ParcelRows, RunRecord
from geocheck.model.problem import LedgerError

WKT = 'PROJCS["a county\'s own",GEOGCS["x"]]'
ACT = Act("decision", "S-1", "Village Engineer", "2026-09-01", fact="authority_finds_erosion_risk")


def delivery(**more):
    return DeliveryRecord("parcels.shp", "abc", "2026-10-01", "PIN", {"PIN": "text"}, WKT, 2, 2, **more)


def run(as_of, fingerprint="f"):
    return RunRecord(f"{as_of}T02:00:00", f"{as_of}T02:01:00", as_of, fingerprint, {"id": "r"}, {"parcels": 2})


def parcels(**boxes):
    grounds = [None if b is None else shapely.to_wkb(shapely.box(*b)) for b in boxes.values()]
    return ParcelRows(list(boxes), ["parcel"] * len(boxes), grounds, [b"\1\0\0\0"] * len(boxes), [1.5] * len(boxes))


@pytest.fixture
def kept(store):
    """A ledger after three nights: two parcels; one is divided and a site's outcome changes; the site goes."""
    a, b = (0, 0, 10, 10), (10, 0, 20, 10)
    store.append(Entry(run("2026-10-01"), delivery(), parcels(A=a, B=b, NONE=None), sheets={("site", "S-1"): '{"x": 1}', ("site", "S-2"): '{"y": 1}'},
                       determinations=[KeptDetermination("S-1", "o", {"permit": "required"}, b"one"), KeptDetermination("S-2", "o", {"permit": "required"}, b"two")]))  # fmt: skip
    before = store.parcels()
    store.append(
        Entry(
            run("2026-10-08"),
            delivery(counts={"split": 1}, accepted="the county said so", doubts=("why",), tolerance_ft=1.5),
            parcels(A1=(0, 0, 5, 10), A2=(5, 0, 10, 10)),
            ended=[before.numbers[0]],
            changes=[
                (
                    Change("A", "split", (), ("A1", "A2"), (0.5, 0.5), 100.0, None, None, "n"),
                    shapely.to_wkb(shapely.box(*a)),
                )
            ],
            descent=[Descent("A", "A1", 50.0, 0.5, 1.0), Descent("A", "A2", 50.0, 0.5, 1.0)],
            sheets={("site", "S-1"): '{"x": 2}'},
            determinations=[KeptDetermination("S-1", "o", {"permit": "not_required"}, b"three")],
            changed=[ChangedOutcome("S-1", "o", "permit", "required", "not_required", "x changed")],
        )
    )
    store.append(
        Entry(run("2026-10-09"), sheets={("site", "S-2"): ""}, determinations=[KeptDetermination("S-2", "o", {})])
    )
    return store


def test_nothing_is_there_before_something_is_recorded(store):
    assert store.acts() == [] and store.runs() == [] and store.deliveries() == []
    assert store.last_run() is None and store.run_on(date(2026, 1, 1)) == 0
    assert len(store.parcels()) == 0 and store.sheets() == {} and store.determinations() == []
    assert store.version() == 0


def test_acts_are_numbered_and_kept(store):
    first, second = store.record(ACT), store.record(ACT)
    assert (first.number, second.number) == (1, 2)
    assert store.acts() == [first, second]
    assert store.version() == 1


def test_an_older_ledger_is_brought_up_when_a_run_is_added_and_keeps_its_acts(store):
    recorded = store.record(ACT)
    assert store.append(Entry(run("2026-10-01"))) == (1, 0)
    assert store.version() == 2
    assert store.acts() == [recorded]
    assert store.record(ACT).number == 2


def test_runs_and_deliveries_are_read_as_they_were_added(kept):
    assert [r.number for r in kept.runs()] == [1, 2, 3]
    assert kept.last_run() == kept.runs()[-1]
    assert kept.last_run().summary == {"parcels": 2}
    one, two = kept.deliveries()
    assert (one.number, one.run, two.number, two.run) == (1, 1, 2, 2)
    assert (two.accepted, two.doubts, two.counts, two.tolerance_ft) == (
        "the county said so",
        ("why",),
        {"split": 1},
        1.5,
    )
    assert one.fields == {"PIN": "text"} and one.system == WKT


def test_parcels_are_read_as_each_delivery_left_them(kept):
    assert list(kept.parcels().ids) == ["B", "NONE", "A1", "A2"]
    old = kept.parcels(1)
    assert list(old.ids) == ["A", "B", "NONE"]
    assert shapely.from_wkb(old.wkb[0]).equals(shapely.box(0, 0, 10, 10)) and old.wkb[2] is None
    assert (old.attributes[0], old.areas[0], old.kinds[0]) == (b"\1\0\0\0", 1.5, "parcel")


def test_a_determination_is_read_again_as_it_was_on_a_day(kept):
    on = {day: kept.run_on(date(2026, 10, day)) for day in (1, 7, 8, 30)}
    assert on == {1: 1, 7: 1, 8: 2, 30: 3}
    assert {d.site_id: (d.outcomes["permit"], d.told) for d in kept.determinations(1)} == {
        "S-1": ("required", b"one"),
        "S-2": ("required", b"two"),
    }
    assert {d.site_id: d.outcomes["permit"] for d in kept.determinations(2)} == {
        "S-1": "not_required",
        "S-2": "required",
    }
    assert [(d.site_id, d.told, d.run) for d in kept.determinations()] == [("S-1", b"three", 2)]
    assert kept.determinations(told=False)[0].told == b""
    assert kept.sheets(1) == {("site", "S-1"): '{"x": 1}', ("site", "S-2"): '{"y": 1}'}
    assert kept.sheets() == {("site", "S-1"): '{"x": 2}'}


def test_changes_and_descent_are_read_by_delivery(kept):
    assert kept.changes(1) == []
    assert kept.changes(2) == [Change("A", "split", (), ("A1", "A2"), (0.5, 0.5), 100.0, None, None, "n")]
    assert [(number, row.child) for number, row in kept.descent()] == [(2, "A1"), (2, "A2")]
    assert kept.descent(since=2) == []
    assert kept.changed(2)[0].because == "x changed" and kept.changed(3) == []


def test_a_run_that_fails_half_way_leaves_nothing(kept):
    broken = Entry(
        run("2026-10-10"),
        delivery(),
        parcels(C=(0, 0, 1, 1)),
        changes=[(Change("C", "added", area_after_ft2=object()), None)],
    )  # type: ignore[arg-type]
    with pytest.raises((LedgerError, TypeError)):
        kept.append(broken)
    assert len(kept.runs()) == 3 and len(kept.deliveries()) == 2
    assert list(kept.parcels().ids) == ["B", "NONE", "A1", "A2"]


def test_the_holder_is_named_and_lets_go(store, address):
    with store.writer("geocheck update"):
        with (
            pytest.raises(LedgerError, match=r"held by geocheck update, process \d+ on \S+, since 20\d\d-"),
            open_ledger(address).writer("another"),
        ):
            pass  # pragma: no cover
        # Readers are never kept waiting, nor is an official act.
        assert store.acts() == []
        store.record(ACT)
    with open_ledger(address).writer("another"):
        pass


def test_a_second_writer_can_wait(store, address):
    order, held = [], threading.Event()

    def second():
        held.wait()
        with open_ledger(address).writer("second", wait=20):
            order.append("second")

    other = threading.Thread(target=second)
    other.start()
    with store.writer("first"):
        held.set()
        other.join(0.5)
        order.append("first")
    other.join()
    assert order == ["first", "second"]


def test_a_killed_writer_holds_nothing(store, address):
    code = textwrap.dedent(
        f"""
        import time
        from geocheck.ledger import open_ledger
        with open_ledger({address!r}).writer("doomed"):
            print("held", flush=True)
            time.sleep(60)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    with pytest.raises(LedgerError, match="held by doomed"), store.writer("me"):
        pass  # pragma: no cover
    process.kill()
    process.wait()
    process.stdout.close()
    with store.writer("me", wait=10):
        pass


def test_a_ledger_of_a_newer_geocheck_is_left_alone(kept):
    with kept._writing(2) as base:
        base.run("INSERT INTO ledger_versions (version, since) VALUES (:v, :s)", v=99, s="2030-01-01")
    with pytest.raises(LedgerError, match=r"version 99.*newer geocheck"):
        kept.runs()
    with pytest.raises(LedgerError, match="version 99"):
        kept.append(Entry(run("2026-10-10")))


@pytest.mark.parametrize(
    "table", ["acts", "runs", "parcels", "parcel_ends", "changes", "descent", "sheets", "determinations"]
)
@pytest.mark.parametrize("statement", ["UPDATE {} SET number = 77", "DELETE FROM {}"], ids=["change", "remove"])
def test_history_cannot_be_rewritten(kept, table, statement):
    kept.record(ACT)
    with pytest.raises(LedgerError, match=f"{table} are append-only"), kept._writing(2) as base:
        base.run(statement.format(table))


# Each store's own -------------------------------------------------------------------------------------------------------


def test_the_geopackage_opens_in_gdal_with_parcels_and_changes(tmp_path):
    import pyogrio

    store = open_ledger(tmp_path / "ledger.gpkg")
    store.append(Entry(run("2026-10-01"), delivery(), parcels(A=(0, 0, 10, 10))))
    store.append(Entry(run("2026-10-02"), delivery(), None, ended=[1], changes=[(Change("A", "removed", area_before_ft2=100.0), shapely.to_wkb(shapely.box(0, 0, 10, 10)))]))  # fmt: skip
    layers = dict(pyogrio.list_layers(store.path).tolist())
    assert {"acts", "parcels", "parcels_now", "changes", "determinations"} <= set(layers)
    assert len(pyogrio.read_dataframe(store.path, layer="parcels")) == 1
    assert len(pyogrio.read_dataframe(store.path, layer="parcels_now")) == 0
    assert pyogrio.read_dataframe(store.path, layer="changes").geometry.area.tolist() == [100.0]


def test_a_half_made_geopackage_is_no_ledger(tmp_path):
    path = tmp_path / "ledger.gpkg"
    sqlite3.connect(path).close()
    with pytest.raises(LedgerError, match=r"ledger\.gpkg: the ledger cannot be used"):
        open_ledger(path).record(ACT)


def test_a_locked_or_read_only_geopackage_says_so(tmp_path, monkeypatch):
    import geocheck.ledger.geopackage as module

    monkeypatch.setattr(module, "_BUSY_SECONDS", 0.1)
    store = open_ledger(tmp_path / "ledger.gpkg")
    store.record(ACT)
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LedgerError, match=r"locked.*Nothing was changed"):
        store.record(ACT)
    other.execute("ROLLBACK")
    other.close()
    assert len(store.acts()) == 1


def test_a_full_disk_changes_nothing(tmp_path, monkeypatch):
    store = open_ledger(tmp_path / "ledger.gpkg")
    store.append(Entry(run("2026-10-01"), delivery(), parcels(A=(0, 0, 10, 10))))
    connect = sqlite3.connect

    def small(*words, **keys):
        base = connect(*words, **keys)
        # SQLite then says what it says when the disk is full.
        base.execute(f"PRAGMA max_page_count = {base.execute('PRAGMA page_count').fetchone()[0]}")
        return base

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(LedgerError, match="disk is full"):
        store.append(Entry(run("2026-10-02"), delivery(), parcels(**{f"P{n}": (0, 0, 1, 1) for n in range(5000)})))
    monkeypatch.undo()
    assert len(store.runs()) == 1 and list(store.parcels().ids) == ["A"]


def test_a_database_that_is_down_says_so_and_tells_no_password():
    pytest.importorskip("psycopg")
    store = open_ledger("postgresql://me:secret@127.0.0.1:1/nowhere")
    with pytest.raises(LedgerError, match="the ledger cannot be used") as told:
        store.acts()
    assert "secret" not in str(told.value) and "127.0.0.1" in str(told.value)


def test_a_schema_with_a_strange_name_is_refused():
    pytest.importorskip("psycopg")
    with pytest.raises(LedgerError, match="small letters"):
        open_ledger("postgresql://h/d?schema=a;drop")


@pytest.mark.parametrize("name", LEDGERS.names())
def test_a_store_is_complete(name):
    import importlib

    module = importlib.import_module(f"geocheck.ledger.{name}")
    assert module.LEDGER.opens and module.__doc__.strip()


def test_nouns_become_plain_values():
    assert Change("A", "added").to_dict()["parcel_id"] == "A"
    assert Descent("A", "B", 1.0, 0.5, 1.0).to_dict()["child"] == "B"
