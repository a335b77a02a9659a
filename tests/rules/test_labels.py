"""Labels as a text counts them."""

from __future__ import annotations

import itertools

import pytest

from geocheck.rules.labels import SYSTEMS, follows, ordinal_in, own_label, system_of


@pytest.mark.parametrize(
    "text, shape, core",
    [("(1)", ("(", ")"), "1"), ("[b]", ("[", "]"), "b"), ("12.", ("", "."), "12"), ("(iv)", ("(", ")"), "iv"), ("A)", ("", ")"), "A")],
)  # fmt: skip
def test_a_label_is_taken_apart(text, shape, core):
    label = own_label(text)
    assert (label.shape, label.core) == (shape, core)


@pytest.mark.parametrize("text", ["", "87-5", "NR 216", "((a)", "Article", "Notwithstanding"])
def test_what_is_not_counted_is_no_label(text):
    assert own_label(text) is None


def test_roman_numbers_count_as_the_roman_way_has_it():
    words = [
        "i",
        "ii",
        "iii",
        "iv",
        "v",
        "vi",
        "vii",
        "viii",
        "ix",
        "x",
        "xi",
        "xiv",
        "xix",
        "xl",
        "xlix",
        "l",
        "xc",
        "xcix",
        "c",
    ]
    numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 19, 40, 49, 50, 90, 99, 100]
    assert [ordinal_in("lower roman", word) for word in words] == numbers
    assert ordinal_in("upper roman", "XIV") == 14
    assert ordinal_in("lower roman", "iix") is None


def test_a_letter_that_is_a_roman_number_is_read_by_its_neighbours():
    assert system_of(["a", "b", "c"]) == "lower letter"
    assert system_of(["h", "i", "j"]) == "lower letter"
    assert system_of(["i", "ii", "iii", "iv", "v"]) == "lower roman"
    assert system_of(["I", "II"]) == "upper roman"
    assert system_of(["z", "aa", "bb"]) == "lower letter"
    assert system_of(["1", "b"]) is None
    assert all(ordinal_in(system, "5") is None for system in SYSTEMS[1:])


def test_a_number_inserted_by_a_later_act_stands_between():
    assert own_label("(8m)").core == "8m"
    assert system_of(["8", "8m", "9"]) == "number"
    places = [ordinal_in("number", core) for core in ("8", "8m", "9", "11")]
    assert [follows(a, b) for a, b in itertools.pairwise(places)] == [True, True, False]


def test_what_counts_in_two_ways_counts_in_the_one_with_fewer_steps_left_out_else_by_letters():
    assert system_of(["c"]) == "lower letter" and system_of(["i"]) == "lower roman"
    assert system_of(["c", "d"]) == "lower letter" and system_of(["v", "w"]) == "lower letter"
