"""Rasters through the whole run: cut and fill between two surfaces, impervious share of parcels."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio
from rasterio.transform import from_origin
from shapely.geometry import box

from geocheck.model.problem import SourceError

VILLAGE = "us/wi/washington-county-village/87-5"
X, Y = 667_000, 329_000


def raster(folder, name, values, cell=1.0, crs=3071, nodata=-9999.0):
    path = folder / f"{name}.tif"
    rows, columns = values.shape
    profile = {
        "driver": "GTiff",
        "width": columns,
        "height": rows,
        "count": 1,
        "dtype": "float32",
        "crs": crs,
        "nodata": nodata,
    }
    with rasterio.open(path, "w", transform=from_origin(X - 10, Y + rows * cell - 10, cell, cell), **profile) as file:
        file.write(values.astype("float32"), 1)
    return f"{name}.tif"


def with_surfaces(made, dig, unit=", vertical_unit: m"):
    flat = np.full((80, 80), 100.0)
    for role, values in (("surface_existing", flat), ("surface_proposed", flat - dig)):
        made.layers[role] = f"  {role}: {{source: {raster(made.folder, role, values)}{unit}}}"
    return made


def test_a_level_pit_is_excavated(world):
    facts = {"excavated_volume": "", "filled_volume": ""}
    made = world(3071).say(f"ordinances: [{VILLAGE}]", "area_basis: grid", "measure_crs: EPSG:3071").state(S=facts)
    made.add("disturbance", {"S": box(0, 0, 40, 30)})
    result = with_surfaces(made, 0.5).run()
    found = result.findings.facts.of("site", "S")
    cubic_yards = 40 * 30 * 0.5 * (3937 / 1200 / 3) ** 3
    assert float(found["excavated_volume"].value.value) == pytest.approx(cubic_yards, rel=1e-6)
    assert float(found["filled_volume"].value.value) == 0
    assert str(result.of("S")[0].trace["(1)(b)"].truth) == "yes"


def test_without_a_vertical_unit_the_volume_is_unknown_and_says_so(world):
    facts = {"excavated_volume": "", "filled_volume": ""}
    made = world(3071).say(f"ordinances: [{VILLAGE}]").state(S=facts).add("disturbance", {"S": box(0, 0, 40, 30)})
    fact = with_surfaces(made, 0.5, unit="").run().findings.facts.of("site", "S")["excavated_volume"]
    assert fact.value is None and fact.status == "failed" and "vertical unit" in fact.note


def test_a_cover_raster_gives_the_impervious_share(world):
    made = world(3071).say("area_basis: grid", "measure_crs: EPSG:3071")
    made.add("parcels", {"half": box(0, 0, 20, 20), "none": box(20, 0, 40, 20), "beyond": box(500, 0, 520, 20)})
    cover = np.zeros((80, 80))
    cover[:, :20] = 100.0
    made.layers["cover_raster"] = f"  cover_raster: {{source: {raster(made.folder, 'cover', cover)}}}"
    result = made.run()
    rows = result.parcels.set_index("parcel_id")
    assert rows.impervious_pct[["half", "none"]].tolist() == pytest.approx([50, 0])
    assert rows.impervious_area_ft2["half"] == pytest.approx(200 * (3937 / 1200) ** 2, rel=1e-9)
    assert np.isnan(rows.impervious_pct["beyond"])
    assert any("1 parcels" in note for note in result.findings.notes)
    assert list(rows.columns[-4:-2]) == ["impervious_area_ft2", "impervious_pct"]


def test_a_raster_that_is_none_is_refused(world):
    made = world(3071).add("parcels", {"P": box(0, 0, 20, 20)})
    (made.folder / "cover.tif").write_text("no raster")
    made.layers["cover_raster"] = "  cover_raster: {source: cover.tif}"
    with pytest.raises(SourceError, match=r"cover\.tif.*cannot open it as a raster"):
        made.run()
    made.layers["cover_raster"] = "  cover_raster: {source: covers.tif}"
    with pytest.raises(SourceError, match="no such file"):
        made.run()
