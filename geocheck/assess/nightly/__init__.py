"""The county's new parcels, every night: take the delivery, measure what it touches, say whose determination changed."""

from geocheck.assess.nightly.night import update
from geocheck.assess.nightly.outcome import NightOutcome

__all__ = ["NightOutcome", "update"]
