"""Files made to hurt: a clear error within a second and in bounded memory, whatever the bytes."""

from __future__ import annotations

import sys
import time

import pytest

from geocheck.model.problem import RuleFileError
from geocheck.rules.read import load_ordinance, read_ordinance
from geocheck.rules.yamltree import FULLEST, LARGEST

HEAD = "cite: § 1\ntitle: T\nin_force: 2020-01-01\nobligations: {permit: § 2}\n"
CLAUSE = "- {at: (1), says: S, when: builds_road, imposes: [permit]}\n"
SOUND = f"{HEAD}clauses:\n{CLAUSE}"
MANY = LARGEST - 2_000

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


def repeated(piece, size=MANY):
    return piece * (size // len(piece))


def clauses_with(condition):
    return f"{HEAD}clauses:\n- at: (1)\n  says: S\n  imposes: [permit]\n  when: {condition}\n"


#: what the file is -> its bytes, and the code of the problem that must be among those found.
HOSTILE = {
    "billion laughs": (LAUGHS, "anchor"),
    "a key merged into itself": ("a: &a\n  <<: *a\n", "anchor"),
    "a tag that builds something": ("a: !!python/object/apply:os.system [true]\n", "tag"),
    "ten megabytes of text": ("x" * 10_000_000, "file-too-large"),
    "ten megabytes of keys": (repeated("key: value\n", 10_000_000), "file-too-large"),
    "ten megabytes of blanks": (" " * 10_000_000, "file-too-large"),
    "as large as is read, one word": ("x" * MANY, "wrong-shape"),
    "as large as is read, one key over and over": (repeated("cite: x\n"), "file-too-large"),
    "as large as is read, one item over and over": ("clauses: [" + repeated("a, ") + "a]", "file-too-large"),
    "as large as is read, one line over and over": (repeated("\n"), "file-too-large"),
    "as large as is read, nothing but marks": (repeated("? "), None),
    "as large as is read, nothing but dashes": (repeated("- "), "too-deep"),
    "as large as is read, nothing but quotes": (repeated("'"), None),
    "as large as is read, nothing but colons": (repeated(": "), None),
    "brackets opened in one line": ("a: " + "[" * 100_000, "too-deep"),
    "braces opened in one line": ("a: " + "{a: " * 60_000, "too-deep"),
    "brackets opened line by line": (repeated("[\n", 100_000), "too-deep"),
    "brackets opened and closed": ("a: " + "[" * 40 + "]" * 40, "too-deep"),
    "nested by indentation": ("".join(f"{' ' * n}a:\n" for n in range(700)), "too-deep"),
    "nested by dashes": ("clauses: \n" + "- " * 500 + "x", "too-deep"),
    "clauses within clauses": (
        HEAD + "".join(f"{'  ' * n}clauses:\n{'  ' * n}- at: (a)\n" for n in range(60)), "too-deep",
    ),
    "parentheses in a condition": (clauses_with("(" * 1_500 + "builds_road" + ")" * 1_500), "syntax"),
    "denials in a condition": (clauses_with("not " * 900 + "builds_road"), "syntax"),
    "minus signs in a condition": (clauses_with('"' + "-" * 3_000 + '1 ft > 0 ft"'), "syntax"),
    "a condition as large as is read": (clauses_with("builds_road" + repeated(" or builds_road")), "syntax"),
    "a number of many digits": (clauses_with("disturbed_area > " + "9" * 3_900 + " acre"), "ok"),
    "tabs for blanks": (f"{HEAD}clauses:\n-\tat: (1)\n\twhen: builds_road\n", "tab"),
    "UTF-16 with its mark": (SOUND.encode("utf-16"), "encoding"),
    "UTF-16 without its mark": (SOUND.encode("utf-16-le"), "encoding"),
    "UTF-16 big-endian without its mark": (SOUND.encode("utf-16-be"), "encoding"),
    "UTF-32": (SOUND.encode("utf-32"), "encoding"),
    "Latin-1": (SOUND.encode("latin-1"), "encoding"),
    "bytes that are no text": (bytes(range(128, 256)) * 100, "encoding"),
    "half a character": (SOUND.encode() + b"\xc2", "encoding"),
    "a surrogate": (SOUND.encode() + b"\xed\xa0\x80", "encoding"),
    "a NUL": (SOUND.replace("builds_road", "builds\0_road"), "unseen-character"),
    "a NUL at the end": (SOUND + "\0", "unseen-character"),
    "an escape": (SOUND.replace("S,", "\x1b[31mS,"), "unseen-character"),
    "text turned right to left": (SOUND.replace("says: S", "says: \u202eS"), "unseen-character"),
    "a mark of direction in a name": (SOUND.replace("builds_road", "builds\u200f_road"), "unseen-character"),
    "an isolate in a comment": (SOUND + "# \u2067 imposes nothing \u2069\n", "unseen-character"),
    "a blank of no width": (SOUND.replace("builds_road", "builds\u200b_road"), "unseen-character"),
    "a mark of order within": (SOUND.replace("says: S", "says: \ufeffS"), "unseen-character"),
    "a line end of another kind": (SOUND.replace("says: S", "says: S\u2028when: always"), "unseen-character"),
    "letters of another script": (SOUND.replace("builds_road", "builds_rоad"), "unknown-name"),
    "two documents": (SOUND + "---\n" + SOUND, "yaml"),
    "nothing": ("", "empty"),
    "a comment alone": ("# nothing\n", "empty"),
    "a list alone": ("- a\n- b\n", "wrong-shape"),
    "a directive": ("%YAML 9.9\n---\n" + SOUND, None),
    "keys that are lists": ("[a, b]: c\n", "yaml"),
    "null where a list is wanted": (f"{HEAD}clauses: null\n", "wrong-shape"),
}  # fmt: skip


@pytest.fixture
def file(tmp_path):
    def file(content, name="law.yaml"):
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return file


def highest():
    """Return the most memory that this process ever held, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


@pytest.mark.parametrize("what", HOSTILE)
def test_it_ends_in_a_clear_error_soon_and_small(what, file, patience):
    content, code = HOSTILE[what]
    path = file(content)
    before, begun = highest(), time.process_time()
    _, problems = read_ordinance(path)
    assert time.process_time() - begun < 1.0 * patience
    assert before is None or highest() - before < 100_000_000
    found = [problem for problem in problems if problem.severity == "error"]
    if code == "ok":
        assert not found
        return
    assert found and (code is None or code in [problem.code for problem in found])
    assert all(len(problem.message) < 600 and "Traceback" not in problem.message for problem in found)
    with pytest.raises(RuleFileError, match=r"law\.yaml"):
        load_ordinance(path)


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbf" + SOUND.encode(), SOUND.replace("\n", "\r\n").encode(), SOUND.replace("\n", "\r").encode()],
    ids=["a mark of order first", "line ends of Windows", "line ends of old Macs"],
)
def test_what_editors_do_to_a_sound_file_is_read_as_it_was(content, file):
    plain = load_ordinance(file(SOUND, "plain.yaml"))
    found = load_ordinance(file(content))
    assert (found.clauses, found.fingerprint) == (plain.clauses, plain.fingerprint)
    assert found.clauses[0].place.line == plain.clauses[0].place.line


def test_the_largest_file_that_is_sound_is_read_in_bounded_time(file, patience):
    clauses = "".join(f"- {{at: ({n}), says: S, when: builds_road, imposes: [permit]}}\n" for n in range(1, 1_300))
    text = f"{HEAD}clauses:\n{clauses}"
    assert 0.7 * FULLEST < text.count("\n") + text.count(",") + text.count(": ") + text.count("- ") < FULLEST
    begun = time.process_time()
    found, problems = read_ordinance(file(text))
    assert not problems and len(found.every_clause) == 1_299
    assert time.process_time() - begun < 30 * patience


@pytest.mark.parametrize(
    "mark", ["\u202a", "\u202e", "\u2066", "\u200e", "\u200f", "\u061c", "\u00ad", "\u2060", "\x85", "\x7f", "\x00"]
)
def test_characters_that_nobody_sees_are_named_with_their_place(mark, file):
    (problem,) = read_ordinance(file(SOUND.replace("says: S", f"says: S{mark}")))[1]
    assert problem.code == "unseen-character" and f"U+{ord(mark):04X}" in problem.message
    assert (problem.place.line, problem.place.column) == (6, CLAUSE.index("S,") + 2)


def test_a_blank_that_does_not_break_is_a_blank(file):
    """Copied from a web page, blanks come as U+00A0: YAML takes them for letters, and says so."""
    _, problems = read_ordinance(file(SOUND.replace("when: builds_road", "when:\u00a0builds_road")))
    assert [problem for problem in problems if problem.severity == "error"]
