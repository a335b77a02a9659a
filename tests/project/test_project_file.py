"""The project file: what it means, and every problem at its place."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from geocheck.model.ground import FactField
from geocheck.model.problem import ProjectError
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.project import layer_source, open_project

WHOLE = """\
name: Cedar Hollow sample
jurisdiction: {layer: municipality, name: Village of Cedar Hollow}
area_basis: ground
elevation: 900 ft
foot: us_survey
ordinances: [us/wi/washington-county-village/87-5, own/chapter.yaml]
settings: {within_zone: wholly}
as_of: 2026-10-01
layers:
  parcels:      {source: parcels.shp, id: PARCELID, accuracy: 5 ft, date: 2026-10-01}
  municipality: {source: municipality.shp, id: NAME}
  disturbance:  {source: sites.shp, id: SITE_ID, plan: PLAN_ID, phase: PHASE,
                 facts: {grows_crops: AG, excavated_volume: {field: CUT_CY, unit: yd3}}}
  wetland: wetlands.shp
  floodplain:   {source: flood.gdb, layer: S_FLD_HAZ_AR, where: "SFHA_TF = 'T'", coverage: extent}
statements: statements.csv
ledger: ledger.gpkg
output: answers
"""


def write(folder, text):
    path = folder / "geocheck.yaml"
    path.write_text(text)
    return path


def test_a_whole_project_file(tmp_path):
    project = open_project(write(tmp_path, WHOLE))
    assert project.name == "Cedar Hollow sample" and project.jurisdiction == "Village of Cedar Hollow"
    assert project.area_basis == "ground" and project.elevation == Quantity(Fraction(900), "ft")
    assert project.foot == US_SURVEY_FOOT and project.as_of == date(2026, 10, 1)
    assert project.ordinances == ("us/wi/washington-county-village/87-5", str(tmp_path / "own/chapter.yaml"))
    parcels, sites, flood = (project.layers[role] for role in ("parcels", "disturbance", "floodplain"))
    assert parcels.source == str(tmp_path / "parcels.shp") and parcels.accuracy == Quantity(Fraction(5), "ft")
    assert parcels.date == "2026-10-01"
    assert sites.facts == {"grows_crops": FactField("AG"), "excavated_volume": FactField("CUT_CY", "yd3")}
    assert (flood.layer, flood.where, flood.coverage) == ("S_FLD_HAZ_AR", "SFHA_TF = 'T'", "extent")
    assert project.layers["wetland"].source == str(tmp_path / "wetlands.shp")
    assert project.statements == (tmp_path / "statements.csv",)
    assert project.ledger == str(tmp_path / "ledger.gpkg") and project.output == tmp_path / "answers"


def test_a_folder_is_its_project_file(tmp_path):
    write(tmp_path, WHOLE)
    assert open_project(tmp_path).path == tmp_path / "geocheck.yaml"


@pytest.mark.parametrize(
    "before, after, message, line",
    [
        ("wetland:", "wetlands:", "'wetlands' is no role", 14),
        ("id: PARCELID", "ids: PARCELID", "'ids' is no key of parcels", 10),
        ("area_basis: ground", "area_basis: planar", "area_basis is one of auto", 3),
        ("elevation: 900 ft", "elevation: 900", "has no unit", 4),
        ("elevation: 900 ft", "elevation: 900 acre", "elevation is a length", 4),
        ("accuracy: 5 ft", "accuracy: about 5", "cannot read", 10),
        ("accuracy: 5 ft", "accuracy: -5 ft", "not negative", 10),
        ("unit: yd3", "unit: yards", "unknown unit 'yards'", 13),
        ("as_of: 2026-10-01", "as_of: October", "as_of is a day", 8),
        ("{source: municipality.shp, id: NAME}", "{id: NAME}", "municipality needs a source", 11),
        ("  municipality: {source: municipality.shp, id: NAME}\n", "", "needs a municipality layer", 2),
        ("layer: S_FLD_HAZ_AR", "phase: S_FLD_HAZ_AR", "phase has no meaning for floodplain", 15),
        ("foot: us_survey", "foot: survey", "foot is one of us_survey, international", 5),
        ("elevation: 900 ft\n", "", "needs the elevation", 3),
        ("area_basis: ground", "area_basis: grid", "needs measure_crs", 3),
        ("settings: {within_zone: wholly}", "settings: wholly", "settings holds keys and values", 7),
    ],
    ids=["role", "key", "basis", "unitless", "wrong-dimension", "not-a-number", "negative", "unit", "day", "source", "municipality",
         "other-role", "foot", "elevation", "measure-crs", "mapping"],
)  # fmt: skip
def test_a_problem_is_said_at_its_place(tmp_path, before, after, message, line):
    assert before in WHOLE
    with pytest.raises(ProjectError) as caught:
        open_project(write(tmp_path, WHOLE.replace(before, after)))
    problem = next(p for p in caught.value.problems if message in p.message)
    assert problem.place.line == line
    assert caught.value.exit_code == 4


def test_all_problems_come_at_once(tmp_path):
    text = WHOLE.replace("wetland:", "wetlands:").replace("id: PARCELID", "ids: PARCELID").replace("5 ft", "five")
    with pytest.raises(ProjectError) as caught:
        open_project(write(tmp_path, text))
    assert len(caught.value.problems) == 3
    assert "Did you mean wetland?" in str(caught.value) and "geocheck.yaml:14:3" in str(caught.value)


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(ProjectError, match="geocheck init"):
        open_project(tmp_path / "geocheck.yaml")


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words\n"], ids=["empty", "list", "text"])
def test_what_is_no_project_file_is_refused(tmp_path, text):
    with pytest.raises(ProjectError):
        open_project(write(tmp_path, text))


def test_a_layer_from_options_is_checked_alike(tmp_path):
    assert layer_source("wetland", tmp_path, source="w.shp", accuracy="40 ft").accuracy == Quantity(Fraction(40), "ft")
    with pytest.raises(ProjectError, match="cannot read"):
        layer_source("wetland", tmp_path, source="w.shp", accuracy="forty")
