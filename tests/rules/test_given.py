"""Facts as people give them, and what they imply."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from geocheck.model.facts import Fact
from geocheck.model.problem import GeocheckError, RuleFileError, UnitError
from geocheck.model.quantity import Interval, Quantity, parse_quantity
from geocheck.model.vocabulary import VOCABULARY
from geocheck.rules.given import declared_in, fact_given, facts_given, with_implied

AREA, CROPS, COUNT = (VOCABULARY[name] for name in ("disturbed_area", "grows_crops", "small_parcels_created"))
FOUR = Quantity(Fraction(4), "ft2")


@pytest.mark.parametrize(
    "declared, value, found",
    [
        (AREA, "4 ft2", FOUR), (AREA, FOUR, FOUR), (AREA, Interval(FOUR, FOUR, FOUR), FOUR), (AREA, " ? ", None),
        (AREA, "unknown", None), (AREA, None, None), (COUNT, 5, Quantity(Fraction(5), "each")),
        (COUNT, np.int64(5), Quantity(Fraction(5), "each")), (CROPS, True, True), (CROPS, np.bool_(False), False),
        (CROPS, "yes", True), (CROPS, "N", False), (CROPS, "", None), (AREA, Fact("disturbed_area", "stated", FOUR), FOUR),
    ],
)  # fmt: skip
def test_a_fact_as_given(declared, value, found):
    assert fact_given(declared, value).value == found


def test_an_interval_keeps_its_ends():
    read = fact_given(AREA, parse_quantity("4_010 ± 25 ft2"))
    exact = fact_given(AREA, read.value)
    assert exact.value == exact.low == exact.high == read.value
    assert (read.low.value, read.high.value, read.kind, read.source) == (3985, 4035, "measured", "given")
    assert fact_given(VOCABULARY["impervious_area_added"], "-40 ft2").value.value == -40


@pytest.mark.parametrize(
    "declared, value, said",
    [
        (AREA, 4000, 'write it as text, such as "4000 ft2"'), (AREA, 4000.5, "has no unit"), (COUNT, 5.0, "has no unit"),
        (COUNT, True, "yes or no was given"), (CROPS, 1, "yes or no; '1' was given"), (CROPS, "perhaps", "'perhaps' was given"),
        (AREA, "10 ft", "an area in ft2; 10 ft is a length"), (AREA, "-1 ft2", "below zero"), (AREA, [1], "has no unit"),
        (AREA, "4 pigs", "disturbed_area: unknown unit 'pigs'"), (AREA, "4,000", "disturbed_area: 4,000 has no unit; write 4,000 ft2"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(declared, value, said):
    with pytest.raises(UnitError) as caught:
        fact_given(declared, value)
    assert said in str(caught.value)


def test_all_that_is_wrong_is_said_at_once(village):
    with pytest.raises(RuleFileError) as caught:
        facts_given({"grows_crop": True, "qqq": 1, "disturbed_area": 3}, village)
    assert len(caught.value.problems) == 3 and "Did you mean grows_crops?" in str(caught.value)
    assert "Facts asked for: " in str(caught.value)
    with pytest.raises(UnitError) as caught:
        facts_given({"grows_crops": 3, "disturbed_area": 3}, village)
    assert len(caught.value.problems) == 2


def test_a_fact_of_the_vocabulary_that_is_not_asked_for_is_taken(village):
    assert "agricultural_facility" not in village.facts_used
    assert facts_given({"agricultural_facility": True}, village)["agricultural_facility"].value is True
    assert set(VOCABULARY) <= set(declared_in(village))


def test_no_road_no_length(village):
    none = Fact("builds_road", "stated", False)
    assert with_implied({"builds_road": none})["new_road_length"].source == "builds_road is no"
    for facts in (
        {},
        {"builds_road": Fact("builds_road", "stated", None)},
        {"builds_road": Fact("builds_road", "stated", True)},
    ):
        assert "new_road_length" not in with_implied(facts)
    missing = Fact("new_road_length", "measured", None)
    assert with_implied({"builds_road": none, "new_road_length": missing})["new_road_length"] is missing
    assert (
        with_implied({"builds_road": none, "new_road_length": missing}, no_layer=True)["new_road_length"].value.value
        == 0
    )
    failed = Fact("new_road_length", "measured", None, status="failed")
    assert with_implied({"builds_road": none, "new_road_length": failed}, no_layer=True)["new_road_length"] is failed


def test_extents_come_as_families(river_hills, village):
    found = facts_given(
        {"disturbed_area": "1 acre", "impervious_area": "1 ft2", "impervious_area_of_all_phases": "2 ft2"}, river_hills
    )
    assert "disturbed_area_of_all_phases" not in found
    found = facts_given({"disturbed_area": "1 acre"}, river_hills)
    assert found["disturbed_area_of_all_phases"].note.startswith(
        "disturbed_area_of_all_phases taken from disturbed_area"
    )
    found = facts_given({"small_parcels_created": 3, "disturbed_area_of_all_phases": "1 acre"}, village)
    assert found["small_parcels_created_of_plan"].value.value == 3


def test_every_error_is_one_that_geocheck_raises_on_purpose():
    assert issubclass(UnitError, GeocheckError) and issubclass(RuleFileError, GeocheckError)
