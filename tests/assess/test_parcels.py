"""The parcels table: ground counted once, neighbours no members, every row in a row out."""

from __future__ import annotations

import numpy as np
import pytest
from shapely.geometry import MultiPolygon, Polygon, box


def table(result):
    return result.parcels.set_index("parcel_id")


def test_a_neighbour_is_no_member(world, grid):
    made = world().say(*grid(8104))
    made.add("parcels", {"A": box(0, 0, 10, 10), "B": box(10, 0, 20, 10), "C": box(20, 0, 30, 10)})
    made.add("floodplain", [box(10, 0, 20, 10)])
    rows = table(made.run())
    assert rows.loc["B", "floodplain_member"] == "inside"
    assert rows.loc["B", "floodplain_pct"] == pytest.approx(100)
    assert rows.loc[["A", "C"], "floodplain_area_ft2"].tolist() == [0, 0]
    assert set(rows.loc[["A", "C"], "floodplain_member"]) <= {"touching", "outside"}


def test_overlap_within_a_layer_counts_once(world, grid):
    made = world().say(*grid(8104)).add("parcels", {"P": box(0, 0, 100, 100)})
    made.add("floodplain", [box(0, 0, 60, 100), box(40, 0, 100, 100)])
    row = table(made.run()).loc["P"]
    assert row.floodplain_area_ft2 == pytest.approx(10_000) and row.floodplain_pct == pytest.approx(100)


def test_zones_are_a_union_across_layers(world, grid):
    made = world().say(*grid(8104)).add("parcels", {"P": box(0, 0, 250, 150)})
    made.add("shoreland", [box(0, 0, 200, 150)]).add("floodplain", [box(50, 0, 250, 150)])
    row = table(made.run()).loc["P"]
    assert (row.shoreland_area_ft2, row.floodplain_area_ft2) == pytest.approx((30_000, 30_000))
    assert row.zones_area_ft2 == pytest.approx(37_500) and row.zones_member == "inside"
    assert row.wetland_member == "not checked" and np.isnan(row.wetland_area_ft2)


def test_without_one_zone_layer_nothing_is_outside_the_zones(world):
    made = world().add("parcels", {"P": box(0, 0, 100, 100)}).add("floodplain", [box(500, 0, 600, 100)])
    row = table(made.run()).loc["P"]
    assert row.floodplain_member == "outside" and row.zones_member == "not checked"


def test_a_sliver_within_the_accuracy_touches(world):
    made = world(2289).add("parcels", {"P": box(0, 0, 1000, 1000)})
    made.add("floodplain", [box(999.7, 0, 2000, 1000)], keys="accuracy: 40 ft")
    row = table(made.run()).loc["P"]
    assert row.floodplain_member == "touching"
    assert row.floodplain_area_ft2 == pytest.approx(300, rel=1e-3) and row.floodplain_pct == pytest.approx(
        0.03, rel=1e-3
    )


def test_noise_of_reprojection_makes_no_member(world):
    import geopandas
    import shapely

    made = world()
    first, second = box(0, 0, 500, 500), box(500, 0, 1000, 500)
    zone = geopandas.GeoSeries([made.put(first)], crs=8104).to_crs(3071)
    made.add("parcels", {"A": first, "B": second})
    made.add("floodplain", shapely.set_precision(zone.to_numpy(), 0.001), move=False, crs=3071)
    rows = table(made.run())
    assert rows.loc["A", "floodplain_member"] == "inside"
    assert rows.loc["B", "floodplain_member"] in ("touching", "outside")


def test_nothing_in_common_is_a_result(world):
    made = world().add("parcels", {"P": box(0, 0, 10, 10), "Q": box(20, 0, 30, 10)})
    for role in ("wetland", "shoreland", "floodplain"):
        made.add(role, [box(500, 500, 600, 600)])
    rows = table(made.run())
    assert rows.wetland_area_ft2.tolist() == [0, 0] and rows.zones_member.tolist() == ["outside", "outside"]


def test_every_row_in_is_a_row_out(world, grid):
    bow_tie = Polygon([(0, 0), (10, 10), (0, 10), (10, 0)])
    rows = {f"P{n}": box(20 * n, 0, 20 * n + 10, 10) for n in range(7)}
    rows.update(
        bow=bow_tie, hole=Polygon(box(200, 0, 300, 100).exterior.coords, [[(200, 25), (250, 25), (250, 75), (200, 75)]])
    )
    rows["none"] = None
    result = world().say(*grid(8104)).add("parcels", rows).run()
    parcels = table(result)
    assert len(parcels) == 10
    assert parcels.status.value_counts().to_dict() == {"ok": 7, "repaired": 2, "no geometry": 1}
    assert parcels.loc["bow", "area_ft2"] == pytest.approx(50) and parcels.loc["hole", "area_ft2"] == pytest.approx(
        7_500
    )
    assert np.isnan(parcels.loc["none", "area_ft2"])


def test_repeated_and_stacked_identifiers(world, grid):
    made = world().say(*grid(8104))
    shapes = [
        box(0, 0, 10, 10),
        box(20, 0, 30, 10),
        box(40, 0, 50, 10),
        box(40, 0, 50, 10),
        box(60, 0, 70, 10),
        box(80, 0, 90, 10),
    ]
    made.add("parcels", shapes, keys="id: PIN", PIN=["X", "X", "Y", "Y", None, None])
    parcels = made.run().parcels
    assert parcels.area_ft2.round(6).tolist()[0] == 200 and np.isnan(parcels.area_ft2[1])
    assert parcels.area_ft2[2] == pytest.approx(100) and np.isnan(parcels.area_ft2[3])
    assert parcels.status[0] == "merged of 2 records" and parcels.status[1] == "part of record 1"
    assert parcels.status[3] == "duplicate of record 3"
    assert parcels.area_ft2[4:].tolist() == pytest.approx([100, 100])
    stacked = (
        world().say(*grid(8104)).add("parcels", {f"unit {n}": box(0, 0, 100, 100) for n in range(9)}).run().parcels
    )
    assert stacked.area_ft2.tolist() == pytest.approx([10_000] * 9)
    assert set(stacked.status) == {"stacked with 8 others"}


def test_overlapping_parts_of_one_record(world, grid):
    made = world().say(*grid(8104)).add("parcels", {"P": MultiPolygon([box(0, 0, 10, 10), box(5, 0, 15, 10)])})
    assert table(made.run()).loc["P", "area_ft2"] == pytest.approx(150)


def test_columns_follow_the_contract(world):
    made = (
        world()
        .add("parcels", {"P": box(0, 0, 10, 10)})
        .add("wetland", [box(0, 0, 5, 10)])
        .add("impervious", [box(0, 0, 2, 5)])
    )
    parcels = made.run().parcels
    zones = [
        f"{zone}_{what}"
        for zone in ("shoreland", "wetland", "floodplain", "zones")
        for what in ("area_ft2", "pct", "member")
    ]
    expected = ["parcel_id", "status", "area_ft2", "area_acre", *zones, "impervious_area_ft2", "impervious_pct"]
    assert [c for c in parcels.columns if c not in ("record", "geometry")] == expected
    assert (parcels.area_acre * 43_560).tolist() == pytest.approx(parcels.area_ft2.tolist(), rel=1e-12)
    assert parcels.impervious_pct[0] == pytest.approx(10)
