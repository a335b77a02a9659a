"""Adopted texts as offices have them: files of any encoding, whole chapters with every word accounted for, two in one file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from geocheck.model.problem import OutputError, RuleFileError
from geocheck.rules.adopting import adopt, problems_of, read_text, steps_of, words_of
from geocheck.rules.adoption_record import load_adoption, save_adoption
from geocheck.rules.comparing import compare
from geocheck.rules.read import load_ordinance
from geocheck.rules.side_by_side import rows_of
from geocheck.rules.slicing import slices_of

TEXTS = os.environ.get("GEOCHECK_ADOPTED_TEXTS")
ADOPTED = [("us/wi/washington-county-village/87-5", "87-5.txt", 831), ("us/wi/river-hills/6.04", "6.04.txt", 329)]
needs_texts = pytest.mark.skipif(
    not TEXTS, reason="GEOCHECK_ADOPTED_TEXTS is not set: it names the folder of adopted texts"
)


@pytest.mark.parametrize(
    "data, said",
    [
        (b"%PDF-1.7 \xe2\xe3\xcf\xd3", "not UTF-8"),
        (b"(1) caf\xe9", "line 1 is not UTF-8"),
        (b"a\0b", "no text"),
        (b" \n", "no text"),
        (b"x" * 5_000_000, "longer than any"),
        (None, "cannot be read"),
    ],
    ids=["a PDF", "another encoding", "a NUL", "blank", "large", "not there"],
)
def test_a_file_that_is_no_text_is_refused(data, said, tmp_path):
    file = tmp_path / "text.txt"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(RuleFileError, match=said):
        read_text(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_is_read_in_the_encodings_of_windows_programs(encoding, tmp_path):
    file = tmp_path / "text.txt"
    file.write_bytes("(1) § 9 ponds.\r\n".encode(encoding))
    assert read_text(file) == "(1) § 9 ponds.\n"


@needs_texts
@pytest.mark.parametrize("identifier, name, count", ADOPTED, ids=[name for _, name, _ in ADOPTED])
def test_every_label_of_an_adopted_text_is_found_and_every_word_accounted_for(identifier, name, count, tmp_path):
    text = read_text(Path(TEXTS) / name)
    ordinance = load_ordinance(identifier)
    adopted = adopt(ordinance, text)
    assert list(problems_of(adopted)) == []
    assert {s.steps for s in adopted.slices if s.kind == "clause"} == steps_of(ordinance).keys()
    assert adopted.words == sum(map(adopted.words_in, adopted.slices)) == count
    # Another way to the same number: words shown, and the labels before them.
    shown = sum(len(row["text"].split()) for row in rows_of(adopted, ordinance))
    assert shown + sum(s.kind == "clause" for s in adopted.slices) == count
    assert all(words_of(adopted, clause.label) for clause in ordinance.every_clause if not clause.clauses)
    # Without knowing the clauses, the labels alone tell as much.
    assert slices_of(adopted.text) == adopted.slices
    save_adoption(adopted, tmp_path / "record.json")
    assert load_adoption(tmp_path / "record.json") == adopted


@needs_texts
def test_a_changed_number_in_an_adopted_text_touches_its_clause_alone():
    identifier, name, _ = ADOPTED[0]
    text = read_text(Path(TEXTS) / name)
    changed = adopt(identifier, text.replace("20,000", "15,000"))
    assert compare(adopt(identifier, text), changed).touched == ("(2)(c)",)


def test_two_texts_in_one_file_are_not_read_as_one_in_silence(write):
    ordinance = load_ordinance(write("""
        clauses:
        - {at: NR 216, says: x, clauses: [{at: (1), says: x, when: grows_crops, imposes: [permit]}]}
        - {at: NR 217, says: x, clauses: [{at: (1), says: x, when: grows_crops, imposes: [fee]}]}
    """))  # fmt: skip
    text = "NR 216\n\n(1) Ponds.\n\nNR 217\n\n(1) Lakes.\n\nNR 216\n\nOf ponds.\n\n(1) Ponds again.\n"
    adopted = adopt(ordinance, text)
    assert adopted.passed_over == (("NR 216", "NR 217(1)"), ("(1)", "NR 217(1)"))
    assert [p.message.split(",")[0] for p in problems_of(adopted)] == [
        "a paragraph in NR 217(1) begins with NR 216", "a paragraph in NR 217(1) begins with (1)",
    ]  # fmt: skip


def test_a_record_where_no_file_can_be_is_refused_in_words(tmp_path, village):
    (tmp_path / "taken").write_text("a file, no folder", encoding="utf-8")
    with pytest.raises(OutputError, match="cannot be written"):
        save_adoption(adopt(village, "(1) Words."), tmp_path / "taken" / "record.json")
