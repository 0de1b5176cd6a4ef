"""Who may be told: nobody inside, whatever the address looks like."""

import http.server
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest

from accounts.adapters import webhook_transport as module
from accounts.adapters.webhook_transport import Https, Unreachable, fault_of
from tests.cases import cases

PUBLIC = "93.184.215.14"
REFUSED = [
    "", "nonsense", "http://example.org/", "ftp://example.org/", "//example.org/", "https://", "https:///x",
    "https://user@example.org/", "https://user:word@example.org/", "https://example.org/#there", "https://example.org:0/",
    "https://example.org:99999/", "https://exämple.org/", "https://example.org/a b", "https://example.org/\r\nX: y",
    "https://127.0.0.1/", "https://10.1.2.3/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/",
    "https://100.64.0.1/", "https://0.0.0.0/", "https://224.0.0.1/", "https://255.255.255.255/", "https://[::1]/",
    "https://[::]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:a00:1]/",
    "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://[ff02::1]/", "https://198.51.100.1/", "https://a..org/",
    "https://0/x", "https://2130706433/", "https://0x7f000001/", "https://017700000001/", "https://127.1/", "https://1.2.3.4.5/",
    "https://0x5d.0xb8.0xd7.0x0e/", "https://256.1.1.1/", "https://127.0.0.1./", "https://localhost/", "https://LOCALHOST./",
    "https://a.localhost/", "https://receiver/", "https://printer.local/", "https://build.internal/", "https://a.invalid/",
    "https://" + "a" * 70 + ".example.org/", "https://" + "a." * 130 + "example.org/",
]  # fmt: skip


class Receiver(http.server.BaseHTTPRequestHandler):
    heard: list[tuple[str, bytes, dict[str, str]]] = []
    status = 204

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.heard.append((self.path, body, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response(self.status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()

    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[int]:
    Receiver.heard.clear()
    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


class TestAnAddress:
    @cases("url", REFUSED)
    def test_that_is_none_or_inside_is_refused_as_it_is_written(self, url: str) -> None:
        assert fault_of(url)
        with pytest.raises(Unreachable) as told:
            Https().post(url, b"{}", {})
        assert told.value.for_good

    @cases("url", ["https://example.org/", f"https://{PUBLIC}:8443/a?b=c", "https://[2606:4700::1111]/"])
    def test_that_is_outside_is_taken(self, url: str) -> None:
        assert fault_of(url) == ""

    @cases("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "localhost"])
    def test_that_leads_inside_is_refused_when_it_is_looked_up_too(self, host: str) -> None:
        """The resolver takes more for an address than is known by its form."""
        with pytest.raises(Unreachable):
            module._address(urlsplit(f"https://{host}/"))

    @cases("host", ["receiver", "localhost", "build.internal"])
    def test_that_has_a_name_inside_is_taken_where_that_is_allowed(self, host: str, settings: Any) -> None:
        settings.LOAM_WEBHOOKS_PRIVATE = True
        assert fault_of(f"http://{host}:8000/hook") == ""

    def test_of_which_one_is_inside_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = [(2, 1, 6, "", (address, 443)) for address in (PUBLIC, "10.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **more: found)
        with pytest.raises(Unreachable, match="not on the public internet"):
            Https().post("https://rebound.example.org/", b"{}", {})

    def test_is_looked_up_once_and_the_connection_goes_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A second answer, inside, is never asked for."""
        answers = iter([PUBLIC, "127.0.0.1"])
        asked: list[Any] = []
        monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **more: [(2, 1, 6, "", (next(answers), 443))])
        monkeypatch.setattr(socket, "create_connection", lambda place, timeout: asked.append(place) or _fails())
        with pytest.raises(Unreachable):
            Https().post("https://rebound.example.org/", b"{}", {})
        assert asked == [(PUBLIC, 443)]

    def test_that_nobody_knows_is_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **more: _fails())
        with pytest.raises(Unreachable) as told:
            Https().post("https://gone.example.org/", b"{}", {})
        assert not told.value.for_good


class TestAMessage:
    def test_arrives_with_its_headers(self, receiver: int, settings: Any) -> None:
        settings.LOAM_WEBHOOKS_PRIVATE = True
        assert Https().post(f"http://127.0.0.1:{receiver}/hook?a=b", b'{"id": 1}', {"Loam-Event": "x"}) == 204
        path, body, headers = Receiver.heard[0]
        assert (path, body, headers["loam-event"]) == ("/hook?a=b", b'{"id": 1}', "x")
        assert headers["host"] == f"127.0.0.1:{receiver}"

    def test_follows_no_redirect(self, receiver: int, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.LOAM_WEBHOOKS_PRIVATE = True
        monkeypatch.setattr(Receiver, "status", 307)
        assert Https().post(f"http://127.0.0.1:{receiver}/", b"{}", {}) == 307
        assert len(Receiver.heard) == 1

    def test_waits_for_nobody_for_long(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.LOAM_WEBHOOKS_PRIVATE = True
        monkeypatch.setattr(module, "PATIENCE", 0.1)
        with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreachable, match="did not answer"):
            Https().post(f"http://127.0.0.1:{silent.getsockname()[1]}/", b"{}", {})

    def test_waits_for_nobody_who_drips(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """A header now and then keeps each wait short, and the whole without end."""
        settings.LOAM_WEBHOOKS_PRIVATE = True
        monkeypatch.setattr(module, "WHOLE", 0.5)
        over = threading.Event()

        def drip(listener: socket.socket) -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                while not over.wait(0.1):
                    connection.sendall(b"X-More: to come\r\n")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            dripping = threading.Thread(target=drip, args=(listener,))
            dripping.start()
            try:
                with pytest.raises(Unreachable, match="did not answer"):
                    Https().post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}", {})
            finally:
                over.set()
                dripping.join()


def _fails() -> Any:
    raise OSError("no")

    @pytest.mark.parametrize("begins", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
    def test_reads_no_answer_without_end(self, begins: bytes, settings: Any) -> None:
        """A body is not read at all, and a header not beyond what the standard library takes."""
        settings.LOAM_WEBHOOKS_PRIVATE = True

        def shout(listener: socket.socket) -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.sendall(begins)
                while True:
                    connection.sendall(b"x" * 65_536)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            shouting = threading.Thread(target=shout, args=(listener,))
            shouting.start()
            began = time.monotonic()
            with suppress(Unreachable):
                assert Https().post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}", {}) == 200
            assert time.monotonic() - began < 5
            shouting.join(timeout=10)
            assert not shouting.is_alive()  # it was hung up on
