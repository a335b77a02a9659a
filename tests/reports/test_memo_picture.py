"""The memo's picture fills ground as the page's map does."""

from __future__ import annotations

import io

import pytest
import shapely

from geocheck.reports.page.drawing import Drawn, Windows, paths_of
from geocheck.reports.page.site_map import Drawing

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def colours_at():
    """Return a function that draws shapes as floodplain, in units of the picture, and tells which of some places are white."""
    from geocheck.reports.memo.picture import picture_of

    def white(shapes, *places):
        # The window is the picture itself: one unit a dot, upwards instead of downwards.
        windows = Windows.around(shapely.bounds(shapely.box(300, 225, 900, 675))[None, :], 1)
        drawing = Drawing(
            "", [("floodplain", paths_of(Drawn(shapes).within(windows), windows)[0])], [], (360, "100 ft")
        )
        image = Image.open(io.BytesIO(picture_of(drawing)))
        return [image.getpixel((x, 900 - y)) == (255, 255, 255) for x, y in places]

    return white


def test_ground_under_two_polygons_is_filled(colours_at):
    shapes = [shapely.box(200, 200, 600, 600), shapely.box(400, 400, 800, 800)]
    assert colours_at(shapes, (300, 300), (500, 500), (700, 700), (900, 200)) == [False, False, False, True]


def test_a_hole_is_not_filled_and_an_island_in_it_is(colours_at):
    ring = shapely.box(200, 200, 800, 800) - shapely.box(300, 300, 700, 700)
    assert colours_at([ring, shapely.box(450, 450, 550, 550)], (250, 250), (350, 350), (500, 500)) == [
        False,
        True,
        False,
    ]
