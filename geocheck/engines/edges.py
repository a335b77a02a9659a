"""The fast engine: the local engine with its sums over edges compiled, so that an area makes no geometry; needs numba."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING

from geocheck.engines.local import LocalEngine
from geocheck.model.problem import EngineError

if TYPE_CHECKING:
    from geocheck.engines.working.compiled import CompiledSums

__all__ = ["ENGINE", "EdgesEngine"]


@dataclass(eq=False)
class EdgesEngine(LocalEngine):
    """Measures on this machine with compiled loops.

    Raises
    ------
    EngineError
        From ``measure``, if numba is not installed.
    """

    name: str = "edges"

    def _compiled(self) -> CompiledSums:
        if importlib.util.find_spec("numba") is None:
            raise EngineError(
                "the engine 'edges' needs numba, which is not installed: pip install 'geocheck[fast]', "
                "or measure with --engine local"
            )
        from geocheck.engines.working.compiled import CompiledSums

        return CompiledSums()


ENGINE = EdgesEngine()
