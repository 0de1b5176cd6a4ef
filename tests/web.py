"""Loam on a port, as an ASGI server serves it: Django and MCP, on the test database."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from django.db import connections

from config.asgi import application


class _Quiet(uvicorn.Server):
    """In a thread: signals belong to the test runner. It looks often whether it is to end; uvicorn's own is 0.1 s."""

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            await asyncio.sleep(0.01)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that runs until the block ends, and whose connections to the database are then closed."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(application, log_level="warning", lifespan="auto", timeout_graceful_shutdown=2)
        server = _Quiet(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
            connections.close_all()
