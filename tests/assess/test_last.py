"""The last result read back: what was written is what is explained."""

from __future__ import annotations

import pytest
from shapely.geometry import box

from geocheck.assess.last import LastResult
from geocheck.model.problem import OutputError

VILLAGE = "us/wi/washington-county-village/87-5"


@pytest.fixture
def result(world):
    made = world().say(f"ordinances: [{VILLAGE}]").state(S={"one_or_two_family_building": ""}, T={"grows_crops": "yes"})
    made.add("disturbance", {"S": box(0, 0, 100, 100), "T": box(200, 0, 300, 100)})
    return made.run()


def test_determinations_and_facts_come_back_whole(result, tmp_path):
    result.write(tmp_path / "out", ["result.json"])
    last = LastResult(tmp_path / "out")
    for site in ("S", "T"):
        assert last.determinations(site) == result.of(site)
        facts = result.findings.facts.of("site", site)
        read = last.facts(site)
        assert set(read) == set(facts)
        for name, fact in facts.items():
            assert (read[name].value is None) == (fact.value is None) and read[name].status == fact.status
            if fact.unit:
                for was, now in zip(
                    (fact.value, fact.low, fact.high), (read[name].value, read[name].low, read[name].high), strict=True
                ):
                    assert (was is None) == (now is None)
                    assert was is None or float(now.value) == pytest.approx(float(was.value))
            else:
                assert read[name].value == fact.value
    assert last.heading()["as_of"] == result.findings.as_of.isoformat()
    assert {q["fact"] for q in last.questions()} >= {"one_or_two_family_building"}


def test_a_site_that_is_not_there_is_said(result, tmp_path):
    result.write(tmp_path / "out", ["result.json"])
    with pytest.raises(OutputError, match="no site is called 'U'; did you mean"):
        LastResult(tmp_path / "out").determinations("U")


def test_without_a_result_there_is_advice(tmp_path):
    with pytest.raises(OutputError, match="run `geocheck run` first"):
        LastResult(tmp_path)
    (tmp_path / "result.json").write_text('{\n"determinations": [\n{"site_id": "S"\n')
    with pytest.raises(OutputError, match="not a whole result"):
        LastResult(tmp_path).determinations("S")
