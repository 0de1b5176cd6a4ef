import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from config import handler
from config.handler import InKeptThreads
from tests.together import apart

View = Callable[[HttpRequest], HttpResponse]


def serving(view: View) -> InKeptThreads:
    """That handler, with a view and no middleware."""

    class Served(InKeptThreads):
        def load_middleware(self, is_async: bool = False) -> None:
            self._middleware_chain = view

    return Served()


async def asked(app: InKeptThreads, *, gone: asyncio.Event | None = None) -> bytes:
    """What is answered to one request, whose client hangs up once `gone` is set, or never."""
    first, body = [True], bytearray()

    async def receive() -> dict[str, Any]:
        if first:
            first.clear()
            return {"type": "http.request", "body": b"", "more_body": False}
        await (gone or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        body.extend(message.get("body", b""))

    await app({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}, receive, send)
    return bytes(body)


def own_thread(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(threading.get_ident()))


class TestThreads:
    def test_are_taken_again(self) -> None:
        app = serving(own_thread)

        async def three() -> set[bytes]:
            return {await asked(app) for _ in range(3)}

        assert len(apart(three)) == 1

    def test_are_one_for_each_request_at_a_time(self) -> None:
        meet = threading.Barrier(4)

        def together(request: HttpRequest) -> HttpResponse:
            meet.wait(10)
            return own_thread(request)

        app = serving(together)

        async def four() -> set[bytes]:
            return set(await asyncio.gather(*(asked(app) for _ in range(4))))

        assert len(apart(four)) == 4

    def test_that_are_still_at_work_for_who_hung_up_are_nobody_elses(self) -> None:
        begun, end = threading.Event(), threading.Event()

        def slow(request: HttpRequest) -> HttpResponse:
            if begun.is_set():
                return own_thread(request)
            begun.set()
            end.wait(10)
            return HttpResponse()

        app = serving(slow)

        async def two() -> bytes:
            gone = asyncio.Event()
            first = asyncio.create_task(asked(app, gone=gone))
            await asyncio.to_thread(begun.wait, 10)
            gone.set()
            await first
            return await asyncio.wait_for(asked(app), 5)

        try:
            assert apart(two)
        finally:
            end.set()

    def test_of_a_crowd_are_let_go(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(handler, "MOST_KEPT", 1)
        meet = threading.Barrier(3)

        def together(request: HttpRequest) -> HttpResponse:
            meet.wait(10)
            return HttpResponse()

        app = serving(together)
        before = set(threading.enumerate())

        def kept() -> int:
            return sum(one.name.startswith("request") for one in threading.enumerate() if one not in before)

        async def crowd() -> int:
            await asyncio.gather(*(asked(app) for _ in range(3)))
            until = time.monotonic() + 5
            while kept() > 1 and time.monotonic() < until:
                await asyncio.sleep(0.02)
            return kept()

        assert apart(crowd) == 1
