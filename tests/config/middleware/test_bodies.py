"""Bodies of requests: bounded before anybody reads them, and whole however they come."""

import asyncio
import json
from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.test import Client
from django.utils import timezone

from accounts.actions.tokens import issue_token
from accounts.models import User
from accounts.rules.rights import Member
from config.middleware.bodies import LARGEST_FORM, LARGEST_UNKNOWN, bounded
from config.middleware.callers import _is_known
from tests.cases import cases
from tests.together import apart

Heard = dict[str, Any]


async def echo(scope: Heard, receive: Any, send: Any) -> None:
    """Answers with the length it was told, and the body."""
    told = dict(scope["headers"]).get(b"content-length", b"none")
    body, more = b"", scope["type"] == "http"
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": told + b" " + body})


async def only_ours(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"cookie") != b"forged"


def ask(path: str, headers: dict[str, str], *parts: bytes, open_ended: bool = False) -> tuple[int, bytes]:
    """Send the parts, the last of them as the last unless it is left open; status and body of the answer."""

    async def talk() -> tuple[int, bytes]:
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "path": path, "method": "POST", "headers": pairs}
        app = ApplicationCommunicator(bounded(echo, patience=0.3, known=only_ours), scope)  # type: ignore[arg-type]
        for at, part in enumerate(parts):
            more = open_ended or at < len(parts) - 1
            await app.send_input({"type": "http.request", "body": part, "more_body": more})
        start = await app.receive_output(5)
        return start["status"], (await app.receive_output(5))["body"]

    return apart(talk)


CHUNKED = {"transfer-encoding": "chunked"}


class TestInChunks:
    def test_is_whole_and_has_its_length(self) -> None:
        assert ask("/api/v1/sessions/", CHUNKED, b'{"a":', b" 1}") == (200, b'8 {"a": 1}')

    def test_is_refused_as_soon_as_it_is_too_large(self, settings: Any) -> None:
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
        status, body = ask("/mcp/", CHUNKED, b"12345", b"678901", b"2")
        assert (status, json.loads(body)["code"]) == (413, "too_large")

    def test_may_be_larger_on_a_page(self, settings: Any) -> None:
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
        assert ask("/insights/import/", CHUNKED, b"x" * 20)[0] == 200


class TestOfSomebodyUnknown:
    FORGED = {"cookie": "forged"}

    def test_is_refused_unread_when_it_is_large(self) -> None:
        status, body = ask("/insights/import/", self.FORGED | {"content-length": str(LARGEST_UNKNOWN + 1)}, b"x")
        assert (status, "for requests without sign-in" in body.decode()) == (413, True)

    def test_is_read_no_further_than_that_in_chunks(self) -> None:
        assert ask("/insights/import/", self.FORGED | CHUNKED, b"x" * LARGEST_UNKNOWN, b"xx")[0] == 413

    def test_is_taken_when_it_is_small(self) -> None:
        assert ask("/accounts/login/", self.FORGED | {"content-length": "5"}, b"login")[0] == 200


class TestCallers:
    def test_are_known_by_a_usable_token_or_a_session(
        self, transactional_db: None, bob: Member, client: Client, bob_user: User
    ) -> None:
        issued = issue_token(name="laptop", scopes=["read"], by=bob, now=timezone.now())
        client.force_login(bob_user)
        cookie = f"sessionid={client.cookies['sessionid'].value}".encode()
        cases = [
            ({b"authorization": f"Bearer {issued.secret}".encode()}, True),
            ({b"authorization": b"Bearer loam_nonsense"}, False),
            ({b"cookie": b"csrftoken=x; " + cookie}, True),
            ({b"cookie": b"sessionid=nonsense"}, False),
            ({b"cookie": b"sessionid="}, False),
            ({}, False),
        ]
        assert [_is_known(headers) for headers, _ in cases] == [expected for _, expected in cases]


class TestOfAKnownLength:
    @cases(("path", "most"), [("/api/v1/query/", 1_000_000), ("/settings/", LARGEST_FORM)])
    def test_is_refused_unread(self, path: str, most: int) -> None:
        assert ask(path, {"content-length": str(most + 1)}, b"x")[0] == 413
        assert ask(path, {"content-length": "2"}, b"{}") == (200, b"2 {}")

    def test_is_not_waited_for_without_end(self) -> None:
        status, body = ask("/api/v1/query/", {"content-length": "100"}, b"{", open_ended=True)
        assert (status, json.loads(body)["code"]) == (408, "too_slow")


def test_without_a_body_is_passed_on() -> None:
    assert ask("/api/v1/me/", {}, b"") == (200, b"none ")


def test_of_one_who_hangs_up_reaches_nobody() -> None:
    async def talk() -> bool:
        scope = {"type": "http", "path": "/api/v1/", "method": "POST", "headers": [(b"content-length", b"9")]}
        app = ApplicationCommunicator(bounded(echo), scope)  # type: ignore[arg-type]
        await app.send_input({"type": "http.disconnect"})
        await asyncio.sleep(0.05)
        return await app.receive_nothing()

    assert apart(talk)
