"""What happened to each parcel: identity by number and by ground, shares that add up, nothing merged that is not one."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.affinity import translate

from geocheck.changes import Delivery, compare
from geocheck.model.changes import CHANGES


def told(done):
    """Return parcel to what is told of it; a number that is told on both sides becomes a list."""
    found = {}
    for change in done.rows():
        found.setdefault(change.parcel_id, []).append(change)
    return {name: rows[0] if len(rows) == 1 else rows for name, rows in found.items()}


def shaken(shape, rng, width):
    """Move every vertex of a polygon by up to a width, as a re-export does."""
    points = shapely.get_coordinates(shape)[:-1]
    return shapely.Polygon(points + rng.uniform(-width, width, points.shape))


def words(done):
    return sorted((change.parcel_id, change.change) for change in done.rows())


@pytest.fixture
def case(delivery, box):
    """C41: P1 is divided, P2 has a new owner, P3 was moved by 0.02 ft."""
    p2, p3 = box(200, 0, 300, 100), box(300, 0, 400, 100)
    before = delivery([("P1", box(0, 0, 200, 100)), ("P2", p2), ("P3", p3)], [1, 2, 3])
    after = delivery(
        [("P1A", box(0, 0, 100, 100)), ("P1B", box(100, 0, 200, 100)), ("P2", p2), ("P3", translate(p3, 0.02))],
        [1, 1, 9, 3],
    )
    return before, after


def test_a_split_parcel_is_not_a_deletion_and_two_strangers(case):
    found = told(compare(*case))
    assert (found["P1"].change, found["P1"].children, found["P1"].share) == ("split", ("P1A", "P1B"), (0.5, 0.5))
    assert (found["P1A"].change, found["P1A"].parents, found["P1A"].share) == ("split", ("P1",), (0.5,))
    assert (found["P2"].change, found["P2"].note) == ("attributes only", "OWNER")
    assert found["P3"].change == "unchanged"
    assert found["P3"].shift_ft == pytest.approx(0.02)
    assert found["P3"].note == "within tolerance"


def test_the_other_way_is_a_merger(case):
    after, before = case
    found = told(compare(before, after))
    assert (found["P1"].change, found["P1"].parents, found["P1"].share) == ("merged", ("P1A", "P1B"), (0.5, 0.5))
    assert (found["P1B"].change, found["P1B"].children, found["P1B"].share) == ("merged", ("P1",), (0.5,))


KINDS = {
    "same-ground-new-number": ([("A", (0, 0, 10, 10))], [("B", (0, 0, 10, 10))], {"B": "renumbered"}),
    "cut-and-the-rest-keeps-the-number": (
        [("A", (0, 0, 100, 100))], [("A", (0, 0, 70, 100)), ("A-1", (70, 0, 100, 100))],
        {"A": ["split", "split"], "A-1": "split"},
    ),
    "taken-in-by-the-neighbour": (
        [("A", (0, 0, 100, 100)), ("B", (100, 0, 150, 100))], [("A", (0, 0, 150, 100))],
        {"A": ["merged", "merged"], "B": "merged"},
    ),
    "two-become-two-others": (
        [("A", (0, 0, 100, 100)), ("B", (100, 0, 200, 100))], [("C", (0, 0, 200, 50)), ("D", (0, 50, 200, 100))],
        {"A": "re-cut", "B": "re-cut", "C": "re-cut", "D": "re-cut"},
    ),
    "neighbours-move-their-line": (
        [("A", (0, 0, 100, 100)), ("B", (100, 0, 200, 100))], [("A", (0, 0, 115, 100)), ("B", (115, 0, 200, 100))],
        {"A": "reshaped", "B": "reshaped"},
    ),
    "gone-and-new": ([("A", (0, 0, 9, 9))], [("B", (50, 0, 59, 9))], {"A": "removed", "B": "added"}),
    "number-used-again-elsewhere": (
        [("A", (0, 0, 9, 9)), ("B", (20, 0, 29, 9))], [("A", (90, 0, 99, 9)), ("B", (20, 0, 29, 9))],
        {"A": ["removed", "added"], "B": "unchanged"},
    ),
    "two-neighbours-swap-numbers": (
        [("A", (0, 0, 9, 9)), ("B", (9, 0, 18, 9))], [("B", (0, 0, 9, 9)), ("A", (9, 0, 18, 9))],
        {"A": "renumbered", "B": "renumbered"},
    ),
    "touching-is-no-descent": ([("A", (0, 0, 9, 9))], [("B", (9, 0, 18, 9))], {"A": "removed", "B": "added"}),
    "one-of-nine-units-more": (
        [("A", (0, 0, 9, 9)), ("B", (0, 0, 9, 9))], [("A", (0, 0, 9, 9)), ("B", (0, 0, 9, 9)), ("C", (0, 0, 9, 9))],
        {"A": "unchanged", "B": "unchanged", "C": "added"},
    ),
    "a-road-is-taken-out": ([("A", (0, 0, 100, 100))], [("A", (0, 20, 100, 100))], {"A": "reshaped"}),
    "nothing-before": ([], [("A", (0, 0, 9, 9))], {"A": "added"}),
    "nothing-after": ([("A", (0, 0, 9, 9))], [], {"A": "removed"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", list(KINDS))
def test_kinds(kind, delivery, box):
    before, after, expected = KINDS[kind]
    done = compare(*(delivery([(name, box(*corners)) for name, corners in side]) for side in (before, after)))
    found = {name: [c.change for c in one] if isinstance(one, list) else one.change for name, one in told(done).items()}
    assert found == expected
    assert {change.change for change in done.rows()} <= set(CHANGES)


def test_a_whole_delivery_that_was_quantised_anew_is_unchanged_but_for_the_one_that_was_not(delivery, box):
    rng = np.random.default_rng(1)
    lots = [(f"{i:03d}", box(i % 20 * 100, i // 20 * 100, i % 20 * 100 + 100, i // 20 * 100 + 100)) for i in range(200)]

    after = [(name, shaken(shape, rng, 0.8)) for name, shape in lots]
    after[7] = ("007", box(700, 0, 780, 100))
    done = compare(delivery(lots), delivery(after))
    assert 1 < done.tolerance <= 5
    assert [change.parcel_id for change in done.changes] == ["007"]
    assert done.counts()["unchanged"] == 199


def test_stated_accuracy_is_the_tolerance(delivery, box):
    before, after = delivery([("A", box(0, 0, 100, 100))]), delivery([("A", box(0, 0, 103, 100))])
    assert words(compare(before, after)) == [("A", "reshaped")]
    assert words(compare(before, after, tolerance=5.0)) == [("A", "unchanged")]


def test_placeholders_labels_duplicates_and_stacks_are_named_and_never_merged(delivery, box):
    lots = [("---", box(0, 0, 9, 9)), ("---", box(20, 0, 29, 9)), ("ROAD", box(0, 20, 99, 29)), ("ROAD", box(0, 40, 99, 49)),
            ("X", box(50, 0, 59, 9)), ("X", box(70, 0, 79, 9)), ("Y", box(80, 0, 89, 9)), ("Y", box(80, 0, 89, 9)), (None, box(90, 0, 99, 9)),
            ("U1", box(0, 60, 9, 69)), ("U2", box(0, 60, 9, 69))]  # fmt: skip
    done = compare(delivery(lots), delivery(lots))
    found = told(done)
    assert not done.changes
    assert len(found["---"]) == len(found["ROAD"]) == 2
    assert all("label, not a parcel" in change.note for change in found["ROAD"])
    assert all("no identifier" in change.note for change in (*found["---"], found[""]))
    assert (found["X"].area_after_ft2, found["Y"].area_after_ft2) == (162.0, 81.0)
    assert found["Y"].note == "2 records, 1 of them on the same ground"
    assert found["U1"].note == "stacked with 1 other"
    gone = compare(delivery(lots), delivery(lots[1:]))
    assert words(gone).count(("---", "removed")) == 1 and words(gone).count(("---", "unchanged")) == 1


def test_a_parcel_that_becomes_stacked_units_gives_each_its_share(delivery, box):
    units = [(f"U{i}", box(0, 0, 90, 90)) for i in range(9)]
    done = compare(delivery([("LOT", box(0, 0, 90, 90))]), delivery(units))
    lot = told(done)["LOT"]
    assert lot.change == "split" and len(lot.children) == 9
    assert sum(lot.share) == pytest.approx(1, abs=1e-12)


def test_ground_that_is_in_no_parcel_now_is_said_and_counted(delivery, box):
    done = compare(
        delivery([("A", box(0, 0, 100, 100))]), delivery([("B", box(0, 0, 40, 100)), ("C", box(60, 0, 100, 100))])
    )
    parent = told(done)["A"]
    assert parent.share == (0.4, 0.4) and "20 % of it is in no parcel now" in parent.note
    assert sum(row.share_of_parent for row in done.descent) == pytest.approx(1)
    assert [row.area_ft2 for row in done.descent if not row.child] == [pytest.approx(2000)]


def test_a_parcel_that_loses_its_outline_is_told_on_both_sides(delivery, box):
    done = compare(delivery([("A", box(0, 0, 9, 9))]), delivery([("A", None)]))
    assert [(c.change, c.note) for c in done.changes] == [("reshaped", "no geometry now"), ("reshaped", "no geometry")]
    assert words(compare(delivery([("A", None)]), delivery([("A", None)]))) == [("A", "unchanged")]


def test_feet_come_from_the_system(delivery, box):
    metre = 3937 / 1200
    done = compare(delivery([("A", box(0, 0, 10, 10))]), delivery([("A", box(0, 0, 12, 10))], feet=metre))
    change = done.changes[0]
    assert change.shift_ft == pytest.approx(2 * metre)
    assert change.area_after_ft2 == pytest.approx(120 * metre**2)


# Laws ---------------------------------------------------------------------------------------------------------------------


def guillotine(draw, rectangle, depth):
    x0, y0, x1, y1 = rectangle
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return [rectangle]
    at = draw(st.integers(25, 75)) / 100
    if draw(st.booleans()):
        cut = x0 + at * (x1 - x0)
        parts = [(x0, y0, cut, y1), (cut, y0, x1, y1)]
    else:
        cut = y0 + at * (y1 - y0)
        parts = [(x0, y0, x1, cut), (x0, cut, x1, y1)]
    return [piece for part in parts for piece in guillotine(draw, part, depth - 1)]


@st.composite
def two_divisions(draw):
    """One tract divided twice, at random, with an angle; numbers partly kept."""
    sides = []
    for letter in "AB":
        pieces = guillotine(draw, (0.0, 0.0, 4000.0, 3000.0), 4)
        keep = draw(st.lists(st.booleans(), min_size=len(pieces), max_size=len(pieces)))
        names = [f"K{n}" if kept else f"{letter}{n}" for n, kept in enumerate(keep)]
        sides.append((names, shapely.box(*np.array(pieces).T)))
    turn = draw(st.floats(0, 1.5))
    sides = [(names, np.array([shapely.affinity.rotate(s, turn, use_radians=True, origin=(0, 0)) for s in shapes])) for names, shapes in sides]  # fmt: skip
    return [Delivery(np.array(names, dtype=object), shapes, np.array(["parcel"] * len(names), dtype=object)) for names, shapes in sides]  # fmt: skip


@settings(max_examples=120)
@given(two_divisions())
def test_areas_and_shares_add_up_whatever_was_divided_or_joined(two):
    done = compare(*two)
    rows = list(done.rows())
    for side, column in (("before", "area_before_ft2"), ("after", "area_after_ft2")):
        total = sum(getattr(row, column) or 0.0 for row in rows)
        assert total == pytest.approx(float(np.nansum(getattr(done, side).areas)), rel=1e-9), side
    of_parent, of_child = {}, {}
    for row in done.descent:
        of_parent[row.parent] = of_parent.get(row.parent, 0.0) + row.share_of_parent
        of_child[row.child] = of_child.get(row.child, 0.0) + row.share_of_child
    assert all(total == pytest.approx(1, abs=1e-6) for name, total in of_parent.items() if name)
    assert all(total == pytest.approx(1, abs=1e-6) for name, total in of_child.items() if name)
    for row in rows:
        assert row.change in CHANGES
        if row.share:
            assert len(row.share) == len(row.parents or row.children)


@settings(max_examples=60)
@given(two_divisions())
def test_every_parcel_is_told_once_on_each_side(two):
    before, after = two
    done = compare(before, after)
    rows = list(done.rows())
    assert sum(row.area_before_ft2 is not None for row in rows) == len(before)
    assert sum(row.area_after_ft2 is not None for row in rows) == len(after)


@settings(max_examples=60)
@given(two_divisions(), st.floats(0, 0.4))
def test_a_delivery_against_itself_shaken_is_unchanged(two, width):
    one = two[0]
    rng = np.random.default_rng(3)
    lines = [shaken(shape, rng, width) for shape in one.shapes]
    done = compare(one, Delivery(one.ids, np.array(lines, dtype=object), one.kinds))
    assert not done.changes
