"""Measured and stated facts put together: what a statement may stand in for, and what it may not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from geocheck.assess.columns import together
from geocheck.model.facts import FactColumn

ALONE = SimpleNamespace(plan=np.array([0, 1]), all_phases=np.array([0, 1]), members=[(0,), (1,)])


@pytest.mark.parametrize(
    ("statuses", "roads", "expected"),
    [
        pytest.param("missing", [False, False], [0, 0], id="no layer, no road"),
        pytest.param("missing", [False, None], [0, None], id="no layer, one says nothing"),
        pytest.param(["missing", "missing"], [True, False], [None, 0], id="no layer, one builds"),
        pytest.param("failed", [False, False], [None, None], id="lengths could not be measured"),
        pytest.param(["failed", "missing"], [False, False], [None, None], id="one length could not be measured"),
        pytest.param("outside coverage", [False, False], [None, None], id="the layer does not reach so far"),
    ],
)
def test_a_layer_that_could_not_be_measured_is_not_an_absent_road(statuses, roads, expected):
    length = FactColumn("new_road_length", "measured", "ft", [None, None], statuses=statuses, notes="why")
    builds = FactColumn("builds_road", "stated", "", roads, statuses="stated", source="form.csv")
    columns, _ = together({"new_road_length": length}, {"builds_road": builds}, ALONE, ["S", "T"])
    found = columns["new_road_length"]
    assert list(found.values) == expected
    if statuses == "failed":
        assert found.statuses == "failed" and found.notes == "why"
