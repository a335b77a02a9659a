from __future__ import annotations

import pytest

from tests import worlds


@pytest.fixture
def world():
    """Layers, grounds and subjects drawn by hand."""
    return worlds
