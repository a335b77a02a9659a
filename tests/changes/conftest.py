"""Deliveries drawn by hand: identifiers and rectangles, in feet."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from geocheck.changes import Delivery


def deliver(parcels, attributes=None, fields=("OWNER",), kinds=None, feet=1.0):
    """Make a delivery of (identifier, ground) pairs; attributes is one number a record."""
    ids = np.array([name for name, _ in parcels], dtype=object)
    shapes = np.array([ground for _, ground in parcels], dtype=object)
    told = np.array(kinds or ["placeholder" if not name or set(name) == {"-"} else "label" if name == "ROAD" else "parcel" for name in ids], dtype=object)  # fmt: skip
    values = None if attributes is None else np.array(attributes, dtype=np.uint32).reshape(len(ids), len(fields))
    return Delivery(ids, shapes, told, values, () if attributes is None else tuple(fields), feet)


@pytest.fixture
def delivery():
    """Return the maker of deliveries."""
    return deliver


@pytest.fixture
def box():
    """Return the maker of rectangles."""
    return lambda *corners: shapely.box(*corners)
