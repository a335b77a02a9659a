"""Outputs are written together or not at all, and nothing else is touched."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from geocheck import reports
from geocheck.model.problem import OutputError, OutputNameError
from geocheck.reports import writing

CONTRACT = [
    "facts.csv", "determinations.csv", "trace.csv", "parcels.csv", "questions.csv", "layers.csv", "repairs.csv",
    "geocheck.gpkg", "geocheck.qgz", "surroundings.gpkg", "report.html", "result.json", "run.json",
]  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_run_writes_the_contract_s_files_and_nothing_else(findings, tmp_path):
    written = reports.write(findings, tmp_path / "deep" / "out")
    assert [path.name for path in written] == CONTRACT
    assert sorted(path.name for path in (tmp_path / "deep" / "out").iterdir()) == sorted(CONTRACT)


def test_a_run_without_sites_parcels_and_layers_still_writes_all_files(bare_findings, tmp_path):
    written = reports.write(bare_findings, tmp_path, reports.output_names())
    assert set(reports.output_names()) <= {path.name for path in written}
    assert (tmp_path / "facts.csv").read_text().count("\n") == 1


def test_only_what_is_asked_for_is_written(findings, tmp_path):
    written = reports.write(findings, tmp_path, ["parcels.shp", "facts.csv", "facts.csv"])
    assert [path.name for path in written] == [
        "parcels.shp", "parcels.shx", "parcels.dbf", "parcels.prj", "parcels.cpg", "parcels.fields.csv", "facts.csv"
    ]  # fmt: skip
    assert len(list(tmp_path.iterdir())) == 7


@pytest.mark.parametrize(
    ("name", "hint"),
    [("fact.csv", "did you mean facts.csv?"), ("Facts.CSV", "did you mean facts.csv?"), ("zzz.qqq", "The outputs are")],
)
def test_an_unknown_name_is_a_usage_error_that_lists_what_exists(findings, tmp_path, name, hint):
    with pytest.raises(OutputNameError) as caught:
        reports.write(findings, tmp_path / "out", ["facts.csv", name])
    assert caught.value.exit_code == 2
    assert hint in str(caught.value)
    assert all(known in str(caught.value) for known in CONTRACT)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["facts.geojson", "trace.shp", "../facts.csv", "out/facts.csv", "", "facts"])
def test_names_that_make_no_sense_are_refused(findings, tmp_path, name):
    with pytest.raises(OutputNameError):
        reports.check_writable(tmp_path, [name])


def test_files_that_exist_are_kept_unless_overwriting_is_allowed(findings, tmp_path):
    (tmp_path / "facts.csv").write_text("older")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"facts\.csv; pass --overwrite"):
        reports.check_writable(tmp_path)
    with pytest.raises(OutputError, match="overwrite"):
        reports.write(findings, tmp_path)
    assert contents(tmp_path) == {"facts.csv": b"older", "mine.txt": b"mine"}
    reports.write(findings, tmp_path, overwrite=True)
    assert (tmp_path / "facts.csv").read_text().startswith("subject,")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_file_beside_a_shapefile_counts_as_existing_and_a_stale_index_goes(findings, tmp_path):
    for suffix in (".dbf", ".qix", ".sbn"):
        (tmp_path / f"parcels{suffix}").write_text("older")
    with pytest.raises(OutputError, match=r"parcels\.dbf"):
        reports.check_writable(tmp_path, ["parcels.shp"])
    reports.write(findings, tmp_path, ["parcels.shp"], overwrite=True)
    assert not (tmp_path / "parcels.qix").exists()
    assert not (tmp_path / "parcels.sbn").exists()


@pytest.mark.parametrize("failing", ["facts.csv", "run.json"])
def test_a_run_that_fails_leaves_the_older_outputs_whole(findings, tmp_path, failing):
    reports.write(findings, tmp_path)
    before = contents(tmp_path)

    class Broken:
        id = "x"

        def to_dict(self):
            raise OSError(28, "No space left on device")

    broken = replace(findings, receipt=Broken(), name="Newer")
    with pytest.raises(OutputError, match="No space left on device"):
        reports.write(broken, tmp_path, overwrite=True)
    assert contents(tmp_path) == before
    assert failing in before


def test_a_new_folder_is_taken_away_when_the_run_fails(findings, tmp_path):
    broken = replace(findings, receipt=None)
    with pytest.raises(AttributeError):
        reports.write(broken, tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("nth", [1, 6, 9, 14])
def test_a_move_that_fails_halfway_is_undone(findings, tmp_path, monkeypatch, nth):
    names = ["run.json", "layers.csv", "sites.shp"]
    reports.write(findings, tmp_path, names)
    before = contents(tmp_path)
    real, calls = Path.replace, []

    def fails_once(self, target):
        calls.append(self)
        if len(calls) == nth:
            raise PermissionError(13, "The process cannot access the file because it is being used")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fails_once)
    with pytest.raises(OutputError, match="close them in other programs"):
        reports.write(replace(findings, name="Newer"), tmp_path, names, overwrite=True)
    assert contents(tmp_path) == before
    assert len(calls) > nth or nth == 1


def test_a_file_in_place_of_the_folder_is_refused(findings, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OutputError, match="it is a file, not a folder"):
        reports.check_writable(tmp_path / "out")
    with pytest.raises(OutputError):
        reports.check_writable(tmp_path / "out" / "below")


def test_a_folder_in_place_of_an_output_is_refused(findings, tmp_path):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OutputError, match="a folder has that name"):
        reports.check_writable(tmp_path, overwrite=True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody may write")
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(findings):
    with pytest.raises(OutputError, match="cannot write into /proc/geocheck"):
        reports.check_writable("/proc/geocheck")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_read_only_folder_is_refused(findings, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot write into"):
        reports.check_writable(tmp_path)
    tmp_path.chmod(0o700)


def test_a_geopackage_open_elsewhere_is_refused(findings, tmp_path):
    reports.write(findings, tmp_path, ["geocheck.gpkg"])
    (tmp_path / "geocheck.gpkg-wal").write_text("")
    with pytest.raises(OutputError, match="has it open"):
        reports.check_writable(tmp_path, overwrite=True)


def test_checking_leaves_no_trace(tmp_path):
    reports.check_writable(tmp_path / "new" / "out")
    reports.check_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_the_outputs(findings, tmp_path):
    calls = []
    reports.write(findings, tmp_path, ["facts.csv", "trace.csv"], progress=lambda *call: calls.append(call))
    assert calls == [(0, 2, "facts.csv"), (1, 2, "trace.csv"), (2, 2, "")]


def test_the_same_findings_give_the_same_bytes(findings, tmp_path):
    names = [name for name in reports.output_names() if not name.endswith((".gpkg", ".xlsx"))]
    reports.write(findings, tmp_path / "one", names)
    reports.write(findings, tmp_path / "two", names)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_default_order_names_every_default():
    assert sorted(writing.default_names()) == sorted(CONTRACT)
