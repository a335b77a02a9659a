"""An office's own text, sliced by the labels that it numbers its clauses with; every character belongs to one slice.

Labels may stand on a line of their own, before their words, or within a sentence; (1) (a) [b] 1. (i) A. and (8m) are known.
A reference to another clause ("under subsection (3)") is told from a label by its place and by the count.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from geocheck.rules.labels import SYSTEMS, follows, ordinal_in, own_label

__all__ = ["Slice", "Steps", "passed_over", "slices_of", "word_starts"]

#: A clause's place in the tree: what each of its labels counts, from the top.
Steps = tuple[str, ...]

_MARK = r"[(\[](?:\d{1,3}[a-z]{0,2}|[a-z]{1,5}|[A-Z]{1,5})[)\]]\.?|(?:\d{1,3}[a-z]?|[a-z]{1,4}|[A-Z]{1,4})[.)]"
_AT_LINE = re.compile(rf"^[^\S\n]*(?P<mark>{_MARK})(?=\s|[(\[]|$)", re.MULTILINE)
_CHAINED = re.compile(rf"[^\S\n]?(?P<mark>{_MARK})(?=\s|[(\[]|$)")
_INLINE = re.compile(
    r"(?:(?<=[:;,.—–])|(?<=[:;,.—–] and)|(?<=[:;,.—–] or))[^\S\n]+"
    r"(?P<mark>[(\[](?:\d{1,3}|[a-z]{1,5}|[A-Z]{1,3})[)\]])(?=\s)"
)
_HISTORY = re.compile(
    r"^[^\S\n]*[(\[](?:Ord|Ordinance|Code|Prior [Cc]ode|Am|Amended|Added|Adopted|Cr|Created|History|Res)\b[^\n]*[)\]][^\S\n]*$",
    re.MULTILINE,
)
_SECTION = r"^[^\S\n]*(?:§+|SECTION|Section|Sec\.)?[^\S\n]*(?P<mark>{})(?=\W|$)"
#: How many half-read texts are kept while the labels are followed.
_BEAM = 200


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of the text.

    Parameters
    ----------
    kind : str
        ``heading`` before the first label, ``clause``, or ``history`` for a note on the acts that made it.
    label : str
        The full label as the text writes it, such as ``(3)(b)2.``; empty for the others.
    steps : tuple of str
        What each label counts: ``("3", "b", "2")``; brackets and stops do not tell clauses apart.
    start, end : int
        Offsets into the text, as Python counts characters; the label is part of it.
    words_from : int
        Offset after the label.
    """

    kind: str
    label: str
    steps: Steps
    start: int
    end: int
    words_from: int


@dataclass(frozen=True, slots=True)
class _Mark:
    text: str
    start: int
    end: int
    #: How surely this is a label by its place: 2 at a line after a break, 1 at a line within a sentence, 0 inside a line.
    sure: int
    named: bool = False
    after_colon: bool = False


@dataclass(frozen=True, slots=True)
class _Level:
    text: str
    core: str
    shape: tuple[str, str]
    system: str
    place: float
    sure: int = 2


_Found = tuple[tuple[_Mark, tuple[_Level, ...]], ...]


def slices_of(text: str, known: Mapping[Steps, str] | None = None) -> tuple[Slice, ...]:
    r"""Return the slices of a text, in order, without gap or overlap.

    Parameters
    ----------
    text : str
        The text.
    known : mapping of tuple to str
        Clauses that are expected, by their steps; where a label could be read in two ways, the expected one counts.

    Examples
    --------
    >>> [(s.label, s.steps) for s in slices_of("§ 9. Ponds. (1) Ponds as in (2). \\n(2) Lakes.")]
    [('', ()), ('(1)', ('1',)), ('(2)', ('2',))]
    """
    known = known or {}
    found = _followed(list(_marks(text, known)), known)
    slices = [Slice("heading", "", (), 0, len(text), 0)]
    for mark, levels in found:
        slices[-1] = replace(slices[-1], end=mark.start)
        label = "".join(level.text for level in levels)
        slices.append(Slice("clause", label, tuple(level.core for level in levels), mark.start, len(text), mark.end))
    return tuple(part for piece in slices for part in _without_history(piece, text) if part.end > part.start)


def _without_history(piece: Slice, text: str) -> Iterator[Slice]:
    match = _HISTORY.search(text, piece.words_from, piece.end)
    if match is None or (piece.kind == "clause" and not text[piece.words_from : match.start()].strip()):
        yield piece
        return
    yield replace(piece, end=match.start())
    yield Slice("history", "", (), match.start(), match.end(), match.start())
    if text[match.end() : piece.end].strip():
        yield from _without_history(Slice("heading", "", (), match.end(), piece.end, match.end()), text)
    else:
        yield Slice("history", "", (), match.end(), piece.end, match.end())


def passed_over(text: str, slices: Sequence[Slice], known: Mapping[Steps, str]) -> Iterator[tuple[str, Slice]]:
    r"""Yield the labels that begin a paragraph and were read as words, each with the slice in which it stands.

    A label out of count, or one that stands a second time, is no clause of its own: nobody can tell which is meant.

    Examples
    --------
    >>> text = "(1) Ponds.\n\n(2) Lakes.\n\n(1) Rivers."
    >>> [(mark, piece.label) for mark, piece in passed_over(text, slices_of(text), {})]
    [('(1)', '(2)')]
    """
    starts = [piece.start for piece in slices]
    for mark in _marks(text, known):
        piece = slices[bisect.bisect_right(starts, mark.start) - 1]
        # Within a sentence, "under (1) or (3)" broken by the width of a page begins a line with a reference.
        ended = text[: mark.start].rstrip()[-1:] in ("", ".", ";", ":")
        if mark.sure == 2 and ended and mark.start >= piece.words_from:
            yield mark.text, piece


def word_starts(text: str) -> list[int]:
    """Return where each word starts; words are what blanks of any kind part."""
    return [match.start() for match in re.finditer(r"\S+", text)]


def count_words(starts: Sequence[int], start: int, end: int) -> int:
    """Return how many words start between two offsets."""
    return bisect.bisect_left(starts, end) - bisect.bisect_left(starts, start)


def _marks(text: str, known: Mapping[Steps, str]) -> Iterator[_Mark]:
    found: dict[int, _Mark] = {}
    for match in _AT_LINE.finditer(text):
        before = text[: match.start()].rstrip(" \t\xa0")
        broken = before.endswith("\n\n") or before[:-1].rstrip()[-1:] in ("", ".", ";", ":", ",", "—", "–", ")", "]")
        joined = re.search(r"\b(?:and|or)\s*$", before) is not None
        sure = 2 if broken or joined else 1
        mark = _Mark(match["mark"], match.start("mark"), match.end("mark"), sure)
        found[mark.start] = mark
        while (chained := _CHAINED.match(text, mark.end)) is not None:
            mark = _Mark(chained["mark"], chained.start("mark"), chained.end("mark"), sure)
            found[mark.start] = mark
    for match in _INLINE.finditer(text):
        start = match.start("mark")
        colon = text[:start].rstrip().endswith((":", "—"))
        found.setdefault(start, _Mark(match["mark"], start, match.end("mark"), 0, after_colon=colon))
    for name in dict.fromkeys(steps[0] for steps in known if own_label(steps[0]) is None):
        for match in re.finditer(_SECTION.format(re.escape(name)), text, re.MULTILINE | re.IGNORECASE):
            start = match.end() - len(match.group().lstrip())
            found[start] = _Mark(name, start, match.end("mark"), 2, named=True)
    yield from sorted(found.values(), key=lambda mark: mark.start)


def _followed(marks: Sequence[_Mark], known: Mapping[Steps, str]) -> _Found:
    """Return the marks that are labels, with the labels above them: the reading that costs least.

    Each mark either continues a count, begins a new one below, or is no label. Out of count, or unknown where the clauses
    are known, costs; a known clause found is worth something.
    """
    readings: list[tuple[float, tuple[_Level, ...], _Found]] = [(0.0, (), ())]
    for mark in marks:
        longer: dict[tuple[_Level, ...], tuple[float, tuple[_Level, ...], _Found]] = {}
        for cost, stack, found in readings:
            ways = [(cost + _passed_over(mark, stack), stack, found)]
            for step, above in _placed(mark, stack):
                priced = cost + step + _worth(mark, above, known, found)
                ways.append((priced, above, (*found, (mark, above))))
            for way in ways:
                if way[1] not in longer or way[0] < longer[way[1]][0]:
                    longer[way[1]] = way
        readings = sorted(longer.values(), key=lambda way: way[0])[:_BEAM]
    return readings[0][2]


def _passed_over(mark: _Mark, stack: tuple[_Level, ...]) -> float:
    """Return what it costs to take a mark for no label: more where it goes on with a count in the count's own manner."""
    label = None if mark.named else own_label(mark.text)
    for level in stack:
        place = ordinal_in(level.system, label.core) if label is not None and level.system != "name" else None
        if place is not None and label is not None and label.shape == level.shape and follows(level.place, place):
            return (1.0 if level.sure == 0 else 0.2, 0.9, 1.5)[mark.sure]
    return (0.0, 0.2, 1.5)[mark.sure]


def _worth(mark: _Mark, stack: tuple[_Level, ...], known: Mapping[Steps, str], found: _Found) -> float:
    steps = tuple(level.core for level in stack)
    if any(tuple(level.core for level in levels) == steps for _, levels in found):
        return 5.0
    last = found[-1][1][: len(stack)] if found else ()
    goes_on = len(last) == len(stack) and last[:-1] == stack[:-1] and follows(last[-1].place, stack[-1].place)
    price = (0.7, 0.5, 0.0)[mark.sure]
    lists = mark.sure == 0 and (mark.after_colon if stack[-1].place == 1 else goes_on and last[-1].sure == 0)
    if lists:
        # "…: (a) ponds; (b) lakes; and (c) ditches": a colon opens a list, and the more of it there is, the surer.
        price = 0.1 if stack[-1].place == 1 else -0.9
    if not known:
        return price
    if steps in known:
        return price - 2
    # A label that no clause has is worth finding: where it goes on with a count, it is one.
    return price + (0.2 if goes_on or lists else 0.5 if mark.sure == 2 else 3)


def _placed(mark: _Mark, stack: tuple[_Level, ...]) -> Iterator[tuple[float, tuple[_Level, ...]]]:
    label = None if mark.named else own_label(mark.text)
    if label is None:
        yield -3.0, (_Level(mark.text, mark.text, ("", ""), "name", 0),)
        return
    for depth, level in enumerate(stack):
        place = ordinal_in(level.system, label.core) if level.system != "name" else None
        if place is None or label.shape != level.shape or place <= level.place:
            continue
        step = 0.0 if follows(level.place, place) else 1.0 + 0.2 * (place - level.place)
        yield step, (*stack[:depth], replace(level, text=mark.text, core=label.core, place=place, sure=mark.sure))
    used = {(level.shape, level.system) for level in stack}
    for system in SYSTEMS:
        place = ordinal_in(system, label.core)
        if place is None:
            continue
        first = place == 1
        # A text may begin at its third subsection; below that, a count begins at one.
        step = (0.3 if stack else 0.0) if first else (1.0 if not stack else 2.0 + 0.2 * place)
        step += 1.5 if (label.shape, system) in used else 0.0
        yield step, (*stack, _Level(mark.text, label.core, label.shape, system, place, mark.sure))
