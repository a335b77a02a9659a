"""A run that looks at the parcels as delivered before anything is measured."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from geocheck.assess.dividing import Division, Step, division_of
from geocheck.assess.nightly.taking import Taken, take
from geocheck.assess.result import Result
from geocheck.assess.run import Pipeline
from geocheck.ledger import Ledger
from geocheck.measures.language import Engine
from geocheck.model.determination import Determination
from geocheck.model.ground import Ground, Layer
from geocheck.model.history import RunRecord
from geocheck.model.problem import SourceError
from geocheck.project import Project

__all__ = ["NightRun"]


class NightRun(Pipeline):
    """The run of a night.

    Parameters
    ----------
    ledger : Ledger
        What is known of the parcels.
    accept : str
        Why a suspect delivery is taken.
    again : RunRecord or None
        The run that this one repeats because its files are missing: nothing is taken, only compared again.
    """

    keep_fields = frozenset({"parcels"})

    def __init__(
        self, project: Project, progress: Callable[[str, int, int], None], engine: Engine, ledger: Ledger, *, accept: str,
        again: RunRecord | None, as_of: date,
    ) -> None:  # fmt: skip
        super().__init__(project, progress, engine)
        self.ledger, self.accept, self.again, self.as_of = ledger, accept, again, as_of
        self.taken: Taken | None = None
        self.determinations: tuple[Determination, ...] = ()
        self._delivered: Layer | None = None

    def result(self) -> Result:
        """Read, compare, measure, judge and gather."""
        try:
            result = super().result()
        except SourceError as error:
            raise _renamed(error, self.ledger) from error
        self.determinations = tuple(result.findings.determinations)
        return result

    def layers_are_read(self, layers: dict[str, Layer]) -> None:  # type: ignore[override]
        """Keep the parcels as they came."""
        self._delivered = layers.get("parcels")

    def ground_is_read(self, ground: Ground) -> None:
        """Compare the delivery with the last one, if it is another."""
        if self._delivered is None:
            return
        deliveries = self.ledger.deliveries()
        last = deliveries[-1] if deliveries else None
        with self.stage("comparing deliveries"):
            if self.again is not None:
                if last is not None and last.run == self.again.number:
                    against = last.number - 1
                    self.taken = take(self.project, self.ledger, self._delivered, ground, accept=last.accepted or "again", day=self.as_of, against=against)  # fmt: skip
            elif last is None or last.sha256 != self._delivered.sha256:
                self.taken = take(
                    self.project, self.ledger, self._delivered, ground, accept=self.accept, day=self.as_of
                )

    def division(self, ground: Ground) -> Division | None:
        """Return what the ledger knows of land division, tonight's delivery included."""
        known = division_of(self.ledger, ground, self.as_of)
        taken, deliveries = self.taken, self.ledger.deliveries()
        if taken is None or self.again is not None or not deliveries:
            return known
        old, new = taken.done.before, taken.done.after
        before, after = (dict(zip(side.names.tolist(), side.grounds, strict=True)) for side in (old, new))
        parents = {row.parent for row in taken.done.descent}
        step = Step(date.fromisoformat(taken.record.day), taken.done.descent, {name: before[name] for name in parents if before.get(name) is not None})  # fmt: skip
        first = known.first if known is not None else date.fromisoformat(deliveries[0].day)
        steps = [*known.steps, step] if known is not None else [step]
        children = {row.child for each in steps for row in each.descent}
        now = {name: after[name] for name in children if after.get(name) is not None}
        current = all(date.fromisoformat(delivery.day) <= self.as_of for delivery in deliveries)
        return Division(first, steps, now, current)


def _renamed(error: SourceError, ledger: Ledger) -> SourceError:
    """Say of a field that is not there that the delivery before had it."""
    deliveries = ledger.deliveries()
    missing = [problem for problem in error.problems if problem.code == "unknown-field"]
    if not missing or not deliveries or f"{deliveries[-1].id_field!r}" not in str(error):
        return error
    before = deliveries[-1]
    words = f"The delivery of {before.day} had it: its fields were {', '.join(before.fields)}. Nothing was written."
    return type(error)(f"{error}\n  {words}", error.problems)
