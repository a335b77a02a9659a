"""Judges one site by one ordinance: every clause, every obligation, and why."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from geocheck.model.determination import Determination, ObligationOutcome, Receipt, Trace, Waiver
from geocheck.model.facts import Fact
from geocheck.model.ordinance import EVERYTHING, Clause, Obligation, Ordinance, same_label
from geocheck.model.problem import LedgerError, Place, Problem, RuleFileError
from geocheck.model.quantity import UNITS, Quantity
from geocheck.model.truth import Gap, Truth
from geocheck.rules.bench import Bench, Choices, Lift, scheme_of
from geocheck.rules.tracing import trace_of
from geocheck.rules.values import Values, has_no_decision

__all__ = [
    "check_settings",
    "choices_under",
    "judge_site",
    "merged",
    "outcome_of",
    "truths_under_every_choice",
    "waivers_on_file",
]

#: More combinations of unset settings than this are refused: an office sets some.
MOST_COMBINATIONS = 256


def check_settings(ordinance: Ordinance, settings: Mapping[str, str], *, strict: bool = True) -> dict[str, str]:
    """Return the settings that are this ordinance's own, after a look at their names and choices.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    settings : mapping of str to str
        Choices by setting.
    strict : bool
        Whether a setting that the ordinance does not have is an error; a project's settings may be another ordinance's.

    Raises
    ------
    RuleFileError
        If there is no such setting or choice; the message lists those there are.
    """
    own = {setting.name: setting for setting in ordinance.settings}
    problems = []
    for name, choice in settings.items():
        if name not in own:
            if strict:
                near = get_close_matches(name, own, 1)
                remedy = f"Did you mean {near[0]}?" if near else f"Its settings: {', '.join(own) or 'none'}."
                message = f"{ordinance.cite} has no setting {name!r}"
                problems.append(Problem("unknown-setting", message, Place(), remedy))
        elif choice not in own[name].choices:
            message = f"{choice!r} is no choice of the setting {name}"
            problems.append(Problem("unknown-setting", message, Place(), f"Choices: {', '.join(own[name].names)}."))
    if problems:
        raise RuleFileError.of(*problems)
    return {name: choice for name, choice in settings.items() if name in own}


def choices_under(ordinance: Ordinance, settings: Mapping[str, str]) -> list[Choices]:
    """Return every combination of choices that the settings leave open.

    Raises
    ------
    RuleFileError
        If there are too many to judge under each.
    """
    used = {name for clause in ordinance.every_clause for name, _, _ in clause.under}
    each = [
        [(s.name, settings[s.name])] if s.name in settings else [(s.name, choice) for choice in s.names]
        for s in ordinance.settings
        if s.name in used
    ]
    count = 1
    for choices in each:
        count *= len(choices)
    if count > MOST_COMBINATIONS:
        open_ones = ", ".join(choices[0][0] for choices in each if len(choices) > 1)
        raise RuleFileError(f"{ordinance.cite}: {count} combinations of choices are open; set some of {open_ones}")
    return [tuple(choices) for choices in itertools.product(*each)]


def merged(truths: Sequence[Truth], choices: Sequence[Choices]) -> Truth:
    """Return the truth on which every choice agrees, else the unknown that needs a decision.

    Parameters
    ----------
    truths : sequence of Truth
        One for each of ``choices``.
    choices : sequence of tuple of (setting, choice)
        The combinations.
    """
    first = truths[0]
    if len(truths) == 1:
        return first
    if all(truth.known == first.known for truth in truths) and first.known is not None:
        return first
    gaps = frozenset[Gap]().union(*(truth.gaps for truth in truths))
    by_choice = dict(zip(choices, (truth.known for truth in truths), strict=True))
    for position, (name, _) in enumerate(choices[0]):
        others: dict[Choices, dict[str, bool | None]] = {}
        for choice, known in by_choice.items():
            rest = choice[:position] + choice[position + 1 :]
            others.setdefault(rest, {})[choice[position][1]] = known
        if any(len(set(seen.values())) > 1 for seen in others.values()):
            ways = " or ".join(dict.fromkeys(choice[position][1] for choice in choices))
            gaps |= {Gap(name, "needs a decision", f"read as {ways}, the answer differs")}
    return Truth(None, gaps)


class _Hearing:
    """One site before one ordinance: its benches under every open choice, in each mode."""

    def __init__(
        self, ordinance: Ordinance, facts: Mapping[str, Fact], choices: Sequence[Choices], grounds: frozenset[str],
        settings: Mapping[str, str],
    ) -> None:  # fmt: skip
        self.ordinance, self.facts, self.grounds, self.settings = ordinance, facts, grounds, settings
        self.choices = choices
        self.schemes = [scheme_of(ordinance, choice) for choice in choices]
        self.conditions: dict[int, Truth] = {}

    def benches(self, mode: str, changed: frozenset[str] | None = None) -> list[Bench]:
        """Return a bench for each choice; with ``changed``, conditions on none of these facts are not judged again."""
        values = Values(self.ordinance, self.facts, mode)
        known: dict[int, Truth] = {}
        if changed is not None:
            rests_on = {node: names for scheme in self.schemes for node, names in scheme.rests_on.items()}
            known = {node: truth for node, truth in self.conditions.items() if not rests_on[node] & changed}
        else:
            self.conditions = known
        benches = [Bench(scheme, values, self.grounds, known, self.settings) for scheme in self.schemes]
        return benches[:1] if _indifferent(benches) else benches

    def required(self, benches: Sequence[Bench]) -> dict[str, Truth]:
        """Return each obligation's truth, on which every choice agrees or which needs a decision."""
        names = [o.name for o in self.ordinance.obligations]
        return {
            name: merged([bench.required(name) for bench in benches], self.choices[: len(benches)]) for name in names
        }


def _indifferent(benches: Sequence[Bench]) -> bool:
    """Tell whether the open choices make no difference here: all clauses under a setting hold alike, and do alike."""
    first = benches[0]
    if len(benches) == 1:
        return True
    for n in first.scheme.under_settings:
        truths = [bench.truth(n) for bench in benches]
        if truths[0].is_unknown or any(truth.known != truths[0].known for truth in truths):
            return False
        if any(bench.scheme.effects(n) != first.scheme.effects(n) for bench in benches):
            below = [m for m, above in enumerate(first.scheme.above) if n in above]
            if not all(bench.scheme.idle(m) or bench.truth(m).is_no for bench in benches for m in (n, *below)):
                return False
    return True


def truths_under_every_choice(
    ordinance: Ordinance, facts: Mapping[str, Fact], settings: Mapping[str, str], mode: str
) -> dict[str, Truth]:
    """Return each obligation's truth before waivers, in one mode of `geocheck.rules.values.MODES`."""
    hearing = _Hearing(ordinance, facts, choices_under(ordinance, settings), frozenset(), settings)
    return hearing.required(hearing.benches(mode))


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
    settings = settings or {}
    own = check_settings(ordinance, settings, strict=False)
    on_file = waivers_on_file(ordinance, waivers)
    grounds = frozenset(same_label(waiver.ground) for waiver in on_file.values())
    asked = {name: facts[name] for name in ordinance.facts_used if name in facts}
    hearing = _Hearing(ordinance, asked, choices_under(ordinance, own), grounds, settings)
    benches = hearing.benches("known")
    known = hearing.required(benches)
    best, opened = known, known
    # Narrowing an interval never turns a known answer: only what is open, and rests on an interval, is judged again.
    wide = _wide(ordinance, asked)
    if wide and any(truth.is_unknown for truth in known.values()):
        best = hearing.required(hearing.benches("best", wide))
    undecided = frozenset(d.name for d in ordinance.needs() if has_no_decision(d.kind, asked.get(d.name)))
    if undecided:
        opened = hearing.required(hearing.benches("open", undecided))
    outcomes = tuple(
        _outcome(o, known[o.name], best[o.name], opened[o.name], undecided, on_file.get(o.name), benches)
        for o in ordinance.obligations
    )
    trace = Trace(trace_of(ordinance, asked, benches, hearing.schemes, hearing.choices, own))
    if receipt is None:
        receipt = Receipt(
            {f"ordinance {ordinance.id}": ordinance.fingerprint, **{f"setting {k}": v for k, v in own.items()}}
        )
    return Determination(site_id, ordinance.id, outcomes, trace, receipt)


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


def waivers_on_file(ordinance: Ordinance, waivers: Iterable[Waiver]) -> dict[str, Waiver]:
    """Return the waivers by obligation, the latest of each; refuse those that do not fit the ordinance."""
    found: dict[str, Waiver] = {}
    known = [o.name for o in ordinance.obligations]
    for waiver in sorted(waivers, key=lambda w: w.on):
        if waiver.obligation not in known:
            raise LedgerError(_misfit(waiver.obligation, "no obligation", ordinance, known))
        scope = {
            same_label(c.label)
            for top in ordinance.every_clause
            if waiver.obligation in top.waives or EVERYTHING in top.waives
            for c in top.walk()
        }
        grounds = [label for label in ordinance.waiver_grounds if same_label(label) in scope]
        if same_label(waiver.ground) not in map(same_label, grounds):
            raise LedgerError(
                _misfit(waiver.ground, f"no ground on which {waiver.obligation} is waived", ordinance, grounds)
            )
        found[waiver.obligation] = waiver
    return found


def _misfit(word: str, what: str, ordinance: Ordinance, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    return f"waiver: {word!r} is {what} in {ordinance.cite}. {hint}There are: {', '.join(known) or 'none'}."
