"""The pipeline from layers to determinations: the only part that knows both measuring and judging."""

from geocheck.assess.result import Result
from geocheck.assess.run import run

__all__ = ["Result", "run"]
