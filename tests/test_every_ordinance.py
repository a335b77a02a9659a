"""Every ordinance that comes with geocheck: it lints clean, and each of its cases comes out as it says."""

from __future__ import annotations

import pytest

from geocheck.model.ordinance import same_label
from geocheck.rules.cases import disagreements, name_of_case
from geocheck.rules.read import list_versions, load_ordinance, read_ordinance

VERSIONS = list_versions()
CASES = [(version, n) for version in VERSIONS for n in range(len(load_ordinance(version.file).cases))]


def _case_id(item):
    version, n = item
    return f"{version.id}:{name_of_case(load_ordinance(version.file).cases[n])}"


@pytest.mark.parametrize("version", VERSIONS, ids=[f"{v.id}/{v.file.stem}" for v in VERSIONS])
def test_it_lints_clean(version):
    _, problems = read_ordinance(version.file, version.id, thorough=True)
    assert not problems, "\n".join(problem.show() for problem in problems)


@pytest.mark.parametrize("item", CASES, ids=[_case_id(item) for item in CASES])
def test_its_cases_come_out_as_they_say(item):
    version, n = item
    ordinance = load_ordinance(version.file)
    assert [str(wrong) for wrong in disagreements(ordinance, ordinance.cases[n])] == []


@pytest.mark.parametrize("version", VERSIONS, ids=[f"{v.id}/{v.file.stem}" for v in VERSIONS])
def test_every_clause_says_something_and_has_a_label_of_its_own(version):
    ordinance = load_ordinance(version.file)
    assert all(clause.says for clause in ordinance.every_clause)
    labels = [same_label(clause.label) for clause in ordinance.every_clause]
    assert len(set(labels)) == len(labels)


def test_both_adopted_chapters_are_there():
    assert {"us/wi/washington-county-village/87-5", "us/wi/river-hills/6.04"} <= {v.id for v in VERSIONS}
