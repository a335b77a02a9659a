"""A kind of fact that its value does not fit: an official act that is a number, or a measurement without a unit."""

from __future__ import annotations

from collections.abc import Iterator

from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Problem
from geocheck.rules.checks import Check


def _look(ordinance: Ordinance) -> Iterator[Problem]:
    for name, declared in ordinance.facts.items():
        place = ordinance.place_of(f"facts.{name}")
        if declared.kind == "decided" and declared.unit:
            message = f"{name} is decided and has a unit: no decision on file reads as no, and a number is never no"
            yield Problem("kind-without-sense", message, place, "Make it stated, or a question of yes or no.")
        if declared.kind == "measured" and not declared.unit:
            message = f"{name} is measured and has no unit"
            yield Problem("kind-without-sense", message, place, "Add its unit; what is yes or no is stated or decided.")


CHECK = Check(
    "kind-without-sense",
    "A fact of the ordinance's own is decided and a number, or measured and without a unit.",
    _look,
    severity="warning",
)
