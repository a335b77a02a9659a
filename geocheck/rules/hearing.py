"""One site before one ordinance, under every choice of readings that is open."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from operator import is_
from typing import Any

from geocheck.model.clause import Clause
from geocheck.model.condition import Children
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.truth import Truth, any_of, unknown
from geocheck.rules.bench import Bench
from geocheck.rules.choices import check_settings, choices_under, merged
from geocheck.rules.scheme import scheme_of
from geocheck.rules.values import Values

__all__ = ["Docket", "Hearing", "docket_of", "truths_under_every_choice"]


class Docket:
    """An ordinance under the settings of an office, made ready for many sites.

    Parameters
    ----------
    ordinance : Ordinance
        The ordinance.
    settings : mapping of str to str
        Choices of readings; those of other ordinances matter only to what is taken in by reference.

    Raises
    ------
    RuleFileError
        If a setting has no such choice, or too many combinations are open.
    """

    def __init__(self, ordinance: Ordinance, settings: Mapping[str, str]) -> None:
        self.ordinance, self.settings = ordinance, settings
        self.own = check_settings(ordinance, settings, strict=False)
        self.choices = choices_under(ordinance, self.own)
        self.schemes = [scheme_of(ordinance, choice) for choice in self.choices]
        self.rests_on = {node: names for scheme in self.schemes for node, names in scheme.rests_on.items()}
        self.names = tuple(
            tuple(dict.fromkeys(name for scheme in self.schemes for name in scheme.names[n]))
            for n in range(len(ordinance.every_clause))
        )
        self.decided = tuple(d.name for d in ordinance.needs() if d.kind == "decided")
        # A condition is the same object under every choice that leaves its clause as it stands.
        clauses = [clause for scheme in self.schemes for clause in scheme.clauses]
        self.conditions = {
            id(condition.node): (clause.label, condition.node)
            for clause in clauses
            for condition in (clause.when, clause.unless)
            if condition is not None and not isinstance(condition.node, Children)
        }
        self.taken_in = {id(clause.incorporates): clause for clause in clauses if clause.incorporates is not None}
        #: Answers by what they follow from; `geocheck.rules.judge.judge_site` fills it.
        self.alike: dict[Hashable, Any] = {}
        #: Each condition in each mode as it was last judged: the facts, and its truth. Facts in a row are often the same.
        self.last: dict[tuple[str, int], tuple[tuple[Fact | None, ...], Truth]] = {}


@lru_cache(maxsize=64)
def docket_of(ordinance: Ordinance, settings: tuple[tuple[str, str], ...]) -> Docket:
    """Return the docket of an ordinance under some settings, made once."""
    return Docket(ordinance, dict(settings))


class Hearing:
    """One site before one ordinance: the truth of every condition, in each mode of `geocheck.rules.values.MODES`.

    Parameters
    ----------
    docket : Docket
        The ordinance and its settings.
    facts : mapping of str to Fact
        What is known of the site.
    grounds : frozenset of str
        Labels of the findings of waivers on file, by `same_label`.
    """

    def __init__(self, docket: Docket, facts: Mapping[str, Fact], grounds: frozenset[str] = frozenset()) -> None:
        self.docket, self.facts, self.grounds = docket, facts, grounds
        self._truths: dict[str, dict[int, Truth]] = {}

    def truths(self, mode: str, changed: frozenset[str] | None = None) -> dict[int, Truth]:
        """Return the truth of each condition; with ``changed``, what rests on none of these facts is as it is known.

        Parameters
        ----------
        mode : str
            One of `geocheck.rules.values.MODES`.
        changed : frozenset of str or None
            Facts that read otherwise in this mode; None judges every condition.
        """
        if mode not in self._truths:
            docket = self.docket
            found = {} if changed is None else dict(self.truths("known"))
            # Narrowing an interval, or opening a decision, turns no condition that does not rest on it.
            rested = {key for key, names in docket.rests_on.items() if changed is None or names & changed}
            if mode == "best" and changed is not None:
                rested = {key for key in rested if found[key].is_unknown}
            values = Values(docket.ordinance, self.facts, mode)
            for key, (label, node) in docket.conditions.items():
                if key in rested:
                    facts = tuple(map(self.facts.get, docket.rests_on[key]))
                    was = docket.last.get((mode, key))
                    if was is not None and all(map(is_, was[0], facts)):
                        found[key] = was[1]
                        continue
                    values.clause = label
                    found[key] = values.truth(node)
                    docket.last[mode, key] = (facts, found[key])
            for key, clause in docket.taken_in.items():
                if key in rested:
                    found[key] = self._taken_in(clause, mode)
            self._truths[mode] = found
        return self._truths[mode]

    def _taken_in(self, clause: Clause, mode: str) -> Truth:
        """Return whether what a clause takes in by reference binds: judged by its own file, never by a copy of it here."""
        part = clause.incorporates
        assert part is not None
        if part.loaded is None:
            return unknown(part.ordinance, "not loaded", f"{clause.label} takes it in by reference")
        names = [part.obligation] if part.obligation else [o.name for o in part.loaded.obligations]
        found = truths_under_every_choice(part.loaded, self.facts, self.docket.settings, mode)
        return any_of(found[name] for name in names)

    def benches(self, mode: str, changed: frozenset[str] | None = None) -> list[Bench]:
        """Return a bench for each choice, or one where the choices make no difference here."""
        truths = self.truths(mode, changed)
        benches = [Bench(scheme, truths, self.grounds) for scheme in self.docket.schemes]
        return benches[:1] if _indifferent(benches) else benches

    def required(self, benches: Sequence[Bench]) -> dict[str, Truth]:
        """Return each obligation's truth, on which every choice agrees or which needs a decision."""
        names = [o.name for o in self.docket.ordinance.obligations]
        choices = self.docket.choices[: len(benches)]
        return {name: merged([bench.required(name) for bench in benches], choices) for name in names}


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
    hearing = Hearing(docket_of(ordinance, tuple(sorted(settings.items()))), facts)
    return hearing.required(hearing.benches(mode))
