"""What must last: official acts, deliveries, parcels over time, sheets, determinations, runs. Append-only."""

from __future__ import annotations

from pathlib import Path

from geocheck.ledger.store import Store
from geocheck.model.problem import LedgerError
from geocheck.model.shelf import Shelf

__all__ = ["LEDGERS", "Ledger", "open_ledger"]

LEDGERS = Shelf("geocheck.ledger", "LEDGER", beside=("holding", "store", "tables"))

#: A store of official acts and of what the unattended runs found.
Ledger = Store


def open_ledger(address: str | Path) -> Ledger:
    """Open the ledger at a path or address.

    Parameters
    ----------
    address : str or Path
        A GeoPackage (``ledger.gpkg``), made when something is first recorded; or ``postgresql://…``.

    Raises
    ------
    LedgerError
        If no store of this kind is known, or it cannot be opened.
    """
    for name in LEDGERS.names():
        store = LEDGERS.load(name)
        if store.opens(str(address)):
            ledger: Ledger = store(str(address))
            return ledger
    raise LedgerError(
        f"{address}: no ledger of this kind is known; name a GeoPackage, such as ledger.gpkg, or a PostGIS database, such as "
        "postgresql://host/database"
    )
