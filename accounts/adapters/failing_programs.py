"""The programs of `serve` that keep failing: `serve` writes the list, its web processes read it.

The file's blocks are allocated when `serve` starts and overwritten in place, so that it can be written on a full disk.
Its path is passed to the children in the environment; a web process without `serve` knows of no failures.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

VARIABLE = "LOAM_FAILING"
# The fixed size of the file in bytes: enough for a handful of names with a line each.
SIZE = 4096


class FailingPrograms:
    """The file, without failures at first; `environment`: for the children."""

    def __init__(self, path: Path) -> None:
        self.environment = {VARIABLE: str(path)}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with suppress(OSError):
            os.posix_fallocate(self._file, 0, SIZE)
        self.write({})

    def write(self, failing: Mapping[str, str]) -> None:
        """Replace the list; if it cannot be written, it stays as it was."""
        text = json.dumps(dict(failing)).encode()
        with suppress(OSError):
            os.pwrite(self._file, (text if len(text) <= SIZE else b"{}").ljust(SIZE), 0)

    def close(self) -> None:
        os.close(self._file)


def failing() -> dict[str, str]:
    """Return the failing programs and how each died last; {} if nothing is known."""
    path = os.environ.get(VARIABLE)
    if not path:
        return {}
    try:
        found = json.loads(Path(path).read_text())
    except (OSError, ValueError):
        return {}
    return {str(name): str(how) for name, how in found.items()} if isinstance(found, dict) else {}


def failing_components() -> tuple[dict[str, str], ...]:
    """Return the same as entries of an answer's `degraded`."""
    return tuple({"component": name, "reason": f"{WITHOUT.get(name, 'it')} {how}"} for name, how in failing().items())


# What an agent lacks while a program fails; the other web processes are there to say so.
WITHOUT = {"worker": "background jobs are waiting; it", "beat": "background jobs are not started; it"}
