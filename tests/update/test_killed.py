"""An update killed at any moment: the next one ends in the same ledger as one that nobody disturbed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from dataclasses import asdict
from pathlib import Path

import pytest

from geocheck.ledger import open_ledger

GEOCHECK = str(Path(sys.executable).parent / "geocheck")
#: How often each store is tried; more by hand.
KILLS = int(os.environ.get("GEOCHECK_KILLS", "4"))
#: What no two runs share: when they ran, how long, from which folder, and the time that a file says of itself.
CLOCKS = {"sha256", "started", "finished", "taken_at", "summary", "receipt", "fingerprint", "source", "told"}


@pytest.fixture(params=["geopackage", "postgis"])
def ledger(request):
    """Return the maker of addresses of ledgers that are not there yet."""
    if request.param == "geopackage":
        return lambda: "ledger.gpkg"
    database = request.getfixturevalue("postgis")
    return lambda: f"{database}&schema=k{uuid.uuid4().hex[:12]}"


def ledger_of(one):
    """Return everything that a reader finds, clocks aside."""
    address = one.ledger if ":" in one.ledger else str(one.folder / one.ledger)
    store = open_ledger(address)

    def plain(records):
        return [{k: v for k, v in asdict(record).items() if k not in CLOCKS} for record in records]

    runs, deliveries, held = store.runs(), store.deliveries(), store.parcels()
    return {
        "runs": plain(runs),
        "deliveries": plain(deliveries),
        "parcels": [held.ids, held.kinds, held.areas, held.attributes, held.wkb, held.numbers],
        "changes": [plain(store.changes(delivery.number)) for delivery in deliveries],
        "descent": [(number, asdict(row)) for number, row in store.descent()],
        "sheets": store.sheets(),
        "determinations": plain(store.determinations(told=False)),
        "changed": [plain(store.changed(run.number)) for run in runs],
    }


def divided(one, lot):
    """Let the next delivery hold a split, a new number and an owner."""
    del one.parcels["P0000"]
    one.parcels["P1A"], one.parcels["P1B"] = lot(0, 0, 200, 400), lot(200, 0, 400, 400)
    one.parcels["P9"] = one.parcels.pop("P0303")
    one.owner["P0101"] = "somebody new"
    return one.write()


def run(path):
    return subprocess.Popen(
        [GEOCHECK, "update", str(path), "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=path.parent
    )


@pytest.mark.slow
def test_the_next_update_ends_where_an_undisturbed_one_does(county, lot, ledger):
    calm = county("calm", ledger=ledger())
    calm.update()
    path = divided(calm, lot)
    begin = time.perf_counter()
    process = run(path)
    assert process.wait() == 0, process.stderr.read()
    whole = time.perf_counter() - begin
    wanted, tables = ledger_of(calm), {name: calm.rows(name) for name in ("facts.csv", "changed_determinations.csv")}
    rng, killed = random.Random(5), 0
    for number in range(KILLS):
        one = county(f"killed-{number}", ledger=ledger())
        one.update()
        path = divided(one, lot)
        older = ledger_of(one)
        process = run(path)
        # Every second time late, where the ledger and the files are written.
        time.sleep(whole * (rng.random() if number % 2 else 0.6 + 0.4 * rng.random()))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert ledger_of(one) in (older, wanted), "readers never see half a delivery"
        again = run(path)
        assert again.wait() == 0, again.stderr.read()
        assert ledger_of(one) == wanted
        assert {name: one.rows(name) for name in tables} == tables
        assert not list((one.folder / "out").glob(".geocheck-night-*"))
    assert killed
