"""Which version of an ordinance judges: the one in force on the day of the run, one for all sites."""

from __future__ import annotations

from datetime import date

import pytest
from shapely.geometry import box

import geocheck
from geocheck.model.problem import ProjectError, RuleFileError

LAW = """\
cite: § 1
title: Grading
in_force: {day}
obligations: {{permit: § 2}}
clauses:
- {{at: (1), says: x, when: disturbed_area >= {acres} acre, imposes: [permit]}}
"""


@pytest.fixture
def project(world):
    """A site of two acres; until 2016 one acre needs a permit, then three."""

    def project(*lines):
        made = world().say(*lines).add("disturbance", {"S": box(0, 0, 2 * 435.6, 100)})
        for folder in ("law/us/wi/here/1", "law/us/wi/there/1"):
            (made.folder / folder).mkdir(parents=True)
            for day, acres in (("2002-04-01", 1), ("2016-01-01", 3)):
                (made.folder / folder / f"{day}.yaml").write_text(LAW.format(day=day, acres=acres), encoding="utf-8")
        return made

    return project


HERE = ("ordinance_folder: law", "ordinances: [us/wi/here/1]")


@pytest.mark.parametrize(
    "day, outcome, in_force",
    [
        ("2002-04-01", "required", "2002-04-01"),
        ("2015-12-31", "required", "2002-04-01"),
        ("2016-01-01", "not_required", "2016-01-01"),
        ("2026-12-01", "not_required", "2016-01-01"),
    ],
)
def test_the_version_in_force_on_the_day_judges(project, day, outcome, in_force):
    result = project(*HERE, f"as_of: {day}").run()
    (determination,) = result.of("S")
    assert determination.outcomes == {"permit": outcome}
    assert result.findings.ordinances["us/wi/here/1"].in_force == date.fromisoformat(in_force)


def test_before_the_first_version_nothing_judges(project):
    with pytest.raises(RuleFileError, match=r"no version of us/wi/here/1 was in force on 2002-03-31"):
        project(*HERE, "as_of: 2002-03-31").run()


def test_the_day_of_the_command_line_counts_before_the_project_s(project, tmp_path):
    from click.testing import CliRunner

    from geocheck.cli import application

    file = project(*HERE, "as_of: 2026-12-01").project()
    ended = CliRunner().invoke(application, ["run", str(file), "--as-of", "2010-01-01", "-o", str(tmp_path / "out")])
    assert ended.exit_code == 0, ended.output
    assert "required" in (tmp_path / "out" / "determinations.csv").read_text(encoding="utf-8").splitlines()[1].split(
        ","
    )


@pytest.mark.parametrize(
    "names, said",
    [
        (["law/us/wi/here/1/2002-04-01.yaml", "law/us/wi/here/1/2016-01-01.yaml"], "2002-04-01 and 2016-01-01 are two versions of § 1"),
        (["us/wi/here/1", "law/us/wi/here/1/2002-04-01.yaml"], "2016-01-01 and 2002-04-01 are two versions of § 1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("folder", [True, False])
def test_two_versions_in_one_run_would_have_every_site_straddle_them(project, names, said, folder):
    if not folder and "us/wi/here/1" in names:
        pytest.skip("an identifier needs the office's folder")
    lines = ["ordinance_folder: law"] if folder else []
    with pytest.raises(ProjectError) as caught:
        project(*lines, f"ordinances: [{', '.join(names)}]").run()
    assert said in str(caught.value)


def test_two_places_with_the_same_chapter_are_two_ordinances(project):
    result = project("ordinance_folder: law", "ordinances: [us/wi/here/1, law/us/wi/there/1/2002-04-01.yaml]").run()
    assert [d.outcomes["permit"] for d in result.of("S")] == ["not_required", "required"]
    table = result.findings.sites
    assert (table["here_1_permit"].tolist(), table["there_1_permit"].tolist()) == (["not_required"], ["required"])


def test_an_ordinance_named_twice_judges_once(project):
    result = project("ordinance_folder: law", "ordinances: [us/wi/here/1, us/wi/here/1]").run()
    assert len(result.of("S")) == 1 and result.findings.sites["1_permit"].tolist() == ["not_required"]


def test_law_alone_takes_the_version_of_the_day(project):
    made = project()
    for day, outcome in ((date(2010, 1, 1), "required"), (None, "not_required")):
        found = geocheck.judge({"disturbed_area": "2 acre"}, "us/wi/here/1", as_of=day, folder=made.folder / "law")
        assert found.outcomes == {"permit": outcome}
