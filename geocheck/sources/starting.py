"""A project file to start from: the layers of a folder, each in its likely role, with a comment on what was guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from geocheck.model.ground import ROLES
from geocheck.model.problem import SourceError
from geocheck.sources.format import LayerListing
from geocheck.sources.formats import FORMATS, format_of
from geocheck.sources.schemas import LayerMap, recognise
from geocheck.sources.systems import system_of_text, title

__all__ = ["Candidate", "candidates_in", "chosen_of", "project_text"]

# Words of file and layer names, tried in this order; they only suggest a role.
_WORDS: tuple[tuple[str, str], ...] = (
    ("parcels_before", r"parcels?_?(before|old|prev)"),
    ("parcels", r"parcel|tax_?lot|\blots?\b"),
    ("disturbance", r"disturb|\bsites?\b|grading|limits?_of|project_?area"),
    ("shoreland", r"shoreland"),
    ("wetland", r"wetland|\bwwi\b|\bnwi\b"),
    ("floodplain", r"flood|fld_haz|sfha|fema"),
    ("impervious", r"imperv|driveway|pavement|sidewalk"),
    ("municipality", r"munic|village|city_?b|town_?b|boundary|wards?\b|corporate"),
    ("channels", r"channel|ditch|waterway|swale"),
    ("streams", r"stream|river|creek|flowline"),
    ("lakes", r"lake|pond|waterbod|hydro|\bwater\b"),
    ("roads", r"road|street|centerline"),
)
_IDS = {
    "parcels": ("PARCELID", "PARCEL_ID", "PIN", "TAXKEY", "TAXPARCELID", "APN", "ML", "PARCELNO"),
    "parcels_before": ("PARCELID", "PARCEL_ID", "PIN", "TAXKEY", "TAXPARCELID", "APN", "ML", "PARCELNO"),
    "disturbance": ("SITE_ID", "SITEID", "SITE", "PERMIT", "PROJECT_ID"),
    "municipality": ("MUNI_NAME", "MCD_NAME", "NAME", "MUNI", "CITY", "WARD_NAME"),
}
_COLUMNS = {
    "plan": ("disturbance", ("PLAN_ID", "PLAN", "PLAN_", "COMMONPLAN")),
    "phase": ("disturbance", ("PHASE", "PHASE_")),
    "status": ("impervious roads", ("STATUS",)),
    "connected": ("impervious", ("CONNECTED", "CONN", "DCIA")),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layer of a folder, the role it would play, and why."""

    path: Path
    listing: LayerListing
    several: bool
    role: str
    schema: LayerMap | None
    why: str
    problems: tuple[str, ...] = field(default=())


def candidates_in(folder: Path) -> list[Candidate]:
    """Look at every vector layer of a folder, not of its subfolders.

    Raises
    ------
    SourceError
        If it is no folder.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder}: error: there is no such folder [missing-folder]")
    return [c for path in _vector_files(folder) for c in _look(path)]


def _vector_files(folder: Path) -> Iterator[Path]:
    suffixes = tuple(suffix for form in FORMATS for suffix in form.suffixes if suffix != ".csv")
    for path in sorted(folder.iterdir(), key=lambda p: p.name.lower()):
        if path.name.lower().endswith(suffixes) and path.name != "ledger.gpkg":
            yield path


def _look(path: Path) -> list[Candidate]:
    try:
        listings = format_of(path).layers(path)
    except SourceError as error:
        return [Candidate(path, LayerListing(path.stem), False, "", None, "", (str(error).splitlines()[0],))]
    spatial = [each for each in listings if each.geometry.lower() not in ("", "none")] or listings
    return [_candidate(path, each, len(spatial) > 1) for each in spatial]


def _candidate(path: Path, listing: LayerListing, several: bool) -> Candidate:
    schema = recognise(listing)
    if schema is not None:
        return Candidate(path, listing, several, schema.role, schema, f"recognised: {schema.title}")
    if "point" in listing.geometry.lower():
        return Candidate(path, listing, several, "", None, "points play no role")
    words = re.sub(r"[^a-z0-9_]+", " ", f"{listing.name} {path.stem}".lower())
    words = f"{words} {words.replace('_', ' ')}"
    role = next((role for role, pattern in _WORDS if re.search(pattern, words)), "")
    return Candidate(path, listing, several, role, None, "guessed from its name" if role else "its role does not show")


def chosen_of(found: Iterable[Candidate]) -> dict[str, Candidate]:
    """Return the layer that plays each role: its likeliest, a recognised schema before a guess."""
    chosen: dict[str, Candidate] = {}
    for each in sorted(found, key=_likelihood):
        if each.role and each.role not in chosen and not each.problems:
            chosen[each.role] = each
    return chosen


def project_text(folder: Path, *, name: str = "", found: Sequence[Candidate] | None = None) -> str:
    """Return a commented project file for the layers of a folder.

    Every role takes the layer that `chosen_of` names; the others stand as comments. ``found`` is what `candidates_in` found there,
    where that is known already.
    """
    found = candidates_in(folder) if found is None else found
    chosen = chosen_of(found)
    lines = [
        "# A project file for geocheck, made by looking at the layers of this folder. Check every line, above all those",
        "# that say 'guessed'. Paths are relative to this file.",
        f"name: {_quoted(name or folder.resolve().name)}",
    ]
    town = chosen.get("municipality")
    if town is not None and _field(town, _IDS["municipality"]):
        lines.append(
            "# jurisdiction: {layer: municipality, name: …}   # one record of the layer; without it, the whole layer"
        )
    lines += [
        "area_basis: auto             # on the ellipsoid, 0.03 % either way; or ellipsoidal, ground (with elevation), grid (with measure_crs)",
        "# ordinances: [us/wi/washington-county-village/87-5]   # `geocheck rules list` shows those that are shipped",
        "",
        "layers:",
    ]  # fmt: skip
    for role in ROLES:
        others = [c for c in chosen.values() if c.schema is not None and role in c.schema.other_roles]
        if role in chosen:
            own = _layer_lines(role, chosen[role])
            lines += [*own[:1], *_listed(own[1:])] if others else own
        elif others:
            lines.append(f"  {role}:")
        for each in others:
            lines += _listed(_other_role_lines(role, each))
    if not chosen:
        lines.append("  # no layer of this folder shows its role; name at least parcels or disturbance")
    at_hand = {*chosen, *(role for c in chosen.values() if c.schema is not None for role in c.schema.other_roles)}
    if "shoreland" not in chosen and {"lakes", "streams"} & at_hand:
        near = ", ".join(f"{w}: {d}" for w, d in (("lakes", "1000 ft"), ("streams", "300 ft")) if w in at_hand)
        beyond = ", or: floodplain of streams" if {"streams", "floodplain"} <= at_hand else ""
        lines.append(f"  shoreland: {{derive: {{near: {{{near}}}{beyond}}}}}   # made from the waters above")
    rest = [each for each in found if each not in chosen.values()]
    if rest:
        lines += ["", "# Not used:"]
        lines += [
            f"#   {_where(c)}: {c.problems[0] if c.problems else (c.role and f'another {c.role} layer') or c.why}"
            for c in rest
        ]
    lines += [
        "",
        "# statements: statements.csv   # what applicants state; `geocheck ask` writes the questions",
        "# ledger: ledger.gpkg          # decisions and waivers, kept for good",
        "output: out",
    ]
    return "\n".join(lines) + "\n"


def _likelihood(each: Candidate) -> tuple[bool, int]:
    """A recognised schema first; of parcels the largest layer, of other roles the one with the latest year in its name."""
    years = [int(y) for y in re.findall(r"(?:19|20)\d\d", each.path.name)]
    rank = (each.listing.records or 0) if each.role == "parcels" else max(years, default=0)
    return each.schema is None, -rank


def _where(each: Candidate) -> str:
    return f"{each.path.name}, layer {each.listing.name}" if each.several else each.path.name


def _layer_lines(role: str, each: Candidate) -> list[str]:
    schema = each.schema
    lines = [
        f"  {role}:   # {each.why}; {each.listing.records or 0} record{'' if each.listing.records == 1 else 's'}",
        f"    source: {_quoted(each.path.name)}",
    ]
    if each.several:
        lines.append(f"    layer: {_quoted(each.listing.name)}")
    lines.append(_system_line(each))
    identifier = (schema.id if schema else "") or _field(each, _IDS.get(role, ()))
    if identifier:
        lines.append(f"    id: {_quoted(_own(each, identifier))}")
    elif role in _IDS:
        lines.append(f"    # id: …   # which of {', '.join(each.listing.fields) or 'its fields (it has none)'}; without it, rows are numbered")  # fmt: skip
    for key, (roles, names) in _COLUMNS.items():
        column = _field(each, names) if role in roles.split() else ""
        if column:
            lines.append(f"    {key}: {_quoted(column)}   # guessed from its name")
    if schema is not None and schema.where:
        shown = "" if schema.role != "parcels" else "# "
        lines.append(f"    {shown}where: {_quoted(schema.filter_of(each.listing))}   # {schema.where_note}")
    accuracy = schema.accuracy if schema else ""
    note = f"   # {schema.accuracy_note}" if schema and schema.accuracy_note else "   # 95 %, horizontal; where it is not stated, only the other doubts count"  # fmt: skip
    lines.append(f"    accuracy: {accuracy}{note}" if accuracy else f"    # accuracy: 5 ft{note}")
    if role in ("wetland", "floodplain", "shoreland", "lakes", "streams", "impervious"):
        lines.append("    # coverage: jurisdiction   # or a polygon file, or extent; ground beyond it is not checked")
    lines += [f"    # {note}" for note in (schema.notes if schema else ())]
    return lines


def _other_role_lines(role: str, each: Candidate) -> list[str]:
    """Lines of those records of a layer that play another role than most."""
    assert each.schema is not None
    lines = [f"    source: {_quoted(each.path.name)}"]
    if each.several:
        lines.append(f"    layer: {_quoted(each.listing.name)}")
    if each.schema.id:
        lines.append(f"    id: {_quoted(_own(each, each.schema.id))}")
    lines.append(
        f"    where: {_quoted(each.schema.filter_of(each.listing, role))}   # those records of it that are {role}"
    )
    return lines + ([f"    accuracy: {each.schema.accuracy}"] if each.schema.accuracy else [])


def _listed(lines: list[str]) -> list[str]:
    """Lines of one layer as an item of a list."""
    return [f"    - {lines[0].strip()}", *(f"  {line}" for line in lines[1:])]


def _system_line(each: Candidate) -> str:
    crs = system_of_text(each.listing.crs, each.path)
    if crs is not None:
        return f"    # system: {title(crs)}"
    likely = f"; this schema is published in {each.schema.crs}" if each.schema and each.schema.crs else ""
    return f"    # crs: EPSG:…   # the file names no reference system: state the right one, or it is refused{likely}"


def _field(each: Candidate, names: tuple[str, ...]) -> str:
    by_case = {name.lower(): name for name in each.listing.fields}
    return next((by_case[n.lower()] for n in names if n.lower() in by_case), "")


def _own(each: Candidate, name: str) -> str:
    return _field(each, (name,)) or (each.schema.name_in(each.listing, name) if each.schema else "") or name


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z][\w.-]*", text) and text.lower() not in ("yes", "no", "null", "true", "false") else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'  # fmt: skip
