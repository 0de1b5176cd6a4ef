"""The router before several cells: what decides for one, in which order, and what is answered by none."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError

import pytest

from accounts.rules.cell_names import is_cell_name
from config.checks import NO_CELL
from tests.haproxy import CONFIGURED, HAPROXY, router

OLD, US, EU, NOWHERE = (f"loam_{start}1a2b3c4d_{'s' * 43}" for start in ("", "us1_", "eu1_", "ap1_"))
SHARED = {"Host": "loam.example.org"}


def cell(name: str) -> ThreadingHTTPServer:
    """An HTTP server that answers everything with its name."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(name.encode())

        def log_message(self, *said: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not HAPROXY:
        pytest.skip("haproxy is not installed")
    cells = {name: cell(name) for name in ("us1", "eu1")}
    with router(tmp_path_factory.mktemp("router"), {name: one.server_port for name, one in cells.items()}) as port:
        yield f"http://127.0.0.1:{port}/api/v1/me/"
    for one in cells.values():
        one.shutdown()
        one.server_close()


def asked(address: str, headers: dict[str, str]) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            said = answer.read().decode()
            assert answer.headers["X-Loam-Cell"] == said
            return answer.status, said
    except HTTPError as error:
        assert error.headers["Content-Type"] == "application/problem+json"
        return error.code, json.loads(error.read())["code"]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class TestTheRouter:
    @pytest.mark.parametrize(
        ("headers", "answered"),
        [
            # The host name decides, whatever else is sent.
            ({"Host": "eu1.loam.example.org"}, "eu1"),
            ({"Host": "EU1.loam.example.org:443", "X-Loam-Cell": "us1", **bearer(US)}, "eu1"),
            # At a name that both share the header does, before the token.
            ({**SHARED, "X-Loam-Cell": "eu1", **bearer(US)}, "eu1"),
            ({**SHARED, "X-Loam-Cell": "US1", **bearer(EU)}, "us1"),
            # Then the token, where it names a cell.
            ({**SHARED, **bearer(EU)}, "eu1"),
            ({**SHARED, **bearer(US)}, "us1"),
            ({**SHARED, "Authorization": f"bearer {EU}"}, "eu1"),
            # Else the default.
            ({**SHARED, **bearer(OLD)}, "us1"),
            (SHARED, "us1"),
            ({**SHARED, "Authorization": "Basic YTpi"}, "us1"),
        ],
    )
    def test_chooses_the_cell(self, address: str, headers: dict[str, str], answered: str) -> None:
        assert asked(address, headers) == (200, answered)

    @pytest.mark.parametrize(
        "headers",
        [
            {"Host": "ap1.loam.example.org"},
            {"Host": "ap1.loam.example.org", "X-Loam-Cell": "eu1", **bearer(EU)},
            {**SHARED, "X-Loam-Cell": "ap1", **bearer(EU)},
            {**SHARED, "X-Loam-Cell": ""},
            {**SHARED, "X-Loam-Cell": "any"},
            {**SHARED, "X-Loam-Cell": "none"},
            {**SHARED, **bearer(NOWHERE)},
        ],
    )
    def test_has_no_cell_answer_for_one_that_it_does_not_know(self, address: str, headers: dict[str, str]) -> None:
        assert asked(address, headers) == (421, "unknown_cell")


def test_the_map_and_the_configuration_name_the_same_cells() -> None:
    lines = [line.split() for line in (CONFIGURED / "cells.map").read_text().splitlines() if line and line[0] != "#"]
    backends = {
        line.split()[1] for line in (CONFIGURED / "haproxy.cfg").read_text().splitlines() if line.startswith("backend")
    }
    cells = {value for _, value in lines} - {"any"}
    assert backends == cells | {"none"}
    assert all(is_cell_name(one) for one in cells)
    assert dict(lines)[NO_CELL] in cells
