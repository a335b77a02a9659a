"""The plugins made by one command: algorithms run by qgis_process against the installed command; the toolbox by its structure."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType, SimpleNamespace

import geopandas
import pytest
from shapely.geometry import box

ROOT = Path(__file__).parent.parent.parent
QGIS = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
MAKE = [sys.executable, "-c", "from geocheck.cli import main; main()", "plugin"]


def made(tmp_path, program, name):
    done = subprocess.run([*MAKE, program, "-o", str(tmp_path / name)], capture_output=True, text=True, check=True)
    assert f"Wrote {tmp_path / name}" in done.stdout
    return tmp_path / name


def test_the_archive_is_what_qgis_installs(tmp_path):
    archive = zipfile.ZipFile(made(tmp_path, "qgis", "plugin.zip"))
    names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"geocheck_qgis"}
    assert {"geocheck_qgis/__init__.py", "geocheck_qgis/metadata.txt", "geocheck_qgis/icon.svg"} <= set(names)
    told = dict(
        line.split("=", 1) for line in archive.read("geocheck_qgis/metadata.txt").decode().splitlines() if "=" in line
    )
    import geocheck

    assert told["version"] == geocheck.__version__ and told["hasProcessingProvider"] == "yes"
    assert json.loads(archive.read("geocheck_qgis/command.json"))[0] == sys.executable
    for name in names:
        if name.endswith(".py"):
            tree = ast.parse(archive.read(name))
            imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
            imported |= {
                node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level
            }
            assert not any(module.split(".")[0] == "geocheck" for module in imported), (
                "it must run where geocheck is not installed"
            )


def test_an_archive_that_is_there_stays(tmp_path):
    (tmp_path / "plugin.zip").write_bytes(b"mine")
    done = subprocess.run(
        [*MAKE, "qgis", "-o", str(tmp_path / "plugin.zip")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3 and "--overwrite" in done.stderr
    assert (tmp_path / "plugin.zip").read_bytes() == b"mine"


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("with space")
    x, y = 362000, 184000
    geopandas.GeoDataFrame(
        {"ID": ["S-1", "S-2"]}, geometry=[box(x, y, x + 90, y + 90), box(x + 200, y, x + 210, y + 10)], crs=8104
    ).to_file(folder / "sites.shp")
    geopandas.GeoDataFrame({"PIN": ["0001"]}, geometry=[box(x - 20, y - 20, x + 150, y + 150)], crs=8104).to_file(
        folder / "lots.gpkg", layer="lots"
    )
    geopandas.GeoDataFrame({"T": ["E"]}, geometry=[box(x + 50, y, x + 100, y + 100)], crs=8104).to_file(
        folder / "wetlands.shp"
    )
    return folder


@pytest.mark.slow
@pytest.mark.skipif(QGIS is None, reason="needs QGIS")
class TestByQgisProcess:
    @pytest.fixture
    def processing(self, tmp_path_factory):
        home = tmp_path_factory.mktemp("profile")
        plugins = home / "profiles" / "default" / "python" / "plugins"
        plugins.mkdir(parents=True)
        zipfile.ZipFile(made(home, "qgis", "plugin.zip")).extractall(plugins)
        # QGIS brings a Python of its own, which an environment that is active here would lead astray.
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        environment = own | {
            "PATH": os.defpath,
            "QT_QPA_PLATFORM": "offscreen",
            "QGIS_CUSTOM_CONFIG_PATH": str(home),
            "QGIS_PLUGINPATH": str(plugins),
        }

        def process(*words):
            done = subprocess.run(
                [QGIS, *words], capture_output=True, text=True, env=environment, timeout=300, check=False
            )
            return done.returncode, done.stdout, done.stderr

        code, out, err = process("plugins", "enable", "geocheck_qgis")
        assert code == 0, out + err
        return process

    @staticmethod
    def results(out):
        return json.loads(out[out.index("{") :])["results"]

    def test_it_lists_three_algorithms(self, processing):
        code, out, _ = processing("list")
        assert code == 0
        for name in ("geocheck:inspect", "geocheck:run", "geocheck:explain"):
            assert name in out

    def test_inspect_run_and_explain(self, processing, layers, tmp_path):
        code, out, err = processing("--json", "run", "geocheck:inspect", "--", f"SOURCE={layers / 'sites.shp'}")
        assert code == 0, out + err
        assert "2 records" in self.results(out)["REPORT"]
        folder = tmp_path / "answers of ours"
        code, out, err = processing(
            "--json", "run", "geocheck:run", "--", f"DISTURBANCE={layers / 'sites.shp'}", "DISTURBANCE_ID=ID",
            f"PARCELS={layers / 'lots.gpkg'}|layername=lots", "PARCELS_ID=PIN", f"WETLAND={layers / 'wetlands.shp'}", f"FOLDER={folder}",
        )  # fmt: skip
        assert code == 0, out + err
        assert Path(self.results(out)["REPORT"]).exists()
        assert geopandas.read_file(folder / "geocheck.gpkg", layer="sites").site_id.tolist() == ["S-1", "S-2"]
        assert geopandas.read_file(folder / "geocheck.gpkg", layer="parcels").wetland_member.tolist() == ["partly"]
        code, out, err = processing("--json", "run", "geocheck:explain", "--", "SITE=S-1", f"FOLDER={folder}")
        assert code == 0, out + err
        assert "87-5" in self.results(out)["EXPLANATION"]

    def test_an_error_is_told_in_geocheck_s_words(self, processing, tmp_path):
        code, out, err = processing("run", "geocheck:explain", "--", "SITE=S-1", f"FOLDER={tmp_path}")
        assert code != 0
        assert "there is no result yet" in out + err


class TestToolbox:
    @pytest.fixture
    def toolbox(self, tmp_path, monkeypatch):
        """The toolbox, loaded with a stand-in for arcpy that only holds what it is given."""
        said = []
        arcpy = ModuleType("arcpy")
        arcpy.Parameter = lambda **told: SimpleNamespace(**told, value=None, valueAsText=None)
        arcpy.ExecuteError = type("ExecuteError", (Exception,), {})
        arcpy.AddMessage = arcpy.AddError = said.append
        arcpy.Describe = lambda path: SimpleNamespace(catalogPath=path)
        arcpy.mp = SimpleNamespace(ArcGISProject=lambda name: SimpleNamespace(activeMap=None))
        monkeypatch.setitem(sys.modules, "arcpy", arcpy)
        module = ModuleType("toolbox")
        path = made(tmp_path, "arcgis", "geocheck.pyt")
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
        return module, said

    def test_its_tools_declare_what_they_take(self, toolbox):
        module, _ = toolbox
        box = module.Toolbox()
        assert box.label == "geocheck"
        for tool in (tool() for tool in box.tools):
            parameters = tool.getParameterInfo()
            assert tool.label and tool.description and callable(tool.execute)
            names = [parameter.name for parameter in parameters]
            assert len(set(names)) == len(names)
            assert all(parameter.datatype.startswith(("GP", "DE", "Field")) for parameter in parameters)
        assert module.COMMAND[0] == sys.executable

    def test_its_tools_call_the_command(self, toolbox, layers, tmp_path):
        module, said = toolbox
        run = module.RunDetermination()
        parameters = run.getParameterInfo()
        for parameter in parameters:
            given = {
                "disturbance": layers / "sites.shp",
                "disturbance_id": "ID",
                "folder": tmp_path / "out",
                "ordinances": parameter.value,
            }
            value = given.get(parameter.name)
            parameter.valueAsText = None if value is None else str(value)
        run.execute(parameters, None)
        assert (tmp_path / "out" / "geocheck.gpkg").exists()
        explain = module.ExplainSite()
        site, folder = explain.getParameterInfo()
        site.valueAsText, folder.valueAsText = "S-2", str(tmp_path / "out")
        explain.execute([site, folder], None)
        assert any("87-5" in line for line in said)
        site.valueAsText = "no such site"
        with pytest.raises(sys.modules["arcpy"].ExecuteError):
            explain.execute([site, folder], None)
