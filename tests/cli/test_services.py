"""The commands on sources that are no files: a feature service, a folder of deliveries."""

from __future__ import annotations

import csv
import json

import pytest

from geocheck.sources import web
from tests.sources.feature_service import PATH, FeatureService, of_records, record, times

SEVEN = [record(number) for number in (1, 2, 3, 5, 8, 13, 21)]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(web, "PAUSE", 0.0)


@pytest.fixture
def service():
    with FeatureService(SEVEN).running() as running:
        yield running


@pytest.fixture
def project(service, tmp_path):
    """A project whose parcels a service holds."""
    file = tmp_path / "geocheck.yaml"
    file.write_text(f'name: Served\nlayers:\n  parcels: {{source: "{service.address}", id: PIN}}\n')
    return file


def parcels_of(folder):
    with (folder / "parcels.csv").open(encoding="utf-8", newline="") as file:
        return {row["parcel_id"]: float(row["area_ft2"]) for row in csv.DictReader(file)}


def test_a_run_measures_the_parcels_of_a_service_and_says_where_they_are_from(geocheck_command, project, service):
    ended = geocheck_command("run", project)
    assert ended.code == 0, ended.err
    found = parcels_of(project.parent / "out")
    assert list(found) == ["0001", "0002", "0003", "0005", "0008", "0013", "0021"]
    assert all(area == pytest.approx(10_000, rel=5e-4) for area in found.values())
    told = (project.parent / "out" / "layers.csv").read_text(encoding="utf-8")
    assert service.address in told and "all 7 records of the service's layer" in told
    (copy,) = (project.parent / ".geocheck" / "fetched").rglob("Parcels.json")
    assert len(json.loads(copy.read_text())["features"]) == 7


def test_a_shortfall_ends_with_5_and_leaves_the_last_answers_whole(geocheck_command, project, service):
    assert geocheck_command("run", project).code == 0
    before = {path.name: path.read_bytes() for path in (project.parent / "out").iterdir()}
    service.faults = [times(10**9, "cut", of_records)]
    ended = geocheck_command("run", project, "--overwrite")
    assert ended.code == 5
    assert service.address in ended.err and "cut before the answer was whole" in ended.err
    assert "Traceback" not in ended.err
    assert {path.name: path.read_bytes() for path in (project.parent / "out").iterdir()} == before


def test_a_run_that_was_cut_off_goes_on_where_it_was(geocheck_command, project, service):
    service.faults = [times(10**9, "cut", lambda asked: of_records(asked) and asked["resultOffset"] == "6")]
    assert geocheck_command("run", project).code == 5
    service.faults, service.asked = [], []
    assert geocheck_command("run", project).code == 0
    assert [asked["resultOffset"] for _, _, asked in service.asked if of_records(asked)] == ["6"]


def test_a_service_that_gives_less_is_a_refused_night_and_never_a_smaller_county(geocheck_command, project, service):
    project.write_text(project.read_text() + "ledger: ledger.gpkg\n")
    assert geocheck_command("update", project).code == 0
    before = (project.parent / "ledger.gpkg").read_bytes()
    service.faults = [times(10**9, (503, {}, b""), lambda asked: of_records(asked) and asked["resultOffset"] == "3")]
    ended = geocheck_command("update", project)
    assert ended.code == 5 and "status 503" in ended.err
    assert (project.parent / "ledger.gpkg").read_bytes() == before
    service.faults = []
    ended = geocheck_command("update", project, "--json")
    assert ended.code == 0 and json.loads(ended.out)["parcels"] == 7


def test_inspect_looks_into_a_service(geocheck_command, service):
    ended = geocheck_command("inspect", service.address)
    assert ended.code == 0, ended.err
    assert f"{service.address}: ArcGIS service" in ended.out
    assert "7 records" in ended.out and "PIN" in ended.out and "US survey foot" in ended.out.replace("feet", "foot")


def test_inspect_lists_the_layers_of_a_service_that_has_several(geocheck_command, service):
    both = [{"id": number, "name": name, "type": "Feature Layer"} for number, name in ((0, "Parcels"), (1, "Wetlands"))]

    def two_layers(asked):
        path = service.asked[-1][1].split("?")[0]
        if path == PATH:
            return 200, {}, json.dumps({"layers": both}).encode()
        if path.startswith(f"{PATH}/1"):
            return service.answer("GET", path.replace("/1", "/0"), {}, asked) if not path.endswith("/1") else (
                200, {}, json.dumps(service.layer() | {"id": 1, "name": "Wetlands"}).encode())  # fmt: skip
        return None

    service.faults = [two_layers]
    ended = geocheck_command("inspect", service.address.removesuffix("/0"))
    assert ended.code == 0, ended.err
    assert "Parcels: " in ended.out and "Wetlands: " in ended.out and "--layer" in ended.out


def test_a_query_of_what_is_no_database_is_refused_not_ignored(geocheck_command, project, service, layers):
    for source in (service.address, layers / "parcels.shp"):
        project.write_text(f'layers:\n  parcels: {{source: "{source}", id: PIN, query: SELECT 1}}\n', encoding="utf-8")
        ended = geocheck_command("run", project)
        assert ended.code == 3 and "`query` is for databases" in ended.err


def test_an_address_of_no_known_kind_names_the_kinds_there_are(geocheck_command, project):
    project.write_text('layers:\n  parcels: {source: "ftp://example.org/parcels.zip", id: PIN}\n', encoding="utf-8")
    ended = geocheck_command("run", project)
    assert ended.code == 3 and "ArcGIS service" in ended.err
