"""A call of the REST API from within the process: through Django's own ASGI application, as its caller.

So a tool has the scopes, the teams, the faults, the limits and the signs of life of the REST call, by being that call.
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
# Who asks, from where, by which name of ours: what a REST call would have said. The rest is about the MCP message.
PASSED_ON = {b"host", b"authorization", b"user-agent", b"x-request-id", b"forwarded", b"x-real-ip"}
PROXYS = b"x-forwarded-"
# So texts name tools, and no addresses.
INTERFACE = (b"x-loam-interface", b"mcp")


@dataclass(frozen=True)
class ApiAnswer:
    """What the API answered: a problem document when `status` is 400 or more."""

    status: int
    body: Any

    @property
    def refused(self) -> bool:
        return self.status >= 400


class Gateway:
    """The API as one caller sees it; `scope` is that of the caller's request to `/mcp`."""

    def __init__(self, django: Asgi, scope: MutableMapping[str, Any]) -> None:
        self._django, self._scope = django, scope

    @property
    def fence(self) -> Fence:
        """The fence around the texts of this caller, who is known here by their token alone."""
        token = next((value for name, value in self._scope["headers"] if name == b"authorization"), b"")
        return Fence.of(settings.SECRET_KEY, f"token:{token.decode('latin-1')}")

    async def call(self, method: str, path: str, body: Any = None, query: dict[str, Any] | None = None) -> ApiAnswer:
        """One call of `/api/v1/<path>`."""
        sent = b"" if body is None else json.dumps(body).encode()
        waiting = [{"type": "http.request", "body": sent, "more_body": False}]
        status, parts = 500, []

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            # The caller is still there for as long as this runs: the SDK cancels it when they leave.
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
