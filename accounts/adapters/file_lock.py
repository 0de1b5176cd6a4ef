"""One process at a time, by a file that is locked."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Wait for one's turn, and have it until the end; the lock ends with the process, whatever becomes of it."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
