"""Two deliveries of Cambridge, Massachusetts: the true list of changes among thousands of outlines drawn anew."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
import shapely

from geocheck.assess.nightly.taking import kinds_of
from geocheck.changes import Delivery, compare, doubts_about
from geocheck.model.ground import LayerSource
from geocheck.sources.read import read_layer
from geocheck.sources.records import mark_parcels
from geocheck.sources.reference import bring_together

pytestmark = [pytest.mark.real_data, pytest.mark.slow]


@pytest.fixture(scope="module")
def deliveries(real_data):
    """The parcels of the fiscal years 2013 and 2014, in the city's own system."""
    folder = real_data / "cambridge_ma"
    layers = {
        role: mark_parcels(read_layer(LayerSource(role, source=str(folder / file), id="ML", crs="EPSG:4326")))
        for role, file in (("parcels_before", "parcels_FY2013.topojson"), ("parcels", "parcels_FY2014.topojson"))
    }
    ground = bring_together(layers, basis="grid", measure_crs="EPSG:2249")

    def delivery(layer):
        ids, shapes = layer.frame["id"].to_numpy(object), layer.frame.geometry.to_numpy()
        return Delivery(ids, shapes, kinds_of(layer), feet=ground.feet)

    return delivery(ground.layers["parcels_before"]), delivery(ground.layers["parcels"])


@pytest.fixture(scope="module")
def done(deliveries):
    return compare(*deliveries)


def test_what_is_gone_new_and_reshaped(deliveries, done):
    before, after = ({str(i) for i in d.ids if i} for d in deliveries)
    assert (len(before - after), len(after - before)) == (94, 52)
    strayed = done.pairs.shift
    assert 50 <= (strayed > 5).sum() <= 64
    assert np.quantile(strayed, 0.95) < 1.7
    told = {change.parcel_id for change in done.changes if change.area_after_ft2 is None or change.change == "added"}
    assert before - after <= told | {p for change in done.changes for p in change.parents}
    assert after - before <= {change.parcel_id for change in done.changes}


def test_thousands_of_outlines_drawn_anew_are_the_same(done):
    counts = done.counts()
    assert counts["unchanged"] > 12_950 and sum(counts.values()) - counts["unchanged"] < 250
    assert not doubts_about(done), "a delivery like this is taken"


def test_roads_and_placeholders_are_named_and_not_merged(deliveries, done):
    for side, delivery in ((done.before, deliveries[0]), (done.after, deliveries[1])):
        for kind in ("label", "placeholder"):
            records = int((delivery.kinds == kind).sum())
            assert records == int((side.kinds == kind).sum()), "each record stands alone"
            assert all(side.notes[row] for row in np.flatnonzero(side.kinds == kind).tolist())
    assert (done.after.names[done.after.kinds == "label"] == "ROAD").sum() == 6


def test_shares_add_up_and_are_those_of_plain_overlay(done):
    parents, children = defaultdict(float), defaultdict(float)
    for row in done.descent:
        parents[row.parent] += row.share_of_parent
        children[row.child] += row.share_of_child
    parents.pop("", None)
    children.pop("", None)
    assert len(parents) > 80
    assert max(abs(total - 1) for total in [*parents.values(), *children.values()]) < 1e-6
    sides = [{str(name): row for row, name in enumerate(side.names) if name} for side in (done.before, done.after)]
    stacked = {row for side in (done.before, done.after) for row, note in side.notes.items() if "stacked" in note}
    compared = 0
    for row in done.descent:
        if (
            row.parent in sides[0]
            and row.child in sides[1]
            and not {sides[0][row.parent], sides[1][row.child]} & stacked
        ):
            one, two = done.before.grounds[sides[0][row.parent]], done.after.grounds[sides[1][row.child]]
            assert row.area_ft2 == pytest.approx(shapely.intersection(one, two).area, rel=1e-9)
            compared += 1
    assert compared > 100
