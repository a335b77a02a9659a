"""The ground of Cedar Hollow: water, zones, streets and parcels, in local feet (east, north) from the village's corner."""

from __future__ import annotations

from dataclasses import dataclass

from make_drawing import arc_lot, blob
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Point, Polygon, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

VILLAGE = Polygon([(0, 0), (7000, 0), (7000, 4200), (6200, 4200), (6200, 6000), (0, 6000)])
TOWN = box(-2000, -2000, 9000, 8000).difference(VILLAGE)

# --- water and the zones around it -----------------------------------------------------------------------------------
LAKE = blob(1500, 1300, 600, 450)
RUN = LineString([(2300, 6300), (2150, 5200), (2350, 4300), (2100, 3300), (1900, 2400), (1750, 1680)])
OUTLET = LineString([(930, 1150), (300, 1000), (-400, 900)])
FLOODWAY = RUN.buffer(60, quad_segs=8).intersection(box(-500, 1600, 7000, 5100))
_FLOODPLAIN = unary_union(
    [RUN.buffer(200, quad_segs=8).intersection(box(-500, 1600, 7000, 5100)), blob(2250, 3800, 430, 570, 0.03)]
)
FRINGE = _FLOODPLAIN.difference(FLOODWAY)
SHADED = RUN.buffer(700, quad_segs=8).intersection(box(-500, 3000, 7000, 5200)).difference(_FLOODPLAIN)
POND_FLOOD = Polygon([(4030, 4960), (4450, 5000), (4450, 5400), (4350, 5480), (4000, 5430), (3950, 5200)])
PANEL = box(-500, -500, 5600, 6500)
MINIMAL = PANEL.difference(unary_union([_FLOODPLAIN, SHADED, POND_FLOOD]))
# Wis. Stat. 59.692(1)(b): 1,000 ft of a lake, 300 ft of a stream or its floodplain's landward side, whichever is greater.
SHORELAND = unary_union(
    [LAKE.buffer(1000, quad_segs=24), MultiLineString([RUN, OUTLET]).buffer(300, quad_segs=24), _FLOODPLAIN]
)
ISLAND = blob(5000, 700, 60, 40)
WETLANDS = [
    ("W-01", "E1K", blob(2250, 2880, 330, 160)),
    ("W-02", "T3/E1K", blob(5000, 700, 250, 175).difference(ISLAND)),
    ("W-03", "E2H", blob(4020, 5780, 130, 110, 0.1)),
]

# --- streets and ditches ---------------------------------------------------------------------------------------------
_SHORE_ARC = arc_lot(1500, 1300, 1050, 1116, -60, 60, 24)
STREETS = {
    "Main Street": (box(3567, 0, 3633, 6000), LineString([(3600, 0), (3600, 6000)])),
    "Cedar Street": (box(2733, 2967, 7000, 3033), LineString([(2733, 3000), (7000, 3000)])),
    "Elm Street": (box(3633, 3467, 5433, 3533), LineString([(3633, 3500), (5433, 3500)])),
    "Oak Street": (box(3633, 3967, 5433, 4033), LineString([(3633, 4000), (5433, 4000)])),
    "Mill Street": (box(4467, 3033, 4533, 3967), LineString([(4500, 3033), (4500, 3967)])),
    "Church Street": (box(5367, 3033, 5433, 3967), LineString([(5400, 3033), (5400, 3967)])),
    "Müller Lane": (box(2583, 1267, 3567, 1333), LineString([(2583, 1300), (3567, 1300)])),
    "Lakeshore Drive": (
        _SHORE_ARC,
        LineString(Point(1500, 1300).buffer(1083, quad_segs=6).exterior).intersection(_SHORE_ARC.buffer(1)),
    ),
    "State Highway 299": (box(3633, 1440, 5450, 1520), LineString([(3633, 1480), (5450, 1480)])),
}
RIGHT_OF_WAY = unary_union([ground for ground, _ in STREETS.values()])
NEW_ROADS = {
    "Foundry Lane": LineString([(3800, 1020), (4200, 1020)]),
    "Mill Street extension": LineString([(4500, 4100), (4500, 4500)]),
    "Quarry Court": LineString([(5900, 3400), (6100, 3400)]),
}
CHANNELS = [
    ("DITCH-CEDAR-S", "road ditch", LineString([(3650, 2955), (5420, 2955)])),
    ("SWALE-S1", "grass waterway", LineString([(4400, 200), (4500, 420), (4760, 640)])),
]


@dataclass(frozen=True)
class Lot:
    """A parcel of the roll: identifier as the county writes it, class, address, ground, and what its row says wrongly."""

    id: str | None
    ground: BaseGeometry | None
    classes: str = "1"
    address: str = ""
    area_factor: float = 1.0


def old_village() -> dict[str, Polygon]:
    """Return the 48 lots of blocks A to D by name: ``A-S0`` is block A, south row, first from the west."""
    lots = {}
    for block, x0, y0 in (("A", 3633, 3033), ("B", 4533, 3033), ("C", 3633, 3533), ("D", 4533, 3533)):
        for row, name in enumerate("SN"):
            for column in range(6):
                x, y = x0 + 139 * column, y0 + 217 * row
                lots[f"{block}-{name}{column}"] = box(x, y, x + 139, y + 217)
    return lots


RIDGE_FARM = box(4600, 4700, 5500, 5600)
RIDGE_LOTS = [
    *[box(4600, 4700 + 450 * i, 5030, 5150 + 450 * i) for i in range(2)],
    *[box(5030, 4700 + 300 * i, 5500, 5000 + 300 * i) for i in range(3)],
]
ORCHARD = box(2733, 4300, 3567, 4900)
ORCHARD_LOTS = [box(2733 + 417 * i, 4300 + 300 * j, 3150 + 417 * i, 4600 + 300 * j) for i in range(2) for j in range(2)]


def _bow_tie(x0: float, y0: float, x1: float, y1: float) -> Polygon:
    """Return a rectangle whose last two corners were digitised in the wrong order: its ring crosses itself."""
    return Polygon([(x0, y0), (x1, y0), (x0, y1), (x1, y1)])


def _shared_lots() -> list[Lot]:
    lots = []
    for number, (name, ground) in enumerate(old_village().items(), 1):
        street = {"S": "Cedar Street", "N": "Elm Street"} if name[0] in "AB" else {"S": "Elm Street", "N": "Oak Street"}
        address = f"{100 + 2 * number} {street[name[2]]}"
        lots.append(Lot(f"0131-08-{number:04d}", ground, "1" if number % 7 else "1,2", address))
    for i in range(10):
        lot = arc_lot(1500, 1300, 0, 1050, -60 + 12 * i, -48 + 12 * i).difference(LAKE)
        lots.append(Lot(f"0132-01-{i + 1:04d}", lot, "1", f"{1 + 2 * i} Lakeshore Drive"))
    for i in range(8):
        lot = arc_lot(1500, 1300, 1116, 1450, -60 + 15 * i, -45 + 15 * i).difference(RIGHT_OF_WAY)
        lots.append(Lot(f"0132-02-{i + 1:04d}", lot, "1", f"{2 + 2 * i} Lakeshore Drive"))
    for j in range(2):
        for i in range(4):
            ground = box(3633 + 450 * i, 2033 + 467 * j, 4083 + 450 * i, 2500 + 467 * j)
            lots.append(Lot(f"0133-01-{4 * j + i + 1:04d}", ground, "2", f"{20 + 2 * (4 * j + i)} Müller Lane"))
    lots += [
        Lot("0134-00-0001", box(0, 3000, 1700, 4000), "4", "Farm 1"),
        Lot("0134-00-0002", box(0, 4000, 1700, 5000), "1,4", "Farm 2"),
        Lot("0134-00-0003", box(0, 5000, 1700, 6000), "4,5M", "Farm 3", area_factor=0.85),
        Lot("0134-00-0004", box(0, 2000, 1700, 3000).difference(LAKE), "5"),
        Lot("0134-00-0005", box(0, 0, 850, 2000).difference(LAKE), "5"),
        Lot("0134-00-0006", box(1700, 2800, 2733, 6000), "", "Village park"),
        Lot("0134-00-0007", box(2970, 1343, 3567, 2960), "4"),
        Lot("0134-00-0008", box(2970, 0, 3567, 1257), "4,6"),
        Lot("0134-00-0009", box(2733, 3043, 3567, 4300), "4"),
        Lot("0134-00-0010", box(2733, 4900, 3567, 6000), "4"),
        Lot("0135-00-0001", box(3633, 4033, 4600, 6000), "4"),
        Lot("0135-00-0002", box(4600, 4033, 5433, 4700), "5"),
        Lot("0135-00-0003", box(4600, 5600, 6200, 6000), "6"),
        Lot("0135-00-0004", box(5500, 4200, 6200, 5600), "6"),
        Lot("0135-00-0005", box(5500, 3033, 7000, 4200), "3"),
        Lot("0135-00-0006", box(5450, 1500, 7000, 2967), "4"),
        Lot("0135-00-0007", box(5450, 0, 7000, 1440), "4"),
        Lot("0136-00-0001", box(3633, 0, 5450, 1440), "4"),
        Lot("0136-00-0002", box(3633, 1520, 5450, 2033), "4"),
        # One tax parcel on both sides of a street: one record of two parts.
        Lot("0136-00-0003", MultiPolygon([box(5433, 3043, 5490, 3960), box(5443, 4043, 5490, 4190)]), "", "Well field"),
        # One tax parcel delivered as two records.
        Lot("0136-00-0004", box(2480, 0, 2700, 300), "5"),
        Lot("0136-00-0004", box(2740, 0, 2960, 300), "5"),
        # Two condominium units on one outline.
        Lot("0137-01-0001", box(6300, 4220 - 320, 6500, 4190), "1", "1 Quarry Court, unit 1"),
        Lot("0137-01-0002", box(6300, 4220 - 320, 6500, 4190), "1", "1 Quarry Court, unit 2"),
        Lot("0138-00-0001", _bow_tie(900, 60, 1300, 360), "5"),
        Lot("0138-00-0002", None, "1", "plat page missing"),
        Lot(None, box(1320, 60, 1400, 360), ""),
        Lot("ROW", RIGHT_OF_WAY, ""),
    ]  # fmt: skip
    # The fourth lot of block A was exported twice.
    return [*lots, lots[3]]


def parcels_before() -> list[Lot]:
    """Return the roll before the two divisions."""
    return [
        *_shared_lots(),
        Lot("0140-00-0001", RIDGE_FARM, "4", "Ridge Farm"),
        Lot("0141-00-0001", ORCHARD, "4", "Orchard"),
    ]


def parcels() -> list[Lot]:
    """Return the roll after them: Ridge Farm in five parcels, the Orchard in four."""
    ridge = [Lot(f"0140-00-{i + 11:04d}", lot, "1", f"Ridge lot {i + 1}") for i, lot in enumerate(RIDGE_LOTS)]
    orchard = [Lot(f"0141-00-{i + 11:04d}", lot, "1", f"Orchard lot {i + 1}") for i, lot in enumerate(ORCHARD_LOTS)]
    return [*_shared_lots(), *ridge, *orchard]
