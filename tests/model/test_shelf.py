"""Shelves: a file is a member; other packages add theirs by entry point."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from geocheck.model import shelf
from geocheck.model.shelf import Shelf


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A package with two members and a module beside them."""
    folder = tmp_path / "shop_of_this_test"
    folder.mkdir()
    for name, text in {"__init__": "", "tea": "GOOD = 'tea'", "jam": "GOOD = 'jam'", "till": "COINS = 3"}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return Shelf("shop_of_this_test", "GOOD", beside=("till",))


def test_each_file_is_a_member_in_order(shop):
    assert shop.names() == ["jam", "tea"] and list(shop) == ["jam", "tea"] and shop.load("tea") == "tea"


@pytest.mark.parametrize("name", ["till", "coffee"])
def test_what_is_no_member_is_not_loaded(shop, name):
    with pytest.raises(KeyError):
        shop.load(name)


def test_another_package_adds_a_member(shop, monkeypatch):
    point = EntryPoint("gravity", "fractions:Fraction", "shop_of_this_test")
    monkeypatch.setattr(shelf, "_admitted", lambda group: {"gravity": point} if group == "shop_of_this_test" else {})
    assert shop.names() == ["gravity", "jam", "tea"] and shop.load("gravity").__name__ == "Fraction"
