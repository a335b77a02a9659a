"""Ground that adds up from a day on, over the sites of a plan: held to a union worked out here, day by day."""

from __future__ import annotations

from datetime import date

import pytest
import shapely
from shapely.geometry import box

from geocheck.model.problem import GeocheckError, ProjectError

LAW = """\
cite: § 1
title: Over the years
in_force: not established
obligations: {permit: § 2}
facts:
  disturbed_since:
    kind: measured
    unit: ft2
    since: 2004-02-02
    counts: disturbed_area
    asks: How much has been disturbed since 2 February 2004?
clauses:
- {at: (1), says: x, when: disturbed_since >= 20_000 ft2, imposes: [permit]}
"""
#: Ground by site; the first two overlap by 2,000 square feet.
GROUND = {
    "before": box(0, 0, 100, 100), "same": box(80, 0, 180, 100), "after": box(200, 0, 300, 100),
    "other": box(400, 0, 500, 100), "later": box(600, 0, 700, 100),
}  # fmt: skip
PLANS = ["P", "P", "P", None, "P"]
DAYS = ["2004-02-01", "2004-02-02", "2016-07-01", "2016-07-01", "2026-12-31"]


@pytest.fixture
def judged(world):
    def judged(days=DAYS, keys="plan: PLAN, day: DAY", law=LAW, as_of="2026-12-01"):
        made = world().say("ordinances: [law.yaml]", f"as_of: {as_of}")
        (made.folder / "law.yaml").write_text(law, encoding="utf-8")
        columns = {"PLAN": PLANS} | ({"DAY": days} if days else {})
        return made.add("disturbance", GROUND, keys=keys, **columns).run()

    return judged


def of(result, site):
    return result.findings.facts.of("site", site)["disturbed_since"]


def square_feet(*names):
    return shapely.union_all([GROUND[name] for name in names]).area if names else 0.0


@pytest.mark.parametrize(
    "as_of, site, counted",
    [
        ("2026-12-01", "before", ("same", "after")),
        ("2026-12-01", "same", ("same", "after")),
        ("2026-12-01", "after", ("same", "after")),
        ("2026-12-01", "other", ("other",)),
        # A site that is planned counts for itself, and not yet for its plan.
        ("2026-12-01", "later", ("same", "after", "later")),
        ("2010-01-01", "before", ("same",)),
        ("2010-01-01", "after", ("same", "after")),
    ],
)
def test_what_is_disturbed_from_the_day_on_adds_up_over_the_plan(judged, as_of, site, counted):
    result = judged(as_of=as_of)
    fact = of(result, site)
    assert fact.status == "measured"
    assert float(fact.value.value) == pytest.approx(square_feet(*counted), rel=1e-3)
    assert float(fact.low.value) <= square_feet(*counted) <= float(fact.high.value)


def test_nothing_disturbed_since_is_nothing(judged):
    fact = of(judged(law=LAW.replace("2004-02-02", "2030-01-01")), "same")
    assert fact.status == "measured" and fact.value.value == 0


def test_ground_of_which_nobody_knows_the_day_leaves_the_number_between_two_ends(judged):
    result = judged([None, *DAYS[1:]])
    fact = of(result, "after")
    assert (
        fact.value is None and fact.note == "of 1 site of the plan it is not known what was disturbed since 2004-02-02"
    )
    assert float(fact.low.value) == pytest.approx(square_feet("same", "after"), rel=1e-3)
    assert float(fact.high.value) == pytest.approx(square_feet("before", "same", "after"), rel=1e-3)
    assert of(result, "other").status == "measured"


@pytest.mark.parametrize(
    "days, low, high",
    [
        (("2004-02-02", "2016-07-01"), 20_000, 20_000),
        (("2004-02-01", "2016-07-01"), 0, 20_000),
        (("1999-01-01", "2004-02-01"), 0, 0),
        ((None, "2016-07-01"), 0, 20_000),
    ],
    ids=["since", "before and since", "before", "one unknown"],
)
def test_of_a_site_of_many_days_only_what_is_since_counts_for_certain(world, days, low, high):
    """In the second case half of 20,000 square feet is from before: neither all nor nothing is the number."""
    made = world().say("ordinances: [law.yaml]", "as_of: 2026-12-01")
    (made.folder / "law.yaml").write_text(LAW, encoding="utf-8")
    shapes = [GROUND["before"], GROUND["after"]]
    fact = of(made.add("disturbance", shapes, keys="id: ID, day: DAY", ID=["S", "S"], DAY=list(days)).run(), "S")
    assert (fact.value is not None) == (low == high)
    assert (float(fact.low.value), float(fact.high.value)) == pytest.approx((low, high), rel=1e-3)


@pytest.mark.parametrize(
    "threshold, truth",
    [("15_000", "yes"), ("25_000", "unknown"), ("29_000", "no")],
    ids=["below both", "between", "above both"],
)
def test_between_the_ends_what_they_settle_is_settled(judged, threshold, truth):
    result = judged([None, *DAYS[1:]], law=LAW.replace("20_000", threshold))
    (determination,) = result.of("after")
    assert str(determination.trace["(1)"].truth) == truth
    assert ("disturbed_since" in {q.fact for q in result.findings.questions if q.site_id == "after"}) == (
        truth == "unknown"
    )


@pytest.mark.parametrize("keys", ["plan: PLAN", ""])
def test_a_layer_without_days_says_so(judged, keys):
    fact = of(judged(keys=keys), "same")
    assert fact.value is None and fact.status == "missing" and "name the field that does as its day" in fact.note


@pytest.mark.parametrize(
    "days", [[date.fromisoformat(d) for d in DAYS], [d.replace("-", "") for d in DAYS], [f"{d}T08:30:00" for d in DAYS]],
    ids=["dates", "compact", "with the hour"],
)  # fmt: skip
def test_days_are_read_as_files_have_them(judged, days):
    assert float(of(judged(days), "before").value.value) == pytest.approx(square_feet("same", "after"), rel=1e-3)


@pytest.mark.parametrize("word", ["3/4/2004", "2004", "spring", "2004-13-01"])
def test_what_is_no_day_is_refused(judged, word):
    with pytest.raises(GeocheckError, match="may say a day, written YYYY-MM-DD"):
        judged([word, *DAYS[1:]])


def test_two_ordinances_may_not_mean_different_numbers_by_one_name(world):
    made = world().say("ordinances: [one.yaml, other.yaml]")
    (made.folder / "one.yaml").write_text(LAW, encoding="utf-8")
    (made.folder / "other.yaml").write_text(LAW.replace("2004-02-02", "2010-01-01"), encoding="utf-8")
    with pytest.raises(ProjectError, match=r"disturbed_since.* means one thing .* and another"):
        made.add("disturbance", GROUND).run()
