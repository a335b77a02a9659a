"""geocheck ask: only what could still change something, with the unit in which the answer is given."""

from __future__ import annotations

import csv
import io

import pytest

LAW = """\
cite: § 1
title: Homes
in_force: not established
obligations: {permit: § 2}
facts:
  dwelling_units: {kind: stated, unit: each, asks: How many homes are built?}
  is_pond: {kind: stated, asks: Is it a pond?}
clauses:
- {at: (1), says: x, when: dwelling_units >= 2 each, imposes: [permit]}
- {at: (2), says: x, when: is_pond, imposes: [permit]}
- {at: (3), says: x, when: disturbed_area > 0 ft2 or grows_crops, imposes: [permit]}
- {at: (4), says: x, when: new_road_length > 100 ft, lifts: all}
- {at: (5), says: x, when: is_pond and dwelling_units < 1 each, lifts: all}
"""


@pytest.fixture
def asked(geocheck_command, layers, tmp_path, monkeypatch):
    """Run a project under the law above and return the rows that ask prints, with what else it was told."""
    monkeypatch.chdir(tmp_path)
    sites = next(layers.glob("*sites*.shp"))

    def asked(name, *words, law=LAW):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(law, encoding="utf-8")
        named = name if "law/" not in name else "us/wi/here/1"
        folder = "ordinance_folder: law\n" if "law/" in name else ""
        (tmp_path / "geocheck.yaml").write_text(
            f"{folder}ordinances: [{named}]\nlayers:\n  disturbance: {{source: {sites.as_posix()}}}\n", encoding="utf-8"
        )
        ended = geocheck_command("run", "--quiet", "--overwrite")
        assert ended.code == 0, ended.err
        ended = geocheck_command("ask", *words)
        assert ended.code == 0, ended.err
        return {row["fact"]: row["unit"] for row in csv.DictReader(io.StringIO(ended.out))}

    return asked


def test_a_fact_of_the_ordinance_s_own_is_asked_for_in_its_unit(asked):
    # The ground that is disturbed imposes the permit anyway: only an exemption could still change anything.
    assert asked("law.yaml") == {"new_road_length": "ft", "is_pond": "yes or no", "dwelling_units": "each"}


def test_an_ordinance_in_the_office_s_folder_is_found_where_it_is_said(asked):
    assert asked("law/us/wi/here/1/undated.yaml")["dwelling_units"] == ""
    assert asked("law/us/wi/here/1/undated.yaml", "--ordinance-folder", "law")["dwelling_units"] == "each"
