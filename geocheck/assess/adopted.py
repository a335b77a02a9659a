"""The office's own text of an ordinance, where a record of it lies beside the project: words for reports, never for judging."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from geocheck.model.ordinance import Ordinance
from geocheck.rules.adopting import Adoption, words_of
from geocheck.rules.adoption_record import load_adoption

__all__ = ["adopted_words"]


def adopted_words(ordinances: Iterable[Ordinance], folders: Iterable[Path | None]) -> Mapping[str, Mapping[str, str]]:
    """Return the adopted words by ordinance and clause, from the records that `geocheck rules adopt` wrote.

    Parameters
    ----------
    ordinances : iterable of Ordinance
        Those that were judged by.
    folders : iterable of Path or None
        Where records may lie: ``*.adopted.json`` of these folders themselves, the first of an ordinance counts.

    Raises
    ------
    RuleFileError
        If a record is not whole, or its words are not those that were adopted.
    """
    wanted = {ordinance.id: ordinance for ordinance in ordinances}
    found: dict[str, dict[str, str]] = {}
    for folder in dict.fromkeys(folder for folder in folders if folder is not None and folder.is_dir()):
        for path in sorted(folder.glob("*.adopted.json")):
            adoption = load_adoption(path)
            if adoption.ordinance in wanted and adoption.ordinance not in found:
                labels = (clause.label for clause in wanted[adoption.ordinance].every_clause)
                missing = set(adoption.without_text)
                found[adoption.ordinance] = {
                    label: words for label in labels if label not in missing and (words := _words(adoption, label))
                }
    return found


def _words(adoption: Adoption, label: str) -> str:
    try:
        return words_of(adoption, label)
    except KeyError:  # the text has no such clause: `geocheck rules adopt` has said so
        return ""
