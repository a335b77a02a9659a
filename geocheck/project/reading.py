"""Reads a project file with positions, and gathers all its problems."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from geocheck.model.ground import AREA_BASES, RASTER_ROLES, ROLES, FactField, LayerSource
from geocheck.model.problem import Place, Problem, ProjectError, RuleFileError, UnitError
from geocheck.model.quantity import INTERNATIONAL_FOOT, US_SURVEY_FOOT, Quantity, dimension_of, parse_quantity
from geocheck.project.project import Project
from geocheck.rules.yamltree import Listing, Mapped, Scalar, Tree, decode, read_tree

__all__ = ["read_layer_options", "read_project"]

_FEET: dict[str, Fraction] = {"us_survey": US_SURVEY_FOOT, "international": INTERNATIONAL_FOOT}
_KEYS = (
    "name", "jurisdiction", "area_basis", "measure_crs", "elevation", "foot", "strict_datum", "impervious_within",
    "ordinances", "ordinance_folder", "settings", "layers", "statements", "ledger", "output", "as_of", "update",
)  # fmt: skip
_LAYER_TEXTS = (
    "layer", "where", "query", "id", "crs", "encoding", "date", "plan", "phase", "day", "status", "connected",
)  # fmt: skip
_LAYER_KEYS = (
    "source",
    *_LAYER_TEXTS,
    "vertical_unit",
    "override_crs",
    "accuracy",
    "coverage",
    "facts",
    "class",
    "derive",
)
#: Keys that only some roles have.
_ROLE_KEYS: dict[str, tuple[str, ...]] = {
    "plan": ("disturbance",), "phase": ("disturbance",), "day": ("disturbance",), "facts": ("disturbance",), "status": ("impervious", "roads"),
    "connected": ("impervious",), "class": ("cover_raster", "lakes", "streams", "wetland"),
    "vertical_unit": RASTER_ROLES, "derive": ("shoreland",),
}  # fmt: skip
#: Roles that one file holds.
_WHOLE = ("parcels", "parcels_before", "disturbance", *RASTER_ROLES)


def read_project(path: Path) -> Project:
    """Read a project file.

    Raises
    ------
    ProjectError
        With every problem of the file.
    """
    try:
        tree = read_tree(decode(path.read_bytes(), str(path)), str(path))
    except RuleFileError as error:
        raise ProjectError(str(error), error.problems) from None
    except OSError as error:
        raise ProjectError(f"{path}: the project file cannot be read ({error})") from error
    reader = _Reader(path.parent, str(path))
    if not isinstance(tree, Mapped):
        raise ProjectError(f"{path}: a project file holds keys such as name, layers and ordinances; this one does not")
    project = reader.project(tree, path)
    if reader.problems:
        raise ProjectError.of(*reader.problems)
    return project


def read_layer_options(role: str, folder: Path, options: Mapping[str, str]) -> LayerSource:
    """Make the source of one layer from texts, checked like a project file's."""
    from geocheck.rules.passage import Passage

    def scalar(text: str) -> Scalar:
        return Scalar(Passage(text, "", [(0, 0)] * max(1, len(text)), [""]))

    reader = _Reader(folder, "")
    entries = tuple((scalar(key), scalar(value)) for key, value in options.items())
    source = reader.layer(role, Mapped(entries, Place()))
    if reader.problems:
        raise ProjectError("\n".join(f"{role}: {problem.message}" for problem in reader.problems), reader.problems)
    return source


class _Reader:
    """Reads the parts of one project file and gathers their problems."""

    def __init__(self, folder: Path, file: str) -> None:
        self.folder, self.file = folder, file
        self.problems: list[Problem] = []

    def say(self, code: str, message: str, place: Place, remedy: str = "") -> None:
        self.problems.append(Problem(code, message, place, remedy))

    # Parts ------------------------------------------------------------------------------------------------------------

    def project(self, top: Mapped, path: Path) -> Project:
        self.known(top, _KEYS, "key of a project")
        layers = self.mapped(top, "layers")
        self.known(layers, ROLES, "role")
        sources = {name.text: self.layer(name.text, value) for name, value in layers.entries if name.text in ROLES}
        if not sources:
            self.say(
                "no-layers",
                "the project has no layers",
                layers.place,
                "Name at least parcels or disturbance under layers.",
            )
        jurisdiction = self.jurisdiction(top, sources)
        basis, measure_crs, elevation = self.basis(top)
        folder, ledger = self.text(top, "ordinance_folder"), self.text(top, "ledger")
        return Project(
            name=self.text(top, "name", path.parent.resolve().name),
            folder=self.folder,
            layers=sources,
            ordinances=tuple(self.ordinance(item) for item in self.listing(top, "ordinances")),
            ordinance_folder=self.folder / folder if folder else None,
            jurisdiction=jurisdiction,
            area_basis=basis,
            measure_crs=measure_crs,
            elevation=elevation,
            foot=_FEET.get(self.choice(top, "foot", tuple(_FEET), "")),
            strict_datum=self.flag(top, "strict_datum"),
            impervious_within=self.choice(top, "impervious_within", ("disturbance", "parcels"), "disturbance"),
            settings=self.settings(top),
            statements=tuple(self.folder / name for name in self.listing(top, "statements")),
            ledger=self.address(ledger),
            output=self.folder / self.text(top, "output", "out"),
            as_of=self.day(top, "as_of"),
            **self.update(top),
            path=path,
        )

    def jurisdiction(self, top: Mapped, sources: Mapping[str, LayerSource]) -> str:
        value = top.get("jurisdiction")
        if value is None:
            return ""
        if "municipality" not in sources:
            place = value.place
            self.say(
                "no-municipality",
                "the jurisdiction needs a municipality layer",
                place,
                "Add municipality under layers.",
            )
        if isinstance(value, Scalar):
            return value.text
        inner = self.mapped(top, "jurisdiction")
        self.known(inner, ("layer", "name"), "key of jurisdiction")
        self.choice(inner, "layer", ("municipality",), "municipality")
        return self.text(inner, "name")

    def basis(self, top: Mapped) -> tuple[str, str, Quantity | None]:
        basis = self.choice(top, "area_basis", AREA_BASES, "auto")
        measure_crs, elevation = self.text(top, "measure_crs"), self.quantity(top, "elevation", "length")
        said = top.get("area_basis")
        place = said.place if said is not None else top.place
        if basis == "grid" and not measure_crs:
            remedy = "Add measure_crs, such as EPSG:8104."
            self.say("no-measure-crs", "area_basis grid needs measure_crs, the system to measure in", place, remedy)
        if basis == "ground" and elevation is None:
            remedy = "Add elevation, such as 900 ft."
            self.say("no-elevation", "area_basis ground needs the elevation of the ground", place, remedy)
        return basis, measure_crs, elevation

    def update(self, top: Mapped) -> dict[str, Any]:
        """Read how deliveries of parcels are taken."""
        inner = self.mapped(top, "update")
        self.known(inner, ("tolerance", "fewest"), "key of update")
        found: dict[str, Any] = {"tolerance": self.quantity(inner, "tolerance", "length")}
        text = self.text(inner, "fewest")
        if text:
            share = text.removesuffix("%").strip()
            try:
                found["fewest"] = float(share) / 100
            except ValueError:
                found["fewest"] = -1.0
            if not (text.endswith("%") and 0 <= found["fewest"] <= 1):
                place = inner.get("fewest").place  # type: ignore[union-attr]
                self.say("bad-share", f"fewest is a share of the parcels, such as 95 %, not {text!r}", place)
        return found

    def settings(self, top: Mapped) -> dict[str, str]:
        inner = self.mapped(top, "settings")
        return {name.text: self.text(inner, name.text) for name, _ in inner.entries}

    def ordinance(self, item: str) -> str:
        return str(self.folder / item) if item.endswith((".yaml", ".yml")) else item

    def layer(self, role: str, value: Tree) -> LayerSource:
        """Read one layer; a bare text is its source."""
        if isinstance(value, Scalar) and value.text:
            return LayerSource(role, source=self.address(value.text))
        if isinstance(value, Listing):
            return self.parts(role, value)
        if not isinstance(value, Mapped):
            self.say("layer-shape", f"{role} needs a source, such as {{source: {role}.shp}}", value.place)
            return LayerSource(role)
        self.known(value, _LAYER_KEYS, f"key of {role}")
        for name, _ in value.entries:
            roles = _ROLE_KEYS.get(name.text, (role,))
            if role not in roles:
                message = f"{name.text} has no meaning for {role}; it belongs to {', '.join(roles)}"
                self.say("key-of-other-role", message, name.place)
        if (value.get("source") is None) == (value.get("derive") is None):
            message = f"{role} needs a source, or derive where it is made from other layers"
            self.say("layer-source", message, value.place)
        coverage = self.text(value, "coverage")
        texts: dict[str, Any] = {key: self.text(value, key) for key in _LAYER_TEXTS}
        return LayerSource(
            role,
            source=self.address(self.text(value, "source")),
            accuracy=self.quantity(value, "accuracy", "length"),
            coverage=coverage if coverage in ("extent", "jurisdiction") else self.address(coverage),
            override_crs=self.flag(value, "override_crs"),
            classes=self.classes(value) if role in RASTER_ROLES else (),
            class_field="" if role in RASTER_ROLES else self.text(value, "class"),
            facts=self.facts(value),
            derive=_plain(value.get("derive")),
            vertical_unit=self.choice(value, "vertical_unit", ("ft", "ftUS", "m"), ""),
            **texts,
        )

    def parts(self, role: str, value: Listing) -> LayerSource:
        """Read a role that several files hold together, such as roofs, drives and walks."""
        if role in _WHOLE:
            message = f"{role} is read from one file; its records have identifiers of their own"
            self.say("several-files", message, value.place, "Put the files together first.")
        parts = tuple(self.layer(role, item) for item in value.items)
        return LayerSource(role, parts=parts) if len(parts) != 1 else parts[0]

    def classes(self, keys: Mapped) -> tuple[int, ...]:
        found = []
        for item in self.listing(keys, "class"):
            if not item.strip().isdigit():
                value = keys.get("class")
                self.say("class", f"a class is a whole number, not {item!r}", value.place if value else keys.place)
                continue
            found.append(int(item))
        return tuple(found)

    def facts(self, keys: Mapped) -> dict[str, FactField]:
        found = {}
        for name, value in self.mapped(keys, "facts").entries:
            if isinstance(value, Scalar):
                found[name.text] = FactField(value.text)
            elif isinstance(value, Mapped) and value.get("field") is not None:
                self.known(value, ("field", "unit"), f"key of {name.text}")
                unit = self.text(value, "unit")
                found[name.text] = FactField(self.text(value, "field"), unit)
                try:
                    dimension_of(unit or "ft")
                except UnitError as error:
                    self.say("unknown-unit", str(error), value.get("unit").place)  # type: ignore[union-attr]
            else:
                message = f"{name.text} needs the field that states it, such as {{field: CUT_CY, unit: yd3}}"
                self.say("fact-field", message, value.place)
        return found

    # Values -----------------------------------------------------------------------------------------------------------

    def address(self, text: str) -> str:
        return text if not text or "://" in text else str(self.folder / text)

    def text(self, keys: Mapped, key: str, default: str = "") -> str:
        value = keys.get(key)
        if value is None:
            return default
        if not isinstance(value, Scalar):
            self.say("not-text", f"{key} is a text", value.place)
            return default
        return value.text or default

    def choice(self, keys: Mapped, key: str, choices: tuple[str, ...], default: str) -> str:
        text = self.text(keys, key, default)
        if text != default and text not in choices:
            place = keys.get(key).place  # type: ignore[union-attr]
            self.say(
                "unknown-choice", f"{key} is one of {', '.join(choices)}, not {text!r}", place, _nearest(text, choices)
            )
            return default
        return text

    def flag(self, keys: Mapped, key: str) -> bool:
        return self.choice(keys, key, ("true", "false", "yes", "no"), "false") in ("true", "yes")

    def quantity(self, keys: Mapped, key: str, dimension: str) -> Quantity | None:
        text = self.text(keys, key)
        if not text:
            return None
        try:
            read = parse_quantity(text)
            if read.value.dimension != dimension:
                raise UnitError(f"{key} is a {dimension}, not {read.value}")
            if read.value.value < 0:
                raise UnitError(f"{key} is not negative")
            return read.value
        except UnitError as error:
            self.say("bad-quantity", str(error), keys.get(key).place)  # type: ignore[union-attr]
            return None

    def day(self, keys: Mapped, key: str) -> date | None:
        text = self.text(keys, key)
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            place = keys.get(key).place  # type: ignore[union-attr]
            self.say("bad-date", f"{key} is a day, written YYYY-MM-DD, not {text!r}", place)
            return None

    def mapped(self, keys: Mapped, key: str) -> Mapped:
        value = keys.get(key)
        if isinstance(value, Mapped):
            return value
        if value is not None and not (isinstance(value, Scalar) and not value.text):
            self.say("not-a-mapping", f"{key} holds keys and values", value.place)
        return Mapped((), keys.place)

    def listing(self, keys: Mapped, key: str) -> list[str]:
        value = keys.get(key)
        if value is None:
            return []
        items = value.items if isinstance(value, Listing) else (value,)
        if not all(isinstance(item, Scalar) for item in items):
            self.say("not-a-list", f"{key} is a list of texts", value.place)
        return [item.text for item in items if isinstance(item, Scalar) and item.text]

    def known(self, keys: Mapped, names: tuple[str, ...], what: str) -> None:
        """Refuse keys that are unknown, or written twice."""
        seen: set[str] = set()
        for name, _ in keys.entries:
            if name.text not in names:
                remedy = _nearest(name.text, names) or f"Known are {', '.join(names)}."
                self.say("unknown-key", f"{name.text!r} is no {what}", name.place, remedy)
            if name.text in seen:
                self.say("duplicate-key", f"{name.text} is written twice", name.place, "Keep one of them.")
            seen.add(name.text)


def _nearest(word: str, words: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, words, n=1)
    return f"Did you mean {near[0]}?" if near else ""


def _plain(tree: Tree | None) -> Any:
    """Return a tree as plain keys, lists and texts; None for none."""
    if tree is None:
        return None
    if isinstance(tree, Scalar):
        return tree.text
    if isinstance(tree, Listing):
        return [_plain(item) for item in tree.items]
    return {name.text: _plain(value) for name, value in tree.entries}
