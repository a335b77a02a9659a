"""A feature service on this machine that answers as ArcGIS does, and misbehaves as it is told."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

PATH = "/arcgis/rest/services/Land/FeatureServer"
SQUARE = 100.0


def record(number, shape=True, **more):
    """A square of 100 by 100 ft, the next one to the right of the last, as a service sends it."""
    x, y = 2_451_000.0 + SQUARE * number, 524_000.0
    ring = [[x, y], [x, y + SQUARE], [x + SQUARE, y + SQUARE], [x + SQUARE, y], [x, y]]
    attributes = {"OBJECTID": number, "PIN": f"{number:04d}", **more}
    return {"attributes": attributes, "geometry": {"rings": [ring]} if shape else None}


class FeatureService:
    """Parcels, ``most`` at a time.

    Faults are functions of the parameters that were asked for; each is tried on every request until one answers, and
    answers what should be sent: (status, headers, body), or "cut" for a connection that breaks off.
    """

    def __init__(self, records, most=3, pages=True, system=2289, token="", lists_ids=True, ranges=True, curves=False):
        self.records, self.most, self.pages, self.system = list(records), most, pages, system
        self.token, self.lists_ids, self.ranges, self.curves = token, lists_ids, ranges, curves
        self.edited = 1_760_000_000_000
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.faults: list = []
        self.address = ""

    # What it holds ----------------------------------------------------------------------------------------------------

    def layer(self):
        return {
            "currentVersion": 11.1, "id": 0, "name": "Parcels", "type": "Feature Layer", "geometryType": "esriGeometryPolygon",
            "objectIdField": "OBJECTID", "maxRecordCount": self.most, "capabilities": "Query", "supportsTrueCurve": self.curves,
            "extent": {"spatialReference": {"wkid": 102689, "latestWkid": self.system}},
            "advancedQueryCapabilities": {"supportsPagination": self.pages},
            "editingInfo": {"lastEditDate": self.edited},
            "fields": [{"name": "OBJECTID", "type": "esriFieldTypeOID"}, {"name": "PIN", "type": "esriFieldTypeString", "length": 12}],
        }  # fmt: skip

    def chosen(self, asked):
        found = sorted(self.records, key=lambda each: each["attributes"]["OBJECTID"])
        if "objectIds" in asked:
            wanted = {int(each) for each in asked["objectIds"].split(",")}
            found = [each for each in found if each["attributes"]["OBJECTID"] in wanted]
        if self.ranges:
            for sign, number in re.findall(r"OBJECTID (>=|<=|>) (-?\d+)", asked.get("where", "")):
                keep = {">=": int.__ge__, "<=": int.__le__, ">": int.__gt__}[sign]
                found = [each for each in found if keep(each["attributes"]["OBJECTID"], int(number))]
        for pin in re.findall(r"PIN = '(\w+)'", asked.get("where", "")):
            found = [each for each in found if each["attributes"]["PIN"] == pin]
        return found

    def query(self, asked):
        found = self.chosen(asked)
        if asked.get("returnCountOnly") == "true":
            return {"count": len(found)}
        if asked.get("returnIdsOnly") == "true":
            ids = [each["attributes"]["OBJECTID"] for each in found]
            return {"objectIdFieldName": "OBJECTID", "objectIds": ids} if self.lists_ids else {"count": len(ids)}
        start = int(asked.get("resultOffset", 0)) if self.pages else 0
        size = min(int(asked.get("resultRecordCount", self.most)), self.most)
        rest = found[start:]
        return {"spatialReference": {"wkid": 102689, "latestWkid": self.system}, "features": rest[:size],
                "exceededTransferLimit": len(rest) > size}  # fmt: skip

    def answer(self, method, path, headers, asked):
        self.asked.append((method, path, asked))
        for fault in self.faults:
            found = fault(asked)
            if found is not None:
                return found
        if self.token and asked.get("token") != self.token:
            return plain({"error": {"code": 499, "message": "Token Required", "details": []}})
        place = urlsplit(path).path
        if place == PATH:
            return plain({"layers": [{"id": 0, "name": "Parcels", "type": "Feature Layer", "subLayerIds": None}]})
        if place == f"{PATH}/0":
            return plain(self.layer())
        return plain(self.query(asked)) if place == f"{PATH}/0/query" else (404, {}, b"not here")

    # Being asked ------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def running(self):
        """Serve on a free port; its layer's address is in ``address``."""
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.reply(dict(parse_qsl(urlsplit(self.path).query)))

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                self.reply(dict(parse_qsl(body)))

            def reply(self, asked):
                found = service.answer(self.command, self.path, self.headers, asked)
                status, headers, body = (
                    found if found != "cut" else (200, {"Content-Length": "5000"}, b'{"features": [')
                )
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = True

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{server.server_port}{PATH}/0"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


def plain(told, status=200, **headers):
    """An answer in JSON."""
    return status, headers, json.dumps(told).encode()


def times(count, answer, when=lambda asked: True):
    """A fault that shows some times, then no more."""
    left = [count]

    def fault(asked):
        if left[0] and when(asked):
            left[0] -= 1
            return answer(asked) if callable(answer) else answer
        return None

    return fault


def of_records(asked):
    """Whether records are asked for, not a count or the object ids."""
    return "outFields" in asked
