"""What can be wrong with a file or a request: problems with a place, and the errors that carry them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

__all__ = [
    "EngineError",
    "GeocheckError",
    "GroundError",
    "LedgerError",
    "OutputError",
    "OutputNameError",
    "Place",
    "Problem",
    "ProjectError",
    "RuleFileError",
    "SourceError",
    "SourceIncompleteError",
    "UnitError",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem is: in a text (line, column) or in a data file (layer, record).

    Parameters
    ----------
    file : str
        The file as the user named it.
    line, column : int or None
        Position in a text file, both from 1.
    length : int
        How many characters the problem spans, for underlining.
    text : str
        The source line, for showing it with the span underlined.
    layer : str
        Layer of a data file.
    record : int or None
        Record of a data file, from 1.
    """

    file: str = ""
    line: int | None = None
    column: int | None = None
    length: int = 1
    text: str = ""
    layer: str = ""
    record: int | None = None

    def __str__(self) -> str:
        where = self.file
        if self.layer:
            where += f", layer {self.layer}" if where else f"layer {self.layer}"
        if self.record is not None:
            where += f", record {self.record}" if where else f"record {self.record}"
        if self.line is not None:
            where += f":{self.line}"
            if self.column is not None:
                where += f":{self.column}"
        return where


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: a code, what is wrong, where, and what to do about it.

    Parameters
    ----------
    code : str
        Stable, hyphenated name of the kind, such as ``unknown-name``; also the id of its test.
    message : str
        What is wrong and why, in the reader's words.
    place : Place
        Where it is.
    remedy : str
        What to do; empty where the message says it.
    severity : str
        ``error`` (refused) or ``warning`` (said aloud, the work goes on).
    """

    code: str
    message: str
    place: Place = Place()
    remedy: str = ""
    severity: str = "error"

    def show(self) -> str:
        """Return the problem as a user reads it: place, message, the source underlined, what to do."""
        where = str(self.place)
        lines = [
            f"{where}: {self.severity}: {self.message} [{self.code}]" if where else f"{self.message} [{self.code}]"
        ]
        if self.place.text and self.place.column is not None:
            lines.append(f"    {self.place.text}")
            lines.append("    " + " " * (self.place.column - 1) + "^" * max(1, self.place.length))
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Return the problem as plain values, for JSON."""
        return asdict(self)


class GeocheckError(Exception):
    """Root of all errors that geocheck raises on purpose; ``exit_code`` is what the command ends with."""

    exit_code = 3

    def __init__(self, message: str, problems: Iterable[Problem] = ()) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(message)

    @classmethod
    def of(cls, *problems: Problem) -> GeocheckError:
        """Make the error that shows these problems, all at once."""
        return cls("\n".join(problem.show() for problem in problems), problems)


class SourceError(GeocheckError):
    """A data file that cannot be read or is not what it should be."""


class SourceIncompleteError(SourceError):
    """A source that gave less than it holds; never a smaller result."""

    exit_code = 5


class GroundError(GeocheckError):
    """Coordinates that cannot mean what they claim: reference system, units, extent."""


class RuleFileError(GeocheckError):
    """An ordinance file, or several, with problems; ``problems`` holds them all."""

    exit_code = 4


class ProjectError(GeocheckError):
    """A project file with problems; ``problems`` holds them all."""

    exit_code = 4


class EngineError(GeocheckError):
    """Measuring failed in a way that no single site's status can carry."""


class LedgerError(GeocheckError):
    """The ledger cannot be read or written, or the act to record does not fit it."""


class OutputError(GeocheckError):
    """Outputs that cannot be written; older ones are left whole."""


class OutputNameError(OutputError):
    """A name that is no output's: asked for wrongly, nothing written."""

    exit_code = 2


class UnitError(GeocheckError, ValueError):
    """Units that do not go together, or a number without one."""

    exit_code = 4
