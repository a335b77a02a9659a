"""An office's own text: sliced by its labels in whatever layout, pinned, compared, every word accounted for."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from geocheck.cli import application
from geocheck.model.problem import OutputError, RuleFileError
from geocheck.rules.adopting import adopt, problems_of, words_of
from geocheck.rules.adoption_record import load_adoption, record_name, save_adoption
from geocheck.rules.comparing import compare, word_diff
from geocheck.rules.read import load_ordinance, read_ordinance
from geocheck.rules.slicing import slices_of

LAW = """
clauses:
- at: (1)
  says: Ponds.
  when: any
  imposes: [permit]
  clauses:
  - {at: (a), says: Deep ones., when: filled_volume > 9 yd3}
  - at: (b)
    says: Wide ones.
    when: any
    clauses:
    - {at: 1., says: By a road., when: builds_road}
    - {at: 2., says: By a field., when: grows_crops}
- {at: (2), says: Agencies are free., when: by_state_agency, lifts: all}
- {at: (3), says: Fees., not_modelled: The schedule was not read.}
"""
#: layout -> the same words, laid out as offices lay them out.
LAYOUTS = {
    "labels on lines of their own": """§ 1. Ponds.

(1)

Ponds need a permit under subsection (2) or (3) where they are:

(a)

Deep, as (2) has it;

(b)

Wide and:

1.

By a road, see section 9-2(1)(a); or

2.

By a field.

(2)

Agencies are free of (1).

(3)

Fees are set by the board.

(Ord. No. 7, § 1, 1-2-03)
""",
    "labels before their words": """§ 1. Ponds.
(1)\u00a0\u00a0 Ponds need a permit under subsection (2) or (3) where they are:
    (a)     Deep, as (2) has it;
    (b)     Wide and:
        1.   By a road, see section 9-2(1)(a); or
        2.   By a field.
(2)      Agencies are free of (1).
(3)      Fees are set by the board.
(Ord. No. 7, § 1, 1-2-03)""",
    "lines broken by width": """§ 1. Ponds.
(1) Ponds need a permit under subsection (2) or
(3) where they are:
(a) Deep, as
(2) has it;
(b) Wide and:
1. By a road, see section 9-2(1)(a); or
2. By a field.
(2) Agencies are free of
(1).
(3) Fees are set by the board.
(Ord. No. 7, § 1, 1-2-03)
""",
    "all in one run": (
        "§ 1. Ponds. (1) Ponds need a permit under subsection (2) or (3) where they are: (a) Deep, as (2) has it; (b) Wide "
        "and:\n1. By a road, see section 9-2(1)(a); or\n2. By a field.\n(2) Agencies are free of (1).\n"
        "(3) Fees are set by the board.\n(Ord. No. 7, § 1, 1-2-03)\n"
    ),
    "other brackets": """§ 1. Ponds.
1. Ponds need a permit under subsection (2) or (3) where they are:
a. Deep, as (2) has it;
b. Wide and:
(1) By a road, see section 9-2(1)(a); or
(2) By a field.
2. Agencies are free of (1).
3. Fees are set by the board.
(Ord. No. 7, § 1, 1-2-03)
""",
}
WORDS = {
    "heading": "§ 1. Ponds.",
    "(1)": "Ponds need a permit under subsection (2) or (3) where they are:",
    "(1)(a)": "Deep, as (2) has it;",
    "(1)(b)": "Wide and:",
    "(1)(b)1.": "By a road, see section 9-2(1)(a); or",
    "(1)(b)2.": "By a field.",
    "(2)": "Agencies are free of (1).",
    "(3)": "Fees are set by the board.",
    "history": "(Ord. No. 7, § 1, 1-2-03)",
}
FIRST = LAYOUTS["labels before their words"]


@pytest.fixture
def pond_law(write):
    return read_ordinance(write(LAW))[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_text_is_sliced_in_whatever_layout(layout, pond_law):
    adopted = adopt(pond_law, LAYOUTS[layout])
    assert {label: words_of(adopted, label) for label in WORDS} == WORDS
    assert list(problems_of(adopted)) == []
    assert sum(map(adopted.words_in, adopted.slices)) == adopted.words == len(LAYOUTS[layout].split())


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_make_no_difference(ending, pond_law):
    assert compare(adopt(pond_law, FIRST), adopt(pond_law, FIRST.replace("\n", ending))).same


def test_layout_makes_no_difference_and_words_do(pond_law):
    first, *others = [adopt(pond_law, text) for text in LAYOUTS.values()]
    assert all(compare(first, other).same for other in others)


def test_a_clause_is_shown_with_those_below_it(pond_law):
    adopted = adopt(pond_law, FIRST)
    assert words_of(adopted, "(1)(b)", below=True) == (
        "Wide and: 1. By a road, see section 9-2(1)(a); or 2. By a field."
    )
    assert words_of(adopted, "( 1 )(b) 2") == "By a field."
    with pytest.raises(KeyError):
        words_of(adopted, "(9)")


def test_a_label_that_is_neither_modelled_nor_declared_is_reported(pond_law):
    adopted = adopt(
        pond_law, FIRST.replace("(3)      Fees", "    (a) Of the county.\n    (b) Of the state.\n(3)      Fees")
    )
    assert adopted.unmodelled == ("(2)(a)", "(2)(b)")
    assert [problem.code for problem in problems_of(adopted)] == ["unmodelled-label"] * 2
    assert words_of(adopted, "(2)(b)") == "Of the state."


@pytest.mark.parametrize(
    "old, new, label",
    [
        ("(3)      Fees are set by the board.", "(3)      Fees are set by the board\n(4)      Fines too", "(4)"),
        ("Agencies are free of (1).", "Agencies are free: (a) of (1); (b) of fees; and (c) of fines.", "(2)(c)"),
        ("        2.   By a field.", "        2.   By a field\n        3.   By a wood", "(1)(b)3."),
    ],
    ids=["without a stop before", "within a sentence", "below"],
)
def test_a_new_label_is_found_wherever_it_stands(old, new, label, pond_law):
    assert FIRST.count(old) == 1
    assert label in adopt(pond_law, FIRST.replace(old, new)).unmodelled


def test_a_clause_without_text_is_reported(pond_law):
    adopted = adopt(pond_law, FIRST.replace("2.   By a field.", ""))
    assert (adopted.without_text, adopted.unmodelled) == (("(1)(b)2.",), ())


def test_what_is_left_of_a_text_without_labels_is_its_heading(pond_law):
    adopted = adopt(pond_law, "Nothing here is numbered.")
    assert [s.kind for s in adopted.slices] == ["heading"]
    assert len(adopted.without_text) == 7


@pytest.mark.parametrize(
    "text, labels",
    [
        ("A. One.\n1. Two.\n2. Three.\nB. Four.", ["A.", "A.1.", "A.2.", "B."]),
        ("(h) One.\n(i) Two.\n(j) Three.", ["(h)", "(i)", "(j)"]),
        ("(a) One:\n(i) Two.\n(ii) Three.\n(b) Four.", ["(a)", "(a)(i)", "(a)(ii)", "(b)"]),
        ("(8) One.\n(8m) Two.\n(9) Three.", ["(8)", "(8m)", "(9)"]),
        ("(1)(a) One.\n(b) Two.\n(2) (a) Three.", ["(1)", "(1)(a)", "(1)(b)", "(2)", "(2)(a)"]),
        ("[a] One [b] two.\n[b] Three.", ["[a]", "[b]"]),
        ("(1) One.\n(2) Two.\n(4) Four.", ["(1)", "(2)", "(4)"]),
        ("(1) Sites: (a) one; (b) two, as (a); and (c) three.", ["(1)", "(1)(a)", "(1)(b)", "(1)(c)"]),
        ("(1) One\n(2) Two\n(3) Three", ["(1)", "(2)", "(3)"]),
    ],
    ids=[
        "letters and stops",
        "i among letters",
        "roman below letters",
        "inserted",
        "two at once",
        "squares",
        "left out",
        "within a sentence",
        "no stops",
    ],
)
def test_labels_are_followed_as_they_count(text, labels):
    assert [s.label for s in slices_of(text) if s.kind == "clause"] == labels


def test_sections_with_names_of_their_own_are_told_apart(write):
    law = read_ordinance(
        write("""
        clauses:
        - at: 9-30
          says: Ponds.
          clauses: [{at: A, says: Deep., when: builds_road, imposes: [permit, fee]}]
        - at: 9-31
          says: Free.
          clauses: [{at: A, says: Crops., when: grows_crops, lifts: all}]
        """)
    )[0]
    adopted = adopt(law, "Ch. 9\n§ 9-30. Ponds.\nA. Deep ones.\n§ 9-31. Exemptions.\nA. Crops.\n")
    assert list(problems_of(adopted)) == []
    first, second = (next(s for s in adopted.slices if s.steps == (name, "A")) for name in ("9-30", "9-31"))
    assert (adopted.text[first.words_from : first.end].strip(), adopted.text[second.words_from :].strip()) == (
        "Deep ones.",
        "Crops.",
    )


def test_the_word_diff_names_the_clauses_touched(pond_law):
    old = adopt(pond_law, FIRST)
    new = adopt(
        pond_law, FIRST.replace("By a field", "By a wet field").replace("(3)      Fees are set by the board.\n", "")
    )
    found = compare(old, new)
    assert found.touched == ("(1)(b)2.", "(3)")
    assert [change.kind for change in found.changes] == ["changed", "removed"]
    assert found.changes[0].show() == "(1)(b)2. (changed): By a {+wet+} field."
    assert compare(new, old).changes[1].kind == "added"
    assert json.dumps(found.to_dict())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_a_word_diff_holds_both_texts(old, new):
    diff = word_diff(" ".join(old), " ".join(new))
    kept_and = {how: " ".join(words for kind, words in diff if kind in ("kept", how)) for how in ("out", "in")}
    assert (kept_and["out"].split(), kept_and["in"].split()) == (old, new)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["(1)", "(2)", "(a)", "(b)", "[c]", "1.", "i.", "words", "of:", "law;", "\n", "\n\n", "(Ord. 1)", "\u00a0"])))  # fmt: skip
def test_slices_are_the_whole_text_whatever_it_is(parts):
    text = " ".join(parts)
    slices = slices_of(text)
    assert "".join(text[s.start : s.end] for s in slices) == text
    assert all(s.start <= s.words_from <= s.end for s in slices)


def test_a_record_is_read_back_as_it_was(tmp_path, pond_law):
    adopted = adopt(pond_law, FIRST, text_file="ponds.txt")
    save_adoption(adopted, tmp_path / "new" / "ponds.json")
    found = load_adoption(tmp_path / "new" / "ponds.json")
    assert found == adopted
    assert compare(adopted, found).same and found.sha256 == adopted.sha256
    with pytest.raises(OutputError, match="overwrite"):
        save_adoption(adopted, tmp_path / "new" / "ponds.json")


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda plain: {**plain, "text": plain["text"].replace("Deep", "Dark")}, "SHA-256 differs"),
        (lambda plain: {**plain, "sha256": "0"}, "SHA-256 differs"),
        (
            lambda plain: {**plain, "slices": [{**row, "sha256": "0"} for row in plain["slices"]]},
            "the words of heading",
        ),
        (lambda plain: {**plain, "slices": plain["slices"][1:]}, "not the whole"),
        (lambda plain: {key: value for key, value in plain.items() if key != "text"}, "not complete"),
        (lambda plain: {**plain, "format": "geocheck adoption 9"}, "does not say format"),
        (lambda plain: [plain], "does not say format"),
    ],
    ids=["another word", "another pin", "another clause's pin", "a slice less", "no text", "another format", "a list"],
)
def test_a_record_that_was_touched_is_refused(change, said, tmp_path, pond_law):
    file = tmp_path / "ponds.json"
    save_adoption(adopt(pond_law, FIRST), file)
    file.write_text(json.dumps(change(json.loads(file.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(RuleFileError, match=said):
        load_adoption(file)


@pytest.mark.parametrize(
    "data", [b"{", b"\xff\xfe\xff", b"[]", None], ids=["cut off", "no text", "a list", "not there"]
)
def test_what_is_no_record_is_refused(data, tmp_path):
    file = tmp_path / "no.json"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(RuleFileError, match=r"no\.json"):
        load_adoption(file)


def run(*words):
    return CliRunner().invoke(application, ["rules", "adopt", *map(str, words)])


@pytest.fixture
def office(write, tmp_path):
    text = tmp_path / "ponds.txt"
    text.write_text(FIRST, encoding="utf-8")
    return write(LAW), text, tmp_path


def test_the_command_writes_a_record_and_shows_words_beside_clauses(office):
    law, text, folder = office
    done = run(law, "--text", text)
    assert done.exit_code == 0
    assert (
        "Deep, as (2) has it;" in done.stdout
        and "Deep ones." in done.stdout
        and "not modelled: The schedule" in done.stdout
    )
    record = folder / record_name(load_ordinance(law))
    assert record.name == "law.2020-01-01.adopted.json"
    assert words_of(load_adoption(record), "(2)") == "Agencies are free of (1)."


def test_a_changed_text_is_shown_and_the_record_kept_until_it_is_asked_for(office):
    law, text, folder = office
    run(law, "--text", text, "--to", folder / "records")
    text.write_text(FIRST.replace("Agencies", "State agencies"), encoding="utf-8")
    (record,) = (folder / "records").iterdir()
    before = record.read_bytes()
    again = run(law, "--text", text, "--to", folder / "records")
    assert (again.exit_code, record.read_bytes()) == (1, before)
    assert "(2) (changed): [-Agencies-] {+State agencies+} are free" in again.stdout
    assert run(law, "--text", text, "--to", folder / "records", "--overwrite").exit_code == 0
    assert record.read_bytes() != before
    assert run(law, "--text", text, "--to", folder / "records").exit_code == 0


def test_labels_and_clauses_that_do_not_meet_end_with_4_and_no_record(office):
    law, text, folder = office
    text.write_text(
        FIRST.replace("(3)      Fees", "(3) Fees\n(4) Fines").replace("(2)      Agencies", "Agencies"), encoding="utf-8"
    )
    done = run(law, "--text", text)
    assert done.exit_code == 4 and not list(folder.glob("*.json"))
    assert "(4)" in done.stderr and "(2)" in done.stderr
    assert run(law, "--text", text, "--partial").exit_code == 0 and list(folder.glob("*.json"))


def test_machines_get_rows(office):
    law, text, _ = office
    rows = json.loads(run(law, "--text", text, "--json").stdout)
    assert rows["words"] == sum(row["words"] for row in rows["rows"])
    assert [row["label"] for row in rows["rows"]] == list(WORDS)
