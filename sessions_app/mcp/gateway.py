"""Call the REST API from within the process, through Django's own ASGI application, on behalf of the caller.

So a tool has the same scopes, teams, errors, rate limits and heartbeats as the REST call.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

from sessions_app.answers.rules.fence import Fence

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
Asgi = Callable[[Any, Any, Any], Awaitable[None]]

API = "/api/v1/"
# The headers that are passed on: who calls, from where, and by which host name. The others are about the MCP message.
PASSED_ON = {b"host", b"authorization", b"user-agent", b"x-request-id", b"forwarded", b"x-real-ip"}
PROXYS = b"x-forwarded-"
# Makes texts name tools instead of addresses.
INTERFACE = (b"x-loam-interface", b"mcp")


@dataclass(frozen=True)
class ApiAnswer:
    """The answer of the API; a problem document if `status` is 400 or more."""

    status: int
    body: Any

    @property
    def refused(self) -> bool:
        return self.status >= 400


class Gateway:
    """The API on behalf of one caller. `scope`: of the caller's request to `/mcp`."""

    def __init__(self, django: Asgi, scope: MutableMapping[str, Any]) -> None:
        self._django, self._scope = django, scope

    @property
    def fence(self) -> Fence:
        """The fence around the texts of this caller, derived from their token, since nothing else is known of them
        here.
        """
        token = next((value for name, value in self._scope["headers"] if name == b"authorization"), b"")
        return Fence.of(settings.SECRET_KEY, f"token:{token.decode('latin-1')}")

    async def call(self, method: str, path: str, body: Any = None, query: dict[str, Any] | None = None) -> ApiAnswer:
        """Return the answer to one call of `/api/v1/<path>`."""
        sent = b"" if body is None else json.dumps(body).encode()
        waiting = [{"type": "http.request", "body": sent, "more_body": False}]
        status, parts = 500, []

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            # The caller is connected as long as this runs: the SDK cancels it when they disconnect.
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                parts.append(message.get("body", b""))

        await self._django(self._inner(method, path, query or {}, len(sent)), receive, send)
        text = b"".join(parts)
        return ApiAnswer(status, json.loads(text) if text else None)

    def _inner(self, method: str, path: str, query: dict[str, Any], length: int) -> dict[str, Any]:
        headers = [(name, value) for name, value in self._scope["headers"] if _goes_along(name)]
        headers += [(b"content-type", b"application/json"), (b"content-length", str(length).encode())]
        return {
            **self._scope,
            "method": method,
            "path": API + path,
            "raw_path": (API + path).encode(),
            "query_string": urlencode(query, doseq=True).encode(),
            "headers": [*headers, (b"accept", b"application/json"), INTERFACE],
        }


def _goes_along(name: bytes) -> bool:
    return name in PASSED_ON or name.startswith(PROXYS)
