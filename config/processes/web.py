"""One web process: uvicorn on a socket that it is given, and an end in which no request is lost.

    python -m config.processes.web FD

uvicorn by itself closes at its end every connection on which no request is under way: also one that was accepted and
not read yet, and one whose next request is just arriving. Anyone who is still in the socket's queue then is reset by
the kernel. So the end has an order here: nobody new is let in (by what stops all processes: `serve`); the queue
is emptied, and the socket closed; each answer from now on says `Connection: close`; who has asked nothing for a moment
is hung up on; and what is not answered after LAST_REQUESTS is told to come again.
"""

import asyncio
import fcntl
import json
import socket
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from django.utils.module_loading import import_string
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import Server, ServerState

from accounts.rules.problems import document

APPLICATION = "config.asgi:application"

# Seconds that running requests have when the web ends, well within the supervisor's grace.
LAST_REQUESTS = 5.0

# Seconds that an idle connection is kept, longer than proxies keep theirs (nginx 60, ALB 60). The side that sends
# requests must close first; otherwise a request may arrive on a connection that is just being closed.
KEEP_ALIVE = 75

# Seconds from the first byte of a request to the last of its headers, and those for which a new connection may send
# nothing: browsers open some before they need them. Bodies have a limit of their own (config/middleware/bodies.py).
HEADERS_WITHIN = 15.0
FIRST_BYTE_WITHIN = 30.0
# Seconds at the end in which the queue is emptied: its connections are complete, and the loop accepts all at once.
EMPTYING = 0.1
# Seconds at the end in which an open connection may send one more request, and be told that it was the last. Active
# agents and browsers send again within one second; a proxy that keeps connections for later notices that they are
# closed.
ASKING_AGAIN = 1.0
# Seconds between two checks of what is left.
LOOK = 0.02
# In seconds, the Retry-After at the end: a restart takes ten.
BACK_SOON = 10


@dataclass(frozen=True)
class Farewell:
    """The durations of the phases of the end, in seconds."""

    emptying: float = EMPTYING
    asking_again: float = ASKING_AGAIN
    last_requests: float = LAST_REQUESTS


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    Web(config(APPLICATION), first=warm_up).run(sockets=[listener])


def warm_up() -> None:
    """Prepare a loaded application for its first request; in a thread, which may use the database."""
    import_string("config.processes.warm_up.warm_up")()


def config(application: str) -> Config:
    """Return uvicorn's configuration. uvicorn ignores forwarded headers, which are handled by the settings."""
    return Config(
        application,
        loop="uvloop",
        http=Connection,
        proxy_headers=False,
        access_log=False,
        log_level="warning",
        timeout_keep_alive=KEEP_ALIVE,
        # What is still running then has been answered, and only needs to finish.
        timeout_graceful_shutdown=1,
    )


# --- the end ------------------------------------------------------------------------------------------------
class WebState(ServerState):
    ending = False


class Connection(HttpToolsProtocol):
    """A connection that announces its end with the last answer, and is not closed under a request."""

    # Whether the first line of a request has arrived, but not yet all of its headers.
    arriving = False
    # When a request's headers, or silence, are no longer waited for; uvicorn closes idle kept connections itself.
    _deadline: asyncio.TimerHandle | None = None
    headers_within, first_byte_within = HEADERS_WITHIN, FIRST_BYTE_WITHIN

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(self.first_byte_within)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(0)
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self.arriving = True
        self._wait(self.headers_within)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self.arriving = False
        self._wait(0)
        super().on_headers_complete()
        if getattr(self.server_state, "ending", False):
            self.last_answer()

    def _wait(self, seconds: float) -> None:
        """Close the connection after this many seconds; 0: never."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self._hang_up) if seconds else None

    def _hang_up(self) -> None:
        """Close the connection. If a request has begun it gets an error, unless an earlier one is still being
        answered.
        """
        if self.transport.is_closing():
            return
        if self.arriving and (self.cycle is None or self.cycle.response_complete):
            body = json.dumps(document(408, "The request did not arrive in time.")).encode()
            head = "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/problem+json\r\n"
            self.transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        self.transport.close()

    def last_answer(self) -> None:
        """Make the running answer the last one. If its headers are sent already, one more request may follow."""
        if self.cycle is not None and not self.cycle.response_started:
            self.cycle.keep_alive = False

    @property
    def idle(self) -> bool:
        """Return whether no request is running or arriving."""
        asked = self.arriving or not (self.cycle is None or self.cycle.response_complete)
        if asked or self.transport.is_closing():
            return False
        waiting = bytearray(4)
        fcntl.ioctl(self.transport.get_extra_info("socket").fileno(), termios.FIONREAD, waiting)
        return not any(waiting)

    async def come_again(self) -> None:
        """Answer 503 to requests that have waited too long. They may still take effect; writes can be repeated with
        their keys.
        """
        cycle = self.cycle
        if cycle is None or cycle.response_started or self.transport.is_closing():
            return
        body = json.dumps(document(503, "The server is restarting. Try again in a few seconds.")).encode()
        headers = [(b"content-type", b"application/problem+json"), (b"content-length", b"%d" % len(body))]
        headers += [(b"retry-after", b"%d" % BACK_SOON), (b"connection", b"close")]
        await cycle.send({"type": "http.response.start", "status": 503, "headers": headers})
        await cycle.send({"type": "http.response.body", "body": body, "more_body": False})


class Web(Server):
    """uvicorn with this end, and with `first`, which runs before any connection is accepted."""

    def __init__(
        self, config: Config, farewell: Farewell = Farewell(), first: Callable[[], None] | None = None
    ) -> None:
        super().__init__(config)
        self._first = first
        self.server_state, self.farewell = WebState(), farewell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._first is not None:
            await asyncio.to_thread(self._first)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.server_state.ending = True  # type: ignore[attr-defined]
        for one in self._open():
            one.last_answer()
        await self._empty_the_queue(sockets or [])
        await self._until_all_are_answered()
        for one in self._open():
            await one.come_again()
        await super().shutdown(sockets)

    async def _empty_the_queue(self, listeners: list[socket.socket]) -> None:
        """Accept all connections in the queue as usual, then those that arrived while the loop released the socket, and
        close it with nothing in between. If other processes hold the socket too, later connections are theirs.
        """
        last = [listener.dup() for listener in listeners]
        await asyncio.sleep(self.farewell.emptying)
        for server in self.servers:
            server.close()
        for listener in listeners:
            listener.close()
        await asyncio.sleep(LOOK)
        taken = [one for listener in last for one in _drain_queue(listener)]
        for one in taken:
            await asyncio.get_running_loop().connect_accepted_socket(self._connection, one)

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)

    def _open(self) -> list[Connection]:
        return [one for one in self.server_state.connections if isinstance(one, Connection)]

    async def _until_all_are_answered(self) -> None:
        began = time.monotonic()
        while self._open() and (taken := time.monotonic() - began) < self.farewell.last_requests:
            if taken >= self.farewell.asking_again:
                for one in self._open():
                    if one.idle:
                        one.transport.close()
            await asyncio.sleep(LOOK)


def _drain_queue(listener: socket.socket) -> list[socket.socket]:
    """Return all connections in the socket's queue, and close the socket."""
    taken = []
    with listener:
        listener.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                taken.append(listener.accept()[0])
    for one in taken:
        one.setblocking(False)
    return taken


if __name__ == "__main__":
    main()
