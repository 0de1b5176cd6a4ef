"""Django's ASGI handler, with middleware and view run in one call, in threads that are reused.

All of Loam's middleware and views are synchronous functions. Django's handler starts a thread for each request, runs
the middleware there, returns to the event loop for the innermost part, and goes to the same thread again for the view.
Each switch costs tenths of a millisecond of the one CPU that a web process has, and a new thread has to set up its
database connection objects again. Here the thread is entered once per request, and reused by later ones.
"""

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponseBase

# The number of idle threads to keep. Few more were ever needed at once; those of a peak are ended.
MOST_KEPT = 32


class RequestThread(Executor):
    """One thread. `busy`: it still runs a call whose client has disconnected."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        self._last: Future[Any] | None = None

    @property
    def busy(self) -> bool:
        return self._last is not None and not self._last.done()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._last = self._thread.submit(fn, *args, **kwargs)
        return self._last

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._thread.shutdown(wait=wait, cancel_futures=cancel_futures)


class InKeptThreads(ASGIHandler):
    """Django's handler with reused threads. A streamed response is still sent by the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[RequestThread] = []

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        found: Any = await sync_to_async(self.get_response, thread_sensitive=True)(request)
        return found

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP is answered here, not {scope['type']}.")
        thread = self._waiting.pop() if self._waiting else RequestThread()
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        finally:
            if thread.busy or len(self._waiting) >= MOST_KEPT:
                thread.shutdown(wait=False)
            else:
                self._waiting.append(thread)
