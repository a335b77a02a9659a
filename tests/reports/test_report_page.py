"""The report: offline, literal, complete; its bars and maps show what the numbers and layers are."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest
import shapely

from geocheck import reports
from geocheck.model.condition import Arithmetic, Comparison, Condition, Name, Number
from geocheck.model.determination import ObligationOutcome, Waiver
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.quantity import Quantity
from geocheck.model.truth import YES
from geocheck.reports.page.bar import bar
from geocheck.reports.page.drawing import ROOM, Drawn, Seen, Windows, paths_of
from geocheck.reports.page.margins import Margin, comparisons, margins
from geocheck.reports.page.overview_map import LINKED, MARKS, overview_map
from geocheck.reports.page.site_map import LEAST, SiteMaps
from geocheck.reports.page.words import amount, verdict

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
        texts = [text for chunk in chunks for text in self.unpacked(chunk)]
        assert len(texts) == len(found.sites)
        assert set(sizes[:-1]) <= {-(-len(texts) // len(chunks))}  # the script finds a site's chunk by this size
        for place, text in enumerate(texts):
            page = Page(text)
            assert page.wrong == []
            assert page.tags[0] == ("article", {**page.tags[0][1], "id": f"site-{place}"})
            assert " ".join(f"Site {found.sites['site_id'][place]}".split()) in page.text
            assert '<svg class="map"' in text

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


class TestMargins:
    def one(self, node, facts, operator="<", limit="10", unit="%"):
        condition = Condition("", Comparison(operator, node, Number(Quantity(Fraction(limit), unit))))
        law = Ordinance("x", "x", "x", None, (), (Clause("(1)", "(1)", when=condition),))
        return list(margins(comparisons(law, {}), law, facts))

    @staticmethod
    def fact(name, low, value, high, unit="ft2"):
        return Fact(name, "measured", *(Quantity(Fraction(n), unit) for n in (value, low, high)))

    def test_a_sum_adds_its_ends(self):
        facts = {"a": self.fact("a", 1, 2, 4, "yd3"), "b": self.fact("b", 10, 20, 40, "yd3")}
        (margin,) = self.one(Arithmetic("+", Name("a"), Name("b")), facts, ">", "400", "yd3")
        assert (margin.low, margin.value, margin.high, margin.sign) == (11, 22, 44, "more than")

    def test_a_difference_crosses_them(self):
        facts = {"a": self.fact("a", 1, 2, 4), "b": self.fact("b", 10, 20, 40)}
        (margin,) = self.one(Arithmetic("-", Name("a"), Name("b")), facts, ">", "400", "ft2")
        assert (margin.low, margin.value, margin.high) == (-39, -18, -6)

    def test_a_share_is_in_percent_and_widest(self):
        facts = {"a": self.fact("a", 90, 100, 110), "b": self.fact("b", 900, 1000, 1100)}
        (margin,) = self.one(Arithmetic("/", Name("a"), Name("b")), facts)
        assert (margin.low, margin.value, margin.high) == pytest.approx((100 * 90 / 1100, 10, 100 * 110 / 900))

    @pytest.mark.parametrize(
        ("operator", "low", "high", "met"),
        [
            (">=", 3999.9999, 3999.9999, "yes"), (">=", 3998, 4001, "unknown"), (">=", 3998, 3999, "no"), (">", 4000.0001, 4000.0001, "no"),
            (">", 4001, 4002, "yes"), ("<", 4000, 4000, "no"), ("<", 3999.9, 3999.9, "yes"), ("<=", 4000.0001, 4000.0001, "yes"),
            ("<", 3999, 4000, "unknown"),
        ],
    )  # fmt: skip
    def test_a_comparison_is_met_as_the_judge_says(self, operator, low, high, met):
        """Judged by the other half too: what the bar says beside a clause is what the clause came to."""
        from geocheck.rules.judge import judge_site

        fact = Fact("disturbed_area", "measured", *(Quantity(Fraction(str(n)), "ft2") for n in (low, low, high)))
        (margin,) = self.one(Name("disturbed_area"), {"disturbed_area": fact}, operator, "4000", "ft2")
        assert margin.met == met
        condition = Condition("", Comparison(operator, Name("disturbed_area"), Number(Quantity(Fraction(4000), "ft2"))))
        law = Ordinance("x", "x", "x", None, (), (Clause("(1)", "(1)", when=condition),))
        assert str(judge_site(law, {"disturbed_area": fact}).trace["(1)"].truth) == met

    def test_each_reading_that_an_office_may_choose_is_shown_until_one_is(self):
        def form(limit):
            condition = Condition("", Comparison("<", Name("a"), Number(Quantity(Fraction(limit), "acre"))))
            return Clause("(1)", "(1)", when=condition)

        law = Ordinance(
            "x", "x", "x", None, (), (replace(form(1), under=(("how", "strict", form(1)), ("how", "lax", form(5)))),)
        )
        facts = {"a": self.fact("a", 1, 2, 4)}
        assert [m.reading for m in margins(comparisons(law, {}), law, facts)] == ["strict", "lax"]
        assert [(m.reading, m.threshold) for m in margins(comparisons(law, {"how": "lax"}), law, facts)] == [("", 5)]

    def test_an_acre_is_compared_in_acres(self):
        (margin,) = self.one(Name("a"), {"a": self.fact("a", 43_000, 43_560, 44_000)}, ">=", "1", "acre")
        assert margin.value == 1.0

    def test_unknown_stays_unknown(self):
        (margin,) = self.one(Name("a"), {}, ">=", "1", "acre")
        assert (margin.value, margin.status) == (None, "missing")
        assert bar(margin) == ""

    def test_a_share_of_nothing_is_left_out(self):
        facts = {"a": self.fact("a", 0, 0, 0), "b": self.fact("b", 0, 0, 0)}
        assert self.one(Arithmetic("/", Name("a"), Name("b")), facts) == []


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
        assert 0 < y < 900
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


class TestBar:
    @staticmethod
    def places(low, value, high, limit):
        text = bar(Margin("(1)", "x", "at least", limit, "ft2", value, low, high))
        band = re.search(r'class="band" x="([\d.]+)" y="9" width="([\d.]+)"', text)
        line = float(re.search(r'class="limit" x1="([\d.]+)"', text)[1])
        return (
            float(band[1]),
            float(band[1]) + float(band[2]),
            line,
            float(re.search(r'class="best" cx="([\d.]+)"', text)[1]),
        )

    @pytest.mark.parametrize(
        "low,value,high,limit", [(3998.49, 3999.69, 4000.89, 4000), (7000, 8000, 9000, 4000), (0, 0, 0, 400)]
    )
    def test_the_line_stands_where_the_threshold_is(self, low, value, high, limit):
        first, last, line, dot = self.places(low, value, high, limit)
        assert (first < line) == (low < limit)
        assert (last > line) == (high > limit)
        assert first - 0.1 <= dot <= last + 0.1
        assert 6 <= first < last <= 256

    def test_a_number_that_is_not_the_threshold_does_not_read_like_it(self):
        assert amount(0.999923, "acre", 1.0) == "0.9999 acre"
        assert amount(3999.9, "ft2", 4000) == "3,999.9 sq ft"
        assert amount(43559.9, "ft2", 43560) == "43,559.9 sq ft"
        assert amount(9.99996, "%", 10.0) == "9.99996 %"
        assert amount(3999.9999, "ft2", 4000) == "4,000 sq ft"  # within 1e-6: it is the threshold


class TestMap:
    def window(self, *bounds):
        return Windows(*np.array([[float(b)] for b in bounds]))

    def test_a_path_is_the_shape_in_picture_units(self):
        window = self.window(0, 0, 1200, 900)
        path = paths_of(Drawn([shapely.box(100, 100, 300, 200)]).within(window), window)[0]
        assert sorted(set(map(int, re.findall(r"\d+", path)))) == [100, 300, 700, 800]

    def test_holes_are_wound_the_other_way(self):
        window = self.window(0, 0, 1200, 900)
        ring = shapely.Polygon(shapely.box(100, 100, 800, 800).exterior, [shapely.box(200, 200, 300, 300).exterior])
        path = paths_of(Seen(np.array([0]), np.array([ring], dtype=object), np.array([0])), window)[0]
        assert path.count("M") == path.count("Z") == 2
        assert [self.winding(part) for part in path.split("Z")[:2]] in ([1, -1], [-1, 1])

    @staticmethod
    def winding(text):
        points, x, y = [], 0, 0
        for step, numbers in re.findall(r"([MLHV])([-\d,]+)", text):
            n = [int(k) for k in numbers.split(",")]
            x, y = (n[0], y) if step == "H" else (x, n[0]) if step == "V" else n
            points.append((x, y))
        return int(
            np.sign(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1], strict=True)))
        )

    def test_a_polygon_of_many_vertices_is_drawn_without_its_cuts(self):
        turns = np.linspace(0, 2 * np.pi, 20_000)[:-1]
        big = shapely.Polygon(np.column_stack((1000 + 900 * np.cos(turns), 1000 + 900 * np.sin(turns))))
        drawn = Drawn([big])
        assert len(drawn.pieces) > 20
        assert max(shapely.get_num_coordinates(drawn.pieces)) <= 400
        assert shapely.union_all(drawn.pieces).area == pytest.approx(big.area, rel=1e-9)
        window = self.window(0, 0, 2000, 1500)
        seen = drawn.within(window)
        assert len(seen.shapes) == 1
        assert seen.shapes[0].area == pytest.approx(shapely.clip_by_rect(big, *window.frames[0]).area, rel=1e-6)

    def test_nothing_near_draws_nothing(self):
        window = self.window(0, 0, 10, 10)
        assert paths_of(Drawn([shapely.box(100, 100, 110, 110), None]).within(window), window) == {}

    def test_the_scale_bar_is_as_long_as_it_says(self, findings):
        maps = SiteMaps(findings)
        for row in range(len(findings.sites)):
            text, _ = maps.draw(row)
            start, end = re.search(r'd="M40,\d+V\d+H(\d+)V', text), re.search(r">([\d,]+) ft<", text)
            feet = float(end[1].replace(",", ""))
            bounds = shapely.bounds(findings.sites.geometry.iloc[row])
            across = max((bounds[2] - bounds[0]) * ROOM, (bounds[3] - bounds[1]) * ROOM * 4 / 3, LEAST)
            assert int(start[1]) - 40 == pytest.approx(feet / across * 1200, abs=1)  # the run's unit is the foot

    def test_labels_do_not_collide_and_are_literal(self, build_findings):
        found = build_findings(30, names=("<b>&", "dense"))
        maps = SiteMaps(found)
        text, shown = maps.draw(0)
        assert "&lt;b&gt;&amp;" in text
        assert "site" in shown
        for row in range(30):
            text, _ = maps.draw(row)
            boxes = []
            for x, y, size, label in re.findall(
                r'<text class="label [\w-]+" x="(\d+)" y="(\d+)" font-size="(\d+)">([^<]*)', text
            ):
                half = len(html.unescape(label)) * int(size) * 0.3
                boxes.append((int(x) - half, int(y) - 0.9 * int(size), int(x) + half, int(y) + 0.2 * int(size)))
            for i, a in enumerate(boxes):
                assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in boxes[i + 1 :])

    def test_a_site_without_ground_has_no_map(self, findings):
        sites = findings.sites.copy()
        sites.loc[0, "geometry"] = None
        text, shown = SiteMaps(replace(findings, sites=sites)).draw(0)
        assert (text, shown) == ("", [])


def test_the_style_has_light_dark_and_print():
    style = resources.files("geocheck.reports.page").joinpath("report.css").read_text()
    assert "prefers-color-scheme:dark" in style
    assert "@media print" in style


@pytest.mark.parametrize(
    "shape",
    [
        shapely.LineString([(0, 0), (1, 1)] * 300),
        shapely.Polygon(
            [(0, 0), (1e6, 0), (1e6, 1e6), *((1e-7 * np.cos(t), 1 + 1e-7 * np.sin(t)) for t in range(900))]
        ),
        shapely.MultiPoint([(0, 0)] * 5),
        shapely.GeometryCollection([shapely.Point(1, 1), shapely.box(0, 0, 5, 5)]),
    ],
    ids=["back and forth", "all on one spot", "points", "a mixture"],
)
def test_any_shape_can_be_indexed_and_drawn(shape):
    drawn = Drawn([shape, None, shapely.Polygon()])
    window = Windows(*np.array([[-1.0], [-1.0], [9.0], [6.5]]))
    seen = drawn.within(window)
    paths_of(seen, window)
    assert max(shapely.get_num_coordinates(drawn.pieces), default=0) <= 900


def test_the_map_of_very_many_sites_draws_each_mark_without_a_link(build_findings):
    found = build_findings(LINKED + 20)
    words = {outcome: (outcome, "") for outcome in MARKS}
    outcomes = ["required" if row % 2 else "waived" for row in range(LINKED + 20)]
    maps = SiteMaps(found)
    text, shown = overview_map(maps, outcomes, words)
    assert "<a " not in text
    assert "floodplain" in shown
    with_ground = [row for row, ground in enumerate(maps.grounds) if ground is not None]
    for outcome in ("required", "waived"):
        path = re.search(rf'class="mark m-{outcome}" d="([^"]*)"', text)[1]
        assert path.count("M") == sum(outcomes[row] == outcome for row in with_ground)
