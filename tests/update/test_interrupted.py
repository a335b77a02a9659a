"""What a night leaves when its store goes away, is locked, or is read while it works."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from geocheck.ledger import open_ledger
from geocheck.model.problem import LedgerError


def files(one):
    return {path.name: path.read_bytes() for path in (one.folder / "out").iterdir()}


def state(address):
    """Return what a reader finds: runs, deliveries, parcels, what changed in the last, determinations."""
    ledger = open_ledger(address)
    deliveries = ledger.deliveries()
    changes = len(ledger.changes(deliveries[-1].number)) if deliveries else 0
    return len(ledger.runs()), len(deliveries), len(ledger.parcels()), changes, len(ledger.determinations(told=False))


@pytest.mark.parametrize("stage", ["reading layers", "comparing deliveries", "measuring parcels", "judging"])
def test_a_database_that_goes_down_in_the_middle_changes_nothing(county, postgis_cluster, stage):
    address = f"{postgis_cluster.address}&schema=d{uuid.uuid4().hex[:12]}"
    one = county(ledger=address)
    one.update()
    before, kept = state(address), files(one)
    del one.parcels["P0404"]
    one.parcels["NEW"] = one.parcels.pop("P0303")
    down = []

    def progress(name, done, total):
        if name == stage and not down:
            down.append(name)
            postgis_cluster.stop()

    try:
        with pytest.raises(LedgerError) as caught:
            one.update(progress=progress)
    finally:
        postgis_cluster.start()
    assert down and caught.value.exit_code == 3
    assert "cannot be used" in str(caught.value) and "\n" not in str(caught.value)
    assert state(address) == before and files(one) == kept
    assert one.update().run == 2
    assert one.changes() == [("NEW", "renumbered"), ("P0404", "removed")]


def test_a_geopackage_that_another_program_is_writing_to_is_left_as_it_is(county):
    one = county()
    one.update()
    ledger = one.folder / "ledger.gpkg"
    before, kept = state(ledger), files(one)
    del one.parcels["P0404"]
    with sqlite3.connect(ledger, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match=r"locked|another program"):
            one.update()
        other.execute("ROLLBACK")
    assert state(ledger) == before and files(one) == kept
    assert one.update().run == 2


@pytest.mark.parametrize("store", ["geopackage", "postgis"])
def test_readers_find_the_night_before_or_the_whole_of_this_one(county, lot, store, request):
    address = "ledger.gpkg" if store == "geopackage" else f"{request.getfixturevalue('postgis')}&schema=r{uuid.uuid4().hex[:12]}"  # fmt: skip
    one = county(ledger=address)
    where = one.folder / address if store == "geopackage" else address
    one.update()
    whole, seen, done = {state(where)}, set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(state_at_once(where))

    with ThreadPoolExecutor() as pool:
        reading = pool.submit(read)
        try:
            for night, key in enumerate(("P0404", "P0303", "P0202")):
                del one.parcels[key]
                one.parcels[f"N{night}"] = lot(3000 + 500 * night, 0, 3400 + 500 * night, 400)
                one.parcels[f"M{night}"] = lot(3000 + 500 * night, 500, 3400 + 500 * night, 900)
                one.update()
                whole.add(state(where))
        finally:
            done.set()
        reading.result()
    assert seen <= {(runs, parcels) for runs, _, parcels, _, _ in whole}


def state_at_once(address):
    """Return the runs and the parcels of one look: the parcels tell by their number which run they are of."""
    ledger = open_ledger(address)
    while True:
        before, parcels, after = len(ledger.runs()), len(ledger.parcels()), len(ledger.runs())
        if before == after:
            return before, parcels
