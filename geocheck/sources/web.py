"""A conversation with one server on the web: patient where it stumbles, silent about tokens. Needs the extra ``services``."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import urljoin, urlsplit

from geocheck.sources.format import refuse
from geocheck.sources.hiding import scrubbed, secrets_in, shown, token_for, token_name
from geocheck.sources.origin import unavailable

__all__ = ["StumbleError", "Web", "beginning", "reason"]

#: Seconds before the second try; doubled before each further one, and stretched at random by up to a half.
PAUSE = 0.5
TRIES = 6
#: Tries where the server answers and says that it failed: waiting seldom helps.
TRIES_ANSWERED = 4
_LONGEST_WAIT = 60.0
_TIMEOUT = (15.0, 180.0)
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_TOKEN_CODES = frozenset({401, 403, 498, 499})
_LONG_URL = 1800


class StumbleError(Exception):
    """An answer that another try may better; ``answered`` where the server spoke and said that it failed."""

    def __init__(self, words: str, *, answered: bool = False, wait: float = 0.0) -> None:
        super().__init__(words)
        self.answered, self.wait = answered, wait


class Web:
    """Ask one server; its token is taken from the environment and goes to no other.

    Parameters
    ----------
    address : str
        What the project names; in messages it stands without its secrets.
    layer : str
        For messages.

    Raises
    ------
    SourceError
        If the extra ``services`` is not installed.
    """

    def __init__(self, address: str, layer: str = "") -> None:
        try:
            import requests
            import tenacity
        except ImportError as error:
            raise refuse("missing-extra", f"an address on the web needs {error.name}", file=shown(address), remedy="Install it with: pip install 'geocheck[services]'") from None  # fmt: skip
        self._requests, self._tenacity = requests, tenacity
        self.name, self.layer = shown(address), layer
        self.host = urlsplit(address).hostname or ""
        self.token = token_for(self.host)
        self.secrets = [*secrets_in(address), *([self.token] if self.token else [])]
        self.session = requests.Session()
        self.session.headers["User-Agent"] = "geocheck"
        self._by_get = not self.token

        self.errors = requests.exceptions.RequestException

    # Asking -----------------------------------------------------------------------------------------------------------

    def patiently(self, ask: Callable[[], Any]) -> Any:
        """Ask until there is an answer; give up after some tries.

        Raises
        ------
        SourceIncompleteError
            If it stumbles every time; the message says over what.
        """
        tenacity = self._tenacity

        def enough(state: Any) -> bool:
            error = state.outcome.exception()
            return bool(state.attempt_number >= (TRIES_ANSWERED if getattr(error, "answered", False) else TRIES))

        def pause(state: Any) -> float:
            told = float(getattr(state.outcome.exception(), "wait", 0.0))
            return float(max(told, PAUSE * 2 ** (state.attempt_number - 1) * random.uniform(1, 1.5)))

        again = tenacity.Retrying(retry=tenacity.retry_if_exception_type(StumbleError), stop=enough, wait=pause, reraise=True)  # fmt: skip
        try:
            return again(ask)
        except StumbleError as error:
            raise self.gone(str(error), again.statistics.get("attempt_number", 1)) from error

    def gone(self, words: str, tries: int = 1) -> Exception:
        """Return the error for a server that does not give what it should."""
        often = f" (tried {tries} times)" if tries > 1 else ""
        return unavailable(
            "source-unavailable",
            f"{scrubbed(words, self.secrets)}{often}",
            source=self.name,
            layer=self.layer,
            remedy="Nothing of it is used. Try again later; what had come is kept to go on from.",
        )

    def json(self, url: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the server's answer, an object of JSON that is no error.

        Raises
        ------
        SourceError
            If the server says that it cannot do what is asked.
        SourceIncompleteError
            If it does not answer, or not with JSON, or wants a token.
        """
        found: dict[str, Any] = self.patiently(lambda: self.once(url, params))
        return found

    def once(self, url: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask once; what another try may better is a `StumbleError`."""
        body = self._answer(url, {"f": "json", **params})
        try:
            told = json.loads(body.decode("utf-8-sig"))
        except ValueError as error:
            raise StumbleError(f"the server's answer is not JSON: {beginning(body, error)}") from error
        if not isinstance(told, dict):
            raise StumbleError(f"the server's answer is no object of JSON: {beginning(body)}")
        if "error" in told or told.get("status") == "error":
            self._refused(told)
        return told

    def _refused(self, told: Mapping[str, Any]) -> None:
        """Raise what an error means that came with status 200."""
        said = told.get("error", told)
        said = said if isinstance(said, dict) else {"message": said}
        code = said.get("code", 0)
        details = said.get("details") or said.get("messages") or []
        details = details if isinstance(details, list) else [details]
        texts = dict.fromkeys(str(text) for text in (said.get("message", ""), *details) if text)
        words = scrubbed("; ".join(texts), self.secrets)
        code = code if isinstance(code, int) else int(code) if str(code).isdigit() else 0
        if code in _TOKEN_CODES:
            raise self._closed(f"error {code}: {words or 'access denied'}")
        if code in (400, 404):
            raise refuse("service-refuses", f"the service refuses what is asked, error {code}: {words or 'without a reason'}", file=self.name, layer=self.layer, remedy="Check the address, the layer and its filter.")  # fmt: skip
        raise StumbleError(f"the service answers with an error, {code or 'without a code'}: {words or 'without a reason'}", answered=True)  # fmt: skip

    def _closed(self, words: str) -> Exception:
        name = token_name(self.host)
        held = f"The one in {name} is not accepted." if self.token else f"Put one into the environment variable {name}."
        return unavailable("token-required", f"the server wants a token ({words})", source=self.name, layer=self.layer, remedy=held)  # fmt: skip

    def _answer(self, url: str, params: dict[str, Any]) -> bytes:
        """Return the body of an answer. A token goes in the body of the request, which no log of addresses keeps."""
        if self.token:
            params = {**params, "token": self.token}
        long = sum(len(str(key)) + len(str(value)) + 2 for key, value in params.items()) > _LONG_URL
        if self._by_get and not long:
            return self._sent("GET", url, params=params)
        try:
            return self._sent("POST", url, data=params)
        except _OnlyGetError:
            self._by_get = True
            return self._sent("GET", url, params=params)

    def stream(self, url: str, headers: Mapping[str, str]) -> Any:
        """Return an answer whose body is still to come, its redirects not followed."""
        return self._requested("GET", url, headers=headers, stream=True)

    def _sent(self, method: str, url: str, **more: Any) -> bytes:
        for _ in range(5):
            answer = self._requested(method, url, **more)
            body: bytes = answer.content
            if answer.is_redirect:
                url = self._followed(url, answer.headers["Location"])
                continue
            self.check(answer, body)
            return body
        raise self.gone("the server sends from one address to the next without an end")

    def _requested(self, method: str, url: str, **more: Any) -> Any:
        requests = self._requests
        try:
            return self.session.request(method, url, timeout=_TIMEOUT, allow_redirects=False, **more)
        except requests.exceptions.InvalidURL as error:
            raise refuse("bad-address", "this is no address of a server", file=self.name) from error
        except requests.exceptions.SSLError as error:
            raise self.gone(f"the server cannot be trusted: {reason(error)}") from error
        except requests.exceptions.RequestException as error:
            raise StumbleError(reason(error)) from error

    def _followed(self, url: str, target: str) -> str:
        to = urljoin(url, target)
        if urlsplit(to).hostname != self.host:
            raise self.gone(
                f"the server sends on to another one, {urlsplit(to).hostname}; name that one if it is right"
            )
        return to

    def check(self, answer: Any, body: bytes = b"") -> None:
        """Raise what a status says that is not 200."""
        status = answer.status_code
        if status in (405, 501) and answer.request.method == "POST":
            raise _OnlyGetError
        if status in (401, 403):
            raise self._closed(f"status {status}")
        if status in _PASSING:
            raise StumbleError(f"the server answers with status {status}", wait=_asked_to_wait(answer.headers))
        if status in (400, 404, 410):
            raise refuse("service-refuses", f"the server answers with status {status}: {beginning(body) or answer.reason}", file=self.name, layer=self.layer, remedy="Check the address.")  # fmt: skip
        if status not in (200, 206, 304):
            raise self.gone(f"the server answers with status {status}: {beginning(body) or answer.reason}")


class _OnlyGetError(Exception):
    """The server takes no POST."""


def reason(error: Exception) -> str:
    """Say in words what cut a connection; never with the address, which may hold a token."""
    text = str(error)
    if "timed out" in text:
        return "the server did not answer in time"
    if "IncompleteRead" in text or "Connection broken" in text or "ConnectionReset" in text or "RemoteDisconnected" in text:  # fmt: skip
        return "the connection was cut before the answer was whole"
    if "NameResolution" in text or "getaddrinfo" in text or "Name or service" in text:
        return "the server's name is not known"
    if "refused" in text:
        return "the server refuses the connection"
    return f"the server cannot be reached ({type(error).__name__})"


def _asked_to_wait(headers: Mapping[str, str]) -> float:
    told = headers.get("Retry-After", "").strip()
    if told.isdigit():
        return min(float(told), _LONGEST_WAIT)
    try:
        return min(max(0.0, parsedate_to_datetime(told).timestamp() - time()), _LONGEST_WAIT)
    except (ValueError, TypeError):
        return 0.0


def beginning(body: bytes, error: Exception | None = None) -> str:
    """Return what a strange answer is, for people: the title of a page, or its first words, or where it breaks off."""
    text = body[:4000].decode("utf-8", "replace").strip()
    if re.match(r"(?is)<(!doctype|html|\?xml)", text):
        title = re.search(r"(?is)<title[^>]*>(.*?)</title>", text)
        return f"a page{f' titled {title[1].strip()[:80]!r}' if title else ''}, not data"
    if isinstance(error, json.JSONDecodeError) and text[:1] in "{[" and text:
        return f"it breaks off or is damaged at character {error.pos:,} of {len(body):,}"
    return repr(text[:80]) if text else "nothing"
