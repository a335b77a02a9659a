"""Real layers, where GEOCHECK_REAL_DATA names the folder that holds them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real layers; skip where there is none."""
    folder = os.environ.get("GEOCHECK_REAL_DATA")
    if not folder:
        pytest.skip("GEOCHECK_REAL_DATA is not set: no real layers here")
    return Path(folder)
