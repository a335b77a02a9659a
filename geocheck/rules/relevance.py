"""Which of the facts that are missing could still change what becomes of a site: what is asked for, and nothing else.

A fact matters where, whatever the others may turn out to be, there are some with which giving it one way or the other
leads to different outcomes. Facts that several clauses rest on have one value in all of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from weakref import WeakKeyDictionary

from geocheck.model.condition import All, Any, Comparison, Condition, Name, Node, Not, Number
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.quantity import Quantity, dimension_of
from geocheck.model.truth import NO, YES, Truth, all_of, any_of, unknown
from geocheck.rules.amounts import FEET, in_feet
from geocheck.rules.bench import Bench
from geocheck.rules.choices import merged
from geocheck.rules.hearing import Docket, Hearing, docket_of
from geocheck.rules.values import Values

__all__ = ["ASKED", "decisive"]

#: Reasons for a gap that somebody can fill.
ASKED = ("missing", "outside coverage", "failed")
#: Assignments tried for one fact and obligation before it is taken to matter.
MOST = 2_000
#: Ways in which one fact may turn out, over all that rests on it, before it is taken to matter.
MOST_WAYS = 64
#: Answers kept for each ordinance under its settings.
MOST_KEPT = 10_000

_KEPT: WeakKeyDictionary[Docket, dict[Hashable, dict[str, frozenset[str]]]] = WeakKeyDictionary()

#: What a variable may be: the truth of each of its atoms, by their identity; of one without atoms, under 0.
Option = Mapping[int, Truth]


def decisive(
    ordinance: Ordinance, facts: Mapping[str, Fact], *, settings: Mapping[str, str] | None = None,
    grounds: frozenset[str] = frozenset(),
) -> dict[str, frozenset[str]]:  # fmt: skip
    """Return, for each obligation that is open, the missing facts that could still change what becomes of it.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    facts : mapping of str to Fact
        What is known of the site, by name.
    settings : mapping of str to str
        Choices of readings; those of other ordinances are passed over.
    grounds : frozenset of str
        Labels of the findings of waivers on file, by `geocheck.model.ordinance.same_label`.

    Examples
    --------
    >>> from geocheck.rules.read import load_ordinance
    >>> law = load_ordinance("us/wi/river-hills/6.04")
    >>> found = decisive(law, {"disturbed_area_of_all_phases": Fact("disturbed_area_of_all_phases", "stated", None)})
    >>> "by_state_agency" in found["protective_area"]
    True
    """
    docket = docket_of(ordinance, tuple(sorted((settings or {}).items())))
    asked = {name: facts[name] for name in ordinance.facts_used if name in facts}
    truths = Hearing(docket, asked, grounds).truths("known")
    gaps = {
        key: frozenset(gap.fact for gap in truth.gaps if gap.reason in ASKED and gap.fact in docket.rests_on[key])
        for key, truth in truths.items()
    }
    # It follows from this alone, which many sites have in common.
    key = (grounds, *((truth.known, gaps[n]) for n, truth in truths.items()))
    before = _KEPT.setdefault(docket, {})
    if key not in before:
        if len(before) >= MOST_KEPT:
            before.clear()
        before[key] = _decisive(_Search.of(docket, truths, gaps, grounds))
    return before[key]


def _decisive(search: _Search) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    alike: dict[Hashable, frozenset[str]] = {}
    for obligation in search.docket.ordinance.obligations:
        truth = search.outcome(obligation.name, {})
        if not truth.is_unknown:
            continue
        # Permit, fee and guarantee often stand and fall together.
        kind = tuple(
            tuple((n, scheme.lifts_on(obligation.name, n)) for n in scheme.imposed_by[obligation.name])
            for scheme in search.docket.schemes
        )
        if kind not in alike:
            open_facts = {name for key in search.named(truth) for name in search.variables[key].facts}
            alike[kind] = frozenset(f for f in open_facts if search.matters(f, obligation.name))
        found[obligation.name] = alike[kind]
    return found


@dataclass(frozen=True, eq=False)
class _Variable:
    """Something that is open: a fact, or what rests on several and is taken to turn out either way."""

    facts: frozenset[str]
    options: Sequence[Option]


@dataclass(eq=False)
class _Search:
    """One site before one ordinance, its open conditions as functions of what is open."""

    docket: Docket
    grounds: frozenset[str]
    settled: dict[int, Truth]
    #: Condition, by identity -> its tree; None for what is open as a whole.
    trees: dict[int, Node | None]
    variables: dict[str, _Variable] = field(default_factory=dict)
    #: Comparisons of one fact with one number, by identity, with the fact.
    comparisons: dict[int, tuple[str, Node]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, docket: Docket, truths: Mapping[int, Truth], gaps: Mapping[int, frozenset[str]], grounds: frozenset[str]
    ) -> _Search:
        """Return the search, from the truth of each condition and the facts that keep it open and may be asked for."""
        found = cls(docket, grounds, {key: truth for key, truth in truths.items() if not gaps[key]}, {})
        numbers: dict[str, dict[int, Number]] = {}
        for key in truths.keys() - found.settled.keys():
            # Of what rests on known facts too, only this is known: the missing ones may turn it either way.
            whole = key not in docket.conditions or set(docket.rests_on[key]) != gaps[key]
            found.trees[key] = None if whole else docket.conditions[key][1]
            if whole:
                found.variables[f"condition {key}"] = _Variable(gaps[key], ({0: YES}, {0: NO}))
                continue
            for atom in found.atoms(docket.conditions[key][1]):
                names = frozenset(docket.ordinance.names_of(Condition("", atom)))
                plain = _plain(atom)
                if isinstance(atom, Name):
                    found.variables[atom.name] = _Variable(names, ({0: YES}, {0: NO}))
                elif plain is not None and plain[0].name in names:
                    numbers.setdefault(plain[0].name, {})[id(atom)] = plain[1]
                    found.comparisons[id(atom)] = (plain[0].name, atom)
                elif names:
                    found.variables[f"atom {id(atom)}"] = _Variable(names, ({0: YES}, {0: NO}))
        for name, atoms in numbers.items():
            found.variables[name] = _Variable(frozenset({name}), found.options(name, atoms))
        return found

    def options(self, name: str, atoms: Mapping[int, Number]) -> list[Option]:
        """Return how comparisons of one number may come out together: at its thresholds, between and beyond them."""
        declared = self.docket.ordinance.declaration(name)
        assert declared is not None
        thresholds = sorted({in_feet(number.quantity)[1] for number in atoms.values()})
        tried = {*thresholds, *((low + high) / 2 for low, high in itertools.pairwise(thresholds))}
        tried |= {thresholds[-1] + 1 + abs(thresholds[-1]), min(Fraction(0), 2 * thresholds[0]) - 1, Fraction(0)}
        unit = FEET[dimension_of(declared.unit)]
        found: dict[tuple[Truth, ...], Option] = {}
        for value in sorted(v for v in tried if v >= 0 or declared.signed):
            values = Values(self.docket.ordinance, {name: Fact(name, declared.kind, Quantity(value, unit))})
            truths = {key: values.truth(self.comparisons[key][1]) for key in atoms}
            found.setdefault(tuple(truths.values()), truths)
        return list(found.values())

    def atoms(self, node: Node) -> Iterator[Node]:
        """Yield what a condition is made of: facts, comparisons, and what is not taken apart."""
        match node:
            case Not():
                yield from self.atoms(node.operand)
            case All() | Any():
                for operand in node.operands:
                    yield from self.atoms(operand)
            case Name() if node.name in self.docket.ordinance.term_by_name:
                yield from self.atoms(self.docket.ordinance.term_by_name[node.name].expression.node)
            case _:
                yield node

    def truth(self, node: Node, chosen: Mapping[str, Option]) -> Truth:
        """Return the truth of a condition under what is chosen so far."""
        match node:
            case Not():
                return ~self.truth(node.operand, chosen)
            case All():
                return all_of(self.truth(operand, chosen) for operand in node.operands)
            case Any():
                return any_of(self.truth(operand, chosen) for operand in node.operands)
            case Name() if node.name in self.docket.ordinance.term_by_name:
                return self.truth(self.docket.ordinance.term_by_name[node.name].expression.node, chosen)
            case Name():
                return _of(node.name, 0, chosen)
        if id(node) in self.comparisons:
            return _of(self.comparisons[id(node)][0], id(node), chosen)
        own = f"atom {id(node)}"
        # Without a variable it rests on no fact.
        return _of(own, 0, chosen) if own in self.variables else Values(self.docket.ordinance, {}).truth(node)

    def outcome(self, obligation: str, chosen: Mapping[str, Option]) -> Truth:
        """Return whether an obligation binds under what is chosen so far."""
        truths = dict(self.settled)
        for key, tree in self.trees.items():
            truths[key] = _of(f"condition {key}", 0, chosen) if tree is None else self.truth(tree, chosen)
        benches = [Bench(scheme, truths, self.grounds) for scheme in self.docket.schemes]
        return merged([bench.required(obligation) for bench in benches], self.docket.choices)

    def named(self, truth: Truth) -> list[str]:
        """Return the variables that keep a truth open, in a fixed order."""
        return sorted(gap.fact for gap in truth.gaps if gap.fact in self.variables)

    def matters(self, fact: str, obligation: str) -> bool:
        """Tell whether there are values of all else with which this fact changes what becomes of an obligation."""
        own = {key: variable.options for key, variable in self.variables.items() if fact in variable.facts}
        if math.prod(map(len, own.values())) > MOST_WAYS:
            return True
        ways = [dict(zip(own, options, strict=True)) for options in itertools.product(*own.values())]
        pending: list[dict[str, Option]] = [{}]
        for _ in range(MOST):
            if not pending:
                return False
            chosen = pending.pop()
            truths = [self.outcome(obligation, {**chosen, **way}) for way in ways]
            known = {truth.known for truth in truths}
            if {True, False} <= known:
                return True
            rest = next((key for truth in truths for key in self.named(truth) if key not in own), None)
            if rest is not None:
                pending += [{**chosen, rest: option} for option in self.variables[rest].options]
            elif len(known) > 1:
                return True
        return True


def _of(variable: str, atom: int, chosen: Mapping[str, Option]) -> Truth:
    option = chosen.get(variable)
    return _open(variable) if option is None else option[atom]


@lru_cache(maxsize=4096)
def _open(variable: str) -> Truth:
    return unknown(variable, "missing")


def _plain(node: Node) -> tuple[Name, Number] | None:
    """Return fact and threshold of a comparison of one with the other, or None."""
    match node:
        case Comparison(left=Name() as name, right=Number() as number):
            return name, number
        case Comparison(left=Number() as number, right=Name() as name):
            return name, number
    return None
