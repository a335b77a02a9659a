"""What if: the same site with facts or settings changed, judged again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from geocheck.model.determination import Determination, Waiver
from geocheck.model.facts import Fact
from geocheck.model.ordinance import Ordinance
from geocheck.model.problem import Place, Problem, RuleFileError
from geocheck.model.vocabulary import EXTENTS
from geocheck.rules.given import declared_in, fact_given
from geocheck.rules.judge import judge_site
from geocheck.rules.tracing import shown
from geocheck.rules.units import nearest_name

__all__ = ["WhatIf", "read_changes", "same_ground", "what_if"]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A site judged as it is and with something changed."""

    before: Determination
    after: Determination
    changes: tuple[str, ...]

    @property
    def turned(self) -> dict[str, tuple[str, str]]:
        """Outcomes before and after, of the obligations that differ."""
        pairs = zip(self.before.obligations, self.after.obligations, strict=True)
        return {b.obligation: (b.outcome, a.outcome) for b, a in pairs if b.outcome != a.outcome}


def read_changes(texts: Iterable[str]) -> dict[str, str]:
    """Read changes as written on a command line: ``disturbed_area=3_900ft2``.

    Raises
    ------
    RuleFileError
        If a text has no equals sign.

    Examples
    --------
    >>> read_changes(["disturbed_area=3_900ft2"])
    {'disturbed_area': '3_900ft2'}
    """
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (sign and name.strip()):
            raise RuleFileError(f"a change is written name=value, such as disturbed_area=3_900ft2; not {text!r}")
        found[name.strip()] = value.strip()
    return found


def what_if(
    ordinance: Ordinance,
    facts: Mapping[str, Fact],
    changes: Mapping[str, object],
    *,
    waivers: Sequence[Waiver] = (),
    settings: Mapping[str, str] | None = None,
    site_id: str = "",
) -> WhatIf:
    """Judge a site as it is, and with facts or settings changed.

    A fact over the plan or over all phases that equals the site's own is the same ground: it changes with it.

    Parameters
    ----------
    ordinance, facts, waivers, settings, site_id
        As `geocheck.rules.judge.judge_site`.
    changes : mapping of str to object
        Values by fact, as `geocheck.judge` takes them, or choices by setting.

    Raises
    ------
    RuleFileError
        If the ordinance has no fact or setting of a name, or no such choice.
    UnitError
        If a value does not fit its fact.
    """
    before = judge_site(ordinance, facts, waivers=waivers, settings=settings, site_id=site_id)
    declared = declared_in(ordinance)
    changed, chosen, said = dict(facts), dict(settings or {}), []
    for name, value in changes.items():
        if ordinance.setting(name) is not None:
            chosen[name] = str(value)
            said.append(f"{name}: {value}")
        elif name in declared:
            for other in same_ground(name, facts, changes):
                changed[other] = fact_given(declared[other], value)
                said.append(shown(other, changed[other], declared[other].kind))
        else:
            known = [*declared, *(setting.name for setting in ordinance.settings)]
            remedy = nearest_name(name, known) or f"Facts asked for: {', '.join(ordinance.facts_used)}."
            message = f"{ordinance.cite} has no fact and no setting {name!r}"
            raise RuleFileError.of(Problem("unknown-fact", message, Place(), remedy))
    after = judge_site(ordinance, changed, waivers=waivers, settings=chosen, site_id=site_id)
    return WhatIf(before, after, tuple(said))


def same_ground(name: str, facts: Mapping[str, Fact], changes: Mapping[str, object]) -> Iterator[str]:
    """Yield a fact, and those over more ground that say the same of the same ground."""
    yield name
    own = facts.get(name)
    for suffix in EXTENTS:
        other = facts.get(name + suffix)
        if own is None or other is None or own.value is None or name + suffix in changes:
            continue
        if (own.value, own.low, own.high) == (other.value, other.low, other.high):
            yield name + suffix
