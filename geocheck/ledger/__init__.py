"""What must last: the official acts. Append-only; what was recorded is never changed, only superseded or revoked."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from geocheck.model.acts import Act
from geocheck.model.problem import LedgerError
from geocheck.model.shelf import Shelf

__all__ = ["LEDGERS", "Ledger", "open_ledger"]

LEDGERS = Shelf("geocheck.ledger", "LEDGER")


class Ledger(Protocol):
    """A store of official acts."""

    def acts(self) -> list[Act]:
        """Return all acts in the order in which they were recorded."""
        ...

    def record(self, act: Act) -> Act:
        """Append one act and return it with its running number."""
        ...


def open_ledger(address: str | Path) -> Ledger:
    """Open the ledger at a path or address.

    Parameters
    ----------
    address : str or Path
        A GeoPackage (``ledger.gpkg``); made when the first act is recorded.

    Raises
    ------
    LedgerError
        If no store of this kind is known, or it cannot be opened.
    """
    for store in LEDGERS:
        if store.opens(str(address)):
            ledger: Ledger = store(str(address))
            return ledger
    raise LedgerError(f"{address}: no ledger of this kind is known; name a GeoPackage, such as ledger.gpkg")
