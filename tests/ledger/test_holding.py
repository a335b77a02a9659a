"""The lock file: what it says where the disk has no room for it, and that it is let go then."""

from __future__ import annotations

import os

import pytest

from geocheck.ledger.holding import holding
from geocheck.model.problem import LedgerError


def test_a_lock_without_room_for_its_words_is_refused_and_let_go(tmp_path, monkeypatch):
    lock = tmp_path / "ledger.gpkg.lock"

    def full(file, words):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        with pytest.raises(LedgerError, match="No space left on device"), holding(lock, "geocheck update", "x"):
            pytest.fail("it was held")
    with holding(lock, "geocheck update", "x"):
        assert lock.read_bytes()
