"""A suspect delivery is refused with every reason, and an ordinary one is not."""

from __future__ import annotations

import pytest

from geocheck.changes import Schema, compare, doubts_about, schema_problems

BEFORE = Schema({"PARCELID": "text", "OWNER": "text", "ACRES": "number"}, "PARCELID", "EPSG:8104")


@pytest.mark.parametrize(
    "fields, same, codes",
    [
        ({"PARCELID": "text", "OWNER": "text", "ACRES": "number", "NEW": "date"}, True, []),
        ({"PIN": "text", "OWNER": "text", "ACRES": "number"}, True, ["field-renamed"]),
        ({"PARCELID": "text", "OWNER": "text"}, True, ["field-missing"]),
        ({"PARCELID": "number", "OWNER": "text", "ACRES": "number"}, True, ["field-retyped"]),
        ({"PARCELID": "text", "OWNER": "text", "ACRES": "number"}, False, ["system-changed"]),
        (
            {"PIN": "text", "ACRES": "text"},
            False,
            ["field-renamed", "field-missing", "field-retyped", "system-changed"],
        ),
    ],
    ids=["a-new-field", "renamed", "missing", "retyped", "other-system", "all-at-once"],
)
def test_fields_and_system(fields, same, codes):
    problems = schema_problems(BEFORE, Schema(fields, "PARCELID", "EPSG:2289", same), "parcels.shp")
    assert sorted(problem.code for problem in problems) == sorted(codes)
    assert all("parcels.shp" in problem.show() and "--accept" in problem.show() for problem in problems)


@pytest.fixture
def town(delivery, box):
    def make(change=lambda lots: lots, count=200):
        lots = [
            (f"{i:04d}", box(i % 20 * 100, i // 20 * 100, i % 20 * 100 + 100, i // 20 * 100 + 100))
            for i in range(count)
        ]
        return delivery(change(lots))

    return make


def move(lots):
    from shapely.affinity import translate

    return [(name, translate(ground, 30, 10)) for name, ground in lots]


@pytest.mark.parametrize(
    "change, code",
    [
        (lambda lots: lots[:150], "fewer-parcels"),
        (lambda lots: [*lots, *lots], "duplicated-parcels"),
        (lambda lots: [(name[:2], ground) for name, ground in lots], "identifiers-collapse"),
        (lambda lots: [("---", ground) for _, ground in lots[:50]] + lots[50:], "identifiers-collapse"),
        (lambda lots: [(name.lstrip("0") or "0", ground) for name, ground in lots], "renumbered-as-a-whole"),
        (lambda lots: [*lots, *((f"C{name}", ground) for name, ground in lots[:40])], "stacked-parcels"),
        (move, "moved-as-a-whole"),
    ],
    ids=["page-missing", "file-twice", "digits-cut", "no-numbers", "zeros-lost", "units-on-lots", "datum"],
)
def test_a_suspect_delivery(town, change, code):
    problems = doubts_about(compare(town(), town(change)), file="new.shp")
    assert code in [problem.code for problem in problems]
    assert all(problem.place.file == "new.shp" for problem in problems)


@pytest.mark.parametrize(
    "change",
    [lambda lots: lots, lambda lots: lots[5:], lambda lots: [*lots[:-2], ("N1", lots[-2][1]), ("N2", lots[-1][1])]],
    ids=["the-same", "a-few-gone", "two-renumbered"],
)
def test_an_ordinary_delivery(town, change):
    assert doubts_about(compare(town(), town(change))) == []


def test_zeros_lost_are_named(town):
    lost = compare(town(), town(lambda lots: [(name.lstrip("0") or "0", ground) for name, ground in lots]))
    assert any("leading zeros" in problem.message for problem in doubts_about(lost))


def test_the_share_can_be_set(town):
    done = compare(town(), town(lambda lots: lots[:150]))
    assert doubts_about(done, fewest=0.7) == []


def test_a_merger_of_most_parcels_loses_none(delivery, box):
    before = delivery([(f"{i}", box(i * 10, 0, i * 10 + 10, 10)) for i in range(40)])
    after = delivery([("ALL", box(0, 0, 400, 10))])
    assert doubts_about(compare(before, after)) == []


def test_the_first_delivery_is_not_suspect(delivery, town):
    assert doubts_about(compare(delivery([]), town())) == []
