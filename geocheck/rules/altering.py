"""The same ordinance with one part of it changed, as a slip of the pen would: what its cases should notice.

Knows comparisons, logic, numbers and effects; not the words that a reader sees (`says`, readings, citations).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from geocheck.model.condition import (
    All,
    Any,
    Arithmetic,
    Children,
    Comparison,
    Condition,
    Extreme,
    Negative,
    Node,
    Not,
    Number,
    Rounded,
    Row,
    Table,
    text_of,
)
from geocheck.model.ordinance import Clause, Ordinance
from geocheck.model.problem import Place

__all__ = ["Alteration", "alterations", "altered_nodes"]

#: Operator -> the one that differs from it only where both sides are equal.
_AT_EQUALITY = {">=": ">", ">": ">=", "<=": "<", "<": "<=", "==": "!=", "!=": "=="}
#: A slip in a number is at least this large: twice as far as a case may lie from its threshold.
_SLIP = Fraction(1, 10)
#: Kind of a fact -> the case that shows it.
_LEFT_OUT = {
    "stated": "Add a case that leaves it out and expects unknown.",
    "decided": "Add a case that leaves it out and expects no.",
}
_EFFECTS = ("imposes", "lifts", "limits", "reaches", "waives")


@dataclass(frozen=True, slots=True)
class Alteration:
    """One change: in which clause (or term), what it is, where the changed part stands, and the ordinance with it.

    ``remedy`` says what case would show it, where that is always the same.
    """

    clause: str
    what: str
    place: Place
    ordinance: Ordinance
    remedy: str = ""


def alterations(ordinance: Ordinance) -> Iterator[Alteration]:
    """Yield the ordinance with one part changed at a time, in the order of the text.

    Parameters
    ----------
    ordinance : Ordinance
        An ordinance without errors.

    Yields
    ------
    Alteration
        An operator, a number, a word or an operand of a condition changed; one of the effects of a clause, its
        ``unless`` or its ``instead`` left out; a yes-or-no fact of the ordinance's own of another kind.
    """
    for n, (label, what, place, changed) in enumerate(_changes(ordinance)):
        numbered = replace(changed, fingerprint=f"{ordinance.fingerprint} changed {n}")
        yield Alteration(
            label, what, place, numbered, _LEFT_OUT.get(what.rsplit(" ", 1)[-1], "") if label in ordinance.facts else ""
        )


def _changes(ordinance: Ordinance) -> Iterator[tuple[str, str, Place, Ordinance]]:
    for clause in ordinance.every_clause:
        for what, place, changed in _changed_clauses(clause):
            yield clause.label, what, place, replace(ordinance, clauses=_put(ordinance.clauses, clause, changed))
    for n, term in enumerate(ordinance.terms):
        for what, place, node in altered_nodes(term.expression.node):
            changed_term = replace(term, expression=Condition(text_of(node), node))
            terms = (*ordinance.terms[:n], changed_term, *ordinance.terms[n + 1 :])
            yield term.name, what, place, replace(ordinance, terms=terms)
    for name, declared in ordinance.facts.items():
        # A missing number is open whoever gives it; only a missing yes or no reads otherwise where it is decided.
        if declared.kind in ("stated", "decided") and not declared.unit:
            other = "decided" if declared.kind == "stated" else "stated"
            facts = {**ordinance.facts, name: replace(declared, kind=other)}
            what = f"that {name} is {declared.kind}"
            yield name, what, ordinance.place_of(f"facts.{name}"), replace(ordinance, facts=facts)


def _put(clauses: tuple[Clause, ...], old: Clause, new: Clause) -> tuple[Clause, ...]:
    return tuple(new if c is old else replace(c, clauses=_put(c.clauses, old, new)) for c in clauses)


def _changed_clauses(clause: Clause) -> Iterator[tuple[str, Place, Clause]]:
    if not clause.under:
        yield from _changed_forms(clause)
    for n, (setting, choice, form) in enumerate(clause.under):
        for what, place, changed in _changed_forms(form):
            under = (*clause.under[:n], (setting, choice, changed), *clause.under[n + 1 :])
            yield f"{what} (under {choice})", place, replace(clause, under=under)
    for n, (obligation, binds) in enumerate(clause.still_binds):
        rest = clause.still_binds[:n] + clause.still_binds[n + 1 :]
        place = clause.place_of("still_binds")
        yield f"that {binds} still binds where {obligation} is waived", place, replace(clause, still_binds=rest)


def _changed_forms(form: Clause) -> Iterator[tuple[str, Place, Clause]]:
    for key in ("when", "unless"):
        condition: Condition | None = getattr(form, key)
        if condition is None:
            continue
        for what, place, node in altered_nodes(condition.node):
            yield what, place, _with(form, key, Condition(text_of(node), node))
    if form.unless is not None:
        yield f"that it does not hold where {form.unless.text}", form.unless.place, replace(form, unless=None)
    for key in _EFFECTS:
        named: tuple[str, ...] = getattr(form, key)
        for n, name in enumerate(named):
            yield f"that it {key} {name}", form.place_of(key, n), _with(form, key, named[:n] + named[n + 1 :])
    if form.instead:
        yield f"that {form.instead} holds instead", form.place_of("instead"), replace(form, instead="")


def _with(form: Clause, key: str, value: object) -> Clause:
    parts: dict[str, object] = {key: value}
    return replace(form, **parts)  # type: ignore[arg-type]


def altered_nodes(node: Node) -> Iterator[tuple[str, Place, Node]]:
    """Yield what is changed, where it stands, and the tree with that one change.

    Examples
    --------
    >>> from geocheck.rules.expr import parse_condition
    >>> [text_of(n) for _, _, n in altered_nodes(parse_condition("disturbed_area > 1 acre or builds_road").node)]
    ['disturbed_area >= 1 acre or builds_road', 'disturbed_area > 1.1 acre or builds_road', 'disturbed_area > 0.9 acre or builds_road', 'builds_road', 'disturbed_area > 1 acre', 'disturbed_area > 1 acre and builds_road']
    """
    match node:
        case Comparison():
            other = _AT_EQUALITY[node.operator]
            yield (
                f"that it is {node.operator}, not {other}, in {text_of(node)}",
                node.place,
                replace(node, operator=other),
            )
            yield from _inside(node, ("left", "right"))
        case Number():
            yield from _slips(node)
        case Arithmetic():
            yield from _inside(node, ("left", "right"))
        case Negative() | Rounded():
            yield from _inside(node, ("operand",))
        case Not():
            yield f"that it says not in {text_of(node)}", node.place, node.operand
            yield from _inside(node, ("operand",))
        case All() | Any():
            yield from _logic(node)
        case Extreme():
            other = "greater" if node.which == "less" else "less"
            yield (
                f"that it is the {node.which}, not the {other}, in {text_of(node)}",
                node.place,
                replace(node, which=other),
            )
            for n, operand in enumerate(node.operands):
                for what, place, changed in altered_nodes(operand):
                    yield what, place, replace(node, operands=_swap(node.operands, n, changed))
        case Children():
            other = "all" if node.which == "any" else "any"
            yield f"that it is {node.which}, not {other}, of the clauses below", node.place, replace(node, which=other)
        case Table():
            yield from _table(node)
        case _:
            return


def _inside(node: Node, keys: tuple[str, ...]) -> Iterator[tuple[str, Place, Node]]:
    for key in keys:
        for what, place, changed in altered_nodes(getattr(node, key)):
            parts: dict[str, object] = {key: changed}
            yield what, place, replace(node, **parts)  # type: ignore[arg-type]


def _swap(operands: tuple[Node, ...], n: int, node: Node) -> tuple[Node, ...]:
    return (*operands[:n], node, *operands[n + 1 :])


def _slips(node: Number) -> Iterator[tuple[str, Place, Node]]:
    value = node.quantity.value
    # A count is off by one; from zero there is no relative slip, and the operator at equality tells the rest.
    step = Fraction(1) if node.quantity.unit == "each" else value * _SLIP
    if value == 0:
        return
    for way, moved in (("no more than", value + step), ("no less than", value - step)):
        yield (
            f"that it is {way} {text_of(node)}",
            node.place,
            replace(node, quantity=replace(node.quantity, value=moved)),
        )


def _logic(node: All | Any) -> Iterator[tuple[str, Place, Node]]:
    for n, operand in enumerate(node.operands):
        for what, place, changed in altered_nodes(operand):
            yield what, place, replace(node, operands=_swap(node.operands, n, changed))
    for n, operand in enumerate(node.operands):
        rest = node.operands[:n] + node.operands[n + 1 :]
        yield (
            f"that {text_of(operand)} counts",
            operand.place,
            rest[0] if len(rest) == 1 else replace(node, operands=rest),
        )
    word, contrary, other = ("and", "or", Any) if isinstance(node, All) else ("or", "and", All)
    yield f"that it is {word}, not {contrary}, in {text_of(node)}", node.place, other(node.operands, node.place)


def _table(node: Table) -> Iterator[tuple[str, Place, Node]]:
    for n, row in enumerate(node.rows):
        for key in ("condition", "value"):
            for what, place, changed in altered_nodes(getattr(row, key)):
                parts = {"condition": row.condition, "value": row.value, key: changed}
                yield what, place, replace(node, rows=(*node.rows[:n], Row(**parts), *node.rows[n + 1 :]))
        yield (
            f"that the row where {text_of(row.condition)} counts",
            row.condition.place,
            replace(node, rows=node.rows[:n] + node.rows[n + 1 :]),
        )
    for what, place, changed in altered_nodes(node.otherwise):
        yield what, place, replace(node, otherwise=changed)
