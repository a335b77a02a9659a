"""Official acts as they stand: what each must say, which of them is in force on a day, what they say of a site."""

from __future__ import annotations

import itertools
from datetime import date

import pytest

from geocheck.model.acts import Act, decided_facts, in_force, waivers_of
from geocheck.model.problem import LedgerError

FINDING = {"kind": "decision", "site_id": "S-1", "by": "Engineer", "on": "2026-03-01", "fact": "ruled"}
WAIVER = {"kind": "waiver", "site_id": "S-1", "by": "Board", "on": "2026-03-01", "ordinance": "us/a", "obligation": "fee",
          "ground": "(4)1."}  # fmt: skip


@pytest.mark.parametrize(
    "parts, said",
    [
        ({**FINDING, "kind": "opinion"}, "one of decision, waiver, revocation, not 'opinion'"),
        ({**FINDING, "site_id": ""}, "names its site and who acted"),
        ({**FINDING, "by": ""}, "names its site and who acted"),
        ({**FINDING, "on": "1 March"}, "written YYYY-MM-DD, not '1 March'"),
        ({**FINDING, "fact": ""}, "a decision names the fact it decides"),
        ({**WAIVER, "ordinance": ""}, "a waiver names ordinance, obligation and ground"),
        ({**WAIVER, "ground": ""}, "a waiver names ordinance, obligation and ground"),
        ({**FINDING, "kind": "revocation", "fact": ""}, "a revocation names the decided fact, or"),
        ({**WAIVER, "kind": "revocation", "fact": "ruled"}, "a revocation names the decided fact, or"),
    ],
)
def test_an_act_says_what_it_must(parts, said):
    with pytest.raises(LedgerError) as caught:
        Act(**parts)
    assert said in str(caught.value)


def test_an_act_in_words_and_in_plain_values():
    assert str(Act(**FINDING, value=False, number=3)) == "decision no. 3, ruled = no, by Engineer on 2026-03-01"
    assert str(Act(**FINDING, number=3)) == "decision no. 3, ruled = yes, by Engineer on 2026-03-01"
    assert str(Act(**WAIVER, number=4)) == "waiver no. 4, fee of us/a, by Board on 2026-03-01"
    assert Act(**Act(**WAIVER).to_dict()) == Act(**WAIVER)


def act(kind, on, number, **parts):
    return Act(**{**(FINDING if "fact" in parts else WAIVER), "kind": kind, "on": on, "number": number, **parts})


ACTS = [
    act("decision", "2026-03-01", 1, fact="ruled"),
    act("waiver", "2026-03-05", 2),
    act("decision", "2026-04-01", 3, fact="ruled", value=False),
    act("revocation", "2026-05-01", 4),
    act("decision", "2026-03-02", 5, fact="ruled", site_id="S-2"),
]


@pytest.mark.parametrize(
    "day, numbers",
    [("2026-02-28", []), ("2026-03-01", [1]), ("2026-03-31", [1, 2, 5]), ("2026-04-01", [2, 3, 5]), ("2026-05-01", [3, 5])],
)  # fmt: skip
def test_the_latest_about_a_matter_is_in_force_until_it_is_revoked(day, numbers):
    for acts in itertools.islice(itertools.permutations(ACTS), 0, 120, 7):
        assert [found.number for found in in_force(acts, date.fromisoformat(day))] == numbers


def test_of_two_acts_of_one_day_the_one_recorded_later_counts():
    acts = [act("decision", "2026-03-01", 2, fact="ruled", value=False), act("decision", "2026-03-01", 1, fact="ruled")]
    assert [found.value for found in in_force(acts, date(2026, 3, 1))] == [False]


def test_what_acts_say_of_one_site_and_ordinance():
    force = in_force(ACTS, date(2026, 4, 2))
    (fact,) = decided_facts(force, "S-1").values()
    assert (fact.kind, fact.value, fact.source, fact.note) == ("decided", False, "ledger, act no. 3", str(ACTS[2]))
    assert decided_facts(force, "S-3") == {}
    (waiver,) = waivers_of(force, "S-1", "us/a")
    assert (waiver.obligation, waiver.by, waiver.on, waiver.ground) == ("fee", "Board", "2026-03-05", "(4)1.")
    assert waivers_of(force, "S-1", "us/b") == waivers_of(force, "S-2", "us/a") == []
