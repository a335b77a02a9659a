"""What a run hands to a ledger: nothing, where it says nothing; and parcels as columns of one length."""

from __future__ import annotations

import dataclasses

import pytest

from geocheck.model.history import DeliveryRecord, Entry, KeptDetermination, ParcelRows, RunRecord

RUN = RunRecord("2026-12-01T02:00:00Z", "2026-12-01T02:01:00Z", "2026-12-01", "f00d", {}, {})


def test_an_entry_of_a_run_alone_adds_nothing_else():
    entry = Entry(RUN)
    assert entry.run is RUN and RUN.number == 0
    assert not any(getattr(entry, field.name) for field in dataclasses.fields(entry) if field.name != "run")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_parcels_are_as_many_as_their_identifiers(count):
    rows = ParcelRows(["P"] * count, ["ok"] * count, [None] * count, [b""] * count)
    assert len(rows) == count


@pytest.mark.parametrize(
    "record",
    [RUN, DeliveryRecord("a.gpkg", "f00d", "2026-12-01", "PIN", {}, "", 0, 0), KeptDetermination("S", "us/a", {})],
    ids=["run", "delivery", "determination"],
)
def test_what_is_on_record_is_not_changed(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(record)[0].name, "")
