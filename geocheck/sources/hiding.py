"""Tokens and passwords: taken from the environment, and kept out of every message and record."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit, urlunsplit

__all__ = ["scrubbed", "secrets_in", "shown", "token_for", "token_name"]

_HIDDEN = "***"
#: Names of parameters whose values open something: ArcGIS tokens, keys of portals, signatures of cloud storage.
_SECRET = re.compile(
    r"(.*[_.-])?(access|refresh|subscription|api)?[_.-]?"
    r"(token|key|sig|signature|secret|password|passwd|pwd|auth|authorization|credential|code|jwt|sas)",
    re.IGNORECASE,
)


def token_name(host: str) -> str:
    """Return the environment variable that holds the token of a host, and of no other.

    Examples
    --------
    >>> token_name("gis.co.example.us")
    'GEOCHECK_TOKEN_GIS_CO_EXAMPLE_US'
    """
    return f"GEOCHECK_TOKEN_{re.sub(r'[^A-Za-z0-9]', '_', host).upper()}"


def token_for(host: str) -> str:
    """Return the token for a host; empty where the environment holds none."""
    return os.environ.get(token_name(host), "").strip()


def shown(address: str) -> str:
    """Return an address as it may be written down: passwords, tokens, keys and signatures replaced by ``***``.

    Examples
    --------
    >>> shown("postgresql://gis:pw@db/land?sslmode=require")
    'postgresql://gis:***@db/land?sslmode=require'
    >>> shown("https://x.org/a.zip?sig=AB%2Bc&sv=2")
    'https://x.org/a.zip?sig=***&sv=2'
    >>> shown("parcels.shp")
    'parcels.shp'
    """
    if "://" not in address:
        return address
    try:
        parts = urlsplit(address)
    except ValueError:
        return address.split("://")[0] + f"://{_HIDDEN}"
    login, at, host = parts.netloc.rpartition("@")
    user, colon, _ = login.partition(":")
    place = f"{user}{f':{_HIDDEN}' if colon else ''}{at}{host}"
    pieces = [
        f"{piece.partition('=')[0]}={_HIDDEN}" if _SECRET.fullmatch(unquote(piece.partition("=")[0])) else piece
        for piece in parts.query.split("&")
    ]
    return urlunsplit((parts.scheme, place, parts.path, "&".join(pieces), parts.fragment))


def secrets_in(address: str) -> list[str]:
    """Return the passwords, tokens, keys and signatures of an address."""
    if "://" not in address:
        return []
    try:
        parts = urlsplit(address)
    except ValueError:
        return []
    found = [value for name, value in parse_qsl(parts.query) if _SECRET.fullmatch(name)]
    password = parts.netloc.rpartition("@")[0].partition(":")[2]
    return [word for word in (*found, unquote(password)) if word]


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """Return a text, such as another program's message, without some secrets in any spelling.

    Examples
    --------
    >>> scrubbed("GET /q?token=a%2Bb failed", ["a+b"])
    'GET /q?token=*** failed'
    """
    for secret in secrets:
        for spelt in sorted({secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}, key=len, reverse=True):
            text = text.replace(spelt, _HIDDEN)
    return text
