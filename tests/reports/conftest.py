"""Findings made by hand: a village's few sites in Washington County, with awkward names and every outcome."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from fractions import Fraction

import geopandas as gpd
import numpy as np
import pyproj
import pytest
from shapely import affinity
from shapely.geometry import LineString, MultiPolygon, Point, Polygon, box

from geocheck.model.condition import Arithmetic, Children, Comparison, Condition, Name, Number
from geocheck.model.determination import Determination, ObligationOutcome, Question, Receipt, Trace, TraceStep, Waiver
from geocheck.model.facts import FactColumn, FactSheet, FactTable
from geocheck.model.findings import Findings
from geocheck.model.ground import Ground, Layer, LayerSource, Repair
from geocheck.model.ordinance import Clause, Obligation, Ordinance, Reading
from geocheck.model.quantity import US_SURVEY_FOOT, Quantity
from geocheck.model.truth import NO, YES, Gap, unknown

EROSION = "us/wi/washington-county-village/87-5"
STORM = "us/wi/river-hills/6.04"
NAMES = (
    "O'Brien `& Sons <script>alert(1)</script>",
    "=1+1",
    "0123456789012345678",
    "219E01BE",
    'quote " comma , semicolon ; ünïcödé مرحبا 🌊',
    "x" * 300,
    "line\nbreak\ttab",
)


def _compare(name: str, operator: str, amount: str, unit: str) -> Condition:
    node = Comparison(operator, Name(name), Number(Quantity(Fraction(amount), unit)))
    return Condition(f"{name} {operator} {amount} {unit}", node)


@pytest.fixture(scope="session")
def ordinances() -> dict[str, Ordinance]:
    volume = Condition(
        "excavated_volume + filled_volume > 400 yd3",
        Comparison(
            ">",
            Arithmetic("+", Name("excavated_volume"), Name("filled_volume")),
            Number(Quantity(Fraction(400), "yd3")),
        ),
    )
    anyone = Condition("any", Children("any"))
    erosion = Ordinance(
        id=EROSION, cite="§ 87-5", title="Applicability & <exemptions>", in_force=date(2002, 4, 1),
        obligations=(Obligation("erosion_control", "§ 87-8"), Obligation("permit", "§ 87-6")),
        clauses=(
            Clause("(1)", "(1)", "Erosion control binds disturbance that meets any of these.", anyone,
                   imposes=("erosion_control", "permit"), clauses=(
                Clause("(a)", "(1)(a)", "At least 4,000 square feet of land surface are disturbed.",
                       _compare("disturbed_area", ">=", "4000", "ft2")),
                Clause("(b)", "(1)(b)", "Cut and fill together exceed 400 cubic yards.", volume),
                Clause("(d)", "(1)(d)", "The authority finds a high risk.",
                       Condition("authority_finds_erosion_risk", Name("authority_finds_erosion_risk"))),
            )),
            Clause("(3)", "(3)", clauses=(
                Clause("(b)", "(3)(b)", "Free of subsection (1) alone.", anyone, lifts=("(1)",), clauses=(
                    Clause("2.", "(3)(b)2.", "Within the zone, under one acre.",
                           _compare("disturbed_area_in_zones", "<", "1", "acre"), instead="County zoning ordinances",
                           reading=Reading("All of it must lie in the zone.", by="Village attorney")),
                )),
            )),
            Clause("(4)", "(4)", "Any requirement may be waived.", not_modelled="a finding is a recorded fact"),
        ),
    )  # fmt: skip
    storm = Ordinance(
        id=STORM, cite="§ 6.04", title="Applicability", in_force=None,
        obligations=(Obligation("post_construction_stormwater", "§ 6.07"),),
        clauses=(
            Clause("(1)[a]", "(1)[a]", "One acre or more is disturbed.", _compare("disturbed_area", ">=", "1", "acre"),
                   imposes=("post_construction_stormwater",)),
        ),
    )  # fmt: skip
    return {EROSION: erosion, STORM: storm}


def run_system() -> pyproj.CRS:
    """An equal-area system for the place in US survey feet, on the county system's own datum."""
    county = pyproj.CRS.from_epsg(8104)
    plain = pyproj.CRS.from_proj4(
        f"+proj=laea +lat_0=43.42 +lon_0=-88.18 +x_0={362000 * 1200 / 3937} +y_0={184000 * 1200 / 3937} +ellps=GRS80 +units=us-ft"
    )
    told = plain.to_json_dict()
    told["name"] = "geocheck equal-area"
    told["base_crs"] = county.to_json_dict()["base_crs"]
    return pyproj.CRS.from_json_dict(told)


def _outcome(obligation, section, outcome, **more) -> ObligationOutcome:
    gaps = tuple(more.get("gaps", ()))
    truth = {"required": YES, "waived": YES, "not_required": NO}.get(outcome)
    if truth is None:
        truth = unknown(gaps[0].fact, gaps[0].reason, gaps[0].note)
    more.setdefault("best_estimate", outcome)
    return ObligationOutcome(obligation, section, outcome, truth, **more)


#: Disturbed area, its interval half width, and cut and fill, by kind of site; None is unknown.
_KINDS = (
    ("required", 8_000.0, 2.4, 100.0),
    ("not_required", 2_500.0, 0.75, 60.0),
    ("borderline", 3_999.69, 1.2, 0.0),
    ("waived", 52_000.0, 15.6, 900.0),
    ("missing", 3_000.0, 0.9, None),
    ("in_zone", 30_000.0, 400.0, 20.0),
    ("outside coverage", None, 0.0, 10.0),
)


def _determination(site: str, kind: str, receipt: Receipt) -> list[Determination]:
    close = Gap("disturbed_area", "within tolerance", "3,998.49 to 4,000.89 ft2 against 4,000 ft2")
    missing = Gap("excavated_volume", "missing")
    uncovered = Gap("disturbed_area", "outside coverage", "shoreland does not cover the site")
    reserved = ("(1)(d)",)
    waiver = Waiver(
        "permit", "Village Board", "2026-09-14", "(4)(a)1.", "minutes <2026>.pdf", "§ 87-8(1)(a) still binds"
    )
    erosion = {
        "required": {"outcome": "required", "because": ("(1)(a)",)},
        "not_required": {"outcome": "not_required", "reserved": reserved},
        "borderline": {"outcome": "undetermined", "best_estimate": "not_required", "borderline": True, "gaps": (close,),
                       "needs": ("disturbed_area",), "reserved": reserved},
        "waived": {"outcome": "required", "because": ("(1)(a)", "(1)(b)")},
        "missing": {"outcome": "undetermined", "best_estimate": "undetermined", "gaps": (missing,),
                    "needs": ("excavated_volume", "filled_volume"), "reserved": reserved},
        "in_zone": {"outcome": "not_required", "because": ("(1)(a)", "(3)(b)2."), "instead": ("County zoning ordinances",)},
        "outside coverage": {"outcome": "undetermined", "best_estimate": "undetermined", "gaps": (uncovered,),
                             "needs": ("disturbed_area",)},
    }[kind]  # fmt: skip
    permit = dict(erosion)
    if kind == "waived":
        permit = {"outcome": "waived", "because": ("(1)(a)",), "waiver": waiver, "note": "§ 87-8(1)(a) still binds"}
    over = {"required": YES, "waived": YES, "in_zone": YES, "not_required": NO, "missing": NO}.get(kind)
    if over is None:
        over = unknown("disturbed_area", "within tolerance" if kind == "borderline" else "outside coverage")
    volume = YES if kind == "waived" else unknown("excavated_volume", "missing") if kind == "missing" else NO
    zone = YES if kind == "in_zone" else NO
    steps = (
        TraceStep("(1)", over | volume, "", "lifted by (3)(b)" if kind == "in_zone" else "", 0),
        TraceStep("(1)(a)", over, "disturbed_area = 3,999.69 ft2 (3,998.49 to 4,000.89)", "", 1),
        TraceStep("(1)(b)", volume, "excavated_volume + filled_volume", "", 1),
        TraceStep("(1)(d)", NO, "no decision on file", "reserved", 1),
        TraceStep("(3)(b)2.", zone, "disturbed_area_in_zones", "", 2),
        TraceStep("(4)", NO, "", "not modelled: a finding is a recorded fact", 0),
    )
    first = Determination(
        site, EROSION,
        (_outcome("erosion_control", "§ 87-8", **erosion), _outcome("permit", "§ 87-6", **permit)), Trace(steps), receipt,
    )  # fmt: skip
    acre = YES if kind == "waived" else uncovered if kind == "outside coverage" else NO
    storm = "required" if acre is YES else "not_required"
    second = Determination(
        site, STORM,
        (_outcome("post_construction_stormwater", "§ 6.07", storm, because=("(1)[a]",) if acre is YES else ()),),
        Trace((TraceStep("(1)[a]", YES if acre is YES else NO, "disturbed_area", "", 0),)), receipt,
    )  # fmt: skip
    return [first, second]


def build(count: int, ordinances: dict[str, Ordinance], names: tuple[str, ...] = NAMES) -> Findings:
    """Findings of so many sites in a row of lots, every kind in turn; the first have the awkward names."""
    crs, receipt = run_system(), Receipt({"geocheck": "0.1.0", "layers": "ab12", "facts": "cd34"})
    across = max(1, math.ceil(math.sqrt(count)))
    ids = [names[i] if i < len(names) else f"S-{i:05d}" for i in range(count)]
    kinds = [_KINDS[i % len(_KINDS)] for i in range(count)]
    corners = [(362000 + 300 * (i % across), 184000 + 300 * (i // across)) for i in range(count)]
    shapes = [
        affinity.rotate(box(x + 60, y + 60, x + 60 + math.sqrt(k[1] or 4000.0) * 0.9, y + 170), 12 + i % 7)
        for i, (k, (x, y)) in enumerate(zip(kinds, corners, strict=True))
    ]
    if count > 1:
        shapes[1] = MultiPolygon([box(x, y, x + 30, y + 40) for x, y in ((362330, 184050), (362390, 184120))])
    area = [k[1] for k in kinds]
    low = [None if k[1] is None else k[1] - k[2] for k in kinds]
    high = [None if k[1] is None else k[1] + k[2] for k in kinds]
    status = ["outside coverage" if k[1] is None else "measured" for k in kinds]
    in_zones = np.array([30_000.0 if k[0] == "in_zone" else 0.0 for k in kinds])
    volume = [None if k[3] is None else Fraction(k[3]) for k in kinds]
    columns = {
        "disturbed_area": FactColumn("disturbed_area", "measured", "ft2", area, low, high, status, "sites.shp"),
        "disturbed_area_in_zones": FactColumn(
            "disturbed_area_in_zones", "measured", "ft2", in_zones, in_zones - 1, in_zones + 1, "measured", "zones"
        ),
        "excavated_volume": FactColumn("excavated_volume", "stated", "yd3", volume, source="statements.csv"),
        "filled_volume": FactColumn("filled_volume", "stated", "yd3", volume, source="statements.csv"),
        "grows_crops": FactColumn("grows_crops", "stated", "", [[True, False, None][i % 3] for i in range(count)]),
        "authority_finds_erosion_risk": FactColumn("authority_finds_erosion_risk", "decided", "", [None] * count),
    }
    facts = FactSheet(
        [
            FactTable("site", ids, columns),
            FactTable(
                "plan", ["CP <1>"], {"disturbed_area": FactColumn("disturbed_area", "measured", "ft2", [95_000.5])}
            ),
        ],
        date(2026, 10, 2),
    )
    determinations = [d for i, k in zip(ids, kinds, strict=True) for d in _determination(i, k[0], receipt)]
    sites = gpd.GeoDataFrame(
        {
            "site_id": ids,
            "plan": ["CP <1>" if i % 5 == 0 else None for i in range(count)],
            "phase": [None] * count,
            "disturbed_area_ft2": np.array(area, dtype=float),
            "87-5_erosion_control": [d.obligations[0].outcome for d in determinations[::2]],
            "87-5_permit": [d.obligations[1].outcome for d in determinations[::2]],
            "6.04_post_construction_stormwater": [d.obligations[0].outcome for d in determinations[1::2]],
        },
        geometry=shapes, crs=crs,
    )  # fmt: skip
    parcels = _parcels(corners, crs)
    layers = _layers(sites, parcels, crs)
    notes = ("shoreland: no coverage stated; taken to cover the jurisdiction.", "A note with <b>markup</b> & 'quotes'.")
    questions = tuple(
        Question(i, "excavated_volume", "stated", "How much material is excavated?", (f"{EROSION}: erosion_control",))
        for i, k in zip(ids, kinds, strict=True)
        if k[0] == "missing"
    )
    return Findings(
        "Cedar Hollow <sample> & Co", date(2026, 10, 2), facts, tuple(determinations), questions, ordinances, layers,
        Ground(layers, crs, US_SURVEY_FOOT), sites, parcels, receipt, {"within_zone": "wholly"}, notes,
        {"read": 0.51234, "measure": 1.25, "judge": 0.1},
    )  # fmt: skip


def _parcels(corners: list[tuple[float, float]], crs: pyproj.CRS) -> gpd.GeoDataFrame:
    count = len(corners)
    ids: list[str | None] = [f"000{i:05d}" for i in range(count)]
    ids[0] = '=HYPERLINK("x")'
    statuses, shapes = ["ok"] * count, [box(x, y, x + 300, y + 300) for x, y in corners]
    area = np.full(count, 90_000.0)
    member = ["partly" if i % 3 == 0 else "outside" for i in range(count)]
    if count > 3:
        ids[1], statuses[1], shapes[1], area[1], member[1] = None, "no geometry", None, np.nan, ""
        statuses[2] = "repaired; stacked with 8 others"
        member[3] = "not checked"
    zone = np.where([m == "partly" for m in member], 30_000.123456, 0.0)
    zone[[m in ("", "not checked") for m in member]] = np.nan
    columns = {
        "record": np.arange(1, count + 1), "parcel_id": ids, "status": statuses, "area_ft2": area, "area_acre": area / 43560,
    }  # fmt: skip
    for name in ("wetland", "floodplain", "zones"):
        columns |= {f"{name}_area_ft2": zone, f"{name}_pct": zone / area * 100, f"{name}_member": member}
    columns |= {"impervious_area_ft2": area * 0.1, "impervious_pct": np.where(np.isnan(area), np.nan, 10.0)}
    return gpd.GeoDataFrame(columns, geometry=shapes, crs=crs)


def _layers(sites: gpd.GeoDataFrame, parcels: gpd.GeoDataFrame, crs: pyproj.CRS) -> dict[str, Layer]:
    county = pyproj.CRS.from_epsg(8104)
    x0, y0, x1, y1 = sites.total_bounds
    turns = np.linspace(0, 2 * math.pi, 400)[:-1]
    lake = Polygon([(x0 + 80 * math.cos(t) + 5 * math.sin(9 * t), y1 + 60 * math.sin(t)) for t in turns])
    stream = LineString([(x0 - 200, y0 + 40), ((x0 + x1) / 2, (y0 + y1) / 2 + 35), (x1 + 200, y1 - 20)])
    flood, marsh = stream.buffer(90), Point(x0 + 250, y0 + 140).buffer(120)
    paved = [affinity.translate(g, 25, -12) for g in sites.geometry.envelope.buffer(-12)]
    made = {
        "parcels": (list(parcels.geometry), 5, "2026-10-01"),
        "disturbance": (list(sites.geometry), None, ""),
        "shoreland": ([lake.buffer(150)], None, ""),
        "wetland": ([marsh, None], 40, "2024-05-05"),
        "floodplain": ([flood], 40, "2013-10-16"),
        "lakes": ([lake], None, "2021-01-01"),
        "streams": ([stream], None, ""),
        "municipality": ([box(x0 - 260, y0 - 150, x1 + 400, y1 + 400)], None, ""),
        "impervious": (paved, 3, "2025-04-01"),
    }
    layers = {}
    for role, (shapes, accuracy, day) in made.items():
        frame = gpd.GeoDataFrame(
            {"record": range(1, len(shapes) + 1), "id": [f"{role}-{i}" for i in range(len(shapes))], "status": "ok"},
            geometry=shapes, crs=crs,
        )  # fmt: skip
        source = LayerSource(
            role,
            f"layers/{role} <v1>.shp",
            accuracy=None if accuracy is None else Quantity(Fraction(accuracy), "ft"),
            date=day,
        )
        bare = int(frame.geometry.isna().sum())
        layers[role] = Layer(
            role, source, frame, crs, crs_from="file", records=len(frame), used=len(frame) - bare, without_geometry=bare,
            sha256="9f" * 32, source_crs=county, coverage_note="taken to cover the jurisdiction" if role != "parcels" else "",
        )  # fmt: skip
    fixed = Repair(
        "parcels", 3, "00000002", "ring crosses itself", "nested rings; structure repaired", 90_100.0, 90_000.0, "100"
    )
    layers["parcels"] = replace(
        layers["parcels"], repairs=(fixed, Repair("parcels", 2, "", "no geometry", "row kept")), repaired=1,
        datum_operation="NAD83 to NAD83(HARN) (1)", datum_accuracy_m=0.05,
    )  # fmt: skip
    return layers


@pytest.fixture(scope="session")
def findings(ordinances) -> Findings:
    return build(9, ordinances)


@pytest.fixture(scope="session")
def build_findings(ordinances):
    return lambda count, names=NAMES: build(count, ordinances, names)


@pytest.fixture(scope="session")
def bare_findings() -> Findings:
    """A run with neither sites nor parcels nor layers."""
    empty = FactSheet([], date(2026, 10, 2))
    ground = Ground({}, run_system())
    return Findings("", date(2026, 10, 2), empty, (), (), {}, {}, ground, None, None, Receipt({}))


@pytest.fixture
def awkward_names() -> tuple[str, ...]:
    return NAMES
