"""What counts for whether a group of clauses holds: the clauses below it that say when, not those that say how to read."""

from __future__ import annotations

import pytest

from geocheck.model.facts import FactColumn, FactTable
from geocheck.rules.asking import judge
from geocheck.rules.columns import judge_table

LAW = """
facts:
  grows_sod: {{kind: stated, asks: Is sod grown?}}
clauses:
- at: (1)
  says: An acre.
  when: disturbed_area >= 1 acre
  imposes: [permit, fee]
- at: (2)
  says: Exempt.
  when: {together}
  lifts: all
  clauses:
  - at: (a)
    says: Sod.
    when: grows_sod
  - at: (b)
    says: {below}
- at: (3)
  says: Waivers.
  waives: all
  clauses:
  - at: (a)
    says: Not needed.
"""
READS = "How sod is counted.\n    carried_by: [(2)(a)]"
STANDS = "What a waiver leaves.\n    still_binds: {permit: § 9}"
OPEN = "Not read.\n    not_modelled: Not read."


@pytest.mark.parametrize(
    ("together", "below", "sod", "expected"),
    [
        ("any", READS, False, "required"),
        ("any", READS, True, "not_required"),
        ("all", READS, True, "not_required"),
        ("all", READS, False, "required"),
        ("any", STANDS, False, "required"),
        ("all", STANDS, True, "not_required"),
        ("any", OPEN, False, "undetermined"),
        ("any", OPEN, True, "not_required"),
        ("all", OPEN, True, "undetermined"),
        ("all", OPEN, False, "required"),
    ],
)
def test_a_clause_that_only_says_how_to_read_exempts_nothing(law, together, below, sod, expected):
    ordinance = law(LAW.format(together=together, below=below))
    facts = {"disturbed_area": "2 acre", "grows_sod": sod}
    determination = judge(facts, ordinance)
    assert determination.outcomes == {"permit": expected, "fee": expected}
    assert "(2)(b)" not in determination.because
    columns = [
        FactColumn("disturbed_area", "measured", "ft2", [2 * 43_560.0]),
        FactColumn("grows_sod", "stated", "", [sod]),
    ]
    verdicts = judge_table(ordinance, FactTable("site", ["S"], {column.name: column for column in columns}))
    assert verdicts["permit"].outcome.tolist() == [expected]
