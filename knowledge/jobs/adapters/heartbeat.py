"""A sign of life, while something takes long."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import DatabaseError, connection

logger = logging.getLogger("loam.heartbeat")


@contextmanager
def heartbeat(beat: Callable[[], None], *, every: float) -> Iterator[None]:
    """Call `beat` in a thread of its own every so many seconds, until the block ends or the process does.

    A beat that the database does not take is left out: the next one comes.
    """
    over = Event()

    def beats() -> None:
        while not over.wait(every):
            try:
                beat()
            except DatabaseError as fault:
                logger.warning("a sign of life was not taken: %s", fault)
            finally:
                connection.close()

    thread = Thread(target=beats, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
