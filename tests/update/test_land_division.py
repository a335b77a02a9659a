"""§ 87-5(2)(a) from the ledger's lineage: five small parcels of one parent, at once or by steps, within the years stated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from geocheck.rules.read import load_ordinance

ACRES = 43_560


def fact(one, site="S-0", name="small_parcels_created_of_plan"):
    (row,) = [r for r in one.rows("facts.csv") if (r["subject"], r["subject_id"], r["fact"]) == ("site", site, name)]
    return row


def strips(lot, count, x0=0.0, y0=0.0, x1=400.0, y1=400.0):
    """Divide a rectangle into equal strips."""
    width = (x1 - x0) / count
    return [lot(x0 + i * width, y0, x0 + (i + 1) * width, y1) for i in range(count)]


def day(one, text):
    """Let the county's next delivery stand for a day, and the run too."""
    path = one.folder / "geocheck.yaml"
    path.unlink(missing_ok=True)
    one.lines = [line.split("\nas_of")[0] + f"\nas_of: {text}" for line in one.lines]


def least(one, site="S-0", name="small_parcels_created_of_plan"):
    """Return what is known at least; the time before the first delivery may hold more, so there is no number."""
    row = fact(one, site, name)
    assert (row["status"], row["value"], row["high"]) == ("missing", "", "")
    return row["low"]


def test_deliveries_without_division_prove_nothing(county):
    one = county()
    for owner in "ABC":
        one.owner["P0000"] = owner
        one.update()
        assert least(one) == "", "what was divided before the first delivery is not known"
    assert {
        row["outcome"] for row in one.rows("determinations.csv") if row["obligation"] == "stormwater_management"
    } == {"undetermined"}
    one.compare_with_a_full_run()


@pytest.mark.parametrize(("count", "outcome"), [(4, "undetermined"), (5, "required")])
def test_five_at_once_trip_the_clause_and_four_leave_it_open(county, lot, count, outcome):
    one = county()
    one.update()
    del one.parcels["P0000"]
    one.parcels |= {f"N{i}": ground for i, ground in enumerate(strips(lot, count))}
    one.update()
    assert least(one) == str(count)
    assert least(one, "S-1") == str(count), "S-1 shares the plan of S-0"
    assert least(one, "S-4") == ""
    assert least(one, "S-1", "small_parcels_created") == ""
    found = {(r["site_id"], r["obligation"]): r for r in one.rows("determinations.csv")}
    assert found["S-0", "stormwater_management"]["outcome"] == outcome
    if count == 5:
        changed = {(r["site_id"], r["obligation"]): r for r in one.rows("changed_determinations.csv")}
        because = changed["S-0", "stormwater_management"]["because"]
        assert "small_parcels_created_of_plan missing → at least 5 each" in because and "(2)(a)" in because
    one.compare_with_a_full_run()


def test_a_statement_below_what_the_ledger_counts_is_contradicted(county, lot):
    one = county()
    one.update()
    del one.parcels["P0000"]
    one.parcels |= {f"N{i}": ground for i, ground in enumerate(strips(lot, 5))}
    path = one.write()
    (one.folder / "more.csv").write_text(
        "site_id,fact,value\nS-0,small_parcels_created,0\nS-4,small_parcels_created,0\n", encoding="utf-8"
    )
    path.write_text(path.read_text().replace("statements: statements.csv", "statements: [statements.csv, more.csv]"))
    from geocheck.assess.nightly import update

    night = update(path)
    assert least(one, "S-0", "small_parcels_created") == "5"
    assert fact(one, "S-4", "small_parcels_created")["value"] == "0"
    assert [note for note in night.notes if "stated as 0 each" in note and "at least 5 each" in note and "S-0" in note]
    assert not [note for note in night.notes if "S-4" in note and "stated as" in note]


def test_steps_between_deliveries_count_together(county, lot):
    one = county()
    one.update()
    del one.parcels["P0000"]
    one.parcels["A"], one.parcels["B"] = strips(lot, 2)
    one.update()
    assert least(one) == "2"
    del one.parcels["A"]
    one.parcels |= {f"A{i}": ground for i, ground in enumerate(strips(lot, 4, x1=200.0))}
    one.update()
    assert least(one) == "5"
    one.parcels["A0-2"] = one.parcels.pop("A0")
    one.update()
    assert least(one) == "5", "a new number is no division"
    one.compare_with_a_full_run()


def in_years(one, tmp_path, years):
    """Let the ordinance state within how many years divisions count together."""
    village = load_ordinance("us/wi/washington-county-village/87-5")
    own = tmp_path / "own" / "87-5.yaml"
    own.parent.mkdir()
    text = Path(village.file).read_text(encoding="utf-8")
    own.write_text(text.replace("in_force:", f"division_years: {years}\nin_force:", 1), encoding="utf-8")
    one.lines = [line.replace("us/wi/washington-county-village/87-5", str(own)) for line in one.lines]


def quartered(county, lot, tmp_path, days):
    """Halve a parcel, and quarter one half, with the deliveries of some days: nothing, a half, nothing, a quarter, nothing."""
    one = county()
    in_years(one, tmp_path, 5)
    for number, when in enumerate(days):
        day(one, when)
        one.owner["P0404"] = str(number)
        if number == 1:
            del one.parcels["P0000"]
            one.parcels["A"], one.parcels["B"] = strips(lot, 2)
        if number == 3:
            del one.parcels["A"]
            one.parcels |= {f"A{i}": ground for i, ground in enumerate(strips(lot, 4, x1=200.0))}
        one.update()
    return one


@pytest.mark.parametrize(
    ("as_of", "value", "low", "high"),
    [
        ("2015-12-31", "5", "5", "5"),
        # The halving came between 31 December 2010 and 2 January 2011, and the years begin between.
        ("2016-01-01", "", "4", "5"),
        ("2016-01-02", "", "4", "5"),
        # Of what was divided before the years only A into four is left.
        ("2016-01-03", "4", "4", "4"),
        ("2018-01-01", "4", "4", "4"),
        ("2018-01-02", "", "0", "4"),
    ],
)
def test_the_years_that_the_ordinance_states(county, lot, tmp_path, as_of, value, low, high):
    days = ["2010-12-31", "2011-01-02", "2013-01-01", "2015-12-31"]
    one = quartered(county, lot, tmp_path, days)
    if as_of != days[-1]:
        day(one, as_of)
        one.update()
    row = fact(one)
    assert (row["value"], row["low"], row["high"]) == (value, low, high)
    assert "within 5 years" in row["note"]
    one.compare_with_a_full_run()


def test_a_ledger_that_ended_before_the_run_proves_nothing_of_what_came_since(county, lot, tmp_path):
    """The office has newer parcels than the last delivery that the ledger took: five may be among them."""
    import geocheck

    one = quartered(county, lot, tmp_path, ["2010-12-31", "2011-01-02", "2013-01-01", "2015-12-31"])
    day(one, "2025-01-01")
    one.owner["P0404"] = "newer"
    found = geocheck.run(one.write()).findings.facts.of("site", "S-0")["small_parcels_created_of_plan"]
    assert (found.value, found.low, found.high) == (None, None, None)


def test_a_day_in_the_past_is_judged_by_the_deliveries_of_its_time(county, lot):
    """Five large parcels that were cut down later, by no division, were not small then."""
    import geocheck

    one = county()
    one.parcels["BIG"] = lot(0, 2000, 5 * 330, 3000)
    one.sites["S-B"] = lot(100, 2100, 200, 2200)
    day(one, "2010-01-01")
    one.update()
    del one.parcels["BIG"]
    one.parcels |= {f"B{i}": ground for i, ground in enumerate(strips(lot, 5, 0, 2000, 5 * 330, 3000))}
    day(one, "2011-01-01")
    one.update()
    one.parcels |= {f"B{i}": ground for i, ground in enumerate(strips(lot, 5, 0, 2000, 5 * 330, 2600))}
    day(one, "2012-01-01")
    one.update(accept="ground given up for a lake")
    assert least(one, "S-B") == "5"
    day(one, "2011-06-01")
    found = geocheck.run(one.write()).findings.facts.of("site", "S-B")["small_parcels_created_of_plan"]
    assert (found.value, found.low, found.high) == (None, None, None)


def test_large_parcels_and_stacked_units_do_not_count(county, lot):
    one = county()
    one.parcels["BIG"] = lot(0, 2000, 2000, 4000)
    one.sites["S-B"] = lot(100, 2100, 200, 2200)
    one.update()
    del one.parcels["BIG"]
    one.parcels |= {
        "B1": lot(0, 2000, 1000, 4000),
        "B2": lot(1000, 2000, 1200, 4000),
        "B3": lot(1200, 2000, 2000, 4000),
    }
    one.update()
    assert least(one, "S-B") == "", "9 acres, 36 and 46"
    del one.parcels["P0000"]
    one.parcels |= {f"U{i}": lot(0, 0, 400, 400) for i in range(6)}
    one.update(accept="condominium")
    assert least(one, "S-0") == "", "units on one lot divide no ground"


@pytest.mark.parametrize(
    ("feet", "low", "high"), [(660.0, 5, 5), (660.0 * 1.0001, 0, 5)], ids=["five-acres", "within-the-basis"]
)
def test_exactly_five_acres_count_and_near_it_is_open(county, lot, tmp_path, feet, low, high):
    one = county()
    in_years(one, tmp_path, 1)
    if high != low:
        one.lines = [line.replace("area_basis: grid\nmeasure_crs: EPSG:8104", "area_basis: auto") for line in one.lines]
    one.parcels["BIG"] = lot(0, 2000, 5 * 330, 2000 + feet)
    one.sites["S-B"] = lot(100, 2100, 200, 2200)
    day(one, "2020-01-01")
    one.update()
    day(one, "2021-01-01")
    del one.parcels["BIG"]
    one.parcels |= {f"B{i}": ground for i, ground in enumerate(strips(lot, 5, 0, 2000, 5 * 330, 2000 + feet))}
    one.update()
    row = fact(one, "S-B")
    assert row["status"] == "measured"
    assert (float(row["low"]), float(row["high"])) == (low, high)
    assert 5 * ACRES == 330 * 660


def test_years_that_the_deliveries_reach_back_over_make_it_a_number(county, lot, tmp_path):
    one = county()
    in_years(one, tmp_path, 5)
    day(one, "2010-01-01")
    one.update()
    one.owner["P0404"] = "B"
    day(one, "2014-12-31")
    one.update()
    assert least(one) == "", "the year 2009 is not known"
    one.owner["P0404"] = "C"
    day(one, "2015-01-01")
    one.update()
    assert (fact(one)["status"], fact(one)["value"], fact(one)["source"]) == ("measured", "0", "ledger")
    one.compare_with_a_full_run()


def test_a_day_that_ends_the_years_is_a_night_with_work_though_no_file_changed(county, lot, tmp_path):
    from geocheck.assess.nightly import update

    one = county()
    in_years(one, tmp_path, 5)
    day(one, "2010-12-31")
    one.update()
    del one.parcels["P0000"]
    one.parcels |= {f"N{i}": ground for i, ground in enumerate(strips(lot, 5))}
    day(one, "2011-01-02")
    one.update()
    found = {}
    for when in ("2011-01-02", "2015-12-31", "2016-01-03"):
        path = one.folder / "geocheck.yaml"
        path.write_text(re.sub(r"as_of: \S+", f"as_of: {when}", path.read_text()))
        night = update(path)
        (row,) = [r for r in one.rows("determinations.csv") if (r["site_id"], r["obligation"]) == ("S-0", "stormwater_management")]  # fmt: skip
        found[when] = (night.nothing_to_do, row["outcome"], night.summary["remeasured"])
        one.compare_with_a_full_run()
    assert found["2011-01-02"] == (True, "required", 0)
    assert found["2015-12-31"] == (False, "required", 0), "the fifth year is not over"
    assert found["2016-01-03"][:2] == (False, "not_required"), "the division is older than five years"
