"""Origins of layers that are fetched first: a shelf, one file an origin, each defining ORIGIN."""

from __future__ import annotations

from geocheck.model.shelf import Shelf
from geocheck.sources.format import refuse
from geocheck.sources.hiding import shown
from geocheck.sources.origin import Origin

__all__ = ["ORIGINS", "origin_of"]

ORIGINS = Shelf("geocheck.sources.origins", "ORIGIN")


def origin_of(source: str) -> Origin | None:
    """Return the origin that a source is fetched from; None where it is a file.

    Raises
    ------
    SourceError
        If it is an address of a kind that nothing here fetches.

    Examples
    --------
    >>> origin_of("https://gis.example.org/rest/services/Land/FeatureServer/0").name
    'ArcGIS service'
    >>> origin_of("parcels.shp") is None
    True
    """
    known: list[Origin] = list(ORIGINS)
    sure, origin = max(((each.fits(source), each) for each in known), key=lambda pair: pair[0])
    if sure:
        return origin
    if "://" in source:
        kinds = "; ".join(f"{each.name}, such as {each.example}" for each in known)
        raise refuse("unknown-address", "nothing here fetches an address of this kind", file=shown(source), remedy=f"Known are {kinds}.")  # fmt: skip
    return None
