"""Five hundred mistakes planted in the ordinances that come with geocheck: lint or a case catches each that changes the law.

What may slip changes no outcome: words that only a reader sees (titles, citations, `says`, reasons, questions); the last
clause of a list that was declared not to be modelled (an adopted text beside it tells); a number said to be measured that
is stated, or the reverse; which measure a number adds up over the years (`counts`: a case gives the number, not its
ground), where the other one is in the same unit; and a case that becomes another true case while the law beside it stays as it is.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from difflib import unified_diff

import pytest

from geocheck.model.condition import text_of
from geocheck.model.problem import GeocheckError, RuleFileError
from geocheck.model.quantity import UNITS
from geocheck.model.vocabulary import VOCABULARY
from geocheck.rules.cases import disagreements
from geocheck.rules.expr import parse_condition
from geocheck.rules.read import list_versions, read_ordinance

VERSIONS = {version.id: version for version in list_versions()}
WORDS = {
    "says",
    "title",
    "cite",
    "history",
    "source",
    "note",
    "reading",
    "asks",
    "section",
    "fingerprint",
    "cases",
    "id",
    "choices",
    "counts",
}

CONDITIONS = ("when", "unless", "expression")
_NAME = re.compile(r"(?<![\w.'-])[a-z]+(?:_[a-z0-9]+)+(?![\w'])")
_NUMBER = re.compile(r"(?<![\w(.§])(\d[\d_]*(?:\.\d+)?) (ft2|ft3|ft|acre|yd3|each|%|m2|m3|m)(?!\w)")
_KEY = re.compile(r"^(?P<indent> *(?:- )?)(?P<key>[a-z_]+): ?(?P<value>.*)$")


@dataclass(frozen=True)
class Text:
    """A file's lines; where the law ends and its cases begin."""

    lines: tuple[str, ...]

    @property
    def law(self):
        ends = [n for n, line in enumerate(self.lines) if line in ("sites:", "cases:")]
        return range(ends[0])

    def with_line(self, n, *lines):
        return "\n".join((*self.lines[:n], *lines, *self.lines[n + 1 :]))


def spots(text, pattern, rng, where=None):
    """Return a random match of a pattern as (line number, match)."""
    found = [(n, m) for n in (where or text.law) for m in pattern.finditer(text.lines[n]) if _counts(text, n)]
    return rng.choice(found)


def _counts(text, n):
    """Tell whether a line holds more than words for a reader."""
    return not re.match(r" *(- )?(says|asks|note|history|source|title|cite|by|shows): ", text.lines[n])


def replaced(text, n, match, new):
    line = text.lines[n]
    return text.with_line(n, line[: match.start()] + new + line[match.end() :])


def misspelt_name(text, rng):
    n, match = spots(text, _NAME, rng, range(len(text.lines)))
    word = match.group()
    at = rng.randrange(1, len(word) - 1)
    ways = [
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
    ]
    return replaced(text, n, match, rng.choice(ways))


def other_name(text, rng):
    n, match = spots(text, _NAME, rng)
    names = sorted({m.group() for k in text.law for m in _NAME.finditer(text.lines[k])} | set(VOCABULARY))
    return replaced(text, n, match, rng.choice(names))


def wrong_unit(text, rng):
    n, match = spots(text, _NUMBER, rng)
    unit = rng.choice(["", *(u for u in UNITS if u != match[2])])
    return replaced(text, n, match, f"{match[1]} {unit}".rstrip())


def wrong_number(text, rng):
    n, match = spots(text, _NUMBER, rng)
    digits = match[1]
    at = rng.randrange(len(digits))
    ways = [digits[:at] + digits[at + 1 :], digits[:at] + "0" + digits[at:], digits + "0", digits[::-1], "1" + digits]
    return replaced(text, n, match, f"{rng.choice(ways)} {match[2]}")


def swapped_comparator(text, rng):
    n, match = spots(text, re.compile(r"(?<= )(>=|<=|>|<)(?= )"), rng)
    return replaced(
        text, n, match, rng.choice([sign for sign in (">=", "<=", ">", "<", "==") if sign != match.group()])
    )


def swapped_word(text, rng):
    n, match = spots(text, re.compile(r"(?<=\w )(and|or)(?= [a-z(])|(?<=: )(any|all)$|(?<= )(not) (?=[a-z(])"), rng)
    swaps = {"and": "or", "or": "and", "any": "all", "all": "any", "not ": ""}
    return replaced(text, n, match, swaps[match.group()])


def _block(text, n):
    """Return the lines that a key's value goes on over."""
    indent = len(text.lines[n]) - len(text.lines[n].lstrip(" -"))
    end = n + 1
    while (
        end < len(text.lines)
        and text.lines[end].strip()
        and len(text.lines[end]) - len(text.lines[end].lstrip(" ")) >= indent
    ):
        if text.lines[end].lstrip().startswith("- ") and text.lines[end].index("-") < indent:
            break
        if _KEY.match(text.lines[end]) and len(text.lines[end]) - len(text.lines[end].lstrip(" ")) == indent:
            break
        end += 1
    return end


def dropped_key(text, rng):
    n, match = spots(text, _KEY, rng)
    if match["indent"].endswith("- "):
        rest = text.lines[_block(text, n)]
        dashed = " " * (len(match["indent"]) - 2) + "- " + rest.lstrip()
        return "\n".join((*text.lines[:n], dashed, *text.lines[_block(text, n) + 1 :]))
    return "\n".join((*text.lines[:n], *text.lines[_block(text, n) :]))


def dropped_item(text, rng):
    n, match = spots(text, re.compile(r"(?<=\[)[^\[\]]+(?=\])"), rng)
    items = match.group().split(", ")
    del items[rng.randrange(len(items))]
    return replaced(text, n, match, ", ".join(items))


def dropped_line(text, rng):
    return text.with_line(rng.choice([n for n in text.law if text.lines[n].strip()]))


def shifted_line(text, rng):
    n = rng.choice([n for n in text.law if text.lines[n].startswith(" ")])
    by = rng.choice([-4, -2, -1, 1, 2, 4])
    line = text.lines[n]
    return text.with_line(n, " " * by + line if by > 0 else line[min(-by, len(line) - len(line.lstrip())) :])


def shifted_block(text, rng):
    n = rng.choice([n for n in text.law if re.match(r" *- at:", text.lines[n])])
    indent = len(text.lines[n]) - len(text.lines[n].lstrip())
    end = n + 1
    while end < text.law.stop and (len(text.lines[end]) - len(text.lines[end].lstrip())) > indent and text.lines[end]:
        end += 1
    by = rng.choice([2, -2])
    moved = [
        " " * by + line if by > 0 else line[min(2, len(line) - len(line.lstrip())) :] for line in text.lines[n:end]
    ]
    return "\n".join((*text.lines[:n], *moved, *text.lines[end:]))


def duplicate_key(text, rng):
    n, match = spots(text, _KEY, rng, range(len(text.lines)))
    again = " " * len(match["indent"]) + f"{match['key']}: {rng.choice(['yes', 'all', 'x', match['value']])}"
    return text.with_line(n, text.lines[n], again)


def duplicate_clause(text, rng):
    n = rng.choice([n for n in text.law if re.match(r" *- at:", text.lines[n])])
    end = _clause_end(text, n)
    return "\n".join((*text.lines[:end], *text.lines[n:end], *text.lines[end:]))


def dropped_clause(text, rng):
    n = rng.choice([n for n in text.law if re.match(r" *- at:", text.lines[n])])
    return "\n".join((*text.lines[:n], *text.lines[_clause_end(text, n) :]))


def _clause_end(text, n):
    indent = len(text.lines[n]) - len(text.lines[n].lstrip())
    end = n + 1
    while end < text.law.stop and text.lines[end] and len(text.lines[end]) - len(text.lines[end].lstrip()) > indent:
        end += 1
    return end


def wrong_label(text, rng):
    n, match = spots(text, re.compile(r"(?<=[(\[])[a-z0-9](?=[)\]])|(?<=at: )\d(?=\.)"), rng)
    return replaced(text, n, match, rng.choice([c for c in "abcd12345" if c != match.group()]))


def yes_no_trap(text, rng):
    n, match = spots(text, re.compile(r"(?<=: )(yes|no)(?=[,}]|$)"), rng, range(len(text.lines)))
    other = {"yes": ["on", "y", "no", "'no'", "ja", "~"], "no": ["off", "n", "yes", '"yes"', "nein", "none", "null"]}
    return replaced(text, n, match, rng.choice(other[match.group()]))


def yaml_trap(text, rng):
    n, match = spots(text, _KEY, rng)
    value = match["value"]
    ways = [f"{value} # {value}", f"# {value}", f"[{value}]", f"{value}: x", f"{value}:", f"|\n{value}", f"*{value}", f"&a {value}",
            f"!!str {value}", f"'{value}", "on", "~", f"{{{value}}}", value.replace(" ", " #", 1), f"- {value}"]  # fmt: skip
    return text.with_line(n, f"{match['indent']}{match['key']}: {rng.choice(ways)}")


def other_kind(text, rng):
    n, match = spots(text, re.compile(r"(?<=kind: )(stated|decided|measured)"), rng)
    return replaced(
        text, n, match, rng.choice([k for k in ("stated", "decided", "measured", "state") if k != match.group()])
    )


def case_that_says_otherwise(text, rng):
    pattern = re.compile(r"\b(required|not_required|waived|undetermined)\b")
    n, match = spots(text, pattern, rng, range(text.law.stop, len(text.lines)))
    words = ("required", "not_required", "waived", "undetermined")
    return replaced(text, n, match, rng.choice([word for word in words if word != match.group()]))


MISTAKES = [
    misspelt_name, other_name, wrong_unit, wrong_number, swapped_comparator, swapped_word, dropped_key, dropped_item, dropped_line,
    shifted_line, shifted_block, duplicate_key, duplicate_clause, dropped_clause, wrong_label, yes_no_trap, yaml_trap, other_kind,
    case_that_says_otherwise,
]  # fmt: skip


def as_read(text):
    """Return a condition as it is read: 1.0 acre and 1 acre are one."""
    try:
        return text_of(parse_condition(text).node)
    except RuleFileError:
        # A table, or whichever is less: written in another way.
        return text


def law_of(ordinance):
    """Return what an ordinance means, without the words that only a reader sees, and without its cases."""

    def plain(value):
        if isinstance(value, dict):
            kept = {k: as_read(v) if k in CONDITIONS else plain(v) for k, v in value.items() if k not in WORDS}
            # A number is measured from ground or stated by the applicant: absent, it is unknown either way.
            return (
                {**kept, "kind": "given"} if kept.get("unit") and kept.get("kind") in ("measured", "stated") else kept
            )
        if isinstance(value, list):
            # A clause that is declared not to be modelled takes part in no outcome: dropping it drops words.
            return [plain(item) for item in value if not (isinstance(item, dict) and item.get("not_modelled"))]
        return value

    settings = [(setting.name, tuple(setting.choices)) for setting in ordinance.settings]
    return plain(ordinance.to_dict()), settings


def meaning_of(ordinance):
    return law_of(ordinance), [
        (c.facts, c.expect, c.settings, [dict(w) for w in c.waivers], c.at) for c in ordinance.cases
    ]


@pytest.fixture(scope="module")
def originals():
    found = {}
    for identifier, version in VERSIONS.items():
        ordinance, problems = read_ordinance(version.file, identifier)
        assert not problems
        lines = tuple(version.file.read_text(encoding="utf-8").splitlines())
        found[identifier] = (Text(lines), ordinance)
    return found


def planted(mistake, originals, folder, count):
    """Yield mistakes of one kind that change something: the file, how it read before, how it reads now, and its problems."""
    rng = random.Random(f"geocheck {mistake.__name__}")
    made = 0
    for _ in range(count * 40):
        if made == count:
            return
        identifier = rng.choice(sorted(originals))
        text, ordinance = originals[identifier]
        try:
            changed = mistake(text, rng)
        except (IndexError, KeyError):
            # The file has nothing of the kind.
            continue
        file = folder / VERSIONS[identifier].file.name
        file.write_text(changed, encoding="utf-8")
        found, problems = read_ordinance(file, identifier)
        if not problems and found is not None and meaning_of(found) == meaning_of(ordinance):
            continue
        made += 1
        yield file, identifier, ordinance, found, problems
    raise AssertionError(f"only {made} mistakes of {count}")


def caught_by(file, identifier, found, problems):
    """Return what catches a mistake: an error, a case, a warning; or nothing."""
    if found is None or any(problem.severity == "error" for problem in problems):
        return "error"
    for case in found.cases:
        try:
            if any(True for _ in disagreements(found, case)):
                return "case"
        except GeocheckError:
            return "case"
    return "warning" if read_ordinance(file, identifier, thorough=True)[1] else ""


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.__name__ for mistake in MISTAKES])
def test_a_planted_mistake_that_changes_the_law_is_caught(mistake, originals, tmp_path):
    slipped, counts = [], {"error": 0, "case": 0, "warning": 0, "": 0}
    for file, identifier, before, found, problems in planted(mistake, originals, tmp_path, COUNT):
        way = caught_by(file, identifier, found, problems)
        counts[way] += 1
        if not way and law_of(found) != law_of(before):
            diff = unified_diff(
                originals[identifier][0].lines, file.read_text(encoding="utf-8").splitlines(), n=2, lineterm=""
            )
            slipped.append("\n".join((identifier, *diff)))
    print(mistake.__name__, counts)
    assert not slipped, "\n\n".join(slipped)


COUNT = -(-500 // len(MISTAKES))


def test_there_are_five_hundred():
    assert COUNT * len(MISTAKES) >= 500


def test_a_mistake_is_seen_to_be_one(originals, tmp_path):
    """The net has no hole where it is easy to look: a file unchanged is no mistake, and a threshold moved is one."""
    identifier = "us/wi/washington-county-village/87-5"
    text, ordinance = originals[identifier]
    file = tmp_path / VERSIONS[identifier].file.name
    file.write_text("\n".join(text.lines), encoding="utf-8")
    same, problems = read_ordinance(file, identifier)
    assert meaning_of(same) == meaning_of(ordinance) and caught_by(file, identifier, same, problems) == ""
    file.write_text(
        "\n".join(text.lines).replace("disturbed_area >= 4_000 ft2", "disturbed_area >= 4_000 m2"), encoding="utf-8"
    )
    moved, problems = read_ordinance(file, identifier)
    assert law_of(moved) != law_of(ordinance) and caught_by(file, identifier, moved, problems) == "case"
