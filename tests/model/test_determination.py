"""What becomes of a site: lookups, gathering, plain values, receipts."""

from __future__ import annotations

import json

import pytest

from geocheck.model.determination import (
    OUTCOMES,
    Determination,
    ObligationOutcome,
    Question,
    Receipt,
    Trace,
    TraceStep,
    Waiver,
)
from geocheck.model.truth import NO, YES, Gap, unknown

OPEN = unknown("disturbed_area", "missing")
STEPS = Trace((TraceStep("(1)", YES, "a = 1", "note"), TraceStep("(3)(b)2.", OPEN, depth=2)))
PERMIT = ObligationOutcome(
    "permit", "§ 6", "waived", YES, "waived", because=("(1)", "(4)1."), reserved=("(4)",), instead=("law",),
    waiver=Waiver("permit", "Board", "2026-01-01", "(4)1."),
)  # fmt: skip
FEE = ObligationOutcome("fee", "§ 6", "undetermined", OPEN, "required", True, ("(1)",), needs=("disturbed_area",),
                        gaps=(Gap("disturbed_area", "missing"),))  # fmt: skip
FOUND = Determination("S", "us/a", (PERMIT, FEE), STEPS, Receipt({"b": "2", "a": "1"}))


def test_lookups():
    assert FOUND["fee"] is FEE and FOUND.trace["(3)(b)2"].depth == 2 and FOUND.trace["(3)(b)2."].depth == 2
    for missing in (lambda: FOUND["rent"], lambda: FOUND.trace["(9)"]):
        with pytest.raises(KeyError):
            missing()


def test_what_any_obligation_says_is_gathered_once():
    assert FOUND.outcomes == {"permit": "waived", "fee": "undetermined"}
    assert FOUND.best_estimate == {"permit": "waived", "fee": "required"}
    assert (FOUND.because, FOUND.needs, FOUND.reserved, FOUND.instead) == (
        ("(1)", "(4)1."),
        ("disturbed_area",),
        ("(4)",),
        ("law",),
    )


def test_plain_values():
    plain = json.loads(json.dumps(FOUND.to_dict()))
    assert plain["obligations"][0]["waiver"]["by"] == "Board" and plain["obligations"][1]["waiver"] is None
    assert plain["trace"][1]["truth"] == "unknown" and plain["trace"][1]["gaps"][0]["reason"] == "missing"
    assert Question("S", "f", "stated", "F?", ("us/a: fee",)).to_dict()["decides"] == ("us/a: fee",)
    assert set(FOUND.outcomes.values()) <= set(OUTCOMES)


def test_the_same_parts_make_the_same_receipt():
    assert Receipt({"a": "1", "b": "2"}).id == FOUND.receipt.id != Receipt({"a": "1"}).id
    assert FOUND.to_dict()["receipt"]["id"] == FOUND.receipt.id
    assert Determination("", "", (), Trace(())).receipt.parts == {}
    assert TraceStep("(1)", NO).to_dict()["truth"] == "no"
