"""Well-known binary: curves, surfaces in three dimensions, and blobs that are none."""

from __future__ import annotations

import math
import struct

import numpy as np
import pyarrow as pa
import pytest
import shapely

from geocheck.sources.rings import build, signed_area
from geocheck.sources.wkb import decode, stroke


def points(pairs):
    return struct.pack("<I", len(pairs)) + np.array(pairs, "<f8").tobytes()


def head(code):
    return b"\x01" + struct.pack("<I", code)


def circular(pairs):
    return head(8) + points(pairs)


def curve_polygon(*rings):
    return head(10) + struct.pack("<I", len(rings)) + b"".join(rings)


CIRCLE = [(0, 0), (1, 1), (2, 0), (1, -1), (0, 0)]


def lens(degrees):
    """Ground between an arc of a unit circle and its chord, and its exact area."""
    half = math.radians(degrees) / 2
    a, m, b = [(math.sin(t), math.cos(t)) for t in (-half, 0, half)]
    compound = head(9) + struct.pack("<I", 2) + circular([a, m, b]) + head(2) + points([b, a])
    return curve_polygon(compound), (2 * half - math.sin(2 * half)) / 2


CURVES = [
    pytest.param(curve_polygon(circular(CIRCLE)), math.pi, id="circle of two arcs"),
    pytest.param(curve_polygon(circular([(0, 0), (2, 0), (0, 0)])), math.pi, id="circle of one arc"),
    pytest.param(curve_polygon(circular(CIRCLE), circular([(0.5, 0), (1, 0.5), (1.5, 0), (1, -0.5), (0.5, 0)])), 0.75 * math.pi, id="ring of circles"),
    pytest.param(curve_polygon(circular(CIRCLE[::-1])), math.pi, id="circle backwards"),
    *[pytest.param(*lens(d), id=f"lens of {d} degrees") for d in (1, 4, 10, 90, 200, 350)],
    pytest.param(head(12) + struct.pack("<I", 2) + curve_polygon(circular(CIRCLE)) + curve_polygon(circular([(x + 5, y) for x, y in CIRCLE])), 2 * math.pi, id="multisurface"),
]  # fmt: skip


@pytest.mark.parametrize(("blob", "area"), CURVES)
def test_curves_are_stroked_within_a_tenth_of_a_percent(blob, area):
    found = decode([blob])
    assert found.remarks == {0: "curves replaced by chords"}
    assert build(found.raw[0]).ground.area == pytest.approx(area, rel=1e-3)


def test_an_arc_and_its_reverse_share_their_vertices():
    there = stroke([(0, 0), (1, 0.4), (3, 0)])
    back = stroke([(3, 0), (1, 0.4), (0, 0)])
    assert np.array_equal(there, back[::-1])


def test_a_straight_arc_is_a_line():
    assert stroke([(0, 0), (1, 1), (3, 3)]).tolist() == [[0, 0], [1, 1], [3, 3]]


def test_signed_area_of_a_circle():
    assert abs(signed_area(stroke(CIRCLE))) == pytest.approx(math.pi, rel=1e-3)


@pytest.mark.parametrize("code", [17, 1017, 2017, 3017, 0x80000000 + 17])
def test_triangles_become_their_footprint(code):
    size = {17: 2, 1017: 3, 2017: 3, 3017: 4}.get(code, 3)
    corners = np.zeros((4, size))
    corners[:, :2] = [(0, 0), (4, 0), (0, 4), (0, 0)]
    triangle = b"\x01" + struct.pack("<I", code) + struct.pack("<II", 1, 4) + corners.astype("<f8").tobytes()
    kind = (
        16
        if code == 17
        else 1016
        if code in (1017,)
        else 2016
        if code == 2017
        else 3016
        if code == 3017
        else 0x80000000 + 16
    )
    tin = b"\x01" + struct.pack("<I", kind) + struct.pack("<I", 2) + triangle * 2
    found = decode([tin])
    assert found.shapes[0].area == 8
    assert "three dimensions" in found.remarks[0]


def test_blobs_that_are_none_are_lost_by_name():
    sound = shapely.to_wkb(shapely.box(0, 0, 1, 1))
    found = decode([sound, None, b"", b"\x07abcdefgh", sound[:40], head(99) + b"\0\0\0\0"])
    assert [s is None for s in found.shapes] == [False, True, True, True, True, True]
    assert sorted(found.lost) == [2, 3, 4, 5]


def test_an_unclosed_ring_is_kept_as_written():
    blob = head(3) + struct.pack("<I", 1) + points([(0, 0), (4, 0), (4, 4), (0, 4)])
    assert build(decode([blob]).raw[0]).ground.area == 16


@pytest.mark.parametrize("flavor", ["iso", "extended"])
def test_z_and_m_are_dropped(flavor):
    solid = shapely.from_wkt("POLYGON Z ((0 0 9, 4 0 9, 4 4 9, 0 0 9))")
    found = decode([shapely.to_wkb(solid, flavor=flavor, output_dimension=3)])
    assert not found.shapes[0].has_z


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()], ids=str)
def test_arrow_columns_in_pieces(kind):
    blobs = [shapely.to_wkb(shapely.box(i, 0, i + 1, 1), byte_order=i % 2) for i in range(4)]
    column = pa.chunked_array(
        [pa.array([*blobs[:2], None], kind), pa.array(blobs[2:], kind).slice(1), pa.array([], kind)]
    )
    found = decode(column)
    assert [None if s is None else s.bounds[0] for s in found.shapes] == [0, 1, None, 3]
