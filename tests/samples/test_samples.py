"""The sample projects: numbers that plain shapely confirms, outcomes as EXPECTED.md explains them."""

from __future__ import annotations

import csv
import importlib.util
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from pyproj import Geod, Transformer

DATA = Path(__file__).parents[2] / "data"
SAMPLES = {
    "cedar-hollow": ("us/wi/washington-county-village/87-5", "EPSG:8104", "SITE_ID"),
    "heron-bay": ("us/wi/river-hills/6.04", "EPSG:8160", "SITE"),
}
#: Volumes are stated; everything else in EXPECTED.md is measured.
STATED = ("excavated_volume", "filled_volume")
US_SURVEY_FOOT = 1200 / 3937


def _sections(sample: str) -> dict[str, str]:
    parts = re.split(r"^### (\S+).*$", (DATA / sample / "EXPECTED.md").read_text(encoding="utf-8"), flags=re.M)
    return {site: re.split(r"^## ", text, flags=re.M)[0] for site, text in zip(parts[1::2], parts[2::2], strict=True)}


def _numbers(sample: str) -> list[tuple[str, str, float]]:
    found = []
    for site, text in _sections(sample).items():
        for name, number in re.findall(r"^- `(\w+)` =.*?([\d,.]+) (?:ft2|ft|yd3|each)$", text, flags=re.M):
            found.append((site, name, float(number.replace(",", ""))))
    return found


def _outcomes(sample: str) -> dict[tuple[str, str], tuple[str, set[str]]]:
    """Outcome and clauses of each site and obligation, as EXPECTED.md says."""
    found = {}
    for site, text in _sections(sample).items():
        for names, outcome, clauses in re.findall(r"^- ([a-z_, ]+): \*\*(\w+)\*\*(?:, (.*))?$", text, flags=re.M):
            for name in names.split(", "):
                assert (site, name) not in found
                found[site, name] = (outcome, set(clauses.split(", ")) - {""})
    return found


def _expected_csv(sample: str) -> dict[tuple[str, str], str]:
    with (DATA / sample / "EXPECTED.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["ordinance"] for row in rows} == {SAMPLES[sample][0]}
    return {(row["site_id"], row["obligation"]): row["outcome"] for row in rows}


# --- the numbers, recomputed from the files by plain shapely -----------------------------------------------------------


@cache
def _read(sample: str, file: str, layer: str | None = None) -> gpd.GeoDataFrame:
    frame = gpd.read_file(DATA / sample / file, layer=layer)
    return frame.to_crs(SAMPLES[sample][1]) if frame.crs.is_geographic else frame


def _union(frame: gpd.GeoDataFrame) -> shapely.Geometry:
    return shapely.union_all(shapely.make_valid(frame.geometry.to_numpy()))


@cache
def _sites(sample: str) -> gpd.GeoDataFrame:
    frame = _read(sample, "sites.shp").set_index(SAMPLES[sample][2])
    # The parts of one record may overlap: their union is the ground.
    frame["geometry"] = [shapely.union_all(shapely.get_parts(g)) for g in frame.geometry]
    return frame


@cache
def _zone(sample: str, role: str) -> shapely.Geometry:
    if role == "floodplain":
        flood = _read(sample, "flood.gpkg", "S_FLD_HAZ_AR")
        return _union(flood[flood["SFHA_TF"] == "T"])
    return _union(_read(sample, {"shoreland": "shoreland.shp", "wetland": "wetlands.shp"}[role]))


def _zones(sample: str) -> shapely.Geometry:
    return shapely.union_all([_zone(sample, role) for role in ("shoreland", "wetland", "floodplain")])


def _surface(sample: str, *statuses: str, connected: bool = False) -> shapely.Geometry:
    frame = _read(sample, "impervious.gpkg")
    keep = frame["STATUS"].isin(statuses)
    if connected:
        column = frame["CONN" if "CONN" in frame else "CONNECTED"]
        keep &= column.fillna("").str.lower().isin(["yes", "y", "true"])
    return _union(frame[keep])


def _ground(sample: str, site: str, extent: str) -> shapely.Geometry:
    sites = _sites(sample)
    plan = "PLAN_ID" if "PLAN_ID" in sites else "PLAN_"
    own = sites.loc[site]
    together = [own.geometry]
    if extent and isinstance(own[plan], str) and own[plan]:
        same = sites[sites[plan] == own[plan]]
        if extent == "_of_all_phases":
            same = same[same["PHASE"].fillna("") != ""]
        together += list(same.geometry)
    return shapely.union_all(together)


def _small_parcels(sample: str, ground: shapely.Geometry) -> int:
    before, after = _read(sample, "parcels_before.shp"), _read(sample, "parcels.shp")
    parents = before[before.geometry.notna() & (before["PARCELID"] != "ROW") & before.intersects(ground)]
    new = after[~after["PARCELID"].isin(before["PARCELID"]) & after.geometry.notna()]
    return sum(
        bool(row.geometry.area <= 5 * 43560 and parents.geometry.intersection(row.geometry).area.max() > 1)
        for row in new.itertuples()
    )


def _measured(sample: str, site: str, fact: str) -> float:
    name, extent = re.fullmatch(r"(\w+?)(_of_plan|_of_all_phases|)", fact).groups()
    ground = _ground(sample, site, extent)
    match name:
        case "disturbed_area":
            return ground.area
        case "disturbed_area_in_zones":
            return ground.intersection(_zones(sample)).area
        case "disturbed_area_outside_zones":
            return ground.difference(_zones(sample)).area
        case "disturbed_area_in_floodplain":
            return ground.intersection(_zone(sample, "floodplain")).area
        case "disturbed_channel_length":
            return ground.intersection(_union(_read(sample, "channels.shp"))).length
        case "impervious_area_existing":
            return ground.intersection(_surface(sample, "existing", "removed")).area
        case "impervious_area_proposed":
            return ground.intersection(_surface(sample, "proposed")).area
        case "impervious_area":
            return ground.intersection(_surface(sample, "existing", "proposed")).area
        case "impervious_area_added":
            before = ground.intersection(_surface(sample, "existing", "removed")).area
            return ground.intersection(_surface(sample, "existing", "proposed")).area - before
        case "connected_impervious_area":
            return ground.intersection(_surface(sample, "existing", "proposed", connected=True)).area
        case "small_parcels_created":
            return _small_parcels(sample, ground)
    raise AssertionError(f"EXPECTED.md names {fact}, which this test cannot compute")


NUMBERS = [(sample, *number) for sample in SAMPLES for number in _numbers(sample) if number[1] not in STATED]


@pytest.mark.parametrize(("sample", "site", "fact", "number"), NUMBERS, ids=[f"{s}-{f}" for _, s, f, _ in NUMBERS])
def test_expected_number_is_what_shapely_finds_in_the_files(sample, site, fact, number):
    # Coordinates are rounded to a hundred-thousandth of a foot: along 3,000 ft that is 0.03 sq ft at most.
    assert _measured(sample, site, fact) == pytest.approx(number, rel=1e-6, abs=0.01)


@pytest.mark.parametrize("sample", list(SAMPLES))
def test_every_site_has_its_numbers_and_outcomes(sample):
    sites = list(_sites(sample).index)
    assert sorted(sites) == sorted(_sections(sample))
    assert {site for site, name, _ in _numbers(sample) if name.startswith("disturbed_area")} == set(sites)
    assert {key: outcome for key, (outcome, _) in _outcomes(sample).items()} == _expected_csv(sample)


def test_between_them_the_samples_show_every_outcome():
    outcomes = {outcome for sample in SAMPLES for outcome in _expected_csv(sample).values()}
    assert outcomes == {"required", "not_required", "waived", "undetermined"}


@pytest.mark.parametrize("sample", list(SAMPLES))
def test_area_on_the_ellipsoid_is_the_plane_area_within_a_tenth_of_a_thousandth(sample):
    crs, geod = SAMPLES[sample][1], Geod(ellps="GRS80")
    to_degrees = Transformer.from_crs(crs, Transformer.from_crs(crs, crs).source_crs.geodetic_crs, always_xy=True)
    for site, ground in _sites(sample).geometry.items():
        lon_lat = shapely.transform(ground, to_degrees.transform, interleaved=False)
        area = abs(geod.geometry_area_perimeter(lon_lat)[0]) / US_SURVEY_FOOT**2
        assert area == pytest.approx(ground.area, rel=1e-4), site
        assert area < ground.area, site


@pytest.mark.parametrize(("site", "low", "high"), [("CH-19", 3998.49, 4000.89)])
def test_close_call_straddles_its_threshold_by_the_basis_alone(site, low, high):
    ground = _sites("cedar-hollow").geometry[site]
    to_degrees = Transformer.from_crs("EPSG:8104", "EPSG:4152", always_xy=True)
    lon_lat = shapely.transform(ground, to_degrees.transform, interleaved=False)
    area = abs(Geod(ellps="GRS80").geometry_area_perimeter(lon_lat)[0]) / US_SURVEY_FOOT**2
    assert area * (1 - 0.0003) == pytest.approx(low, abs=0.02)
    assert area * (1 + 0.0003) == pytest.approx(high, abs=0.02)


def test_only_the_sites_said_to_be_near_a_zone_edge_are():
    edges = [_zone("cedar-hollow", role).boundary for role in ("shoreland", "wetland", "floodplain")]
    near = {
        site
        for site, ground in _sites("cedar-hollow").geometry.items()
        if not ground.within(_zones("cedar-hollow")) and any(edge.distance(ground) < 100 for edge in edges)
    }
    assert near == {"CH-14", "CH-15", "CH-37"}
    for site in ("CH-13", "CH-16", "CH-36"):
        assert _zones("cedar-hollow").boundary.distance(_sites("cedar-hollow").geometry[site]) > 60


def test_coverage_leaves_out_just_the_sites_that_show_it():
    for sample, file, left_out in (
        ("cedar-hollow", "flood_panel.shp", {"CH-20", "CH-32"}),
        ("heron-bay", "photo_coverage.geojson", {"HB-20"}),
    ):
        covered = _union(_read(sample, file))
        assert {site for site, ground in _sites(sample).geometry.items() if not ground.within(covered)} == left_out


def test_one_site_lies_outside_its_village_and_all_others_inside():
    outside = set()
    for sample, file, name, village in (
        ("cedar-hollow", "municipality.shp", "MUNI_NAME", "Village of Cedar Hollow"),
        ("heron-bay", "municipality.geojson", "NAME", "Heron Bay"),
    ):
        frame = _read(sample, file)
        ground = _union(frame[frame[name] == village])
        outside |= {site for site, own in _sites(sample).geometry.items() if not own.within(ground)}
    assert outside == {"HB-15"}


# --- the run -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=list(SAMPLES))
def judged(request):
    """The name of a sample, and the determinations of a run on it."""
    if importlib.util.find_spec("geocheck.assess") is None:
        pytest.skip("geocheck.assess does not exist")
    import geocheck

    return request.param, geocheck.run(geocheck.open_project(DATA / request.param / "geocheck.yaml"))


def test_run_gives_the_expected_outcomes(judged):
    sample, result = judged
    table = result.determinations
    found = {(row.site_id, row.obligation): row.outcome for row in table.itertuples()}
    expected = _expected_csv(sample)
    wrong = {
        key: (found.get(key), expected.get(key)) for key in found | expected if found.get(key) != expected.get(key)
    }
    assert wrong == {}, "site and obligation: (run, expected)"


def test_run_names_the_clauses_that_decide(judged):
    sample, result = judged
    wrong = {}
    for (site, obligation), (outcome, clauses) in _outcomes(sample).items():
        determination = result.of(site)[0]
        because = set(determination[obligation].because)
        open_ones = {step.clause for step in determination.trace.steps if step.truth.is_unknown}
        # What holds is named; an undetermined outcome also turns on clauses that are not known.
        right = because <= clauses <= because | open_ones if outcome == "undetermined" else because == clauses
        if not right:
            wrong[site, obligation] = (sorted(clauses), sorted(because), sorted(open_ones))
    assert wrong == {}, "site and obligation: (expected, because, unknown)"


def test_run_measures_the_expected_numbers(judged):
    sample, result = judged
    facts = result.facts
    value = {(r.subject_id, r.fact): r.value for r in facts[facts["subject"] == "site"].itertuples()}
    asked = {fact for _, fact in value}
    for site, fact, number in _numbers(sample):
        if fact in asked:
            assert float(value[site, fact]) == pytest.approx(number, rel=3e-4, abs=0.05), (site, fact)
    assert len(asked & {fact for _, fact, _ in _numbers(sample)}) >= 4


def test_borderline_is_what_a_number_too_near_to_its_threshold_leaves_open(judged):
    sample, result = judged
    table = result.determinations
    expected = {"cedar-hollow": {"CH-19", "CH-37"}, "heron-bay": {"HB-16", "HB-17"}}
    assert set(table[table["borderline"]]["site_id"]) == expected[sample]


@pytest.mark.parametrize(
    ("within_zone", "open_sites", "outcomes"),
    [
        ("wholly", set(), {"CH-15": "required", "CH-37": "required", "CH-13": "not_required"}),
        (
            "portion",
            {"CH-37"},
            {"CH-15": "not_required", "CH-14": "required", "CH-16": "required", "CH-04": "required"},
        ),
    ],
)
def test_setting_settles_the_straddling_sites(within_zone, open_sites, outcomes):
    import geocheck

    project = geocheck.open_project(DATA / "cedar-hollow" / "geocheck.yaml")
    result = geocheck.run(replace(project, settings={"within_zone": within_zone}))
    found = {site: result.of(site)[0].outcomes["erosion_control"] for site in _sites("cedar-hollow").index}
    assert {site: found[site] for site in outcomes} == outcomes
    unsettled = {"CH-17", "CH-18", "CH-19", "CH-20", "CH-32"}
    assert {site for site, outcome in found.items() if outcome == "undetermined"} == unsettled | open_sites


def test_close_call_by_the_accuracy_of_the_outline():
    import geocheck

    result = geocheck.run(geocheck.open_project(DATA / "heron-bay" / "geocheck.yaml"))
    facts = result.facts
    row = facts[(facts["subject_id"] == "HB-16") & (facts["fact"] == "disturbed_area_of_all_phases")].iloc[0]
    # Each of four corners moves the area by half the rectangle's diagonal a foot. 95 % of corners lie within 1 ft, a radius
    # of 2.4477 standard errors, of which 1.96 count across one direction. The basis adds 0.03 %.
    outline = (4 * (250**2 + 174**2) / 4) ** 0.5 * 1.96 / 2.4477
    assert row["high"] - row["value"] == pytest.approx(outline + 0.0003 * 43500, rel=0.001)
    assert row["value"] < 43560 < row["high"]


def test_every_parcel_record_comes_out_with_its_status():
    import geocheck

    result = geocheck.run(geocheck.open_project(DATA / "cedar-hollow" / "geocheck.yaml"))
    parcels = result.parcels
    assert len(parcels) == len(_read("cedar-hollow", "parcels.shp"))
    other = parcels[parcels["status"] != "ok"]
    assert sorted(zip(other["parcel_id"].fillna(""), other["status"], strict=True)) == [
        ("0131-08-0004", "duplicate of record 4"),
        ("0131-08-0004", "merged of 2 records"),
        ("0136-00-0004", "merged of 2 records"),
        ("0136-00-0004", "part of record 95"),
        ("0137-01-0001", "stacked with 1 other"),
        ("0137-01-0002", "stacked with 1 other"),
        ("0138-00-0001", "repaired"),
        ("0138-00-0002", "no geometry"),
        ("ROW", "label, not a parcel"),
    ]
