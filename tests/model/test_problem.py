"""Problems with their places: in a text, in a layer, at a record."""

from __future__ import annotations

import pytest

from geocheck.model.problem import Place, Problem


@pytest.mark.parametrize(
    "place, words",
    [
        (Place(), ""),
        (Place("law.yaml"), "law.yaml"),
        (Place("law.yaml", 3), "law.yaml:3"),
        (Place("law.yaml", 3, 9), "law.yaml:3:9"),
        (Place("town.gpkg", layer="parcels"), "town.gpkg, layer parcels"),
        (Place("town.gpkg", layer="parcels", record=7), "town.gpkg, layer parcels, record 7"),
        (Place(layer="parcels"), "layer parcels"),
        (Place(record=7), "record 7"),
    ],
)
def test_a_place_in_words(place, words):
    assert str(place) == words


def test_a_problem_without_a_place_or_a_remedy_is_one_line():
    assert Problem("odd", "nobody knows where").show() == "nobody knows where [odd]"
