"""The shelf of input formats: every member defines FORMAT, says what it is, and is tried by the tests."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from geocheck.sources.format import Format
from geocheck.sources.formats import FORMATS
from geocheck.sources.origin import Origin
from geocheck.sources.origins import ORIGINS, origin_of

TRIED = "\n".join(p.read_text(encoding="utf-8") for p in (Path(__file__).parent / "sources").glob("*.py"))


@pytest.mark.parametrize("name", FORMATS.names())
def test_a_format_is_complete(name):
    module = importlib.import_module(f"geocheck.sources.formats.{name}")
    form = module.FORMAT
    assert isinstance(form, Format)
    assert module.__all__[0] == "FORMAT" or "FORMAT" in module.__all__
    assert module.__doc__ and module.__doc__.strip().endswith(".")
    assert form.suffixes
    assert all(s.startswith(".") and s == s.lower() for s in form.suffixes)


@pytest.mark.parametrize("name", FORMATS.names())
def test_a_format_is_tried(name):
    suffixes = FORMATS.load(name).suffixes
    assert any(f'"a{suffix}"' in TRIED or f"{suffix}" in TRIED for suffix in suffixes), f"no test reads {suffixes}"


@pytest.mark.parametrize("name", ORIGINS.names())
def test_an_origin_is_complete_and_tried(name):
    module = importlib.import_module(f"geocheck.sources.origins.{name}")
    origin = module.ORIGIN
    assert isinstance(origin, Origin)
    assert module.__doc__.strip().endswith(".")
    assert origin_of(origin.example) is origin, "its example is fetched by another"
    assert origin.name in (Path(__file__).parents[1] / "docs" / "project-file.md").read_text(encoding="utf-8")


def test_a_file_has_no_origin():
    assert origin_of("parcels.shp") is None and origin_of("C:/land/parcels.gdb") is None


def test_a_member_without_a_format_is_caught(tmp_path, monkeypatch):
    import geocheck.sources.formats as package

    (tmp_path / "empty_one.py").write_text('"""Nothing."""\n')
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    with pytest.raises(AttributeError):
        list(FORMATS)


MAPS = sorted(p.name for p in (Path(__file__).parents[1] / "geocheck" / "layer_maps").glob("*.yaml"))


@pytest.mark.parametrize("file", MAPS)
def test_a_layer_map_is_complete(file):
    from geocheck.model.ground import ROLES
    from geocheck.sources.schemas import layer_maps

    found = next(m for m in layer_maps() if m.name == file.removesuffix(".yaml"))
    assert found.title
    assert found.publisher
    assert found.role in ROLES
    assert found.fields
    assert found.notes
    assert not found.where or found.where_note
    assert found.name in TRIED, f"no test recognises {file}"


def test_a_layer_map_with_an_unknown_key_is_caught():
    from geocheck.model.problem import SourceError
    from geocheck.sources.schemas import _layer_map

    sound = {"title": "t", "publisher": "p", "role": "wetland", "recognised_by": {"fields": ["A"]}}
    assert _layer_map("x", sound).fields == ("A",)
    for broken in ({**sound, "wher": "A = 1"}, {k: v for k, v in sound.items() if k != "recognised_by"}, None):
        with pytest.raises(SourceError):
            _layer_map("x", broken)
