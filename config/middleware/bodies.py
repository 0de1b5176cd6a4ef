"""Limit request bodies before anything reads them: an ASGI server accepts any size, and Django writes them to disk
before it knows who sends them.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from django.conf import settings

from accounts.rules.problems import document

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Known = Callable[[dict[bytes, bytes]], Awaitable[bool]]

# Pages accept files of notes (10 MB), plus the rest of the form.
LARGEST_FORM = 11_000_000
# The limit for a caller who is not signed in: a login, an invitation. More is read for a known token or session.
LARGEST_UNKNOWN = 100_000
# At most this much of an oversized body is read and discarded before it is refused.
DROPPED = 32_000_000
# Seconds from the first byte of a body to its last one.
PATIENCE = 30.0
_AGENTS = re.compile(rb"/(?:api|mcp)(?:/|$)")


def bounded(app: App, *, patience: float = PATIENCE, known: Known | None = None) -> App:
    """Return the application with bodies of known and limited length only.

    `known` returns whether a request's headers identify somebody; others may send LARGEST_UNKNOWN. An oversized body is
    answered with 413 and a slow one with 408, before the application is called. A chunked body is read, and its length
    set: without that Django and DRF take the body for empty.
    """

    async def run(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if b"content-length" not in headers and b"transfer-encoding" not in headers:
            await app(scope, receive, send)
            return
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE if _AGENTS.match(scope["path"].encode()) else LARGEST_FORM
        declared = headers.get(b"content-length", b"")
        small = declared.isdigit() and int(declared) <= LARGEST_UNKNOWN
        why = "The request body is too large."
        if known and not small and not await known(headers):
            most, why = min(most, LARGEST_UNKNOWN), f"{why[:-1]} for requests without sign-in."
        declines = declared.isdigit() and int(declared) > most
        try:
            body = None if declines else await asyncio.wait_for(_read(receive, most), patience)
        except TimeoutError:
            await _refuse(send, 408, "The request body did not arrive in time.")
            return
        if declines or (body is not None and len(body) > most):
            with suppress(TimeoutError):
                await asyncio.wait_for(_drop(receive), patience)
            await _refuse(send, 413, why)
            return
        if body is None:
            return  # the client disconnected
        length = [(b"content-length", str(len(body)).encode())]
        kept = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
        await app({**scope, "headers": kept + length}, _again(body, receive), send)

    return run


async def _read(receive: Receive, most: int) -> bytes | None:
    """Return the body, or slightly more than `most` bytes of it; None if the client has disconnected."""
    parts: list[bytes] = []
    size = 0
    while size <= most:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body", False):
            break
    return b"".join(parts)


async def _drop(receive: Receive) -> None:
    """Read and discard the rest of an oversized body, up to a limit: most clients read no answer before they have sent
    everything, and would only see that the connection broke.
    """
    size = 0
    while size <= DROPPED:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a receiver of the body as one message, followed by whatever comes, for example a disconnect."""
    given = False

    async def heard() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return heard


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = json.dumps(document(status, detail)).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        # The rest of the body is not read, so the connection cannot be used for another request.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
