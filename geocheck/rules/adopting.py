"""An office's own text of an ordinance beside the clauses that model it: sliced by label, pinned, its words accounted for.

The words are the office's own: they are read from its file and written to its record, and stand nowhere in geocheck.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from geocheck.model.ordinance import Clause, Ordinance, same_label
from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.rules.labels import own_label
from geocheck.rules.read import load_ordinance
from geocheck.rules.slicing import Slice, Steps, count_words, passed_over, slices_of, word_starts

__all__ = ["Adoption", "adopt", "pin_of", "plain_words", "problems_of", "read_text", "steps_of", "words_of"]

#: Characters of the largest text that is read: some thirty times the longest chapter seen.
LARGEST = 2_000_000


@dataclass(frozen=True)
class Adoption:
    r"""A text, cut into slices, and how its labels and an ordinance's clauses meet.

    Parameters
    ----------
    ordinance, cite, fingerprint : str
        Identifier, citation and SHA-256 of the ordinance file that it was adopted for.
    text : str
        The text, lines ended by ``\\n``.
    slices : tuple of Slice
        In order; together they are the whole text.
    labels : mapping of tuple to str
        Full labels of the ordinance's clauses, by `steps_of`.
    text_file : str
        Name of the file that it was read from.
    """

    ordinance: str
    cite: str
    fingerprint: str
    text: str
    slices: tuple[Slice, ...]
    labels: Mapping[Steps, str]
    text_file: str = ""
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    @property
    def sha256(self) -> str:
        """The pin: SHA-256 of the text as UTF-8."""
        return pin_of(self.text)

    @cached_property
    def words(self) -> int:
        """How many words the text has: what blanks of any kind part, labels among them."""
        return len(word_starts(self.text))

    @cached_property
    def unmodelled(self) -> tuple[str, ...]:
        """Labels of the text that are neither modelled nor declared ``not_modelled``, as the text writes them."""
        return tuple(s.label for s in self.slices if s.kind == "clause" and s.steps not in self.labels)

    @cached_property
    def without_text(self) -> tuple[str, ...]:
        """Labels of clauses that the text does not have."""
        here = {s.steps[:n] for s in self.slices for n in range(1, len(s.steps) + 1)}
        return tuple(label for steps, label in self.labels.items() if steps not in here)

    @cached_property
    def passed_over(self) -> tuple[tuple[str, str], ...]:
        """Labels that begin a paragraph and were read as words, out of count or a second time; and in what they stand."""
        found = passed_over(self.text, self.slices, self.labels)
        return tuple(dict.fromkeys((mark, self.label_of(piece)) for mark, piece in found))

    def label_of(self, piece: Slice) -> str:
        """Return a slice's label as the ordinance writes it, else as the text does; heading or history for the rest."""
        return self.labels.get(piece.steps, piece.label) if piece.kind == "clause" else piece.kind

    def words_in(self, piece: Slice) -> int:
        """Return how many words start in a slice, its label among them."""
        if not self._starts:
            self._starts.extend(word_starts(self.text))
        return count_words(self._starts, piece.start, piece.end)


def pin_of(text: str) -> str:
    """Return the SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def plain_words(adoption: Adoption, piece: Slice) -> str:
    """Return the words of a slice without its label, on one line: what its pin is taken of."""
    return " ".join(adoption.text[piece.words_from : piece.end].split())


def steps_of(ordinance: Ordinance) -> dict[Steps, str]:
    """Return the full labels of all clauses by what each label counts: brackets, stops and blanks left out.

    ``(3)(b)2.`` and ``3.b.(2)`` are one clause: ``("3", "b", "2")``. A clause without a counted label, such as a section's
    name, keeps its name.
    """
    found: dict[Steps, str] = {}

    def walk(clauses: tuple[Clause, ...], above: Steps) -> None:
        for clause in clauses:
            label = own_label(clause.at)
            steps = (*above, label.core if label is not None else clause.at.strip())
            found.setdefault(steps, clause.label)
            walk(clause.clauses, steps)

    walk(ordinance.clauses, ())
    return found


def read_text(path: str | Path) -> str:
    """Read an office's text file: UTF-8, or UTF-16 that says so.

    Raises
    ------
    RuleFileError
        If it cannot be read, is too large, empty, no text, or in an encoding that nobody can tell.
    """
    file = Path(path)

    def refuse(message: str, remedy: str) -> RuleFileError:
        return RuleFileError.of(Problem("text-file", message, Place(str(path)), remedy))  # type: ignore[return-value]

    try:
        data = file.read_bytes() if file.stat().st_size <= 2 * LARGEST else None
    except OSError as error:
        raise refuse(f"the text cannot be read: {error.strerror}", "Give the path of a text file.") from None
    if data is None:
        raise refuse("the text is longer than any ordinance", "Give the text of one chapter or section alone.")
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise refuse(
            f"line {line} is not UTF-8", "Save it as plain text in UTF-8; a PDF or Word file is no text."
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text or not text.strip():
        raise refuse("the file holds no text", "Save the ordinance as plain text in UTF-8.")
    return text


def adopt(ordinance: Ordinance | str | Path, text: str, *, text_file: str = "") -> Adoption:
    """Slice an office's own text by its labels and set it beside the clauses of an ordinance.

    Parameters
    ----------
    ordinance : Ordinance, str or Path
        The ordinance, its identifier or the path of its file.
    text : str
        The adopted words, of this chapter or section alone.
    text_file : str
        Name of the file that they come from, for the record.

    Raises
    ------
    RuleFileError
        If there is no such ordinance.

    Examples
    --------
    >>> adopted = adopt("us/wi/river-hills/6.04", "(1) PONDS. [a] Ponds bind. (2) LAKES. Lakes do not.")
    >>> words_of(adopted, "(2)"), adopted.words
    ('LAKES. Lakes do not.', 10)
    """
    loaded = ordinance if isinstance(ordinance, Ordinance) else load_ordinance(ordinance)
    known = steps_of(loaded)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return Adoption(loaded.id, loaded.cite, loaded.fingerprint, plain, slices_of(plain, known), known, text_file)


def words_of(adoption: Adoption, label: str, *, below: bool = False) -> str:
    """Return the words of a clause, without its label, on one line.

    Parameters
    ----------
    adoption : Adoption
        The adopted text.
    label : str
        As the ordinance or the text writes it; ``heading`` and ``history`` for the rest.
    below : bool
        Whether to add the clauses below it, with their labels.

    Returns
    -------
    str
        Empty where the text has the label and no words of its own.

    Raises
    ------
    KeyError
        If the text has no such clause.
    """
    wanted = same_label(label)
    own = [s for s in adoption.slices if wanted in (same_label(adoption.label_of(s)), same_label(s.label or s.kind))]
    if not own:
        raise KeyError(label)
    parts = [plain_words(adoption, s) for s in own]
    if below and own[0].kind == "clause":
        depth = len(own[0].steps)
        inner = [s for s in adoption.slices if s.steps[:depth] == own[0].steps and len(s.steps) > depth]
        parts += [f"{adoption.text[s.start : s.words_from]} {plain_words(adoption, s)}" for s in inner]
    return " ".join(part for part in parts if part)


def problems_of(adoption: Adoption) -> Iterator[Problem]:
    """Yield where text and clauses do not meet: labels unmodelled, clauses without text, labels read as words."""
    place = Place(adoption.text_file)
    for label in adoption.unmodelled:
        remedy = "Add the clause, with not_modelled: and the reason where it is not modelled."
        yield Problem(
            "unmodelled-label", f"the text has {label}, and {adoption.cite} has no such clause", place, remedy
        )
    for label in adoption.without_text:
        remedy = "Look whether the text is of this version and complete."
        yield Problem("clause-without-text", f"{adoption.cite} has {label}, and the text does not", place, remedy)
    for label, where in adoption.passed_over:
        message = f"a paragraph in {where} begins with {label}, which stands there a second time or out of count"
        yield Problem("label-out-of-count", message, place, "Give the text of one chapter alone, in its order.")
