"""Calls to the REST API and to MCP of one Loam."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import urllib.parse
from collections.abc import Mapping
from typing import Any

from sessions_app.client.src.late import urllib_request
from sessions_app.client.src.local import VERSION, Account, Json


class Away(Exception):
    """The server could not be reached, or is not able to answer just now: the same call may do later. `status`: what it
    answered, 0 if nothing.
    """

    def __init__(self, words: str, status: int = 0) -> None:
        self.status = status
        super().__init__(words)


class Problem(Exception):
    """The server refused. `detail` and `errors` (field → faults) say why; `code` is for programs."""

    def __init__(self, status: int, body: Json) -> None:
        self.status, self.code = status, str(body.get("code", "error"))
        self.detail = str(body.get("detail") or body.get("title") or f"The server answered {status}.")
        self.body = body
        self.errors: Json = body.get("errors") if isinstance(body.get("errors"), dict) else {}  # type: ignore[assignment]
        super().__init__(str(self))

    def __str__(self) -> str:
        named = [(field, said) for field, said in self.errors.items() if isinstance(said, list)]
        faults = [f"{field}: {' '.join(map(str, said))}" for field, said in named]
        return " ".join([self.detail, *faults])


# An answer of this many bytes is none of Loam's.
LARGEST_ANSWER = 16_000_000
# 502 to 504 are a proxy's word for a server that is away; 500 and 429 may pass too.
PASSING = (429, 500, 502, 503, 504)
# Fields that older servers refuse.
NEWER = frozenset((
    "checkout", "agent_session", "uncommitted", "handoff_tokens", "share_prompts", "asked", "last_message", "branch",
    "told",
))  # fmt: skip
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Server:
    """The REST API and MCP of one Loam. `timeout` in seconds, for the connection and for each read."""

    def __init__(self, who: Account, timeout: float = 30.0, interface: str = "cli") -> None:
        self.who, self.timeout, self.interface = who, timeout, interface

    def call(self, method: str, path: str, body: Any = None, *, key: str = "") -> Any:
        """The answer of `/api/v1/<path>` as JSON; `key` makes a repeated write count once. Raises Away, Problem."""
        headers = {"Idempotency-Key": key} if key else {}
        text, _ = self.send(method, f"/api/v1/{path}", body, headers)
        try:
            return json.loads(text) if text else None
        except ValueError as error:
            raise Away(f"{self.who.url} does not answer as Loam does.") from error

    def post(self, path: str, body: Json, *, key: str = "") -> Any:
        """Return the answer to a POST; fields that an older server does not know are left out and it is sent again."""
        try:
            return self.call("POST", path, body, key=key)
        except Problem as problem:
            unknown = NEWER & set(problem.errors) & set(body)
            if problem.status != 400 or not unknown:
                raise
            return self.call("POST", path, {name: body[name] for name in body if name not in unknown}, key=key)

    def send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> tuple[str, Any]:
        """The text of an answer and its headers. A redirect is not followed: the token is for this server alone.

        Raises Away, Problem.
        """
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        sent = {
            "Authorization": f"Bearer {self.who.token}", "User-Agent": f"loam-client/{VERSION}",
            "Accept": "application/json", "Content-Type": "application/json", "Connection": "close",
            "X-Loam-Interface": self.interface, **headers,
        }  # fmt: skip
        try:
            line, base = self._line()
            with contextlib.closing(line):
                line.request(method, base + path, data, sent)
                answer = line.getresponse()
                text = answer.read(LARGEST_ANSWER).decode("utf-8")
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Away(f"{self.who.url} is out of reach: {str(error or type(error).__name__).rstrip('.')}.") from error
        if answer.status >= 300:
            raise self._refusal(answer.status, text, answer.headers.get("Location", ""))
        return text, answer.headers

    def _line(self) -> tuple[http.client.HTTPConnection, str]:
        """A connection, through the proxy that the environment names, if any; and what paths begin with."""
        parts = urllib.parse.urlsplit(self.who.url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        proxy = "" if host in LOOPBACK else _proxy(parts.scheme, host)
        if not proxy:
            return kind(host, parts.port, timeout=self.timeout), parts.path
        way = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        line = kind(way.hostname or "", way.port or 3128, timeout=self.timeout)
        if secure:
            line.set_tunnel(host, parts.port or 443)
        return line, parts.path if secure else self.who.url

    def _refusal(self, status: int, text: str, elsewhere: str) -> Exception:
        if status in PASSING:
            return Away(f"{self.who.url} answers {status} just now.", status)
        if elsewhere:
            return Problem(status, {"detail": f"{self.who.url} sends to {elsewhere}: log in there."})
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        return Problem(status, body if isinstance(body, dict) else {})


def _proxy(scheme: str, host: str) -> str:
    if not any(name.lower() == f"{scheme}_proxy" for name in os.environ) or urllib_request.proxy_bypass(host):
        return ""
    return str(urllib_request.getproxies().get(scheme, ""))
