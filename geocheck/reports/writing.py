"""Outputs written aside and moved in together: a failed run leaves the older ones whole."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from geocheck.model.findings import Findings
from geocheck.model.problem import OutputError, OutputNameError
from geocheck.model.shelf import Shelf

__all__ = ["OUTPUTS", "check_writable", "default_names", "describe_outputs", "move_in", "output_names", "write"]

#: All kinds of output.
OUTPUTS = Shelf(
    "geocheck.reports", "OUTPUT", beside=("cells", "columns", "exported", "lines", "memo", "output", "page", "qgis_style", "tables", "writing")
)  # fmt: skip

Progress = Callable[[int, int, str], None]


def output_names() -> list[str]:
    """Return every name that `write` accepts, sorted."""
    return sorted(name for output in OUTPUTS for name in output.names)


def default_names() -> list[str]:
    """Return the names that a run writes when nothing is asked for, in reading order."""
    names = {name for output in OUTPUTS for name in output.default}
    order = {name: place for place, name in enumerate(_ORDER)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


_ORDER = (
    "facts.csv", "determinations.csv", "trace.csv", "parcels.csv", "questions.csv", "layers.csv", "repairs.csv",
    "geocheck.gpkg", "geocheck.qgz", "surroundings.gpkg", "report.html", "result.json", "run.json",
)  # fmt: skip


def describe_outputs() -> list[tuple[str, str]]:
    """Return for each kind of output its names and what it is, for ``--help``."""
    return [(", ".join(output.names), output.says) for output in OUTPUTS]


def check_writable(folder: Path | str, names: Sequence[str] | None = None, overwrite: bool = False) -> None:
    """Refuse, before any work, what could not be written afterwards.

    Parameters
    ----------
    folder : path
        Folder of the outputs; it need not exist yet.
    names : sequence of str, optional
        Outputs asked for; all that a run writes when not given.
    overwrite : bool
        Whether files of these names may be replaced.

    Raises
    ------
    OutputNameError
        If a name is no output's.
    OutputError
        If files exist and may not be replaced, one is open in another program, or the folder cannot be written.
    """
    folder = Path(folder)
    wanted = _wanted(names)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"cannot write into {folder}: it is a file, not a folder; name another folder with -o")
    targets = [folder / file for output, name in wanted for file in output.files(name)]
    for target in targets:
        if target.is_dir():
            raise OutputError(
                f"cannot write {target}: a folder has that name; rename it, or name another folder with -o"
            )
    present = [target.name for target in targets if target.exists()]
    if present and not overwrite:
        raise OutputError(
            f"{folder} already holds {_listed(present)}; pass --overwrite to replace them, or name another folder with -o"
        )
    for output, name in wanted:
        for mark in output.open_marks:
            if (folder / (name + mark)).exists():
                raise OutputError(
                    f"cannot replace {folder / name}: {name + mark} beside it shows that another program, such as QGIS, has it "
                    f"open; close it there (if none has it open, delete {name + mark}) and run again"
                )
    _try_folder(folder)


def write(
    findings: Findings,
    folder: Path | str,
    names: Sequence[str] | None = None,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the findings of a run.

    All files are written aside first and moved in together; if anything fails, the older files are left as they were.

    Parameters
    ----------
    findings : Findings
        What the run found.
    folder : path
        Where to; made if it does not exist.
    names : sequence of str, optional
        Outputs, such as ``facts.csv`` or ``parcels.geojson`` (see `output_names`); all that a run writes when not given.
    overwrite : bool
        Whether files of these names may be replaced. No other file is ever touched.
    progress : callable, optional
        Called with how many outputs are done, how many there are, and the name of the next.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    OutputError
        As `check_writable`, or if writing fails.
    """
    from geocheck.reports.tables import Tables

    folder = Path(folder)
    check_writable(folder, names, overwrite)
    wanted = _wanted(names)
    tables = Tables(findings)
    with ExitStack() as stack:
        made = _make(folder, stack)
        aside = Path(tempfile.mkdtemp(prefix=".geocheck-", dir=folder))
        stack.callback(shutil.rmtree, aside, ignore_errors=True)
        fresh, older = aside / "new", aside / "old"
        fresh.mkdir()
        older.mkdir()
        for done, (output, name) in enumerate(wanted):
            if progress is not None:
                progress(done, len(wanted), name)
            try:
                output.write(tables, name, fresh)
            except OSError as error:
                raise OutputError(
                    f"cannot write {folder / name}: {error}; the older outputs are as they were"
                ) from error
        if progress is not None:
            progress(len(wanted), len(wanted), "")
        files = [file for output, name in wanted for file in output.files(name)]
        move_in(folder, fresh, older, files)
        made.pop_all()
    return [folder / file for file in files if (folder / file).exists()]


def _wanted(names: Sequence[str] | None) -> list[tuple[Any, str]]:
    by_name = {name: output for output in OUTPUTS for name in output.names}
    asked = list(dict.fromkeys(default_names() if names is None else names))
    wrong = [name for name in asked if name not in by_name]
    if wrong:
        near = difflib.get_close_matches(wrong[0].lower(), by_name, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise OutputNameError(
            f"no output is called {_listed(wrong)}{hint} The outputs are {', '.join(sorted(by_name))}."
        )
    return [(by_name[name], name) for name in asked]


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _try_folder(folder: Path) -> None:
    """Write something where the outputs would go, or would be made: permissions alone do not tell on every system."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryDirectory(prefix=".geocheck-", dir=nearest):
            pass
    except OSError as error:
        raise OutputError(
            f"cannot write into {folder}: {error.strerror or error}; name a folder that you may write to with -o"
        ) from error


def _make(folder: Path, stack: ExitStack) -> ExitStack:
    """Make the folder and its parents; those made are taken away again unless the outputs came in."""
    made = stack.enter_context(ExitStack())
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        try:
            place.mkdir()
        except OSError as error:
            raise OutputError(
                f"cannot make the folder {place}: {error.strerror or error}; name another with -o"
            ) from error
        made.callback(_remove_empty, place)
    return made


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def move_in(folder: Path, fresh: Path, older: Path, files: Sequence[str]) -> None:
    """Move the older files out and the new ones in; undo all of it if one move fails.

    Raises
    ------
    OutputError
        If one of them is held by another program.
    """
    undo: list[tuple[Path, Path]] = []
    try:
        for file in files:
            if (folder / file).exists():
                (folder / file).replace(older / file)
                undo.append((older / file, folder / file))
        for file in files:
            if (fresh / file).exists():
                (fresh / file).replace(folder / file)
                undo.append((folder / file, fresh / file))
    except OSError as error:
        for now, before in reversed(undo):
            now.replace(before)
        raise OutputError(
            f"cannot replace files in {folder}: {error}; close them in other programs and run again. The older outputs are "
            "as they were"
        ) from error
