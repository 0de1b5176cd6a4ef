"""The address on which Loam is served from this var/: `serve` records it, and other commands read it.

`serve` holds a lock on var/served as long as it runs. The kernel drops the lock of a killed process, so an old address
is not taken for one that answers.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.database import embedded

# Seconds for which `record` retries: a reader holds the lock only for a moment.
PATIENCE = 1.0


def _file() -> Path:
    return embedded.var() / "served"


@contextmanager
def record(url: str) -> Iterator[None]:
    """Record the address while this is open. If another process has recorded its own, that one stays."""
    _file().parent.mkdir(parents=True, exist_ok=True)
    file = os.open(_file(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _locked(file, within=PATIENCE):
            yield
            return
        os.ftruncate(file, 0)
        os.write(file, url.encode())
        try:
            yield
        finally:
            os.ftruncate(file, 0)
    finally:
        os.close(file)


def recorded() -> str:
    """Return the address that is being served; "" if none is."""
    try:
        with _file().open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return file.read().decode()
    except OSError:
        return ""
    return ""


def _locked(file: int, within: float) -> bool:
    """Take the lock; return False if another process holds it for `within` seconds."""
    end = time.monotonic() + within
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        else:
            return True
