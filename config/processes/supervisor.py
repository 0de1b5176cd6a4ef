"""Run several programs as one: restart those that die, and end all on a signal.

A program that keeps dying is restarted after longer and longer pauses, and ends none of the others: what keeps it from
running (a full disk, a database that is down) may be fixed meanwhile.

Each child leads its own session, so that the terminal's Ctrl-C reaches only this process, which decides the order in
which children end; whatever a child leaves behind in its session is ended with it. If this process dies in any way, the
kernel kills the children. Nothing here knows what the programs do.
"""

import asyncio
import ctypes
import errno
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Child:
    """A program to keep running: its name in the output, its command, the file descriptors it inherits."""

    name: str
    command: tuple[str, ...]
    pass_fds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Patience:
    """Time limits in seconds. A dead child is restarted after `pause`, which doubles with each death up to
    `longest_pause`; after `deaths` in a row it counts as failing. A run of `steady` seconds resets the count. At the
    end a child has `grace`.
    """

    pause: float = 0.5
    longest_pause: float = 30.0
    deaths: int = 3
    steady: float = 60.0
    grace: float = 8.0  # all must end within 10 s, and the database stops after the children


Say = Callable[[str, str], None]  # the name of the program, and a line


def print_line(name: str, line: str) -> None:
    print(f"{name:<6} | {line}", flush=True)


def tell_nobody(failing: Mapping[str, str]) -> None:
    """The default `report`: does nothing."""


async def at_once(say: Say) -> None:
    """The default `ready`: returns at once."""


@dataclass
class Supervisor:
    """Starts `first`, waits for `ready`, starts `then`, and keeps them all running until a signal.

    `watch` runs beside them from the start and is cancelled at the end. `farewell` is called first when the end begins.
    `report` is called with the failing children, and how each died last, whenever that changes.
    """

    first: Sequence[Child]
    then: Sequence[Child] = ()
    ready: Callable[[Say], Awaitable[None]] = at_once
    watch: Callable[[Say], Awaitable[None]] = at_once
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    patience: Patience = Patience()
    say: Say = print_line
    farewell: Callable[[], object] = lambda: None
    report: Callable[[Mapping[str, str]], object] = tell_nobody

    def run(self) -> None:
        """Return after SIGINT, SIGTERM or SIGHUP, or when nobody reads the output any more."""
        self._failing: dict[str, str] = {}
        asyncio.run(self._run())

    async def _run(self) -> None:
        self._ending = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._end)
        async with asyncio.TaskGroup() as keepers:
            keepers.create_task(self._unless_ending(self.watch(self._say)))
            for child in self.first:
                keepers.create_task(self._keep(child))
            await self._unless_ending(self.ready(self._say))
            for child in self.then:
                keepers.create_task(self._keep(child))

    def _end(self) -> None:
        self.farewell()
        self._ending.set()

    async def _keep(self, child: Child) -> None:
        """Run the child again and again until the end."""
        deaths = 0
        while not self._ending.is_set():
            steady = asyncio.get_running_loop().call_later(self.patience.steady, self._note, child.name, "")
            began = time.monotonic()
            try:
                how = await self._live(child)
            finally:
                steady.cancel()
            if self._ending.is_set():
                return
            deaths = 1 if time.monotonic() - began >= self.patience.steady else deaths + 1
            if deaths >= self.patience.deaths:
                self._note(child.name, f"died {deaths} times, now of {how}")
            pause = min(self.patience.pause * 2 ** min(deaths - 1, DOUBLINGS), self.patience.longest_pause)
            self._say("serve", f"{child.name} exited with {how}; restarting in {pause:g} s")
            await self._unless_ending(asyncio.sleep(pause))

    def _note(self, name: str, fault: str) -> None:
        """Store what is wrong with a child; "" if it has stayed up."""
        before = dict(self._failing)
        self._failing = {one: how for one, how in before.items() if one != name} | ({name: fault} if fault else {})
        if self._failing != before:
            self.report(self._failing)
            if name not in self._failing:
                self._say("serve", f"{name} is stable again")

    async def _live(self, child: Child) -> str:
        """Run the child once, and return how it ended."""
        output, inlet = os.pipe()
        reading = asyncio.create_task(self._relay(child.name, output))
        try:
            process = await asyncio.create_subprocess_exec(
                *child.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=inlet,
                stderr=inlet,
                env=dict(self.environment),
                pass_fds=child.pass_fds,
                start_new_session=True,
                preexec_fn=dies_with_us(),
            )
        except OSError as error:
            return str(error)
        finally:
            os.close(inlet)
        try:
            await self._unless_ending(process.wait())
            if process.returncode is None:
                with suppress(TimeoutError):
                    _signal(process.pid, signal.SIGTERM)
                    await asyncio.wait_for(process.wait(), self.patience.grace)
        finally:
            _signal(process.pid, signal.SIGKILL)
            code = await process.wait()
            with suppress(TimeoutError):
                await asyncio.wait_for(reading, timeout=1)
        return f"exit code {code}" if code >= 0 else signal.Signals(-code).name

    async def _relay(self, name: str, output: int) -> None:
        """Print the child's output, each line as soon as it is complete."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(output, "rb")
        )
        try:
            rest = b""
            while chunk := await reader.read(LONGEST_LINE):
                *lines, rest = (rest + chunk).split(b"\n")
                if len(rest) > LONGEST_LINE:
                    lines, rest = [*lines, rest], b""
                for line in lines:
                    self._say(name, line.decode(errors="replace").rstrip())
            if rest:
                self._say(name, rest.decode(errors="replace"))
        finally:
            transport.close()

    async def _unless_ending(self, work: Awaitable[object]) -> None:
        """Wait for the work; cancel it when the end begins."""
        working = asyncio.ensure_future(work)
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
        finally:
            working.cancel()
            ending.cancel()

    def _say(self, name: str, line: str) -> None:
        try:
            self.say(name, line)
        except OSError as error:
            # A full disk with the log on it loses lines, not the service.
            if error.errno in NO_ROOM:
                return
            # The reader is gone: a closed terminal, `| head`.
            self.say = lambda name, line: None
            self._ending.set()


# The errors of a write to a log on a full disk.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# After this many doublings the pause is the longest one anyway, and 2 ** n soon too large a number.
DOUBLINGS = 16
# Bytes after which a line is split: the size of a pipe, so that no child can fill our memory.
LONGEST_LINE = 65_536


def _signal(leader: int, number: signal.Signals) -> None:
    """Send a signal to all remaining processes of that child's session."""
    with suppress(ProcessLookupError):
        os.killpg(leader, number)


PR_SET_PDEATHSIG = 1  # <sys/prctl.h>; Linux only
_prctl = getattr(ctypes.CDLL(None), "prctl", None)


def dies_with_us() -> Callable[[], None]:
    """Return a function to call in a new child: the kernel then kills the child when this process dies. It does nothing
    on systems without prctl.
    """
    parent = os.getpid()

    def tie() -> None:
        if _prctl is not None:
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # the parent died in between
                os._exit(1)

    return tie
