"""A ledger of each kind: a GeoPackage, and PostGIS in a private cluster that lives as long as the tests."""

from __future__ import annotations

import uuid

import pytest

from geocheck.ledger import open_ledger


@pytest.fixture(params=["geopackage", "postgis"])
def address(request, tmp_path):
    """The address of a ledger that is not there yet."""
    if request.param == "geopackage":
        return str(tmp_path / "ledger.gpkg")
    return f"{request.getfixturevalue('postgis')}&schema=l{uuid.uuid4().hex[:12]}"


@pytest.fixture
def store(address):
    """A ledger in which nothing is recorded yet."""
    return open_ledger(address)
