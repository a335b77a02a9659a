"""Conditions as a tree: facts, numbers with units, one comparison, arithmetic, and, or, not; nothing else.

A node knows where it stands in its source, so that whatever is wrong with it can be underlined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from geocheck.model.problem import Place
from geocheck.model.quantity import Quantity

__all__ = [
    "COMPARATORS", "All", "Always", "Any", "Arithmetic", "Children", "Comparison", "Condition", "Extreme", "Name", "Negative",
    "Node", "Not", "Number", "Rounded", "Row", "Table", "children_of", "names_in", "text_of", "walk",
]  # fmt: skip

COMPARATORS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number with its unit."""

    quantity: Quantity
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A fact or a term of the ordinance."""

    name: str
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Always:
    """What holds without a condition."""

    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Children:
    """``any`` or ``all`` of the clauses below this one."""

    which: str
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negative:
    """The number with the other sign."""

    operand: Node
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``+``, ``-``, ``*`` or ``/`` between two numbers."""

    operator: str
    left: Node
    right: Node
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison between two numbers; the operator is one of `COMPARATORS`."""

    operator: str
    left: Node
    right: Node
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    operand: Node
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class All:
    """All of the operands: ``and``."""

    operands: tuple[Node, ...]
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Any:
    """Any of the operands: ``or``."""

    operands: tuple[Node, ...]
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Extreme:
    """Whichever of the operands is ``less`` or ``greater``; written as a term."""

    which: str
    operands: tuple[Node, ...]
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number rounded to a multiple of a step, where the text has a rule; ``how`` is nearest, up or down."""

    operand: Node
    step: Quantity
    how: str
    place: Place = field(default=Place(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table: the value that holds where the condition does."""

    condition: Node
    value: Node


@dataclass(frozen=True, slots=True)
class Table:
    """Values that vary by zone, size or use: the first row whose condition holds, else ``otherwise``."""

    rows: tuple[Row, ...]
    otherwise: Node
    place: Place = field(default=Place(), compare=False, repr=False)


Node = (
    Number | Name | Always | Children | Negative | Arithmetic | Comparison | Not | All | Any | Extreme | Rounded | Table
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition or expression as written, and its tree; every node knows its place in the file.

    Parameters
    ----------
    text : str
        As the file has it, on one line.
    node : Node
        The tree.
    """

    text: str
    node: Node

    @property
    def place(self) -> Place:
        """Where the whole of it is written."""
        return self.node.place


def children_of(node: Node | Row) -> tuple[Node, ...]:
    """Return the nodes directly below a node, in reading order."""
    match node:
        case Negative() | Not() | Rounded():
            return (node.operand,)
        case Arithmetic() | Comparison():
            return (node.left, node.right)
        case All() | Any() | Extreme():
            return node.operands
        case Table():
            return (*(part for row in node.rows for part in (row.condition, row.value)), node.otherwise)
        case Row():
            return (node.condition, node.value)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in reading order."""
    yield node
    for child in children_of(node):
        yield from walk(child)


def names_in(node: Node) -> tuple[str, ...]:
    """Return the names of facts and terms in a tree, each once, in reading order.

    Examples
    --------
    >>> names_in(All((Name("grows_crops"), Not(Name("builds_road")))))
    ('grows_crops', 'builds_road')
    """
    return tuple(dict.fromkeys(part.name for part in walk(node) if isinstance(part, Name)))


def text_of(node: Node) -> str:
    """Return a tree as a condition is written, with no more parentheses than it needs.

    Examples
    --------
    >>> text_of(All((Name("grows_crops"), Any((Name("builds_road"), Not(Name("by_state_agency")))))))
    'grows_crops and (builds_road or not by_state_agency)'
    """
    match node:
        case Number():
            number = (
                f"{float(node.quantity.value):.10g}"
                if node.quantity.value.denominator > 1
                else f"{int(node.quantity.value):,}"
            )
            return f"{number.replace(',', '_')} {node.quantity.unit}"
        case Name():
            return node.name
        case Always():
            return "always"
        case Children():
            return node.which
        case Negative():
            return f"-{_inside(node.operand, 6)}"
        case Not():
            return f"not {_inside(node.operand, 3)}"
        case Arithmetic() | Comparison():
            bind = _binding(node)
            return f"{_inside(node.left, bind)} {node.operator} {_inside(node.right, bind + 1)}"
        case All() | Any():
            word = " and " if isinstance(node, All) else " or "
            return word.join(_inside(operand, _binding(node) + 1) for operand in node.operands)
        case Extreme():
            return f"whichever is {node.which} of {', '.join(map(text_of, node.operands))}"
        case Rounded():
            return f"{_inside(node.operand, 6)} rounded {node.how} to {text_of(Number(node.step))}"
    rows = "; ".join(f"{text_of(row.value)} where {text_of(row.condition)}" for row in node.rows)
    return f"{rows}; otherwise {text_of(node.otherwise)}"


def _binding(node: Node) -> int:
    match node:
        case Any():
            return 0
        case All():
            return 1
        case Not():
            return 2
        case Comparison():
            return 3
        case Arithmetic():
            return 4 if node.operator in "+-" else 5
        case Negative():
            return 6
        case Extreme() | Rounded() | Table():
            return -1
        case _:
            return 7


def _inside(node: Node, least: int) -> str:
    return text_of(node) if _binding(node) >= least else f"({text_of(node)})"
