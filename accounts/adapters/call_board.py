"""The call board: which calls of this machine have priority. Each web process of `serve` writes its lightest call, and
all processes read all of them.

It is a memory-mapped file, because it is read before each statement of a call. `serve` makes it, with a place for each
of its web processes, and passes its path in the environment. A web process that runs without `serve` has a board in its
own memory. An entry left by a killed process expires in a third of a second.
"""

import fcntl
import mmap
import os
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "LOAM_CALLS"
# Until when the call has priority (by the machine's clock), what its caller has used, and the caller.
PLACE = struct.Struct("ddq")


@contextmanager
def shared_board(processes: int) -> Iterator[dict[str, str]]:
    """Make a board for this number of processes, and yield the environment with its path. A single process
    needs none.
    """
    if processes == 1:
        yield {}
        return
    with tempfile.NamedTemporaryFile(prefix="loam-calls-") as file:
        file.truncate(processes * PLACE.size)
        yield {VARIABLE: file.name}


class CallBoard:
    """The places of all processes, one of which is this process's own."""

    def __init__(self, path: str = "") -> None:
        self._places: bytearray | mmap.mmap = bytearray(PLACE.size)
        self._mine = 0
        if path:
            self._join(path)

    @classmethod
    def of_this_machine(cls) -> "CallBoard":
        """Return the board that `serve` made, or one for this process alone."""
        return cls(os.environ.get(VARIABLE, ""))

    def _join(self, path: str) -> None:
        """Take the first place that no living process holds; if there is none, use a board of this process alone."""
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return
        for place in range(os.fstat(self._file).st_size // PLACE.size):
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except OSError:
                continue
            self._places, self._mine = mmap.mmap(self._file, 0), place * PLACE.size
            return

    def write(self, until: float, used: float, caller: int) -> None:
        PLACE.pack_into(self._places, self._mine, until, used, caller)

    def read(self) -> Iterator[tuple[float, float, int]]:
        """Yield (until, used, caller) of each process. A half-written entry may be wrong for a moment."""
        return PLACE.iter_unpack(self._places)
