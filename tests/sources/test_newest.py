"""The newest delivery of a folder, or of the files that fit a pattern."""

from __future__ import annotations

import os

import geopandas
import pytest
from shapely.geometry import box

from geocheck.model.ground import LayerSource
from geocheck.model.problem import SourceError
from geocheck.sources.fetching import fetched


@pytest.fixture
def deliveries(tmp_path):
    """A function that puts files of one parcel into a folder, the first one written last, and returns the folder."""

    def put(*names):
        for age, name in enumerate(names):
            path = tmp_path / name
            driver = "ESRI Shapefile" if name.endswith(".zip") else None
            target = path if not name.endswith(".zip") else path.with_suffix(".shp.zip")
            geopandas.GeoDataFrame({"PIN": ["1"]}, geometry=[box(0, 0, 1, 1)], crs=2289).to_file(target, driver=driver)
            target.rename(path)
            os.utime(path, (1_760_000_000 - age * 86_400,) * 2)
        return tmp_path

    return put


def chosen(source):
    return fetched(LayerSource("parcels", str(source), id="PIN")).copy


def test_where_all_names_have_a_date_the_last_date_counts_whenever_they_were_written(deliveries):
    folder = deliveries("parcels_2025-10-01.zip", "parcels_20261001.zip", "parcels_2024_10_01.zip")
    found = chosen(folder)
    assert found.file.endswith("parcels_20261001.zip")
    assert found.told == ("parcels_20261001.zip is the newest by the date in its name",)


@pytest.mark.parametrize("names", [("parcels_new.gpkg", "parcels.gpkg"), ("parcels 2.zip", "parcels_2026-10-01.zip")])
def test_without_dates_in_every_name_the_time_of_writing_counts(deliveries, names):
    pattern = deliveries(*names) / "parcels*"
    found = chosen(pattern)
    assert found.file.endswith(names[0]) and "the time it was last written" in found.told[0]


def test_numbers_that_are_no_day_are_no_date(deliveries):
    folder = deliveries("parcels_20251399.zip", "parcels_20259901.zip")
    assert "last written" in chosen(folder).told[0]


def test_two_that_are_equally_new_are_refused_by_name(deliveries):
    folder = deliveries("parcels_2026-10-01.zip", "parcels_20261001.gpkg")
    with pytest.raises(
        SourceError, match=r"parcels_2026-10-01\.zip, parcels_20261001\.gpkg are equally new \(2026-10-01\)"
    ):
        chosen(folder)


def test_a_folder_of_deliveries_of_different_layers_is_refused_until_a_pattern_says_which(deliveries):
    folder = deliveries("parcels_2026-10-01.zip", "wetlands_2026-10-02.zip")
    with pytest.raises(SourceError, match="deliveries of different names"):
        chosen(folder)
    assert chosen(folder / "wet*.zip").file.endswith("wetlands_2026-10-02.zip")


def test_a_pattern_that_nothing_fits_names_what_the_folder_holds(deliveries):
    folder = deliveries("parcels_2026-10-01.zip")
    with pytest.raises(SourceError, match=r"no file fits this pattern[\s\S]*parcels_2026-10-01\.zip"):
        chosen(folder / "lots_*.zip")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(deliveries):
    file = deliveries("parcels[1].gpkg") / "parcels[1].gpkg"
    assert chosen(file) is None
