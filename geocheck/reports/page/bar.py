"""A number, its interval and its threshold as a small bar in SVG."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

from geocheck.reports.page.margins import Margin
from geocheck.reports.page.words import amount

__all__ = ["Places", "bar_drawn", "bar_places"]

_WIDE, _HIGH, _LEFT, _RIGHT = 260, 40, 6, 254

#: Left and width of the band, line, dot, and the two ends of the scale in words.
Places = tuple[float, float, float, float, str, str]


def bar_places(margin: Margin) -> Places | None:
    """Return where the parts of a bar stand.

    None where a number is not known, or the threshold is zero. Near the threshold the scale is drawn around it, so that the interval can be seen; else it begins at zero.
    """
    if margin.value is None or margin.low is None or margin.high is None or margin.threshold == 0:
        return None
    first, last = _scale(margin)
    span = last - first

    def place(number: float) -> float:
        part = (number - first) / span
        return round(_LEFT + (_RIGHT - _LEFT) * (0.0 if part < 0 else 1.0 if part > 1 else part), 1)

    low, high = place(margin.low), place(margin.high)
    ends = amount(first, margin.unit, margin.threshold), amount(last, margin.unit, margin.threshold)
    return low, max(2.0, round(high - low, 1)), place(margin.threshold), place(margin.value), *ends


def bar_drawn(places: Places | None, said: str) -> Markup:
    """Return the bar in SVG: threshold as a line, interval as a band, best value as a dot; ends of the scale in figures."""
    if places is None:
        return Markup("")
    low, band, threshold, value, first, last = places
    return Markup(
        f'<svg class="bar" role="img" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}"><title>{escape(said)}</title>'
        f'<line class="axis" x1="{_LEFT}" x2="{_RIGHT}" y1="14" y2="14" stroke="#888"></line>'
        f'<rect class="band" x="{low:g}" y="9" width="{band:g}" height="10" fill="#0072b2" fill-opacity=".45"></rect>'
        f'<line class="limit" x1="{threshold:g}" x2="{threshold:g}" y1="2" y2="26" stroke="#111" stroke-width="2"></line>'
        f'<circle class="best" cx="{value:g}" cy="14" r="4" fill="#0072b2" stroke="#fff"></circle>'
        f'<text x="{_LEFT}" y="37" font-size="10">{escape(first)}</text>'
        f'<text x="{_RIGHT}" y="37" font-size="10" text-anchor="end">{escape(last)}</text></svg>'
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
