"""The report: offline, literal, complete, counts what was found."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest
import shapely

from geocheck import reports
from geocheck.measures import MEASURES
from geocheck.model.determination import ObligationOutcome, Waiver
from geocheck.model.truth import YES
from geocheck.reports import html_report
from geocheck.reports.page.content import _MEASURED_FROM
from geocheck.reports.page.words import verdict
from geocheck.reports.tables import Tables

EROSION = "us/wi/washington-county-village/87-5"
VOID = {"meta", "link", "br", "input", "img", "hr"}


class Page(HTMLParser):
    """Tags, texts and whether every tag is closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.texts, self.wrong = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def source(findings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    reports.write(findings, folder, ["report.html"])
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def test_it_is_well_formed(page):
    assert page.wrong == []
    assert page.open == []
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_it_asks_for_nothing_outside_itself(source, page):
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:|//)", source)
    assert "@import" not in source
    links = {attrs["href"] for tag, attrs in page.tags if tag == "a"}
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {link[1:] for link in links} <= ids
    policy = next(attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


def test_only_its_own_script_may_run(source, page):
    scripts = re.findall(r"<script>(.*?)</script>", source, re.S)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in source
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


def test_data_is_shown_literally_and_never_becomes_markup(page, source, awkward_names):
    for name in awkward_names:
        assert " ".join(f"Site {name}".split()) in page.text
    assert "<script>alert" not in source
    assert "Cedar Hollow <sample> & Co" in page.text
    assert "A note with <b>markup</b> & 'quotes'." in page.text
    assert "layers/parcels <v1>.shp" in page.text
    assert not any(tag in ("b", "sample", "v1", "exemptions") for tag, _ in page.tags)


def test_it_says_what_a_reader_must_know(page):
    for words in (
        "Not a survey and not a legal opinion", "within 0.000001 of a threshold", "US survey foot", "auto: measured on the ellipsoid",
        "0.03%", "touching: not a member", "receipt 50dec11247671160", "not stated", "ring crosses itself", "90,100.00",
        "minutes <2026>.pdf", "An official may still invoke (1)(d)".replace("An", "an"), "Instead: County zoning ordinances",
        "The best values alone would say: not required", "3,998.49 sq ft to 4,000.89 sq ft", "2013-10-16", "EPSG:8104",
        "NAD83 to NAD83(HARN) (1), accuracy 0.05 m", "All of it must lie in the zone.", "How much material is excavated?",
    ):  # fmt: skip
        assert words in page.text, words


def test_counts_by_outcome_are_those_of_the_determinations(findings, page):
    outcomes = [d.outcomes["permit"] for d in findings.determinations if d.ordinance == EROSION]
    counts = [outcomes.count(word) for word in ("required", "undetermined", "waived", "not_required")]
    assert f"permit § 87-6 {' '.join(map(str, counts))}" in page.text


def test_every_table_has_headers_with_a_scope_and_every_picture_a_title(source, page):
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.tags if tag == "th")
    pictures = re.findall(r"<svg[^>]*role=\"img\"[^>]*><title>[^<]+</title>", source)
    assert len(pictures) == source.count('role="img"')


def test_an_empty_run_is_a_page_too(bare_findings, tmp_path):
    reports.write(bare_findings, tmp_path, ["report.html"])
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.wrong == []
    assert "had neither sites nor parcels" in page.text


def test_a_run_about_parcels_alone_counts_them(findings, tmp_path):
    alone = replace(findings, sites=None, determinations=(), questions=())
    reports.write(alone, tmp_path, ["report.html"])
    text = Page((tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "about parcels alone" in text
    assert "9 records" in text
    assert "no geometry 1" in text


@pytest.fixture(scope="module")
def many(build_findings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    found = build_findings(205)
    reports.write(found, folder, ["report.html"])
    return found, (folder / "report.html").read_text(encoding="utf-8")


class TestManySites:
    @staticmethod
    def unpacked(text):
        return json.loads(zlib.decompress(base64.b64decode(text)))

    def test_details_are_packed_one_a_site_in_order(self, many, awkward_names):
        found, source = many
        chunks = re.findall(r'<script type="text/plain" class="chunk">([^<]*)</script>', source)
        sizes = [len(self.unpacked(chunk)) for chunk in chunks]
        told = [site for chunk in chunks for site in self.unpacked(chunk)]
        assert set(sizes[:-1]) <= {-(-len(told) // len(chunks))}  # the script finds a site's chunk by this size
        assert [site["id"] for site in told] == found.sites["site_id"].tolist()
        assert [site["place"] for site in told] == list(range(len(found.sites)))
        assert {site["id"] for site in told[: len(awkward_names)]} == set(awkward_names)

    def test_ground_is_told_once_for_all_maps(self, many):
        found, source = many
        ground = self.unpacked(re.search(r'id="ground">([^<]*)<', source)[1])
        assert {"parcels", "floodplain", "impervious"} <= {layer[0] for layer in ground["layers"]}
        ring = np.cumsum(np.array(ground["sites"][3][1][0]).reshape(-1, 2), axis=0) * ground["feet"]
        assert shapely.Polygon(ring).area == pytest.approx(found.sites.geometry[3].area, rel=0.01)

    def test_the_list_is_packed_whole(self, many):
        found, source = many
        told = self.unpacked(re.search(r'id="rows">([^<]*)<', source)[1])
        assert [row[0] for row in told["rows"]] == found.sites["site_id"].tolist()
        words = {code: told["words"][code][0] for code in told["words"]}
        assert [words[row[4][0][0]] for row in told["rows"]] == found.sites["87-5_erosion_control"].tolist()
        assert told["rows"][2][4][0] == "ub"

    def test_the_script_is_told_that_it_is_lazy(self, many):
        assert 'data-lazy="yes"' in many[1]
        assert "<noscript>" in many[1]
        assert "<script>alert" not in many[1]


def marks_of(source):
    picture = re.search(r'<svg class="map overview".*?</svg>', source, re.S)[0]
    return re.findall(
        r'<a href="#site-(\d+)" aria-label="([^"]*)"><path class="mark m-(\w+)" transform="translate\((-?\d+),(-?\d+)\)"',
        picture,
    )


def test_the_map_of_all_sites_marks_each_by_its_worst_outcome_where_it_lies(findings, source):
    marks = {int(row): (html.unescape(said), outcome, int(x), int(y)) for row, said, outcome, x, y in marks_of(source)}
    assert sorted(marks) == list(range(len(findings.sites)))
    order = ("required", "undetermined", "waived", "not_required")
    for row, (said, outcome, x, y) in marks.items():
        columns = [name for name in findings.sites.columns if name[0].isdigit()]
        assert outcome == next(word for word in order if word in set(findings.sites.loc[row, columns]))
        assert said.startswith(findings.sites["site_id"][row])
        assert 0 < x < 1500
        assert 0 < y < 1100
    east = sorted(marks, key=lambda row: marks[row][2])
    assert [findings.sites.geometry[row].representative_point().x for row in east] == sorted(
        findings.sites.geometry[row].representative_point().x for row in east
    )


def test_a_waiver_is_told_in_whole_sentences():
    waiver = Waiver("permit", "Village Board", "2026-09-14", "(4)(a)1.", "minutes.pdf", "no off-site impact")
    told = verdict(
        ObligationOutcome(
            "permit", "§ 87-6", "waived", YES, "waived", because=("(1)(a)", "(4)(a)1."), waiver=waiver,
            note="no off-site impact still binds: § 87-8(1)(a)",
        )
    )  # fmt: skip
    assert told == (
        "Waived by Village Board on 2026-09-14 under (4)(a)1., minutes.pdf. No off-site impact. It would be required by (1)(a). "
        "Still binds: § 87-8(1)(a)."
    )


def test_the_style_has_light_dark_and_print():
    style = resources.files("geocheck.reports.page").joinpath("report.css").read_text()
    assert "prefers-color-scheme:dark" in style
    assert "@media print" in style


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def opened(path, place=""):
    """The page as a browser has it after its script ran, and what the browser complained of."""
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
        "--virtual-time-budget=5000", f"{path.as_uri()}{place}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
class TestInABrowser:
    def test_the_list_sorts_and_filters_and_nothing_is_complained_of(self, findings, tmp_path):
        reports.write(findings, tmp_path, ["report.html"])
        source, complaints = opened(tmp_path / "report.html")
        assert complaints == []
        assert source.count('class="sort"') == 6
        assert '<form class="filter" role="search">' in source
        assert "9 sites" in source

    def test_with_many_sites_the_one_asked_for_is_opened(self, many, tmp_path):
        (tmp_path / "report.html").write_text(many[1], encoding="utf-8")
        source, complaints = opened(tmp_path / "report.html", "#site-204")
        assert complaints == []
        opened_sites = re.findall(r'<article class="site" id="site-(\d+)"', source)
        assert opened_sites == ["204"]
        body = source[source.index('<table id="list"') :]
        body = body[: body.index("</table>")]
        assert body.count("<tr>") == 1 + 200
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
        assert "<script>alert" not in body


@pytest.mark.slow
def test_on_paper_no_table_is_wider_than_its_page(findings):
    try:
        import weasyprint
    except (ImportError, OSError) as error:
        pytest.skip(f"needs WeasyPrint and Pango: {error}")
    # A number near its threshold: interval, bar and outcome are at their widest.
    site = findings.sites["site_id"][2]
    text = "".join(html_report.page(Tables(findings), only=site, printed=True))
    found = 0
    for page in weasyprint.HTML(string=text).render().pages:
        paper = page._page_box
        right = paper.position_x + paper.margin_left + paper.width
        for part in paper.descendants():
            if type(part).__name__ == "TableCellBox":
                found += 1
                assert part.position_x + part.border_width() <= right + 1
    assert found > 20


@pytest.mark.parametrize("fact", list(_MEASURED_FROM))
def test_layers_said_to_be_lacking_are_those_that_the_measure_reads(fact):
    assert set(_MEASURED_FROM[fact]) == MEASURES.load(fact).layers - {"disturbance", "parcels"}
