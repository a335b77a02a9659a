"""Files on the web: fetched once, gone on with, whole or not used."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import geopandas
import pytest
from shapely.geometry import box

from geocheck.model.ground import LayerSource
from geocheck.model.problem import SourceError, SourceIncompleteError
from geocheck.sources import web
from geocheck.sources.fetching import fetched
from geocheck.sources.origins import download
from geocheck.sources.read import read_layer


class FileServer:
    """One file under every path; ``cuts`` says after how many bytes the next answers break off."""

    def __init__(self, body, path="/parcels.zip", etag='"one"', modified="Wed, 01 Oct 2025 06:00:00 GMT", **headers):
        self.body, self.path, self.etag, self.modified, self.headers = body, path, etag, modified, headers
        self.ranges, self.length, self.token = True, True, ""
        self.cuts: list[int] = []
        self.faults: list = []
        self.asked: list[dict[str, str]] = []
        self.sent: list[tuple[int, int]] = []

    def reply(self, handler):
        asked = dict(handler.headers.items())
        self.asked.append(asked)
        if self.faults:
            status, headers, body = self.faults.pop(0)
            return self.send(handler, status, headers | {"Content-Length": str(len(body))}, body)
        if self.token and asked.get("Authorization") != f"Bearer {self.token}":
            return self.send(handler, 401, {"Content-Length": "0"}, b"")
        marks = {"ETag": self.etag, "Last-Modified": self.modified} | self.headers
        marks = {name: value for name, value in marks.items() if value}
        if (self.etag and asked.get("If-None-Match") == self.etag) or (
            not self.etag and asked.get("If-Modified-Since") == self.modified
        ):
            return self.send(handler, 304, marks, b"")
        begin = 0
        if self.ranges and "Range" in asked and asked.get("If-Range") in (self.etag, self.modified):
            begin = int(asked["Range"].removeprefix("bytes=").rstrip("-"))
            if begin >= len(self.body):
                return self.send(handler, 416, {"Content-Length": "0"}, b"")
            marks["Content-Range"] = f"bytes {begin}-{len(self.body) - 1}/{len(self.body)}"
        rest = self.body[begin:]
        if self.length:
            marks["Content-Length"] = str(len(rest))
        part = rest[: self.cuts.pop(0)] if self.cuts else rest
        self.send(handler, 206 if begin else 200, marks, part)
        return None

    def send(self, handler, status, headers, body):
        self.sent.append((status, len(body)))
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}{self.path}"

    @contextlib.contextmanager
    def running(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.reply(self)

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


@pytest.fixture(autouse=True)
def quick_and_small(monkeypatch):
    """No waiting between tries; files are written in pieces that are small beside those of the tests."""
    monkeypatch.setattr(web, "PAUSE", 0.0)
    monkeypatch.setattr(download, "AT_A_TIME", 100)


def made(folder, name):
    """The bytes of a file of three parcels."""
    ground = [box(2451000 + 100 * n, 524000, 2451100 + 100 * n, 524100) for n in range(3)]
    frame = geopandas.GeoDataFrame({"PIN": ["0001", "0002", "0003"]}, geometry=ground, crs=2289)
    path = folder / name
    if name.endswith(".parquet"):
        frame.to_parquet(path)
    elif name.endswith(".zip"):
        frame.to_file(path, driver="ESRI Shapefile")
    else:
        frame.to_file(path)
    return path.read_bytes()


@pytest.fixture
def zipped(tmp_path):
    return made(tmp_path, "made.shp.zip")


def parcels(server, folder):
    source = fetched(LayerSource("parcels", server.address, id="PIN"), folder)
    return read_layer(source)


@pytest.mark.parametrize(
    "name, path, headers",
    [
        ("a.shp.zip", "/parcels.zip", {}), ("a.gpkg", "/data/parcels.gpkg", {}), ("a.parquet", "/parcels.parquet", {}),
        ("a.shp.zip", "/download?id=7", {"Content-Disposition": 'attachment; filename="Tax Parcels (2025).zip"'}),
        ("a.shp.zip", "/download", {"Content-Disposition": "attachment; filename*=UTF-8''Parz%C3%A9lla.zip"}),
        ("a.gpkg", "/download?id=8", {}), ("a.parquet", "/items/3f2a/data", {}), ("a.shp.zip", "/items/3f2a", {}),
        ("a.geojson", "/parcels.geojson", {}),
    ],
    ids=str,
)  # fmt: skip
def test_a_file_of_any_format_by_its_address_its_name_or_how_it_begins(name, path, headers, tmp_path):
    with FileServer(made(tmp_path, name), path, **headers).running() as server:
        layer = parcels(server, tmp_path / "copies")
    assert list(layer.frame["id"]) == ["0001", "0002", "0003"]
    assert any("last modified Wed, 01 Oct 2025" in note for note in layer.notes)


@pytest.mark.parametrize("marks", [{}, {"etag": ""}, {"etag": 'W/"weak"'}])
def test_what_has_not_changed_is_not_sent_again_and_what_has_is(zipped, tmp_path, marks):
    with FileServer(zipped, **marks).running() as server:
        first = parcels(server, tmp_path / "copies")
        second = parcels(server, tmp_path / "copies")
        assert [status for status, _ in server.sent] == [200, 304]
        assert (first.sha256, first.notes) == (second.sha256, second.notes)
        server.body, server.modified = made(tmp_path, "b.gpkg"), "Thu, 02 Oct 2025 06:00:00 GMT"
        server.etag, server.headers = server.etag and '"two"', {"Content-Disposition": "attachment; filename=b.gpkg"}
        parcels(server, tmp_path / "copies")
    (folder,) = (tmp_path / "copies").iterdir()
    assert sorted(file.name for file in folder.iterdir()) == ["b.gpkg", "record.json"]


def test_a_copy_that_somebody_touched_is_fetched_again(zipped, tmp_path):
    with FileServer(zipped).running() as server:
        parcels(server, tmp_path / "copies")
        (copy,) = (tmp_path / "copies").rglob("*.zip")
        copy.write_bytes(b"PK damaged")
        assert len(parcels(server, tmp_path / "copies").frame) == 3


def test_a_download_that_breaks_off_goes_on_where_it_was(zipped, tmp_path):
    with FileServer(zipped).running() as server:
        server.cuts = [500, 300]
        assert len(parcels(server, tmp_path / "copies").frame) == 3
        assert server.sent == [(200, 500), (206, 300), (206, len(zipped) - 800)]


def test_a_run_that_was_stopped_goes_on_the_next_day(zipped, tmp_path):
    with FileServer(zipped).running() as server:
        server.cuts = [500, *[0] * 20]
        with pytest.raises(SourceIncompleteError, match="cut before the answer was whole"):
            parcels(server, tmp_path / "copies")
        server.cuts, server.sent = [], []
        assert len(parcels(server, tmp_path / "copies").frame) == 3
        assert server.sent == [(206, len(zipped) - 500)]


def test_a_file_that_changed_meanwhile_is_fetched_from_its_beginning(zipped, tmp_path):
    with FileServer(zipped).running() as server:
        server.cuts = [500, *[0] * 20]
        with pytest.raises(SourceIncompleteError):
            parcels(server, tmp_path / "copies")
        server.cuts, server.etag, server.modified, server.sent = [], '"two"', "Thu, 02 Oct 2025 06:00:00 GMT", []
        assert len(parcels(server, tmp_path / "copies").frame) == 3
        assert server.sent == [(200, len(zipped))]


def test_without_ranges_it_is_fetched_from_its_beginning(zipped, tmp_path):
    with FileServer(zipped).running() as server:
        server.ranges, server.cuts = False, [500]
        assert len(parcels(server, tmp_path / "copies").frame) == 3


@pytest.mark.parametrize(
    "body, said",
    [
        (b"<!DOCTYPE html><html><title>Sign in</title></html>", "a page titled 'Sign in', not data"),
        (b"PK\x03\x04 and no end", "no whole zip archive"), (b"", "known format"), (b"hello", "known format"),
    ],
)  # fmt: skip
def test_what_is_no_data_is_refused_and_the_older_copy_stays(body, said, zipped, tmp_path):
    with FileServer(zipped, path="/data").running() as server:
        parcels(server, tmp_path / "copies")
        server.body, server.etag, server.modified = body, '"two"', ""
        with pytest.raises(SourceError, match=said):
            parcels(server, tmp_path / "copies")
    (copy,) = (tmp_path / "copies").rglob("data.zip")
    assert copy.read_bytes() == zipped


def test_a_cut_zip_whose_length_nobody_told_is_not_used(zipped, tmp_path):
    with FileServer(zipped).running() as server:
        server.length, server.cuts = False, [900]
        with pytest.raises(SourceIncompleteError, match="no whole zip archive"):
            parcels(server, tmp_path / "copies")


@pytest.mark.parametrize("status, code", [(404, 3), (410, 3), (403, 5), (500, 5)])
def test_a_server_that_has_nothing_is_one_error(status, code, zipped, tmp_path):
    with FileServer(zipped).running() as server:
        server.faults = [(status, {}, b"no")] * 10
        with pytest.raises(SourceError) as caught:
            parcels(server, tmp_path / "copies")
    assert caught.value.exit_code == code and server.address in str(caught.value)


def test_a_token_goes_to_the_server_that_is_named_and_to_no_other(zipped, tmp_path, monkeypatch):
    monkeypatch.setenv("GEOCHECK_TOKEN_127_0_0_1", "s3cr3t")
    with FileServer(zipped).running() as store, FileServer(zipped).running() as server:
        there = store.address.replace("127.0.0.1", "localhost")
        server.faults = [(302, {"Location": there}, b"")]
        assert len(parcels(server, tmp_path / "copies").frame) == 3
        assert server.asked[0]["Authorization"] == "Bearer s3cr3t"
        assert "Authorization" not in store.asked[0]
    assert not any(b"s3cr3t" in file.read_bytes() for file in (tmp_path / "copies").rglob("*.json"))


def test_a_signature_in_the_address_is_not_shown(zipped, tmp_path):
    with FileServer(zipped, path="/parcels.zip?sig=AbC123&v=2").running() as server:
        layer = parcels(server, tmp_path / "copies")
    assert "AbC123" not in repr(layer)
    (record,) = (tmp_path / "copies").rglob("record.json")
    assert json.loads(record.read_text())["source"].endswith("/parcels.zip?sig=***&v=2")
