"""Reading ordinance files: every mistake at once with its place; hostile files; versions, folders, references."""

from __future__ import annotations

import codecs
import time
from datetime import date

import pytest

from geocheck.model.facts import Fact
from geocheck.model.problem import RuleFileError
from geocheck.rules.judge import judge_site
from geocheck.rules.read import OWN, list_ordinances, list_versions, load_ordinance, read_ordinance, versions_of
from geocheck.rules.yamltree import LARGEST, Scalar, read_tree

HEAD = "cite: § 1\ntitle: Try\nin_force: 2020-01-01\nobligations: {permit: § 2}\n"
GOOD = HEAD + "clauses:\n- {at: (1), says: x, when: grows_crops, imposes: [permit]}\n"


def said(file):
    with pytest.raises(RuleFileError) as caught:
        load_ordinance(file)
    return str(caught.value)


def test_all_problems_come_at_once_each_underlined_where_it_is(write):
    file = write("""\
        cite: § 1
        title: Try
        in_force: 2020-01-01
        obligations: {permit: § 2}
        clauses:
        - at: (1)
          when: disturbed_aera >= 4_000 ft2
          imposes: [permits]
          lift: [(2)]
        - at: (2)
          when: excavated_volume > 4_000 ft2
          lifts: [(3)]
          lifts: [(1)]
        - at: (4)
          when: disturbed_area > 4_000
        - says: no label
          when: grows_crops
        - at: (5)
        """)
    text = said(file).replace(str(file), "law.yaml")
    assert text.splitlines() == [
        "law.yaml:7:9: error: disturbed_aera is neither a shared fact nor one of this ordinance's facts or terms [unknown-name]",
        "      when: disturbed_aera >= 4_000 ft2",
        "            ^^^^^^^^^^^^^^",
        "  Did you mean disturbed_area?",
        "law.yaml:8:13: error: (1) imposes 'permits', and there is no such obligation [unknown-obligation]",
        "      imposes: [permits]",
        "                ^^^^^^^",
        "  Did you mean permit?",
        "law.yaml:9:3: error: a clause has no key 'lift' [unknown-key]",
        "      lift: [(2)]",
        "      ^^^^",
        "  Did you mean lifts?",
        "law.yaml:11:9: error: volume is compared with area [incompatible-units]",
        "      when: excavated_volume > 4_000 ft2",
        "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "law.yaml:12:11: error: (2) lifts '(3)', and there is no such obligation or clause [unknown-obligation]",
        "      lifts: [(3)]",
        "              ^^^",
        "  There are: permit, all, (1), (2), (4), (5).",
        "law.yaml:13:3: error: lifts stands here a second time [duplicate-key]",
        "      lifts: [(1)]",
        "      ^^^^^",
        "  Keep one.",
        "law.yaml:15:26: error: 4_000 has no unit [missing-unit]",
        "      when: disturbed_area > 4_000",
        "                             ^^^^^",
        "  Write it with its unit, such as 4_000 ft2 (units: ft, mi, m, km, ft2, acre, m2, ha, ft3, yd3, m3, %, each).",
        "law.yaml:16:3: error: this clause has no label [clause-without-citation]",
        "    - says: no label",
        "      ^^^^^^^^^^^^^^",
        "  Add at: with the label in the text.",
        "law.yaml:18:7: error: (5) does not say when it holds [unmodelled-clause]",
        "    - at: (5)",
        "          ^^^",
        "  Add when: , or not_modelled: with the reason, or carried_by: with the clauses that carry its meaning.",
    ]


@pytest.mark.parametrize(
    "text, code, where, words",
    [
        ("", "empty", "", "the file is empty"),
        ("# only a remark\n", "empty", "", "the file is empty"),
        ("just text", "wrong-shape", ":1:1", "key: value lines"),
        ("- a\n- b\n", "wrong-shape", ":1:1", "key: value lines"),
        ("cite: § 1\n", "missing-key", ":1", "no clauses"),
        ("a: [b\nc: d", "yaml", ":2:2", "expected ',' or ']'"),
        ("a: b: c\n", "yaml", ":1:5", "mapping values are not allowed"),
        ("a: 1\n\tb: 2\n", "tab", ":2:1", "indented with a tab"),
        ("a: x\u202ey\n", "unseen-character", ":1:5", "U+202E"),
        ("a: x\u00a0y\n", "unseen-character", ":1:5", "U+00A0"),
        ("a: &x 1\nb: *x\n", "anchor", ":1:4", "anchors and aliases"),
        ("b: *x\n", "anchor", ":1:4", "anchors and aliases"),
        ("a: !!python/object:os.system x\n", "tag", ":1:4", "is not read here"),
        ("a: 1\n---\nb: 2\n", "yaml", ":2:1", "second document"),
        ("? [a, b]\n: c\n", "yaml", ":1:3", "a key is a word"),
        ("a: " + "[" * 40 + "\n", "too-deep", ":1", "opens 40 brackets"),
        ("a:\n" + " [\n" * 300, "too-deep", "", "300 brackets"),
        ("".join(" " * n + "-\n" for n in range(40)) + " " * 40 + "x", "too-deep", ":33:33", "more than 32 deep"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_ordinance_is_refused_in_words(tmp_path, text, code, where, words):
    file = tmp_path / "law.yaml"
    file.write_text(text, encoding="utf-8")
    problem = read_ordinance(file)[1][0]
    assert problem.code == code and words in problem.message
    assert str(problem.place) == f"{file}{where}"


def test_a_label_with_brackets_is_read_and_inside_brackets_needs_quotes(tmp_path):
    file = tmp_path / "law.yaml"
    file.write_text(GOOD.replace("at: (1)", "at: [a]").replace("- {", "- ").replace(", says", "\n  says").replace(
        ", when", "\n  when").replace(", imposes", "\n  imposes").replace("]}", "]"), encoding="utf-8")  # fmt: skip
    assert load_ordinance(file).clauses[0].label == "[a]"
    file.write_text(GOOD + "cases:\n- {at: (1), expect: {(1)[a]: yes}}\n", encoding="utf-8")
    assert "A label with brackets" in said(file)


@pytest.mark.parametrize("word", ["no", "off", "n", "null", "1.", "0x10", "1e3", "2002-04-01", "~", "yes"])
def test_yaml_guesses_no_types(word):
    tree = read_tree(f"a: {word}", "f")
    assert isinstance(tree.get("a"), Scalar) and tree.get("a").text == word


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.rstrip("\n").encode(),
    ],
    ids=["BOM", "CRLF", "CR", "no last newline"],
)
def test_what_editors_do_to_files_changes_nothing(tmp_path, data):
    file = tmp_path / "law.yaml"
    file.write_bytes(data)
    plain = tmp_path / "plain.yaml"
    plain.write_bytes(GOOD.encode())
    assert load_ordinance(file).clauses == load_ordinance(plain).clauses


@pytest.mark.parametrize(
    "data, code, words",
    [
        (GOOD.encode("utf-16"), "encoding", "UTF-16"),
        (GOOD.encode("utf-16-le"), "encoding", "UTF-16"),
        (GOOD.encode("latin-1"), "encoding", "0xa7 is not UTF-8"),
        (b"a: 1\n" * 2_000_000, "file-too-large", "at most 300,000"),
        (b"{" * 200_000, "too-deep", "200000 brackets"),
        (b"- " * 100_000, "too-deep", "more than 32 deep"),
        (b"a: " + b"x " * 100_000, "wrong", ""),
        (b'a: "' + b"\\u0041" * 40_000 + b'"', "wrong", ""),
        (b"? " * 50_000, "too-deep", ""),
        (b"a: &a [x]\n" + b"b: [*a, *a]\n" * 9, "anchor", "anchors"),
        (b"\x00\x01\x02\x03", "", ""),
        (b"%YAML 9.9\n---\na: 1\n", "", ""),
    ],
    ids=["UTF-16", "UTF-16-LE", "Latin-1", "10 MB", "braces", "dashes", "long", "escapes", "questions", "laughs", "binary", "version"],
)  # fmt: skip
def test_hostile_files_are_refused_soon(tmp_path, data, code, words, patience):
    file = tmp_path / "law.yaml"
    file.write_bytes(data)
    begin = time.process_time()
    problems = read_ordinance(file)[1]
    assert time.process_time() - begin < 2.5 * patience
    assert problems and any(p.severity == "error" for p in problems)
    assert code in problems[0].code or code == "wrong"
    assert words in problems[0].message
    assert len(problems[0].show()) < 2_000


def test_a_file_that_is_not_there(tmp_path):
    assert "there is no file" in said(tmp_path / "nothing.yaml")
    _, problems = read_ordinance(tmp_path / "nothing.yaml")
    assert problems[0].code == "unreadable"
    assert LARGEST < 10**6


def test_an_ordinance_that_is_not_there_has_a_suggestion():
    with pytest.raises(RuleFileError, match=r"Did you mean us/wi/river-hills/6\.04"):
        load_ordinance("us/wi/river-hill/6.04")
    with pytest.raises(RuleFileError, match="Known: "):
        load_ordinance("zzz")


def test_the_version_in_force_on_the_day(tmp_path, write):
    for day in ("2002-04-01", "2016-01-01"):
        write(f"in_force: {day}\nclauses:\n- {{at: (1), says: x, when: grows_crops}}\n", f"us/wi/a/1/{day}.yaml")
    write("in_force: not established\nclauses:\n- {at: (1), says: x, when: grows_crops}\n", "us/wi/b/1/undated.yaml")
    write("clauses:\n- {at: (1), says: x, when: grows_crops}\n", "us/wi/b/1/draft.yaml")

    def day_of(name, as_of):
        return load_ordinance(name, as_of, folder=tmp_path).in_force

    assert day_of("us/wi/a/1", None) == date(2016, 1, 1)
    assert day_of("us/wi/a/1", date(2015, 12, 31)) == date(2002, 4, 1)
    assert day_of("us/wi/a/1", date(2016, 1, 1)) == date(2016, 1, 1)
    assert day_of("us/wi/b/1", date(1990, 1, 1)) is None
    with pytest.raises(RuleFileError, match="no version of us/wi/a/1 was in force on 2002-03-31"):
        day_of("us/wi/a/1", date(2002, 3, 31))
    assert {"us/wi/a/1", "us/wi/b/1", "us/wi/river-hills/6.04"} <= set(list_ordinances(tmp_path))
    assert len([v for v in list_versions(tmp_path) if v.id.startswith("us/wi/b")]) == 1
    assert load_ordinance(tmp_path / "us/wi/a/1/2016-01-01.yaml", folder=tmp_path).id == "us/wi/a/1"


def test_an_office_s_own_file_counts_before_geocheck_s(tmp_path, write):
    write("title: Ours\nin_force: 2002-04-01\nclauses:\n- {at: (1), says: x, when: grows_crops}\n",
          "us/wi/washington-county-village/87-5/2002-04-01.yaml")  # fmt: skip
    assert load_ordinance("us/wi/washington-county-village/87-5", folder=tmp_path).title == "Ours"
    assert load_ordinance("us/wi/washington-county-village/87-5").title != "Ours"


def test_the_name_of_a_file_and_its_day_agree(write):
    file = write("in_force: 2003-01-01\nclauses:\n- {at: (1), says: x, when: grows_crops}\n", "2002-04-01.yaml")
    assert "the file is named 2002-04-01 and says 2003-01-01" in said(file)
    file = write("in_force: April 2002\nclauses:\n- {at: (1), says: x, when: grows_crops}\n")
    assert "'April 2002' is not a day" in said(file)


def test_a_changed_file_is_read_again(write):
    file = write("title: One\nclauses:\n- {at: (1), says: x, when: grows_crops}\n")
    first = load_ordinance(file)
    assert load_ordinance(file) is first
    write("title: Other\nclauses:\n- {at: (1), says: x, when: grows_crops}\n")
    assert load_ordinance(file).title == "Other"


def test_what_is_incorporated_is_loaded_with_it_or_unknown(tmp_path, write):
    write("clauses:\n- {at: (1), says: x, when: grows_crops, imposes: [permit]}\n", "us/wi/b/1/2020-01-01.yaml")
    write("clauses:\n- {at: (1), incorporates: us/wi/b/1, imposes: [permit]}\n"
          "- {at: (2), incorporates: us/wi/c/1, lifts: [fee]}\n"
          "- {at: (3), incorporates: us/wi/a/1, imposes: [fee]}\n", "us/wi/a/1/2020-01-01.yaml")  # fmt: skip
    found = load_ordinance("us/wi/a/1", folder=tmp_path)
    loaded = [clause.incorporates.loaded for clause in found.clauses]
    assert loaded[0].id == "us/wi/b/1" and loaded[1] is loaded[2] is None
    assert found.facts_used == ("grows_crops",)
    before = found.fingerprint
    write(
        "title: New\nclauses:\n- {at: (1), says: x, when: grows_crops, imposes: [permit]}\n",
        "us/wi/b/1/2020-01-01.yaml",
    )
    assert load_ordinance("us/wi/a/1", folder=tmp_path).fingerprint != before


@pytest.mark.parametrize(
    "text, code, words",
    [
        ("clauses: 5\n", "wrong-shape", "clauses is a list"),
        ("clauses:\n- {at: {b: c}, when: grows_crops}\n", "wrong-shape", "at is a text"),
        ("clauses:\n- {at: (1), when: [grows_crops]}\n", "wrong-shape", "when is a condition on one line"),
        ("clauses:\n- {at: (1), when: grows_crops, under: 5}\n", "wrong-shape", "under is written as"),
        ("clauses:\n- {at: (1), when: grows_crops, under: {a: {}, b: {}}}\n", "wrong-shape", "under one setting"),
        ("clauses:\n- {at: (1), when: grows_crops, reading: {by: me}}\n", "missing-key", "a reading has no says"),
        ("clauses:\n- {at: (1), incorporates: {obligation: x}}\n", "missing-key", "incorporates has no ordinance"),
        ("obligations: {permit: {says: x}}\nclauses:\n- {at: (1), when: grows_crops}\n", "missing-key", "has no section"),
        ("facts: {a: {kind: guessed, asks: b}}\nclauses:\n- {at: (1), when: a}\n", "wrong-kind", "'guessed' is no kind"),
        *[(f"division_years: {years}\n", "division-years", f"'{years}' is no number") for years in ("five", "0", "-5", "²", "9999", "")],
        ("facts: {a: {kind: stated, unit: sqrt, asks: b}}\nclauses:\n- {at: (1), when: a}\n", "unknown-unit", "'sqrt'"),
        ("facts: {a: {kind: stated}}\nclauses:\n- {at: (1), when: a}\n", "missing-key", "the fact a has no asks"),
        ("facts: {a: {kind: stated, asks: b, may_be_negative: maybe}}\nclauses:\n- {at: (1), when: a}\n", "wrong-shape", "yes or no"),
        ("facts: {a: {kind: stated, asks: b, since: spring}}\nclauses:\n- {at: (1), when: a}\n", "since", "not a day"),
        ("terms: {a: {cite: x}}\nclauses:\n- {at: (1), when: a}\n", "missing-key", "no expression"),
        ("terms: {a: {cite: x, means: 1 ft, less_of: []}}\nclauses:\n- {at: (1), when: a}\n", "missing-key", "more than one"),
        ("terms: {a: {means: grows_crops}}\nclauses:\n- {at: (1), when: a}\n", "missing-key", "the term a has no cite"),
        ("terms: {a: {cite: x, less_of: [1 ft]}}\nclauses:\n- {at: (1), when: a > 1 ft}\n", "wrong-shape", "two or more"),
        ("terms: {a: {cite: x, table: [{where: grows_crops, is: 1 ft}]}}\nclauses:\n- {at: (1), when: a > 1 ft}\n",
         "missing-key", "no otherwise"),
        ("terms: {a: {cite: x, table: [{otherwise: 1 ft}, {where: grows_crops, is: 1 ft}]}}\nclauses:\n- {at: (1), when: a > 1 ft}\n",
         "wrong-shape", "never reached"),
        ("terms: {a: {cite: x, table: [{where: grows_crops}, {otherwise: 1 ft}]}}\nclauses:\n- {at: (1), when: a > 1 ft}\n",
         "wrong-shape", "a row has where: and is:"),
        ("terms: {a: {cite: x, means: new_road_length, rounded: {to: 1 ft, how: off}}}\nclauses:\n- {at: (1), when: a > 1 ft}\n",
         "wrong-shape", "no way to round"),
        ("terms: {a: {cite: x, means: new_road_length, rounded: {to: 1}}}\nclauses:\n- {at: (1), when: a > 1 ft}\n",
         "missing-unit", "no unit"),
        ("terms: {a: {cite: x, means: new_road_length, rounded: {to: 0 ft}}}\nclauses:\n- {at: (1), when: a > 1 ft}\n",
         "wrong-shape", "above zero"),
        ("clauses:\n- {at: (1), when: grows_crops}\ncases:\n- {at: (1)}\n", "missing-key", "expects nothing"),
        ("clauses:\n- {at: (1), when: grows_crops}\nsites: {a: {}}\ncases:\n- {at: (1), site: b, expect: {(1): no}}\n",
         "unknown-site", "no site 'b'"),
    ],
)  # fmt: skip
def test_each_part_has_its_shape(problems, text, code, words):
    found = [p for p in problems(text) if p.code == code and words in p.message]
    assert found, [p.show() for p in problems(text)]
    assert all(p.place.line for p in found)


def test_a_fact_of_its_own_says_from_which_day_it_accumulates(law):
    found = law("facts: {added: {kind: measured, unit: ft2, asks: How much since?, since: 2001-08-22}}\n"
                "clauses:\n- {at: (1), when: added >= 20_000 ft2, imposes: [permit]}\n")  # fmt: skip
    assert found.facts["added"].since == "2001-08-22"


def test_own_ordinances_are_under_their_state():
    assert all(version.id.startswith("us/") for version in list_versions()) and OWN.is_dir()


@pytest.mark.parametrize(
    "text, code, where, words",
    [
        ("%x\na: b\n", "yaml", ":2:1", "a key above may lack its colon"),
        ("a: \x07\n", "yaml", "", "special characters are not allowed"),
        ("a: {b\n", "yaml", ":2:1", "expected ',' or '}'"),
    ],
)
def test_what_the_scanner_cannot_read_is_said_in_words(text, code, where, words):
    with pytest.raises(RuleFileError) as caught:
        read_tree(text, "law.yaml")
    (problem,) = caught.value.problems
    assert (problem.code, str(problem.place)) == (code, f"law.yaml{where}") and words in problem.message


@pytest.mark.parametrize(
    "condition, column",
    [
        ('"grows\\u005fcrops and builds_raod"', 50),
        ('"\\x67rows_crops\\tand \\U00000062uilds_raod"', 49),
        ("'grows_crops and builds_raod'", 45),
        ("  grows_crops and builds_raod", 46),
    ],
    ids=["escapes", "escapes at both ends", "quotes", "none"],
)
def test_a_name_is_underlined_however_it_is_written(write, condition, column):
    file = write(f"clauses:\n- {{at: (1), says: x, when: {condition}, imposes: [permit, fee]}}\n")
    (problem,) = [p for p in read_ordinance(file)[1] if p.code == "unknown-name"]
    assert "builds_raod" in problem.message and problem.place.column == column
    shown = problem.show().splitlines()
    assert shown[1][shown[2].index("^") :][: shown[2].count("^")].endswith("uilds_raod")


def test_after_a_long_remark_a_text_is_still_placed_at_its_beginning(write):
    file = write(
        f"clauses:\n- at: (1)\n  says: x\n  imposes: [permit, fee]\n  when: > # {'x' * 500}\n    builds_raod\n"
    )
    (problem,) = [p for p in read_ordinance(file)[1] if p.code == "unknown-name"]
    assert problem.place.line == 9


def test_an_identifier_may_be_written_with_either_slash():
    (version,) = versions_of("us\\wi\\river-hills\\6.04\\")
    assert version.id == "us/wi/river-hills/6.04"


def test_a_clause_that_is_plain_text_and_a_row_that_cannot_be_read(problems):
    found = problems("clauses:\n- grows_crops\n")
    assert [p.code for p in found if p.severity == "error"] == [
        "clause-without-citation",
        "wrong-shape",
    ]
    rows = "terms: {a: {cite: x, table: [{where: grows crops, is: 1 ft}, {otherwise: 2 ft}]}}\n"
    found = problems(rows + "clauses:\n- {at: (1), says: x, when: a > 1 ft, imposes: [permit, fee]}\n")
    assert [p.code for p in found if p.severity == "error"] == ["syntax"]


def test_lifting_what_is_not_there_lifts_nothing(write):
    """A file with errors is refused; who looks at it all the same, as lint does for its cases, meets no wrong answer."""
    file = write(
        "clauses:\n- {at: (1), when: grows_crops, imposes: [permit, fee]}\n- {at: (2), when: builds_road, lifts: [(9)]}\n"
    )
    found, errors = read_ordinance(file)
    assert "unknown-obligation" in [p.code for p in errors]
    facts = {name: Fact(name, "stated", True) for name in ("grows_crops", "builds_road")}
    assert judge_site(found, facts).outcomes == {"permit": "required", "fee": "required"}


@pytest.mark.parametrize("when", ["disturbed_area > 0", "(grows_crops", "[grows_crops]", ""])
def test_a_condition_that_cannot_be_read_is_said_once(problems, when):
    found = problems(f"clauses:\n- {{at: (1), says: x, when: {when}, imposes: [permit, fee]}}\n")
    assert len([p for p in found if p.severity == "error"]) == 1 and found[0].code != "unmodelled-clause"


def test_what_is_wrong_with_a_site_is_said_once_where_it_is_described(problems):
    found = problems("""
        clauses:
        - {at: (1), says: x, when: small_parcels_created >= 5 each, imposes: [permit, fee]}
        sites:
          farm:
            grows_crops: yes
            small_parcels_created: 5
        cases:
        - {at: (1), site: farm, expect: {(1): yes}}
        - {at: (1), site: farm, expect: {permit: required}}
        - {at: (1), site: farm, facts: {small_parcels_created: 4 each}, expect: {(1): no}}
    """)
    (said,) = [p for p in found if p.severity == "error"]
    assert said.message == "small_parcels_created: 5 has no unit; write 5 each"
    assert said.place.text.strip() == "small_parcels_created: 5"


@pytest.mark.parametrize("line, years", [("", None), ("division_years: 5\n", 5), ("division_years: 999\n", 999)])
def test_the_years_within_which_divisions_count_together(law, line, years):
    found = law(f"{line}clauses:\n- {{at: (1), says: x, when: grows_crops, imposes: [permit, fee]}}\n")
    assert found.division_years == found.to_dict()["division_years"] == years
