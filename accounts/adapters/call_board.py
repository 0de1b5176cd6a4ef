"""Which calls are to be let pass on this machine: each web process of `serve` writes its lightest, all read all.

A file that is mapped into memory, as a look is taken before each statement of a call. `serve` makes it, with a place
for each of its web processes; its path comes to them by the environment. A web process that runs by itself has a place
of its own in memory. What a killed process has left there ends by itself, in a third of a second.
"""

import fcntl
import mmap
import os
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "LOAM_CALLS"
# Until when it is let pass (the clock of the machine), what its caller has used, and who that is.
PLACE = struct.Struct("ddq")


@contextmanager
def shared_board(processes: int) -> Iterator[dict[str, str]]:
    """Make a board for so many processes; yields the environment that tells them of it. One alone needs none."""
    if processes == 1:
        yield {}
        return
    with tempfile.NamedTemporaryFile(prefix="loam-calls-") as file:
        file.truncate(processes * PLACE.size)
        yield {VARIABLE: file.name}


class CallBoard:
    """The places of all processes, of which one is ours."""

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
        """Take the first place that no living process holds; where there is none this process stays by itself."""
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
        """Yield (until, used, caller) of each process. Half written it may be wrong, for a moment."""
        return PLACE.iter_unpack(self._places)
