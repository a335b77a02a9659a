"""Bars, maps and comparisons of the report: they show what the numbers and layers are."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import shapely

from geocheck.model.condition import Arithmetic, Comparison, Condition, Name, Number
from geocheck.model.facts import Fact, FactColumn, FactTable
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.quantity import Quantity
from geocheck.reports.page.bar import bar_drawn, bar_places
from geocheck.reports.page.drawing import ROOM, Drawn, Seen, Windows, paths_of
from geocheck.reports.page.margins import Margin, MarginColumns, comparisons
from geocheck.reports.page.overview_map import LINKED, MARKS, overview_map
from geocheck.reports.page.site_map import LEAST, SiteMaps, map_drawn
from geocheck.reports.page.words import amount


def margins(compared, law, facts):
    """The margins of one site, as those of a table of one row."""
    columns = {
        name: FactColumn(
            name, fact.kind, fact.unit, [fact.value.value], [fact.low.value], [fact.high.value], [fact.status]
        )
        for name, fact in facts.items()
    }
    return [margin for _, margin in MarginColumns(compared, law, FactTable("site", ["S-1"], columns)).of(0)]


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
            ("<", 3999, 4000, "unknown"), ("==", 3998, 4001, "unknown"), ("==", 4000, 4000, "yes"), ("==", 4001, 4002, "no"),
            ("==", 4000, 4001, "unknown"), ("!=", 3998, 4001, "unknown"), ("!=", 4001, 4002, "yes"), ("!=", 4000, 4000, "no"),
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
        assert bar_drawn(bar_places(margin), "") == ""

    def test_a_share_of_nothing_is_left_out(self):
        facts = {"a": self.fact("a", 0, 0, 0), "b": self.fact("b", 0, 0, 0)}
        assert self.one(Arithmetic("/", Name("a"), Name("b")), facts) == []


class TestBar:
    @staticmethod
    def places(low, value, high, limit):
        text = bar_drawn(bar_places(Margin("(1)", "x", "at least", limit, "ft2", value, low, high)), "")
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
            text = map_drawn(maps.draw(row))
            start, end = re.search(r'd="M40,\d+V\d+H(\d+)V', text), re.search(r">([\d,]+) ft<", text)
            feet = float(end[1].replace(",", ""))
            bounds = shapely.bounds(findings.sites.geometry.iloc[row])
            across = max((bounds[2] - bounds[0]) * ROOM, (bounds[3] - bounds[1]) * ROOM * 4 / 3, LEAST)
            assert int(start[1]) - 40 == pytest.approx(feet / across * 1200, abs=1)  # the run's unit is the foot

    def test_labels_do_not_collide_and_are_literal(self, build_findings):
        found = build_findings(30, names=("<b>&", "dense"))
        maps = SiteMaps(found)
        text, shown = map_drawn(maps.draw(0)), maps.draw(0).shown
        assert "&lt;b&gt;&amp;" in text
        assert "site" in shown
        for row in range(30):
            text = map_drawn(maps.draw(row))
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
        assert SiteMaps(replace(findings, sites=sites)).draw(0) is None


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
