"""Reading a tree with known keys: what is unknown, repeated, missing or of the wrong shape is gathered, not raised."""

from __future__ import annotations

from collections.abc import Iterable

from geocheck.model.condition import Condition
from geocheck.model.problem import Place, Problem
from geocheck.rules.expr import ConditionError, parse_condition
from geocheck.rules.units import nearest_name
from geocheck.rules.yamltree import Listing, Mapped, Scalar, Tree

__all__ = ["KeyReader"]

_YES_NO = {"yes": True, "true": True, "no": False, "false": False}

_CUT = "A comma inside {} ends a value: put a text that has one in quotes, and write 4_000, not 4,000."


def _is_cut_off(key: Scalar, value: Tree) -> bool:
    """Tell whether a key is what a comma inside braces cut off from the text before it: no colon, and no value."""
    before, after = key.place.text[: (key.place.column or 1) - 1], key.place.text[(key.place.column or 1) - 1 :]
    alone = isinstance(value, Scalar) and not value.text and value.plain
    return alone and before.rstrip().endswith(",") and not after[key.place.length :].lstrip().startswith(":")


class KeyReader:
    """Takes trees apart and remembers every problem."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def say(self, code: str, message: str, place: Place, remedy: str = "") -> None:
        """Remember a problem."""
        self.problems.append(Problem(code, message, place, remedy))

    def mapping(self, tree: Tree | None, what: str, keys: Iterable[str] = ()) -> dict[str, Tree]:
        """Return a mapping's values by key; of a repeated key, the first.

        Parameters
        ----------
        tree : Tree or None
            The tree; None reads as nothing.
        what : str
            What it is, for messages.
        keys : iterable of str
            The keys that may stand here; none given means names of the author's own.
        """
        if tree is None or (isinstance(tree, Scalar) and not tree.text):
            return {}
        if not isinstance(tree, Mapped):
            self.say("wrong-shape", f"{what} is written as key: value lines", tree.place)
            return {}
        known = tuple(keys)
        found: dict[str, Tree] = {}
        for key, value in tree.entries:
            name = key.text
            if name in found:
                self.say("duplicate-key", f"{name} stands here a second time", key.place, "Keep one.")
            elif known and name not in known:
                cut = _CUT if _is_cut_off(key, value) else ""
                remedy = cut or nearest_name(name, known) or f"Keys of {what}: {', '.join(known)}."
                self.say("unknown-key", f"{what} has no key {name!r}", key.place, remedy)
            elif not known and _is_cut_off(key, value):
                self.say("unknown-key", f"{name!r} has no value", key.place, _CUT)
            else:
                found[name] = value
        return found

    def items(self, tree: Tree | None, what: str) -> tuple[Tree, ...]:
        """Return the items of a list."""
        if tree is None or (isinstance(tree, Scalar) and not tree.text):
            return ()
        if not isinstance(tree, Listing):
            self.say("wrong-shape", f"{what} is a list: lines that begin with a dash", tree.place)
            return ()
        return tree.items

    def text(self, tree: Tree | None, what: str) -> str:
        """Return a text; a label in brackets, which YAML takes for a list, is read as written."""
        if tree is None:
            return ""
        if isinstance(tree, Listing) and tree.source:
            return tree.source
        if not isinstance(tree, Scalar):
            self.say("wrong-shape", f"{what} is a text", tree.place)
            return ""
        return " ".join(tree.text.split())

    def texts(self, tree: Tree, what: str) -> tuple[tuple[str, ...], tuple[Place, ...]]:
        """Return a list of texts, or one text as a list, with their places."""
        items = tree.items if isinstance(tree, Listing) else (tree,)
        found = [(self.text(item, what), item.place) for item in items]
        return tuple(text for text, _ in found), tuple(place for _, place in found)

    def required(self, values: dict[str, Tree], key: str, what: str, place: Place) -> str:
        """Return a text that must be there."""
        text = self.text(values.get(key), key)
        if not text and not isinstance(values.get(key), Mapped):
            self.say("missing-key", f"{what} has no {key}", place, f"Add {key}: …")
        return text

    def truth(self, tree: Tree | None, what: str) -> bool:
        """Return a yes or no; absent is no."""
        if tree is None:
            return False
        text = self.text(tree, what).lower()
        if text not in _YES_NO:
            self.say("wrong-shape", f"{what} is yes or no", tree.place)
        return _YES_NO.get(text, False)

    def condition(self, tree: Tree | None, what: str) -> Condition | None:
        """Return a condition or expression, or None where there is none or it cannot be read."""
        if tree is None:
            return None
        if not isinstance(tree, Scalar):
            self.say(
                "wrong-shape", f"{what} is a condition on one line", tree.place, "Quote it if it begins with a bracket."
            )
            return None
        try:
            return parse_condition(tree.passage)
        except ConditionError as error:
            self.problems.extend(error.problems)
            return None
