"""An adopted text and the clauses that model it, side by side, as lines of text or as plain rows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from geocheck.model.ordinance import Clause, Ordinance, same_label
from geocheck.rules.adopting import Adoption, plain_words

__all__ = ["rows_of", "side_by_side"]

_COLUMN = 56


def rows_of(adoption: Adoption, ordinance: Ordinance) -> list[dict[str, Any]]:
    """Return a row for each clause of the text and each clause without text, in the order of the text, then the rest.

    Returns
    -------
    list of dict
        ``label``, ``text`` (None where the text lacks it), ``words`` (how many start there), ``says`` and ``reads`` (None
        where it is not modelled at all).
    """
    rows: list[dict[str, Any]] = []
    clauses = {same_label(clause.label): clause for clause in ordinance.every_clause}
    for piece in adoption.slices:
        label = adoption.label_of(piece)
        clause = clauses.get(same_label(label)) if piece.steps in adoption.labels else None
        row = {"label": label, "text": plain_words(adoption, piece), "words": adoption.words_in(piece)}
        rows.append({**row, "says": clause.says if clause else None, "reads": _reads(clause) if clause else None})
    for label in adoption.without_text:
        clause = ordinance.clause(label)
        rows.append({"label": label, "text": None, "words": 0, "says": clause.says, "reads": _reads(clause)})
    return rows


def _reads(clause: Clause) -> str:
    """Return what the file makes of a clause: its condition, or why there is none."""
    parts = []
    for _, choice, form in clause.under or (("", "", clause),):
        said = [f"{key} {c.text}" for key, c in (("when", form.when), ("unless", form.unless)) if c is not None]
        said += [
            f"{key} {', '.join(getattr(form, key))}"
            for key in ("imposes", "lifts", "limits", "reaches", "waives")
            if getattr(form, key)
        ]
        parts.append(f"{choice}: {'; '.join(said) or 'as written'}" if choice else "; ".join(said))
    parts += [f"not modelled: {clause.not_modelled}"] if clause.not_modelled else []
    parts += [f"carried by {', '.join(clause.carried_by)}"] if clause.carried_by else []
    return "; ".join(part for part in parts if part)


def side_by_side(adoption: Adoption, ordinance: Ordinance) -> Iterator[str]:
    """Yield the lines of two columns: the adopted words at the left, what the file says and how it reads them at the right."""
    for row in rows_of(adoption, ordinance):
        left = [row["label"], *textwrap.wrap(row["text"] if row["text"] is not None else "(not in the text)", _COLUMN)]
        right = [""]
        if row["says"] is not None:
            right += textwrap.wrap(row["says"], _COLUMN) + textwrap.wrap(row["reads"], _COLUMN)
        elif row["label"] not in ("heading", "history"):
            right.append("(neither modelled nor declared)")
        for one, other in zip_longest(left, right, fillvalue=""):
            yield f"{one:<{_COLUMN}}  {other}".rstrip()
        yield ""
