"""geocheck run: without a project file, with one, and with everything that can be wrong."""

from __future__ import annotations

import csv
import json

import geopandas
import pytest
from shapely.geometry import box

VILLAGE = "us/wi/washington-county-village/87-5"
FILES = {
    "facts.csv", "determinations.csv", "trace.csv", "parcels.csv", "questions.csv", "layers.csv", "repairs.csv",
    "geocheck.gpkg", "geocheck.qgz", "surroundings.gpkg", "report.html", "result.json", "run.json",
}  # fmt: skip


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_without_a_project_file(geocheck_command, layers, tmp_path):
    out = tmp_path / "out"
    ended = geocheck_command(
        "run", "--parcels", layers / "parcels.shp", "--parcel-id", "PIN", "--disturbance", layers / "sites.shp",
        "--site-id", "ID", "--wetland", layers / "wetlands.shp", "--accuracy", "wetland=40ft", "--ordinance", VILLAGE, "-o", out,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert {path.name for path in out.iterdir()} == FILES
    assert [row["parcel_id"] for row in rows(out / "parcels.csv")] == ["0001", "0002"]
    assert {row["obligation"] for row in rows(out / "determinations.csv")} == {
        "erosion_control", "stormwater_management", "permit", "financial_guarantee", "fee",
    }  # fmt: skip
    assert "open questions" in ended.out and ended.err == ""


def test_parcels_alone_and_quiet(geocheck_command, layers, tmp_path):
    words = ("run", "--parcels", layers / "parcels.shp", "--parcel-id", "PIN", "--wetland", layers / "wetlands.shp")
    ended = geocheck_command(*words, "--write", "parcels.csv,parcels.parquet", "--quiet", "-o", tmp_path / "out")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"parcels.csv", "parcels.parquet"}


def test_outputs_are_replaced_only_when_asked(geocheck_command, layers, tmp_path):
    words = ("run", "--parcels", layers / "parcels.shp", "--write", "parcels.csv", "-o", tmp_path / "out")
    assert geocheck_command(*words).code == 0
    again = geocheck_command(*words)
    assert again.code == 3 and "--overwrite" in again.err
    assert geocheck_command(*words, "--overwrite").code == 0


def test_json_for_machines_and_the_condition_to_fail_on(geocheck_command, layers, tmp_path):
    words = ("run", "--disturbance", layers / "sites.shp", "--site-id", "ID", "--ordinance", VILLAGE, "--json")
    ended = geocheck_command(*words, "--fail-on", "undetermined", "-o", tmp_path / "out")
    assert ended.code == 1
    assert json.loads(ended.out)["outcomes"]["undetermined"] >= 1


@pytest.fixture
def project(layers):
    """A project file over the layers, run once: its outputs must survive every failed run."""
    path = layers / "geocheck.yaml"
    path.write_text(
        f"""name: planted faults
ordinances: [{VILLAGE}]
layers:
  parcels: {{source: parcels.shp, id: PIN}}
  disturbance: {{source: sites.shp, id: ID}}
  wetland: {{source: wetlands.shp}}
"""
    )
    return path


def change(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def wrong_crs(project):
    crs = geopandas.read_file(project.parent / "wetlands.shp").set_crs(4326, allow_override=True)
    crs.to_file(project.parent / "wetlands.shp")


def no_prj(project):
    (project.parent / "wetlands.prj").unlink()


def no_layer_name(project):
    frame = geopandas.GeoDataFrame(geometry=[box(362000, 184000, 362100, 184100)], crs=8104)
    frame.to_file(project.parent / "zones.gpkg", layer="one")
    frame.to_file(project.parent / "zones.gpkg", layer="two")
    change(project, "wetlands.shp", "zones.gpkg")


def misspelt_fact(project):
    ordinance(project, "disturbed_aera >= 4_000 ft2")


def volume_against_area(project):
    ordinance(project, "excavated_volume > 4_000 ft2")


def ordinance(project, when):
    (project.parent / "own.yaml").write_text(
        f"""cite: § 1
title: Own
in_force: 2020-01-01
obligations: {{permit: § 2}}
clauses:
- at: (1)
  says: Much ground is disturbed.
  when: {when}
  imposes: [permit]
cases:
- at: (1)
  facts: {{disturbed_area: 5_000 ft2}}
  expect: {{(1): yes}}
"""
    )
    change(project, VILLAGE, "own.yaml")


def cut_off_geojson(project):
    frame = geopandas.read_file(project.parent / "wetlands.shp").to_crs(4326)
    text = frame.to_json()
    (project.parent / "wetlands.geojson").write_text(text[: len(text) // 2])
    change(project, "wetlands.shp", "wetlands.geojson")


def missing_file(project):
    change(project, "wetlands.shp", "wetland.shp")


def unknown_field(project):
    change(project, "id: PIN", "id: PARCELID")


def unknown_role(project):
    change(project, "wetland:", "wetlands:")


@pytest.mark.parametrize(
    "plant, code, words",
    [
        (wrong_crs, 3, ["wetland", "EPSG:4326"]),
        (no_prj, 3, ["wetlands", "reference system", "EPSG:8104"]),
        (no_layer_name, 3, ["zones.gpkg", "one", "two"]),
        (misspelt_fact, 4, ["own.yaml:8", "disturbed_aera", "disturbed_area"]),
        (volume_against_area, 4, ["own.yaml:8", "volume", "area"]),
        (cut_off_geojson, 3, ["wetlands.geojson"]),
        (missing_file, 3, ["wetland.shp"]),
        (unknown_field, 3, ["PARCELID", "PIN"]),
        (unknown_role, 4, ["geocheck.yaml:6:3", "Did you mean wetland?"]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_planted_fault_gives_one_message_and_leaves_older_outputs_whole(
    geocheck_command, project, plant, code, words
):
    assert geocheck_command("run", project, "--quiet").code == 0
    before = {path.name: path.read_bytes() for path in (project.parent / "out").iterdir()}
    plant(project)
    ended = geocheck_command("run", project, "--overwrite", "--quiet")
    assert ended.code == code, ended.err
    for word in words:
        assert word in ended.err
    assert "Traceback" not in ended.err and ended.out == ""
    assert {path.name: path.read_bytes() for path in (project.parent / "out").iterdir()} == before


def test_an_output_that_cannot_be_written_is_said_before_the_work(geocheck_command, project, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    ended = geocheck_command("run", project, "-o", blocked / "out")
    assert ended.code in (2, 3) and "blocked" in ended.err
    assert blocked.read_text() == "a file where a folder should be"


@pytest.mark.parametrize(
    "words, message",
    [
        (["run", "nowhere.yaml"], "there is no such project file"),
        (["run", "--parcels", "p.shp", "--accuracy", "wetland=40ft"], "no --wetland is named"),
        (["run", "--parcels", "p.shp", "--accuracy", "40ft"], "is written NAME=VALUE"),
        (["run", "--parcels", "p.shp", "--area-basis", "grid"], "needs --measure-crs"),
        (["run", "--parcels", "p.shp", "--write", "facts.cvs"], "facts.csv"),
        (["rnu"], "run"),
    ],
    ids=["no-project", "accuracy-of-nothing", "no-sign", "no-measure-crs", "unknown-output", "unknown-command"],
)
def test_usage_errors_say_what_to_do(geocheck_command, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = geocheck_command(*words)
    assert ended.code in (2, 4) and message in ended.err, ended.err
    assert not list(tmp_path.iterdir())
