"""A folder as a message broker: kombu's file-system transport, safe on a disk that may be full.

kombu's own raises on a message that is empty or broken. That ends the worker, and again at each start as long as the
file exists; a full disk leaves such files. Here a message is written completely or not at all, and an unreadable file
is moved to `unreadable/` beside the queue and named in the log. Losing a message loses nothing: pending work is a
column in PostgreSQL.
"""

import logging
import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

logger = logging.getLogger("loam.broker")

MESSAGE = ".msg"
UNREADABLE = "unreadable"
# kombu opens a new table before it locks and fills it, so one that looks empty may be about to be written.
LOOKS, BEING_WRITTEN = 3, 0.05
# Files that cannot even be moved, so that they are not tried and logged again at each look.
_left_alone: set[str] = set()


class Channel(filesystem.Channel):
    """kombu's channel, with safe reads and writes of its files."""

    # kombu's own class and its base name the second argument differently: nothing can match both.
    def _put(self, queue: Any, payload: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        name = Path(self.data_folder_out, f"{time.monotonic_ns() // 1_000_000}_{uuid.uuid4()}")
        part = name.with_suffix(".part")
        try:
            with part.open("wb") as file:
                file.write(str_to_bytes(dumps(payload)))
            part.rename(f"{name}.{queue}{MESSAGE}")
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise ChannelError(f"Cannot write a message into {part.parent}: {error.strerror}") from error

    def _get(self, queue: Any, timeout: Any = None) -> Any:
        for path in sorted(Path(self.data_folder_in).iterdir()):
            if path.name.partition(".")[2] != f"{queue}{MESSAGE}" or path.name in _left_alone:
                continue
            taken = path.with_suffix(f".taken-{os.getpid()}")
            try:
                path.rename(taken)  # of two workers only one succeeds
            except FileNotFoundError:
                continue
            except OSError as error:
                _leave_alone(path, error)
                continue
            try:
                payload = loads(bytes_to_str(taken.read_bytes()))
                _check(payload)
                taken.unlink()
            except (OSError, ValueError, TypeError, LookupError) as error:
                set_aside(taken, error)
                continue
            return payload
        raise Empty

    def get_table(self, exchange: str) -> Any:
        """Return which queues the exchange feeds. An unreadable table is written again from what this process has bound
        itself; otherwise its messages would go nowhere until it is restarted.
        """
        for look in range(LOOKS):
            try:
                return super().get_table(exchange)
            except (ValueError, TypeError) as error:
                if look < LOOKS - 1:
                    time.sleep(BEING_WRITTEN)
                    continue
                set_aside(self._exchange_file(exchange), error)
        for binding in self.state.exchanges.get(exchange, {}).get("table", []):
            super()._queue_bind(exchange, *binding)
        return super().get_table(exchange)

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        self.get_table(exchange)  # this moves a broken one out of the way
        super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    Channel = Channel


def set_aside(path: Path, why: Exception) -> None:
    """Move an unreadable file to `unreadable/` beside its folder, and name it in the log."""
    folder = path.parent.parent / UNREADABLE
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        path.rename(folder / path.name)
    except OSError as error:
        _leave_alone(path, error)
        return
    logger.error("A broker file is unreadable (%s: %s); it is now %s", type(why).__name__, why, folder / path.name)


def _leave_alone(path: Path, why: OSError) -> None:
    _left_alone.add(path.name)
    logger.error("The broker file %s can be neither read nor moved (%s); it is left alone", path, why.strerror)


def _check(payload: Any) -> None:
    """Raise if the JSON is no message."""
    if not isinstance(payload["body"], str) or not isinstance(payload["headers"], dict):
        raise ValueError("not a message")
    payload["properties"]["delivery_tag"], payload["properties"]["delivery_info"]["exchange"]


def register() -> None:
    """Register this transport for `filesystem://`."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"
