"""A web process that is told to end answers anyone who is there, and lets nobody down."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from config.database.embedded import BASE_DIR
from config.management.commands.serve import let_nobody_in

pytestmark = pytest.mark.slow

# The web process, with another application and less patience; it says when it is there.
WEB = """
import socket, sys
from config.processes.web import Farewell, Web, config
listener = socket.socket(fileno=int(sys.argv[1]))
from config.processes.web import Connection
Connection.headers_within, Connection.first_byte_within = 2.0, 2.5
Web(config("tests.config.waits:application"), Farewell(asking_again=0.8, last_requests=1.5)).run(sockets=[listener])
"""


@dataclass
class Line:
    """A connection to it, on which nothing is sent until `send`; `read` is one answer: status line and headers."""

    port: int
    file: socket.socket = field(init=False)

    def __post_init__(self) -> None:
        self.file = socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def send(self, text: str) -> None:
        self.file.sendall(text.encode())

    def get(self, seconds: float = 0) -> None:
        self.send(f"GET /?{seconds} HTTP/1.1\r\nHost: x\r\n\r\n")

    def read(self) -> list[str]:
        said = b""
        while b"\r\n\r\n" not in said and (more := self.file.recv(4096)):
            said += more
        head, _, body = said.partition(b"\r\n\r\n")
        found = head.decode().lower().split("\r\n")
        length = next((int(one.split()[1]) for one in found if one.startswith("content-length")), 0)
        while len(body) < length and (more := self.file.recv(4096)):
            body += more
        return found


@dataclass
class Served:
    process: subprocess.Popen[bytes]
    listener: socket.socket
    port: int

    def line(self) -> Line:
        return Line(self.port)

    def greeted(self) -> Line:
        """A connection that has been answered once, and is kept."""
        line = Line(self.port)
        line.get()
        assert "connection: close" not in line.read()
        return line

    def stop(self) -> None:
        """As `serve` does it, and no longer than until it has heard it."""
        let_nobody_in(self.listener)
        self.listener.close()
        self.process.send_signal(signal.SIGTERM)


@pytest.fixture
def web() -> Iterator[Served]:
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        number = listener.fileno()
        command = [sys.executable, "-c", WEB, str(number)]
        process = subprocess.Popen(command, cwd=BASE_DIR, pass_fds=(number,), stderr=subprocess.PIPE)
        try:
            yield Served(process, listener, listener.getsockname()[1])
        finally:
            process.kill()
            process.wait()
            assert process.stderr
            process.stderr.close()


class TestSlowClients:
    def test_one_that_drips_its_headers_is_told_and_hung_up_on(self, web: Served) -> None:
        web.greeted()
        line, began = web.line(), time.monotonic()
        line.send("GET / HTTP/1.1\r\nX-Slow: ")
        with suppress(OSError):
            for _ in range(40):
                line.send("a")
                time.sleep(0.1)
        assert time.monotonic() - began < 3
        with suppress(ConnectionError):  # what was sent after the answer may have reset it
            assert "http/1.1 408 request timeout" in line.read()

    def test_a_hundred_half_open_connections_keep_nobody_else_waiting(self, web: Served) -> None:
        kept = web.greeted()
        half = [web.line() for _ in range(100)]
        for line in half[::2]:
            line.send("POST / HT")
        began = time.monotonic()
        web.greeted()
        assert time.monotonic() - began < 1
        for line in half:
            line.file.settimeout(5)
            while line.file.recv(4096):
                pass
        assert time.monotonic() - began < 5
        kept.get()  # who was served before and is silent is not one of them
        assert "http/1.1 200 ok" in kept.read()

    def test_one_that_is_answered_slowly_is_left_alone(self, web: Served) -> None:
        line = web.line()
        line.get(2)
        assert "http/1.1 200 ok" in line.read()


class TestAtTheEnd:
    def test_a_request_under_way_is_answered_and_told_that_it_was_the_last(self, web: Served) -> None:
        line = web.greeted()
        line.get(0.8)
        time.sleep(0.1)
        web.stop()
        assert {"http/1.1 200 ok", "connection: close"} <= set(line.read())
        assert web.process.wait(5) == -signal.SIGTERM

    def test_a_kept_connection_may_ask_once_more(self, web: Served) -> None:
        line = web.greeted()
        web.stop()
        time.sleep(0.5)
        line.get()
        assert {"http/1.1 200 ok", "connection: close"} <= set(line.read())
        assert line.file.recv(1) == b""

    def test_who_has_just_come_in_is_answered(self, web: Served) -> None:
        web.greeted()
        line = web.line()
        time.sleep(0.1)
        web.stop()
        time.sleep(0.5)
        line.get()
        assert "http/1.1 200 ok" in line.read()

    def test_a_request_that_is_half_there_is_waited_for(self, web: Served) -> None:
        line = web.greeted()
        line.send("GET /?0 HTTP/1.1\r\nHo")
        web.stop()
        time.sleep(1.1)
        line.send("st: x\r\n\r\n")
        assert "http/1.1 200 ok" in line.read()

    def test_who_waits_in_the_queue_is_answered_and_who_comes_later_is_refused(self, web: Served) -> None:
        web.greeted()
        os.kill(web.process.pid, signal.SIGSTOP)
        lines = [web.line() for _ in range(50)]
        for line in lines[:25]:
            line.get()
        web.stop()
        os.kill(web.process.pid, signal.SIGCONT)
        for line in lines[25:]:
            line.get()
        assert {line.read()[0] for line in lines} == {"http/1.1 200 ok"}
        with pytest.raises(ConnectionRefusedError):
            web.line()

    def test_who_asks_nothing_more_is_hung_up_on(self, web: Served) -> None:
        line = web.greeted()
        began = time.monotonic()
        web.stop()
        assert line.file.recv(1) == b""
        web.process.wait(5)
        assert 0.8 <= time.monotonic() - began < 3

    def test_what_takes_too_long_is_told_to_come_again(self, web: Served) -> None:
        line = web.greeted()
        line.get(60)
        time.sleep(0.1)
        began = time.monotonic()
        web.stop()
        said = line.read()
        assert {"http/1.1 503 service unavailable", "retry-after: 10", "connection: close"} <= set(said)
        assert "content-type: application/problem+json" in said
        web.process.wait(5)
        assert time.monotonic() - began < 5

    def test_alone_of_several_it_leaves_the_queue_to_the_others(self, web: Served) -> None:
        web.greeted()
        web.process.send_signal(signal.SIGTERM)
        web.process.wait(5)
        line = web.line()  # in the queue of the socket, which is still ours
        line.get()
        line.file.settimeout(0.3)
        with pytest.raises(TimeoutError):
            line.read()
