"""Layers of ArcGIS feature services: all their records or an error, whatever the server does."""

from __future__ import annotations

import json

import pytest

from geocheck.model.ground import LayerSource
from geocheck.model.problem import SourceError, SourceIncompleteError
from geocheck.sources import web
from geocheck.sources.fetching import fetched
from geocheck.sources.read import read_layer
from tests.sources.feature_service import SQUARE, FeatureService, of_records, plain, record, times

SEVEN = [record(number) for number in (1, 2, 3, 5, 8, 13, 21)]
PINS = ["0001", "0002", "0003", "0005", "0008", "0013", "0021"]
ALWAYS = 10**9


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """A server is asked again at once."""
    monkeypatch.setattr(web, "PAUSE", 0.0)


def parcels(service, folder=None, **more):
    """Read the parcels of a service, their copy kept in a folder."""
    source = LayerSource("parcels", service.address, id="PIN", **more)
    return read_layer(fetched(source, folder) if folder else source)


def refused(service, folder=None, kind=SourceIncompleteError, **more):
    """Return what is said of a service that does not give all its parcels; nothing of it is left as if it were whole."""
    with pytest.raises(kind) as caught:
        parcels(service, folder, **more)
    if folder:
        assert not list(folder.rglob("record.json"))
    assert service.address.split("?")[0] in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "ways",
    [
        {}, {"most": 1}, {"most": 7}, {"most": 2000}, {"pages": False}, {"pages": False, "most": 1}, {"lists_ids": False},
        {"pages": False, "lists_ids": False}, {"pages": False, "ranges": False}, {"ranges": False, "most": 2},
    ],
    ids=str,
)  # fmt: skip
def test_all_records_come_however_the_service_gives_them(ways):
    with FeatureService(SEVEN, **ways).running() as service:
        layer = parcels(service)
    assert list(layer.frame["id"]) == PINS
    assert layer.frame.geometry.area.tolist() == [SQUARE**2] * 7
    assert layer.crs.to_epsg() == 2289
    assert any("all 7 records" in note and "last edited 2025-10-09" in note for note in layer.notes)
    asked = [each for _, _, each in service.asked if of_records(each)]
    assert asked and all(each["returnTrueCurves"] == "false" and each["outSR"] == "2289" for each in asked)
    assert not any("maxAllowableOffset" in each or "geometryPrecision" in each for each in asked)


def test_a_filter_is_the_services_own():
    with FeatureService(SEVEN).running() as service:
        assert list(parcels(service, where="PIN = '0005'").frame["id"]) == ["0005"]
        assert not len(parcels(service, where="PIN = '0006'").frame)


def test_the_services_address_needs_no_number_where_it_has_one_layer():
    with FeatureService(SEVEN).running() as service:
        for address in (
            service.address.removesuffix("/0"),
            service.address + "/",
            service.address + "/query?where=1%3D1",
        ):
            source = LayerSource("parcels", address, id="PIN")
            assert list(read_layer(source).frame["id"]) == PINS
        source = LayerSource("parcels", service.address.removesuffix("/0"), layer="Wetlands")
        with pytest.raises(SourceError, match=r"no layer 'Wetlands'[\s\S]*0 Parcels"):
            read_layer(source)


@pytest.mark.parametrize(
    "answer",
    [
        plain({"error": {"code": 500, "message": "Error performing query operation", "details": []}}),
        plain({"error": {"code": 504, "message": "Your request has timed out."}}),
        (500, {}, b"oops"), (503, {"Retry-After": "0"}, b"busy"), (429, {}, b"slow down"),
        (200, {"Content-Type": "text/html"}, b"<!DOCTYPE html><html><title>Sign in</title></html>"),
        (200, {}, b'{"features": [{"attributes": {"OBJE'), (200, {}, b""), (200, {}, b"[1, 2]"), "cut",
    ],
    ids=["error 500", "error 504", "500", "503", "429", "a page", "broken off", "nothing", "a list", "cut"],
)  # fmt: skip
class TestFailing:
    def test_a_passing_failure_costs_no_record(self, answer):
        with FeatureService(SEVEN).running() as service:
            service.faults = [times(2, answer, of_records)]
            assert list(parcels(service).frame["id"]) == PINS

    def test_a_lasting_failure_is_one_error_and_no_smaller_county(self, answer, tmp_path):
        with FeatureService(SEVEN).running() as service:
            third = times(ALWAYS, answer, lambda asked: of_records(asked) and asked.get("resultOffset", "6") >= "6")
            service.faults = [third]
            said = refused(service, tmp_path)
        assert "tried" in said and "Nothing of it is used" in said

    def test_what_had_come_is_not_asked_for_again(self, answer, tmp_path):
        with FeatureService(SEVEN).running() as service:
            service.faults = [
                times(ALWAYS, answer, lambda asked: of_records(asked) and asked.get("resultOffset") == "6")
            ]
            refused(service, tmp_path)
            service.faults, service.asked = [], []
            assert list(parcels(service, tmp_path).frame["id"]) == PINS
            offsets = [asked["resultOffset"] for _, _, asked in service.asked if of_records(asked)]
        assert offsets == ["6"]


def test_an_empty_page_that_says_there_is_more_is_no_end():
    with FeatureService(SEVEN).running() as service:
        empty = plain({"features": [], "exceededTransferLimit": True})
        service.faults = [times(1, empty, lambda asked: asked.get("resultOffset") == "3")]
        assert list(parcels(service).frame["id"]) == PINS


def test_records_that_its_pages_leave_out_are_asked_for_by_object_id():
    def skipping(asked):
        if not of_records(asked) or "resultOffset" not in asked:
            return None
        found = service.query(asked)
        return plain(found | {"features": [each for each in found["features"] if each["attributes"]["OBJECTID"] != 5]})

    with FeatureService(SEVEN).running() as service:
        service.faults = [skipping]
        layer = parcels(service)
    assert sorted(layer.frame["id"]) == PINS
    assert any("asked for by object id" in note for note in layer.notes)


@pytest.mark.parametrize(
    "ways", [{}, {"pages": False}, {"lists_ids": False}, {"pages": False, "lists_ids": False}], ids=str
)
def test_a_record_that_is_counted_and_never_given_fails_the_run(ways, tmp_path):
    def hiding(asked):
        if not of_records(asked):
            return None
        found = service.query(asked)
        return plain(found | {"features": [each for each in found["features"] if each["attributes"]["OBJECTID"] != 8]})

    with FeatureService(SEVEN, **ways).running() as service:
        service.faults = [hiding]
        said = refused(service, tmp_path)
    assert "counts 7 records and gave 6" in said and "smaller county" in said


@pytest.mark.parametrize("count", [6, 9])
def test_a_count_that_its_records_do_not_bear_out_is_not_believed(count, tmp_path):
    with FeatureService(SEVEN, lists_ids=False).running() as service:
        service.faults = [times(ALWAYS, plain({"count": count}), lambda asked: "returnCountOnly" in asked)]
        refused(service, tmp_path)


def test_a_layer_that_changes_while_it_is_read_is_read_anew():
    def edit(asked):
        service.records.append(record(34))
        service.edited += 1000

    with FeatureService(SEVEN).running() as service:
        service.faults = [times(1, edit, lambda asked: asked.get("resultOffset") == "3")]
        assert list(parcels(service).frame["id"]) == [*PINS, "0034"]


def test_a_layer_that_never_rests_is_refused(tmp_path):
    def edit(asked):
        service.edited += 1000

    with FeatureService(SEVEN).running() as service:
        service.faults = [times(ALWAYS, edit, of_records)]
        assert "changed while it was read" in refused(service, tmp_path)


class TestToken:
    SECRET = "s3cr3t/+tok=en"

    @pytest.fixture(autouse=True)
    def held(self, monkeypatch):
        monkeypatch.setenv("GEOCHECK_TOKEN_127_0_0_1", self.SECRET)

    def test_a_token_is_taken_from_the_environment_and_written_nowhere(self, tmp_path):
        with FeatureService(SEVEN, token=self.SECRET).running() as service:
            layer = parcels(service, tmp_path)
            assert list(layer.frame["id"]) == PINS
            assert all(self.SECRET not in path and "token" not in path for _, path, _ in service.asked)
        for file in tmp_path.rglob("*"):
            assert file.is_dir() or self.SECRET not in file.read_text()
        assert self.SECRET not in repr(layer)

    def test_a_token_that_is_not_accepted_is_said_by_the_name_of_its_variable(self, tmp_path):
        with FeatureService(SEVEN, token="another").running() as service:
            said = refused(service, tmp_path)
        assert "GEOCHECK_TOKEN_127_0_0_1 is not accepted" in said and self.SECRET not in said

    def test_a_server_that_repeats_the_token_in_its_error_does_not_show_it(self, tmp_path):
        with FeatureService(SEVEN).running() as service:
            told = plain({"error": {"code": 400, "message": f"bad request token={self.SECRET}"}})
            service.faults = [times(ALWAYS, told)]
            assert self.SECRET not in refused(service, tmp_path, SourceError)

    def test_no_token_follows_to_another_server(self, tmp_path):
        with FeatureService(SEVEN).running() as other, FeatureService(SEVEN).running() as service:
            there = other.address.replace("127.0.0.1", "localhost")
            service.faults = [times(ALWAYS, (302, {"Location": there}, b""))]
            assert "another" in refused(service, tmp_path)
            assert not other.asked


def test_without_a_token_the_variable_that_would_hold_it_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("GEOCHECK_TOKEN_127_0_0_1", raising=False)
    with FeatureService(SEVEN, token="needed").running() as service:
        assert "environment variable GEOCHECK_TOKEN_127_0_0_1" in refused(service, tmp_path)


def test_true_curves_are_asked_for_as_straight_segments_and_refused_where_they_come_all_the_same(tmp_path):
    bent = record(34)
    bent["geometry"] = {"curveRings": [[[0, 0], {"c": [[0, 10], [5, 5]]}, [0, 0]]]}
    with FeatureService([*SEVEN, bent], curves=True).running() as service:
        said = refused(service, tmp_path)
    assert "true curves" in said and "OBJECTID 34" in said


def test_a_record_without_geometry_is_a_row_all_the_same():
    with FeatureService([*SEVEN, record(34, shape=False)]).running() as service:
        layer = parcels(service)
    assert len(layer.frame) == 8 and list(layer.frame["id"])[-1] == "0034"


def test_answers_in_another_system_than_asked_for_are_refused(tmp_path):
    with FeatureService(SEVEN).running() as service:
        web_mercator = {"spatialReference": {"wkid": 102100, "latestWkid": 3857}, "features": SEVEN[:3]}
        service.faults = [times(ALWAYS, plain(web_mercator), of_records)]
        assert "WKID 3857" in refused(service, tmp_path)


@pytest.mark.parametrize(
    "told, said",
    [
        ({"type": "Group Layer"}, "Group Layer"), ({"type": "Table", "geometryType": None}, "Table"),
        ({"capabilities": "Map"}, "capability Query"),
    ],
)  # fmt: skip
def test_what_is_no_layer_of_records_is_refused(told, said, tmp_path):
    with FeatureService(SEVEN).running() as service:
        service.faults = [times(1, plain(service.layer() | told))]
        assert said in refused(service, tmp_path, SourceError)


def test_a_server_that_is_not_there_is_one_error(tmp_path):
    with FeatureService(SEVEN).running() as service:
        pass
    assert "refuses the connection" in refused(service, tmp_path)


def test_a_server_that_takes_no_post_is_asked_by_get_where_no_token_is_at_stake():
    def only_get(asked):
        return (405, {}, b"") if service.asked[-1][0] == "POST" else None

    with FeatureService([record(number) for number in range(1, 400)], most=399, pages=False, ranges=False).running() as service:  # fmt: skip
        service.faults = [only_get]
        assert len(parcels(service).frame) == 399


def test_the_same_records_are_the_same_copy_and_its_record_tells_where_it_came_from(tmp_path):
    with FeatureService(SEVEN).running() as service:
        first = parcels(service, tmp_path)
        service.most = 2
        second = parcels(service, tmp_path)
    (record_file,) = tmp_path.rglob("record.json")
    told = json.loads(record_file.read_text())
    assert first.sha256 == second.sha256
    assert told["records"] == 7 and told["source"] == service.address and told["last_edited"].startswith("2025-10-09")
    assert sorted(file.name for file in record_file.parent.iterdir()) == ["Parcels.json", "record.json"]


def test_a_copy_stays_whole_when_the_next_fetch_fails(tmp_path):
    with FeatureService(SEVEN).running() as service:
        whole = parcels(service, tmp_path)
        service.faults = [times(ALWAYS, "cut", of_records)]
        with pytest.raises(SourceIncompleteError):
            parcels(service, tmp_path)
    (copy,) = tmp_path.rglob("Parcels.json")
    assert len(json.loads(copy.read_text())["features"]) == len(whole.frame) == 7
