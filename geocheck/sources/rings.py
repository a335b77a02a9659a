"""Rings into ground: each ring filled by its winding, rings nested by containment before anything is repaired.

No single repair is right on every broken ring (``buffer(0)`` halves a bow-tie, the default ``make_valid`` fills a hole
that shares an edge with its shell). So the ground is built from the rings: the ground of a ring is what it winds
around at least once, and direction never decides what is a hole where containment can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

__all__ = ["NO_COORDINATES", "Built", "Ring", "build", "fill", "footprint", "parts_of", "rings_of", "signed_area"]

#: Areas that differ by less than this share of the larger are the same area: coordinates are doubles.
_SAME = 1e-9
#: Said where vertices that are no numbers were left out: what is built is not the whole boundary.
NO_COORDINATES = "vertices without coordinates left out"


@dataclass(frozen=True, eq=False)
class Ring:
    """One ring as written: its vertices, the part it belongs to, and whether it is declared a hole.

    ``hole`` is None where the format declares no roles (a shapefile states them by direction alone).
    """

    vertices: Any
    part: int = 0
    hole: bool | None = None


@dataclass(frozen=True, eq=False)
class Built:
    """Ground made from rings: valid polygons or None, what was wrong, and the area that stays in doubt."""

    ground: Any
    problems: tuple[str, ...]
    doubt: float
    before: float


def signed_area(vertices: Any) -> float:
    """Return the shoelace area of a ring: positive where it runs counter-clockwise.

    Examples
    --------
    >>> signed_area([(0, 0), (2, 0), (2, 1), (0, 1), (0, 0)])
    2.0
    """
    points = np.asarray(vertices, dtype=float)
    if len(points) < 3:
        return 0.0
    x, y = (points - points[0]).T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def rings_of(geometry: Any) -> tuple[Ring, ...]:
    """Return the rings of a polygon, multipolygon or collection, with their declared roles; other parts are left out."""
    rings: list[Ring] = []
    polygons = [p for p in parts_of(geometry) if p.geom_type == "Polygon" and not p.is_empty]
    for part, polygon in enumerate(polygons):
        rings.append(Ring(shapely.get_coordinates(polygon.exterior), part, False))
        rings.extend(Ring(shapely.get_coordinates(inner), part, True) for inner in polygon.interiors)
    return tuple(rings)


def parts_of(geometry: Any) -> Any:
    """Return the single parts of a geometry, those of collections in collections too."""
    parts = shapely.get_parts(geometry)
    while (shapely.get_type_id(parts) > 3).any():
        parts = shapely.get_parts(parts)
    return parts


def build(rings: Sequence[Ring]) -> Built:
    """Make ground from the rings of one record.

    Each ring is cleaned and filled; rings that a format declares keep their roles where containment allows it, rings
    known by direction alone are nested by containment. Parts are united: overlapping parts count once.

    Returns
    -------
    Built
        ``ground`` is None where no ring encloses any area. ``doubt`` is the area on which sensible readings differ.
    """
    problems: dict[str, None] = {}
    doubt = 0.0
    kept: list[tuple[Ring, Any, float]] = []
    before = 0.0
    for ring in rings:
        vertices = _clean(ring.vertices, problems)
        area = signed_area(vertices)
        before += -abs(area) if ring.hole else abs(area) if ring.hole is False else -area
        ground, ambiguous = fill(vertices, problems)
        doubt += ambiguous
        if ground is not None:
            kept.append((Ring(vertices, ring.part, ring.hole), ground, area))
    if not kept:
        return Built(None, tuple(problems), doubt, before)
    if all(ring.hole is None for ring, _, _ in kept):
        ground, ambiguous = _by_containment(kept, problems)
    else:
        ground, ambiguous = _by_role(kept, problems)
    ground = _polygons(ground)
    return Built(ground, tuple(problems), doubt + ambiguous, before)


def _clean(vertices: Any, problems: dict[str, None]) -> Any:
    points = np.asarray(vertices, dtype=float)[:, :2]
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        problems[NO_COORDINATES] = None
        points = points[finite]
    if len(points) and not np.array_equal(points[0], points[-1]):
        problems["ring not closed"] = None
        points = np.vstack([points, points[:1]])
    if len(points) > 1:
        moved = np.append(True, (np.diff(points, axis=0) != 0).any(axis=1))
        points = points[moved]
    return points


def fill(vertices: Any, problems: dict[str, None]) -> tuple[Any, float]:
    """Return the ground that a closed ring winds around, and the area on which filling rules differ.

    The ring is cut at its crossings into faces; a face belongs to the ground where the winding number is not zero. The
    even-odd rule (``make_valid``'s linework) drops faces wound twice: their area is the doubt.

    Examples
    --------
    >>> fill([(0, 0), (1, 1), (0, 1), (1, 0), (0, 0)], {})[0].area
    0.5
    """
    points = np.asarray(vertices, dtype=float)
    if len(points) < 4 or len(np.unique(points, axis=0)) < 3:
        problems["ring without area left out"] = None
        return None, 0.0
    polygon = shapely.Polygon(points)
    if polygon.is_valid:
        return polygon, 0.0
    reason = shapely.is_valid_reason(polygon).partition("[")[0].strip().lower()
    problems[{"ring self-intersection": "ring touches itself", "self-intersection": "ring crosses itself"}.get(reason, reason)] = None  # fmt: skip
    origin = points[0]
    line = shapely.LineString(points - origin)
    faces = shapely.get_parts(shapely.polygonize([shapely.node(line)]))
    areas = shapely.area(faces)
    faces, areas = faces[areas > 0], areas[areas > 0]
    if not len(faces):
        problems["ring without area left out"] = None
        return None, 0.0
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    winding = _winding(points - origin, inside)
    twice = (winding != 0) & (winding % 2 == 0)
    doubt = float(areas[twice].sum())
    if doubt:
        problems["ring covers ground twice"] = None
    # Green's theorem: the shoelace area is the winding-weighted sum of the faces. A gap means that cutting lost ground.
    gap = abs(float(np.dot(winding, areas)) - signed_area(points))
    if gap > _SAME * float(areas.sum()):
        doubt += gap
    ground = shapely.union_all(faces[winding != 0])
    if ground.is_empty:
        problems["ring without area left out"] = None
        return None, doubt
    return shapely.transform(ground, lambda c: c + origin), doubt


def _winding(ring: Any, points: Any) -> Any:
    """Winding number of the ring about each point: crossings of the ray to the right, counted with direction."""
    number = np.zeros(len(points), dtype=int)
    step = max(1, 4_000_000 // len(ring))
    x0, y0 = ring[:-1].T
    x1, y1 = ring[1:].T
    for start in range(0, len(points), step):
        px, py = points[start : start + step].T[..., None]
        left = (x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)
        up = (y0 <= py) & (y1 > py) & (left > 0)
        down = (y0 > py) & (y1 <= py) & (left < 0)
        number[start : start + step] = up.sum(axis=1) - down.sum(axis=1)
    return number


def _relations(fills: Any) -> tuple[Any, Any, list[tuple[int, int]]]:
    """Pairs of rings: (outer, inner) of nested ones, as two arrays, and those that cross."""
    areas = shapely.area(fills)
    a, b = shapely.STRtree(fills).query(fills)
    # each pair once, the larger first; equal areas by position, so that a repeated ring nests in its first copy
    larger = (areas[a] > areas[b]) | ((areas[a] == areas[b]) & (a < b))
    a, b = a[larger], b[larger]
    shapely.prepare(fills[np.unique(a)])
    nested = shapely.covers(fills[a], fills[b])
    rest = np.flatnonzero(~nested)
    rest = rest[shapely.intersects(fills[a[rest]], fills[b[rest]])]
    common = shapely.area(shapely.intersection(fills[a[rest]], fills[b[rest]]))
    inside = common >= areas[b[rest]] * (1 - _SAME)
    nested[rest[inside]] = True
    crossing = rest[~inside & (common > areas[b[rest]] * _SAME)]
    return a[nested], b[nested], list(zip(a[crossing].tolist(), b[crossing].tolist(), strict=True))


def _by_containment(kept: list[tuple[Ring, Any, float]], problems: dict[str, None]) -> tuple[Any, float]:
    """Ground of rings whose roles only their direction states: nested by containment, direction second."""
    fills = np.array([ground for _, ground, _ in kept], dtype=object)
    signs = np.array([1 if area > 0 else -1 for _, _, area in kept])
    areas = shapely.area(fills)
    outer, inner, crossing = _relations(fills)
    repeated = (areas[outer] == areas[inner]) & (signs[outer] == signs[inner])
    gone = set(inner[repeated].tolist())
    if gone:
        problems["ring repeated"] = None
    keep = np.array([i not in gone for i in range(len(kept))])
    used = keep[outer] & keep[inner]
    outer, inner = outer[used], inner[used]
    depth = np.bincount(inner, minlength=len(kept))
    hole = depth % 2 == 1
    doubt = 0.0
    shell_sign = signs[int(np.argmax(areas))]
    for i, j in crossing:
        if not (keep[i] and keep[j]):
            continue
        problems["rings cross each other"] = None
        # Two rings that cross are no shell and hole by containment: direction, against that of the largest ring, decides.
        if depth[j] == 0 and signs[j] != shell_sign:
            hole[j] = True
            doubt += float(shapely.area(shapely.difference(fills[j], fills[i])))
    parent = {}
    for i, j in zip(outer.tolist(), inner.tolist(), strict=True):
        if depth[i] == depth[j] - 1:
            parent[j] = i
    same_way = [j for j, i in parent.items() if hole[j] and signs[i] == signs[j]]
    if same_way:
        problems["hole wound like its shell"] = None
        doubt += float(areas[same_way].sum())
    top = keep & (depth == 0) & ~hole
    if len(kept) > 1 and (signs[top] > 0).all() and not same_way and hole.any():
        problems["rings wound against the format's rule"] = None
    return _assemble(fills, np.flatnonzero(keep & ~hole), np.flatnonzero(keep & hole), parent, depth), doubt


def _assemble(fills: Any, shells: Any, holes: Any, parent: dict[int, int], depth: Any) -> Any:
    """Shells less their own holes, level by level, united."""
    own: dict[int, list[int]] = {}
    loose = []
    for j in holes.tolist():
        if j in parent:
            own.setdefault(parent[j], []).append(j)
        else:
            loose.append(j)
    parts = []
    for i in shells.tolist():
        inner = fills[own.get(i, [])]
        plain = fills[i].geom_type == "Polygon" and all(
            f.geom_type == "Polygon" and not len(f.interiors) for f in inner
        )
        part = (
            shapely.Polygon(fills[i].exterior, [*fills[i].interiors, *(f.exterior for f in inner)]) if plain else None
        )
        if part is None or not part.is_valid:
            part = shapely.difference(fills[i], shapely.union_all(inner)) if len(inner) else fills[i]
        parts.append(part)
    ground = _union(parts)
    return shapely.difference(ground, shapely.union_all(fills[loose])) if loose else ground


def _by_role(kept: list[tuple[Ring, Any, float]], problems: dict[str, None]) -> tuple[Any, float]:
    """Ground of rings with declared roles: each part its shell less its holes, then parts united."""
    doubt = 0.0
    grounds: list[Any] = []
    for part in dict.fromkeys(ring.part for ring, _, _ in kept):
        shells = [ground for ring, ground, _ in kept if ring.part == part and not ring.hole]
        holes = [ground for ring, ground, _ in kept if ring.part == part and ring.hole]
        if not shells:
            problems["hole without a shell left out"] = None
            doubt += float(sum(hole.area for hole in holes))
            continue
        ground, ambiguous = _part(shells[0], holes, problems)
        doubt += ambiguous
        grounds.extend(ground)
    united, ambiguous = _unite(grounds, problems)
    return united, doubt + ambiguous


def _part(shell: Any, holes: list[Any], problems: dict[str, None]) -> tuple[list[Any], float]:
    doubt = 0.0
    around = [hole for hole in holes if hole.area > shell.area and shapely.covers(hole, shell)]
    if around:
        problems["shell lies inside its hole: roles exchanged"] = None
        largest = max(around, key=lambda hole: hole.area)
        holes = [shell if hole is largest else hole for hole in holes]
        shell = largest
    inside, apart = [], []
    # A road network has thousands of holes, and nearly all lie plainly within it: only the others are overlaid.
    shapely.prepare(shell)
    within = shapely.covers(shell, np.array(holes, dtype=object)).tolist()
    for hole, covered in zip(holes, within, strict=True):
        common = hole.area if covered else shapely.area(shapely.intersection(shell, hole))
        if common <= hole.area * _SAME:
            problems["hole outside its shell: taken as ground"] = None
            doubt += hole.area
            apart.append(hole)
            continue
        if common < hole.area * (1 - _SAME):
            problems["hole crosses its shell"] = None
            doubt += hole.area - common
        inside.append(hole)
    if _share_ground(inside):
        whole = shapely.area(shapely.union_all(inside))
        excess = sum(hole.area for hole in inside) - whole
        if excess > whole * _SAME:
            problems["holes overlap"] = None
            doubt += excess
    plain = shapely.Polygon(shell.exterior, [h.exterior for h in inside]) if _simple(shell, inside) else None
    if plain is not None and plain.is_valid:
        return [plain, *apart], doubt
    return [shapely.difference(shell, shapely.union_all(inside)) if inside else shell, *apart], doubt


def _share_ground(holes: list[Any]) -> bool:
    """Tell whether any two holes have ground in common."""
    fills = np.array(holes, dtype=object)
    one, other = shapely.STRtree(fills).query(fills, predicate="intersects")
    one, other = one[one < other], other[one < other]
    return bool((shapely.area(shapely.intersection(fills[one], fills[other])) > 0).any())


def _simple(shell: Any, holes: list[Any]) -> bool:
    return all(g.geom_type == "Polygon" and not len(g.interiors) for g in (shell, *holes))


def _unite(grounds: list[Any], problems: dict[str, None]) -> tuple[Any, float]:
    """Unite the parts of one record; a part wholly inside another may have been meant as a hole: that is doubt."""
    grounds = [g for g in grounds if not g.is_empty]
    if len(grounds) < 2:
        return (grounds[0] if grounds else None), 0.0
    fills = np.array(grounds, dtype=object)
    areas = shapely.area(fills)
    outer, inner, crossing = _relations(fills)
    doubt = 0.0
    equal = areas[outer] == areas[inner]
    if equal.any():
        problems["part repeated: counted once"] = None
    nested = np.unique(inner[~equal])
    if len(nested):
        problems["part inside another part: counted once"] = None
        doubt = float(areas[nested].sum())
    if crossing:
        problems["parts overlap: counted once"] = None
    return _union(grounds), doubt


def _union(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    flat = [p for part in parts for p in shapely.get_parts(part)]
    whole = shapely.MultiPolygon(flat) if all(p.geom_type == "Polygon" for p in flat) else None
    return whole if whole is not None and whole.is_valid else shapely.union_all(parts)


def _polygons(ground: Any) -> Any:
    """Keep the polygons of a result, or None where nothing with area is left."""
    if ground is None:
        return None
    parts = [p for p in parts_of(ground) if p.geom_type == "Polygon" and p.area > 0]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def footprint(rings: Sequence[Ring]) -> Any:
    """Return the ground under a surface in three dimensions: its faces seen from above, united; None where it has no area."""
    faces = [ground for ring in rings if (ground := fill(_clean(ring.vertices, {}), {})[0]) is not None]
    return _polygons(shapely.union_all(faces)) if faces else None
