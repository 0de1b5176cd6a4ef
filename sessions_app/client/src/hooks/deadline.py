"""How long a hook that is answered may take: a server that hangs is not waited for, one that is only busy is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from sessions_app.client.src.delivery.server import Away, Problem, Server
from sessions_app.client.src.local import Account

# Seconds after which a server that has not answered is asked whether it is well.
ASKED_AFTER = 0.06
# Seconds more for one that is: a person waits a second at most, with the start of Python.
BUSY_WAITS = 0.55


class Deadline:
    """Ends the process without a word when its seconds are over. Anyone who answers takes `lock`, and calls `met`."""

    def __init__(self, seconds: float) -> None:
        self.lock = threading.Lock()
        self.ends = time.monotonic() + seconds
        self._watch()

    def extend(self, seconds: float) -> None:
        self._timer.cancel()
        self.ends += seconds
        self._watch()

    def met(self) -> None:
        self._timer.cancel()

    def _watch(self) -> None:
        self._timer = threading.Timer(max(0.0, self.ends - time.monotonic()), self._give_up)
        self._timer.daemon = True
        self._timer.start()

    def _give_up(self) -> None:
        with self.lock:
            os._exit(0)


def ask_patiently(who: Account, ask: Callable[[Server], Any], ends: float, deadline: Deadline | None) -> Any:
    """Return what `ask` returns of a server, by `ends` (time.monotonic()), or BUSY_WAITS later if the server says until
    then that it is well. Raises Away if it does not answer in time, and what `ask` raises.
    """
    found: list[Any] = []
    failed: list[Exception] = []
    left = ends - time.monotonic()

    def run() -> None:
        try:
            found.append(ask(Server(who, timeout=max(0.05, left + BUSY_WAITS), interface="mcp")))
        except Exception as error:
            failed.append(error)

    asking = threading.Thread(target=run, daemon=True)
    asking.start()
    asking.join(min(ASKED_AFTER, max(0.0, left)))
    if asking.is_alive() and _is_well(who, ends) and deadline is not None:
        deadline.extend(BUSY_WAITS)
        ends += BUSY_WAITS
    asking.join(max(0.0, ends - time.monotonic()))
    if failed:
        raise failed[0]
    if not found:
        raise Away(f"{who.url} did not answer in time.")
    return found[0]


def _is_well(who: Account, ends: float) -> bool:
    try:
        waits = max(0.05, ends - time.monotonic())
        Server(who, timeout=waits, interface="mcp").send("GET", "/api/v1/health/", None, {})
    except (Away, Problem):
        return False
    return time.monotonic() < ends
