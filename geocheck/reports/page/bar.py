"""A number, its interval and its threshold as a small bar in SVG."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

from geocheck.reports.page.margins import Margin
from geocheck.reports.page.words import amount

__all__ = ["bar"]

_WIDE, _HIGH, _LEFT, _RIGHT = 260, 40, 6, 254


def bar(margin: Margin) -> Markup:
    """Return the bar: threshold as a line, interval as a band, best value as a dot; ends of the scale in figures.

    Nothing where a number is not known, or the threshold is zero. Near the threshold the scale is drawn around it, so that the interval can be seen; else it begins at zero.
    """
    if margin.value is None or margin.low is None or margin.high is None or margin.threshold == 0:
        return Markup("")
    first, last = _scale(margin)
    span = last - first

    def place(number: float) -> str:
        return f"{_LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, (number - first) / span)):.1f}"

    low, high, value, threshold = (place(n) for n in (margin.low, margin.high, margin.value, margin.threshold))
    band = max(2.0, float(high) - float(low))
    said = (
        f"{amount(margin.value, margin.unit, margin.threshold)}, between {amount(margin.low, margin.unit, margin.threshold)} and "
        f"{amount(margin.high, margin.unit, margin.threshold)}, against {margin.sign} {amount(margin.threshold, margin.unit)}"
    )
    ends = amount(first, margin.unit, margin.threshold), amount(last, margin.unit, margin.threshold)
    return Markup(
        f'<svg class="bar" role="img" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}"><title>{escape(said)}</title>'
        f'<line class="axis" x1="{_LEFT}" x2="{_RIGHT}" y1="14" y2="14" stroke="#888"/>'
        f'<rect class="band" x="{low}" y="9" width="{band:.1f}" height="10" fill="#0072b2" fill-opacity=".45"/>'
        f'<line class="limit" x1="{threshold}" x2="{threshold}" y1="2" y2="26" stroke="#111" stroke-width="2"/>'
        f'<circle class="best" cx="{value}" cy="14" r="4" fill="#0072b2" stroke="#fff"/>'
        f'<text x="{_LEFT}" y="37" font-size="10">{escape(ends[0])}</text>'
        f'<text x="{_RIGHT}" y="37" font-size="10" text-anchor="end">{escape(ends[1])}</text></svg>'
    )


def _scale(margin: Margin) -> tuple[float, float]:
    assert margin.value is not None and margin.low is not None and margin.high is not None
    limit = margin.threshold
    reach = max(abs(margin.low - limit), abs(margin.high - limit))
    if limit and reach < abs(limit) * 0.05:
        reach = max(reach * 1.4, abs(limit) * 1e-4)
        return limit - reach, limit + reach
    low, high = -_round_up(-margin.low), _round_up(max(limit, margin.high) * 1.1)
    return low, high if high > low else low + 1


def _round_up(number: float) -> float:
    """Return the next number of two figures that is not less; zero for what is not positive."""
    if number <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / step - 1e-9) * step
