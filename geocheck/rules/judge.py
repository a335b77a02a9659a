"""Judges one site by one ordinance: every clause, every obligation, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from geocheck.model.clause import Clause
from geocheck.model.determination import Determination, ObligationOutcome, Receipt, TraceStep, Waiver
from geocheck.model.facts import Fact
from geocheck.model.ordinance import EVERYTHING, Obligation, Ordinance, same_label
from geocheck.model.quantity import UNITS, Quantity
from geocheck.model.truth import Gap, Truth
from geocheck.rules.bench import Bench
from geocheck.rules.hearing import Docket, Hearing, docket_of
from geocheck.rules.scheme import Lift
from geocheck.rules.tracing import of_one_site, steps_of, trace_of
from geocheck.rules.values import has_no_decision
from geocheck.rules.waiving import waivers_on_file

__all__ = ["judge_site", "outcome_of"]

#: Answers that an ordinance keeps for sites that are alike.
MOST_ALIKE = 10_000


def outcome_of(truth: Truth, waived: bool) -> str:
    """Return the outcome that a truth and a waiver come to: nothing is waived that does not bind."""
    if truth.is_no:
        return "not_required"
    return "waived" if waived else "required" if truth.is_yes else "undetermined"


def judge_site(
    ordinance: Ordinance,
    facts: Mapping[str, Fact],
    *,
    waivers: Iterable[Waiver] = (),
    settings: Mapping[str, str] | None = None,
    site_id: str = "",
    receipt: Receipt | None = None,
) -> Determination:
    """Judge one site by one ordinance.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    facts : mapping of str to Fact
        What is known of the site, by name. A measured or stated fact left out is unknown; a decided one left out reads
        as no, and the clauses that rest on it are reserved. Facts that the ordinance does not ask for are passed over.
    waivers : iterable of Waiver
        Waivers on file for this site and ordinance.
    settings : mapping of str to str
        Choices of readings; those of other ordinances are passed over.
    site_id : str
        The site, for the determination.
    receipt : Receipt or None
        What the answer is made from; None makes one of the ordinance's fingerprint and the settings.

    Raises
    ------
    LedgerError
        If a waiver names no obligation or ground of the ordinance.
    RuleFileError
        If a setting has no such choice.
    UnitError
        If a fact is not of the kind and dimension that its declaration says.
    """
    docket = docket_of(ordinance, tuple(sorted((settings or {}).items())))
    on_file = waivers_on_file(ordinance, waivers)
    asked = {name: facts[name] for name in ordinance.facts_used if name in facts}
    if receipt is None:
        own = {f"setting {name}": choice for name, choice in docket.own.items()}
        receipt = Receipt({f"ordinance {ordinance.id}": ordinance.fingerprint, **own})
    outcomes, steps = _answer(docket, asked, on_file)
    return Determination(site_id, ordinance.id, outcomes, trace_of(steps, asked, docket), receipt)


def _answer(
    docket: Docket, asked: Mapping[str, Fact], on_file: Mapping[str, Waiver]
) -> tuple[tuple[ObligationOutcome, ...], tuple[TraceStep, ...]]:
    """Return the outcomes and the steps to them.

    They follow from the truth of the conditions and from nothing else: sites that have those alike share the answer.
    """
    ordinance = docket.ordinance
    hearing = Hearing(docket, asked, frozenset(same_label(waiver.ground) for waiver in on_file.values()))
    wide = _wide(ordinance, asked)
    undecided = frozenset(name for name in docket.decided if has_no_decision("decided", asked.get(name)))
    known, best = hearing.truths("known"), hearing.truths("best", wide)
    opened = hearing.truths("open", undecided)
    key = (
        *(tuple(truths.values()) for truths in (known, best, opened)), undecided, of_one_site(asked),
        tuple(sorted(on_file.items())),
    )  # fmt: skip
    found = docket.alike.get(key)
    if found is None:
        found = _worked_out(hearing, wide, undecided, on_file)
        # An interval that straddles is told in numbers, which no two sites share.
        straddles = any(gap.reason == "within tolerance" for truth in known.values() for gap in truth.gaps)
        if not straddles and len(docket.alike) < MOST_ALIKE:
            docket.alike[key] = found
    return found


def _worked_out(
    hearing: Hearing, wide: frozenset[str], undecided: frozenset[str], on_file: Mapping[str, Waiver]
) -> tuple[tuple[ObligationOutcome, ...], tuple[TraceStep, ...]]:
    docket = hearing.docket
    benches = hearing.benches("known")
    known = hearing.required(benches)
    best, opened = known, known
    # Narrowing an interval never turns a known answer: only what is open, and rests on an interval, is judged again.
    if wide and any(truth.is_unknown for truth in known.values()):
        best = hearing.required(hearing.benches("best", wide))
    if undecided:
        opened = hearing.required(hearing.benches("open", undecided))
    outcomes = tuple(
        _outcome(o, known[o.name], best[o.name], opened[o.name], undecided, on_file.get(o.name), benches)
        for o in docket.ordinance.obligations
    )
    return outcomes, steps_of(hearing.facts, benches, docket)


def _wide(ordinance: Ordinance, facts: Mapping[str, Fact]) -> frozenset[str]:
    """Return the facts that are intervals, or become one between metres and feet."""
    if ordinance.has_metric_numbers:
        return frozenset(ordinance.facts_used)
    return frozenset(
        name
        for name, fact in facts.items()
        if isinstance(fact.value, Quantity)
        and ((fact.low is not fact.high and fact.low != fact.high) or UNITS[fact.value.unit][2] == "metre")
    )


def _outcome(
    obligation: Obligation,
    known: Truth,
    best: Truth,
    opened: Truth,
    undecided: frozenset[str],
    waiver: Waiver | None,
    benches: Sequence[Bench],
) -> ObligationOutcome:
    name, scheme = obligation.name, benches[0].scheme
    outcome = outcome_of(known, waiver is not None)
    undetermined = outcome == "undetermined"
    grounds = {benches[0].scheme.ordinance.clause(waiver.ground).label} if outcome == "waived" and waiver else set()
    because = set.intersection(*(_because(bench, name, known) for bench in benches)) | grounds
    instead: dict[str, None] = {}
    if known.is_no:
        agreed = set.intersection(*(set(_instead(bench, name)) for bench in benches))
        instead = {law: None for law in _instead(benches[0], name) if law in agreed}
    reserved = {gap.note for gap in opened.gaps if gap.reason == "needs a decision" and gap.fact in undecided}
    if outcome in ("required", "undetermined"):
        reserved |= {c.label for c in scheme.clauses if name in c.waives or EVERYTHING in c.waives}
    order = [clause.label for clause in scheme.clauses]
    gaps = tuple(sorted(known.gaps))
    return ObligationOutcome(
        obligation=name,
        section=obligation.section,
        outcome=outcome,
        truth=known,
        best_estimate=outcome_of(best, waiver is not None),
        borderline=undetermined and any(gap.reason == "within tolerance" for gap in gaps),
        because=tuple(label for label in order if label in because),
        instead=tuple(instead),
        reserved=(*(label for label in order if label in reserved), *sorted(reserved.difference(order))),
        needs=_needs(scheme.ordinance, gaps) if undetermined else (),
        gaps=gaps,
        waiver=waiver,
        note=_note(scheme.clauses, name, waiver, known),
    )


def _needs(ordinance: Ordinance, gaps: Sequence[Gap]) -> tuple[str, ...]:
    """Return what could settle an open answer, facts in the order in which the ordinance asks for them."""
    names = dict.fromkeys(gap.fact for gap in gaps)
    facts = [name for name in ordinance.facts_used if name in names]
    return (*facts, *(name for name in names if name not in facts))


def _lifts_bearing(bench: Bench, obligation: str) -> list[Lift]:
    imposing = bench.scheme.imposed_by[obligation]
    return list(dict.fromkeys(lift for n in imposing for lift in bench.scheme.lifts_on(obligation, n)))


def _leaves(bench: Bench, n: int) -> list[int]:
    """Return the clauses that make a group of clauses hold: those below it that do."""
    clause = bench.scheme.clauses[n]
    if not (bench.scheme.children[n] and clause.is_group):
        return [n]
    return [leaf for m in bench.scheme.counted[n] if bench.holds(m).is_yes for leaf in _leaves(bench, m)]


def _because(bench: Bench, obligation: str, known: Truth) -> set[str]:
    found: set[int] = set()
    for n in bench.scheme.imposed_by[obligation]:
        lifts = bench.scheme.lifts_on(obligation, n)
        if bench.truth(n).is_yes and not (known.is_yes and any(bench.lifts(lift).is_yes for lift in lifts)):
            found.update(_leaves(bench, n))
    if not known.is_yes:
        for lift in _lifts_bearing(bench, obligation):
            if bench.lifts(lift).is_yes:
                found.update(_leaves(bench, lift.clause) if lift.where_it_holds else [lift.clause])
    return {bench.scheme.clauses[n].label for n in found}


def _instead(bench: Bench, obligation: str) -> list[str]:
    found: dict[str, None] = {}
    for lift in _lifts_bearing(bench, obligation):
        if bench.lifts(lift).is_yes:
            for leaf in _leaves(bench, lift.clause) if lift.where_it_holds else [lift.clause]:
                for n in (leaf, *bench.scheme.above[leaf]):
                    if bench.scheme.clauses[n].instead:
                        found[bench.scheme.clauses[n].instead] = None
                        break
    return list(found)


def _note(clauses: Sequence[Clause], obligation: str, waiver: Waiver | None, known: Truth) -> str:
    if waiver is None:
        return ""
    if known.is_no:
        return "a waiver is on file; it was not needed"
    binds = [what for clause in clauses for name, what in clause.still_binds if name in (obligation, EVERYTHING)]
    return f"still binds: {'; '.join(binds)}" if binds else ""
