"""The sites of Cedar Hollow: ground, impervious surface, statements, decisions and waivers, each made to show one thing."""

from __future__ import annotations

import math
from collections.abc import Iterator

from make_cedar_ground import RUN, old_village
from make_drawing import SampleSite, turned
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

ORDINANCE = "us/wi/washington-county-village/87-5"
_LOTS = old_village()
STATED = (
    "by_state_agency",
    "one_or_two_family_building",
    "builds_road",
    "designed_by_land_conservation",
    "village_or_county_work",
)


def _on(lot: str, width: float, height: float, degrees: float = 0.0) -> Polygon:
    centre = _LOTS[lot].centroid
    return turned(centre.x, centre.y, width, height, degrees)


def _across_shoreland(start: float, inside: float, outside: float, length: float = 200) -> Polygon:
    """Return a rectangle along Cedar Run whose east side lies ``outside`` feet beyond the 300 ft line."""
    (x0, y0), (x1, y1) = RUN.coords[0], RUN.coords[1]
    long = math.hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / long, (y1 - y0) / long
    corners = (
        (start, 300 - inside),
        (start, 300 + outside),
        (start + length, 300 + outside),
        (start + length, 300 - inside),
    )
    return Polygon([(x0 + s * dx - t * dy, y0 + s * dy + t * dx) for s, t in corners])


_LAKE_LOT = math.radians(-22.5)
YES, NO, UNKNOWN = True, False, None

SITES = [
    SampleSite("CH-01", "Garage", _on("A-S0", 50, 50, 3)),
    SampleSite("CH-02", "Bakery", _on("A-S1", 100, 60, 2)),
    SampleSite("CH-03", "Terrace", _on("A-S2", 80, 40), cut=None, fill=None,
               stated={"excavated_volume": "250 yd3", "filled_volume": "150 yd3"}),
    SampleSite("CH-04", "Cellar", _on("A-S3", 80, 40), cut=260, fill=150),
    SampleSite("CH-05", "Water main along Cedar Street", box(3800, 2947.5, 3920, 2962.5)),
    SampleSite("CH-06", "Culvert end on Cedar Street", box(4300, 2947.5, 4390, 2962.5)),
    SampleSite("CH-07", "Access drive on the slope", _on("A-S4", 60, 15, 40)),
    SampleSite("CH-08", "Storage yard", _on("A-S5", 70, 50)),
    SampleSite("CH-09", "Field terraces", box(500, 4300, 1000, 4736), crops="Y", cut=900, fill=900),
    SampleSite("CH-10", "State Highway 299", box(3700, 1450, 5200, 1510), cut=3000, fill=2600,
               stated={"by_state_agency": YES, "builds_road": YES}),
    SampleSite("CH-11", "House on Elm Street", _on("A-N0", 100, 80, 1),
               stated={"one_or_two_family_building": YES}),
    SampleSite("CH-12", "House on Elm Street", _on("A-N1", 100, 80, -1),
               stated={"one_or_two_family_building": YES}),
    SampleSite("CH-13", "Boathouse lawn",
               turned(1500 + 1283 * math.cos(_LAKE_LOT), 1300 + 1283 * math.sin(_LAKE_LOT), 165, 158.4, -22.5)),
    SampleSite("CH-14", "Trail head", _across_shoreland(350, 70, 30)),
    SampleSite("CH-15", "Trail shelter", _across_shoreland(650, 70, 12.5)),
    SampleSite("CH-16", "Beach parking", turned(1000, 2250, 250, 244)),
    SampleSite("CH-17", "Building on Elm Street", _on("A-N2", 100, 90), stated={"one_or_two_family_building": UNKNOWN}),
    SampleSite("CH-18", "Pool", _on("A-N3", 60, 50), cut=None, fill=60),
    SampleSite("CH-19", "Shop floor", _on("A-N4", 80, 50, 17)),
    SampleSite("CH-20", "Barn", box(6000, 2500, 6100, 2600)),
    SampleSite("CH-21", "Birch Court, duplex 1", _on("D-S0", 120, 100), plan="P-BIRCH", phase="1", cut=80, fill=40,
               stated={"one_or_two_family_building": YES}),
    SampleSite("CH-22", "Birch Court, duplex 2", _on("D-S1", 120, 100), plan="P-BIRCH", phase="1", cut=80, fill=40,
               stated={"one_or_two_family_building": YES}),
    SampleSite("CH-23", "Birch Court, duplex 3", _on("D-S2", 120, 100), plan="P-BIRCH", phase="2", cut=80, fill=40,
               stated={"one_or_two_family_building": YES}),
    SampleSite("CH-24", "Foundry Lane", box(3800, 1000, 4200, 1040), stated={"builds_road": YES}),
    SampleSite("CH-25", "Grassed waterway", box(500, 3450, 650, 3550), stated={"designed_by_land_conservation": YES}),
    SampleSite("CH-26", "Mill Street extension", box(4470, 4100, 4530, 4500),
               stated={"village_or_county_work": YES, "builds_road": YES}),
    SampleSite("CH-27", "Church Street culvert", box(5375, 3700, 5425, 3800), stated={"village_or_county_work": YES}),
    SampleSite("CH-28", "Churchyard wall", _on("B-N0", 100, 50)),
    SampleSite("CH-29", "Well field fence", _on("B-N2", 100, 50)),
    SampleSite("CH-30", "Ridge Farm division", box(5026.5, 4900, 5033.5, 5400), plan="P-RIDGE"),
    SampleSite("CH-31", "Orchard division", box(3146.5, 4350, 3153.5, 4850), plan="P-ORCHARD"),
    SampleSite("CH-32", "Quarry Court", box(5900, 3370, 6100, 3430), stated={"by_state_agency": UNKNOWN, "builds_road": YES}),
    SampleSite("CH-33", "Foundry rebuilt", box(3750, 2100, 3950, 2300)),
    SampleSite("CH-34", "Patio and drive", MultiPolygon([box(3688, 3650, 3728, 3710), box(3708, 3670, 3748, 3720)])),
    SampleSite("CH-35", "Shed above the fringe", box(2850, 3400, 2950, 3500)),
    SampleSite("CH-36", "Play field by the pond", turned(4200, 5200, 100, 90, 8)),
    SampleSite("CH-37", "Parking by the pond", box(4400, 5150, 4500, 5250)),
    SampleSite("CH-38", "Market", box(4600, 2100, 4850, 2300), cut=900, fill=700),
]  # fmt: skip

DECISIONS = [
    ("CH-07", "authority_finds_erosion_risk", YES, "Administering authority", "2026-08-03", "EC-2026-011.pdf",
     "Access drive on a slope above the ditch"),
    ("CH-08", "authority_finds_runoff_risk", YES, "Administering authority", "2026-08-05", "SW-2026-004.pdf",
     "Yard drains to the Elm Street inlet, which surcharges"),
    ("CH-12", "inspector_or_board_requests", YES, "Village building inspector", "2026-08-10", "letter-CH-12.pdf",
     "Request under (3)(b)1"),
    ("CH-26", "working_agreement_in_effect", YES, "Ordinance administrator", "2026-01-15", "agreement-2026.pdf",
     "Village street work, 2026 to 2028"),
]  # fmt: skip
WAIVERS = [
    ("CH-28", ORDINANCE, "permit", "Administering authority", "2026-08-12", "(4)(a)1.", "waiver-CH-28.pdf",
     "No appreciable off-site impact"),
    ("CH-29", ORDINANCE, "erosion_control", "Board of appeals", "2026-09-02", "(4)(a)3.", "waiver-CH-29.pdf",
     "Conflicts with the well head protection plan"),
]  # fmt: skip


def impervious() -> Iterator[tuple[BaseGeometry, str, str | None, str]]:
    """Yield surfaces: ground, status, connected, what it is."""
    by_id = {site.id: site.ground for site in SITES}
    for number, (name, lot) in enumerate(_LOTS.items()):
        if name.startswith(("B-S", "C-", "D-N")) and number % 2 == 0 and name not in {"C-S0", "C-S1"}:
            x, y = lot.centroid.coords[0]
            yield box(x - 30, y - 20, x + 30, y + 20), "existing", "no", "house"
            yield box(x - 8, lot.bounds[1], x + 8, y - 20), "existing", "yes", "drive"
    bakery = by_id["CH-02"].centroid
    yield turned(bakery.x, bakery.y, 60, 50, 2), "proposed", "yes", "building"
    for site in ("CH-11", "CH-12"):
        centre = by_id[site].centroid
        yield turned(centre.x, centre.y, 60, 60), "proposed", "no", "house and drive"
    for site in ("CH-21", "CH-22", "CH-23"):
        x, y = by_id[site].centroid.coords[0]
        yield box(x - 50, y - 40, x + 10, y + 40), "proposed", "no", "duplex"
        yield box(x, y - 40, x + 50, y + 40), "proposed", "yes", "court; overlaps the duplex by its eaves"
    yield box(3700, 1462, 5200, 1486), "proposed", "yes", "lanes"
    yield box(3800, 1008, 4200, 1032), "proposed", "yes", "pavement"
    yield box(4488, 4080, 4512, 4500), "proposed", "yes", "pavement; 20 ft of it beyond the disturbance"
    yield box(5900, 3388, 6100, 3412), "proposed", "?", "pavement"
    yield box(3760, 2110, 3880, 2210), "removed", "yes", "old foundry"
    yield box(3750, 2100, 3950, 2225), "proposed", "yes", "new foundry"
    yield box(4600, 2100, 4800, 2260), "proposed", "yes", "market and parking"
    yield box(925, 2150, 1075, 2250), "proposed", "no", "parking"
    yield box(4410, 5160, 4440, 5240), "proposed", "no", "parking"
