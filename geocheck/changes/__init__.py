"""Two deliveries of county parcels compared: by identifier and by ground, what happened to each parcel."""

from geocheck.changes.comparing import Comparison, compare
from geocheck.changes.delivery import Delivery, Schema
from geocheck.changes.refusing import doubts_about, schema_problems

__all__ = ["Comparison", "Delivery", "Schema", "compare", "doubts_about", "schema_problems"]
