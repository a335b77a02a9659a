"""The nouns of the measuring half: how ground's numbers become feet, and what of it is written down."""

from __future__ import annotations

from fractions import Fraction

import pytest

from geocheck.model.findings import Findings
from geocheck.model.ground import Copy, Ground, LayerSource, Repair, Subjects
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT


@pytest.mark.parametrize(
    "metres, foot, scale, feet",
    [
        (Fraction(1), US_SURVEY_FOOT, 1.0, 3937 / 1200),
        (Fraction(1), INTERNATIONAL_FOOT, 1.0, 1 / 0.3048),
        (US_SURVEY_FOOT, US_SURVEY_FOOT, 1.0, 1.0),
        (US_SURVEY_FOOT, INTERNATIONAL_FOOT, 1.0, 1.000002),
        (Fraction(1), INTERNATIONAL_FOOT, 1.0001, 1.0001 / 0.3048),
    ],
    ids=["metres to survey feet", "metres to international feet", "survey feet", "one foot to the other", "at an elevation"],
)  # fmt: skip
def test_a_unit_of_the_ground_in_feet(metres, foot, scale, feet):
    assert Ground({}, None, metres, foot=foot, scale=scale).feet == pytest.approx(feet, rel=1e-9)


def test_subjects_are_counted_and_a_repair_is_a_row():
    assert len(Subjects("site", ("a", "b"), {})) == 2
    assert Repair("parcels", 3, "P-3", "ring crosses itself", "rebuilt", 10.0).to_dict() == {
        "role": "parcels", "record": 3, "id": "P-3", "problem": "ring crosses itself", "action": "rebuilt",
        "area_before": 10.0, "area_after": None, "doubt": "",
    }  # fmt: skip


def test_the_records_of_a_source_are_in_its_file_or_in_the_copy_that_was_made_of_it():
    assert LayerSource("parcels", "parcels.shp").path == "parcels.shp"
    assert LayerSource("parcels", "https://gis.example.org/a.zip", copy=Copy("copies/a.zip")).path == "copies/a.zip"


def test_findings_of_two_runs_are_never_the_same_thing():
    fields = dict.fromkeys(("name", "as_of", "facts", "determinations", "questions", "ordinances", "layers", "ground", "sites",
                            "parcels", "receipt"))  # fmt: skip
    assert Findings(**fields) != Findings(**fields) and Findings(**fields).notes == ()
