"""An office's own words stand in the report beside the clauses that decide, and nowhere where none are attached."""

from __future__ import annotations

import geopandas
import pytest
from shapely.geometry import box

import geocheck
from geocheck.model.problem import RuleFileError
from geocheck.rules.adopting import adopt
from geocheck.rules.adoption_record import save_adoption

CHAPTER = "us/wi/river-hills/6.04"
TEXT = "(1) PONDS. [a] Invented words about an acre <b>or more</b>. (2) LAKES. Others."


@pytest.fixture
def project(tmp_path):
    x, y = 362000, 184000
    sites = geopandas.GeoDataFrame({"ID": ["S-1"]}, geometry=[box(x, y, x + 900, y + 900)], crs=8104)
    sites.to_file(tmp_path / "sites.gpkg")
    (tmp_path / "geocheck.yaml").write_text(
        f"ordinances: [{CHAPTER}]\nlayers:\n  disturbance: {{source: sites.gpkg, id: ID}}\n", encoding="utf-8"
    )
    return tmp_path


def test_adopted_words_are_shown_literally_and_change_no_answer(project):
    before = geocheck.run(geocheck.open_project(project))
    save_adoption(adopt(CHAPTER, TEXT), project / "6.04.2020-01-01.adopted.json", overwrite=True)
    after = geocheck.run(geocheck.open_project(project))
    assert before.findings.adopted == {} and after.findings.adopted[CHAPTER]
    assert [d.outcomes for d in before.findings.determinations] == [d.outcomes for d in after.findings.determinations]
    after.write(project / "out", ["report.html"])
    text = (project / "out" / "report.html").read_text(encoding="utf-8")
    assert "<blockquote><p>Invented words about an acre &lt;b&gt;or more&lt;/b&gt;.</p></blockquote>" in text


def test_words_that_were_changed_are_refused(project):
    path = project / "6.04.2020-01-01.adopted.json"
    save_adoption(adopt(CHAPTER, TEXT), path, overwrite=True)
    path.write_text(path.read_text(encoding="utf-8").replace("an acre", "no acre"), encoding="utf-8")
    with pytest.raises(RuleFileError, match="adopted"):
        geocheck.run(geocheck.open_project(project))
