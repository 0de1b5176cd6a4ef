"""A way to Loam on which answers get lost: what was asked has been done, and who asked never hears of it."""

import socket
import struct
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError


@dataclass
class Way:
    """`lose` says how many of the next answers do not come back: the connection is closed, or `reset`. `away`: nothing
    reaches Loam at all.
    """

    url: str
    lose: int = 0
    away: bool = False
    reset: bool = False
    passed: int = 0


@contextmanager
def lossy(to: str) -> Iterator[Way]:
    way = Way("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.pass_on(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def do_GET(self) -> None:
            self.pass_on(None)

        def do_HEAD(self) -> None:
            self.pass_on(None)

        def pass_on(self, body: bytes | None) -> None:
            if way.away:
                self.close_connection = True
                return
            request = urllib.request.Request(to + self.path, data=body, method=self.command)
            for name in ("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"):
                if self.headers.get(name):
                    request.add_header(name, self.headers[name])
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    status, text = answer.status, answer.read()
            except HTTPError as refused:
                with refused:
                    status, text = refused.code, refused.read()
            way.passed += 1
            if way.lose:
                way.lose -= 1
                self.close_connection = True
                if way.reset:  # closed without having waited for anything
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.wfile.close()
                    self.rfile.close()
                self.connection.close()
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    way.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield way
    finally:
        server.shutdown()
        server.server_close()
