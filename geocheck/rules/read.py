"""Finds ordinance files, picks the version in force, reads it, and reports everything wrong with it at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path

from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.rules.structure import StructureReader
from geocheck.rules.units import nearest_name
from geocheck.rules.yamltree import LARGEST, decode, read_tree

__all__ = ["OWN", "Version", "list_ordinances", "list_versions", "load_ordinance", "read_ordinance", "versions_of"]

#: The ordinances that come with geocheck.
OWN = Path(__file__).resolve().parent.parent / "ordinances"
UNDATED = "undated"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an ordinance: a file named by the day it came into force, or ``undated``."""

    id: str
    file: Path

    @property
    def in_force(self) -> date | None:
        """The day in its name, or None."""
        try:
            return date.fromisoformat(self.file.stem)
        except ValueError:
            return None

    @property
    def is_dated(self) -> bool:
        """Whether the file is named as a version is, by its day or as undated; drafts and other files are not."""
        return self.file.stem == UNDATED or self.in_force is not None


def list_versions(folder: str | Path | None = None) -> list[Version]:
    """Return every version of every ordinance, by identifier and date, undated versions first.

    Parameters
    ----------
    folder : path or None
        An office's own ordinances, laid out as ``us/wi/place/chapter/2002-04-01.yaml``; of two files with one identifier
        and date, the office's counts before geocheck's own.
    """
    found: dict[tuple[str, str], Version] = {}
    for root in ([Path(folder)] if folder else []) + [OWN]:
        for file in sorted(root.rglob("*.yaml")):
            version = Version(file.parent.relative_to(root).as_posix(), file)
            if version.is_dated:
                found.setdefault((version.id, file.stem), version)
    return sorted(found.values(), key=lambda v: (v.id, v.in_force or date.min))


def list_ordinances(folder: str | Path | None = None) -> list[str]:
    """Return the identifiers of all ordinances.

    Examples
    --------
    >>> "us/wi/river-hills/6.04" in list_ordinances()
    True
    """
    return list(dict.fromkeys(version.id for version in list_versions(folder)))


def versions_of(name: str, folder: str | Path | None = None) -> list[Version]:
    """Return the versions of one ordinance, by date, undated ones first.

    Raises
    ------
    RuleFileError
        If there is no such ordinance; the message suggests the nearest identifier.
    """
    wanted = name.replace("\\", "/").strip("/")
    versions = [version for version in list_versions(folder) if version.id == wanted]
    if not versions:
        known = list_ordinances(folder)
        raise _none(f"there is no ordinance {name!r}", nearest_name(wanted, known) or f"Known: {', '.join(known)}.")
    return versions


def load_ordinance(ordinance: str | Path, as_of: date | None = None, *, folder: str | Path | None = None) -> Ordinance:
    """Read an ordinance: the version in force on a day, by identifier, or the file at a path.

    Parameters
    ----------
    ordinance : str or Path
        An identifier such as ``us/wi/washington-county-village/87-5``, or the path of a ``.yaml`` file.
    as_of : date or None
        The day; None takes the newest version.
    folder : path or None
        An office's own ordinances, looked in before geocheck's own.

    Returns
    -------
    Ordinance
        With the ordinances that it incorporates, where they are found.

    Raises
    ------
    RuleFileError
        If there is no such ordinance, none was in force, or the file has errors; all of them are shown at once.

    Examples
    --------
    >>> load_ordinance("us/wi/washington-county-village/87-5").cite
    '§ 87-5'
    """
    return _load(str(ordinance), as_of, str(folder) if folder else None, ())


def _load(name: str, as_of: date | None, folder: str | None, above: tuple[str, ...]) -> Ordinance:
    file, identifier = _find(name, as_of, folder)
    stamp = file.stat()
    found = _checked(str(file), identifier, stamp.st_mtime_ns, stamp.st_size)
    taken = [f.incorporates.ordinance for clause in found.every_clause for f in clause.forms() if f.incorporates]
    if not taken:
        return found
    folder = folder or _office_of(file, taken)
    inside = (*above, identifier)
    clauses = tuple(_with_incorporated(clause, as_of, folder, inside) for clause in found.clauses)
    parts = [f.incorporates.loaded for top in clauses for c in top.walk() for f in c.forms() if f.incorporates]
    marks = "".join(part.fingerprint if part else "-" for part in parts)
    fingerprint = hashlib.sha256((found.fingerprint + marks).encode()).hexdigest()
    return replace(found, clauses=clauses, fingerprint=fingerprint)


def _with_incorporated(clause: Clause, as_of: date | None, folder: str | None, above: tuple[str, ...]) -> Clause:
    part = clause.incorporates
    if part is not None and part.loaded is None and part.ordinance not in above:
        known = {version.id for version in list_versions(folder)}
        if part.ordinance in known:
            clause = replace(clause, incorporates=replace(part, loaded=_load(part.ordinance, as_of, folder, above)))
    return replace(
        clause,
        under=tuple((s, c, _with_incorporated(form, as_of, folder, above)) for s, c, form in clause.under),
        clauses=tuple(_with_incorporated(child, as_of, folder, above) for child in clause.clauses),
    )


def _find(name: str, as_of: date | None, folder: str | None) -> tuple[Path, str]:
    path = Path(name)
    if path.suffix.lower() in (".yaml", ".yml"):
        if not path.is_file():
            raise _none(f"there is no file {name}", "Give the path of a .yaml file, or an identifier.")
        return path, _identifier_of(path, folder)
    versions = versions_of(name, folder)
    wanted = versions[0].id
    in_force = [v for v in versions if as_of is None or v.in_force is None or v.in_force <= as_of]
    if not in_force:
        first = versions[0].file.stem
        raise _none(f"no version of {wanted} was in force on {as_of}", f"The oldest one known is of {first}.")
    return in_force[-1].file, wanted


def _identifier_of(path: Path, folder: str | None) -> str:
    for root in (p.resolve() for p in (Path(folder) if folder else OWN, OWN)):
        if path.resolve().is_relative_to(root):
            return path.resolve().parent.relative_to(root).as_posix()
    return path.as_posix()


def _office_of(file: Path, taken: Sequence[str]) -> str | None:
    """Return the nearest folder above a file in which an ordinance that it takes in is laid out, or None."""
    above = file.resolve().parents
    return next((str(root) for root in above if any((root / name).is_dir() for name in taken)), None)


def _none(message: str, remedy: str) -> RuleFileError:
    problem = Problem("no-ordinance", message, Place(), remedy)
    return RuleFileError(problem.show(), (problem,))


@lru_cache(maxsize=64)
def _checked(file: str, identifier: str, modified: int, size: int) -> Ordinance:
    """Read a file once as long as it stays the same: its time and size are part of the key."""
    found, problems = read_ordinance(file, identifier)
    errors = [problem for problem in problems if problem.severity == "error"]
    if found is None or errors:
        raise RuleFileError.of(*problems)
    return found


def read_ordinance(
    file: str | Path, identifier: str = "", *, thorough: bool = False
) -> tuple[Ordinance | None, tuple[Problem, ...]]:
    """Read a file as far as it goes, and return all that is wrong with it, in the file's order.

    Parameters
    ----------
    file : str or Path
        The file.
    identifier : str
        Its identifier; empty takes the path.
    thorough : bool
        Whether to look for warnings too, as lint does: a clause or threshold without a case, an exemption of no use.
    """
    from geocheck.rules.checks import check_ordinance

    path = Path(file)
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= LARGEST else b" " * (LARGEST + 1)
        text = decode(data, str(file))
        tree = read_tree(text, str(file))
    except OSError as error:
        return None, (Problem("unreadable", f"the file cannot be read: {error.strerror}", Place(str(file))),)
    except RuleFileError as error:
        return None, error.problems
    reader = StructureReader()
    digest = hashlib.sha256(text.encode()).hexdigest()
    found = reader.ordinance(tree, identifier or _identifier_of(path, None), str(file), digest)
    named = Version("", path).in_force
    if named is not None and found.in_force is not None and named != found.in_force:
        reader.say(
            "in-force", f"the file is named {named} and says {found.in_force}", found.place_of("in_force"),
            "Name the file by the day it came into force.",
        )  # fmt: skip
    problems = [*reader.problems, *check_ordinance(found, thorough=thorough, broken=bool(reader.problems))]
    return found, tuple(sorted(dict.fromkeys(problems), key=lambda p: (p.place.line or 0, p.place.column or 0, p.code)))
