"""An agent as a process on a terminal of its own, or without one; typed to, waited for, killed."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")


class Process:
    """A program; `typed`: on a pseudo-terminal, else with an empty stdin. `shown` is all that it wrote."""

    def __init__(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str], *, typed: bool, host: str = ""
    ) -> None:
        command = [*_named(host), *command]
        self.raw = bytearray()
        if typed:
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
            self.ours = ours
            self.popen = subprocess.Popen(
                command, cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            )  # fmt: skip
            os.close(theirs)
        else:
            self.popen = subprocess.Popen(
                command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            assert self.popen.stdout is not None
            self.ours = self.popen.stdout.fileno()
        self.typed = typed
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while True:
                if select.select([self.ours], [], [], 0.5)[0]:
                    part = os.read(self.ours, 65_536)
                    if not part:
                        return
                    self.raw += part
                    if self.typed:
                        self._reply(part)

    def _reply(self, part: bytes) -> None:
        """What programs ask a terminal: who it is, where the cursor stands, its colours."""
        for asked, said in (
            (b"\x1b[c", b"\x1b[?62;22c"),
            (b"\x1b[6n", b"\x1b[1;1R"),
            (b"\x1b]10;?", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
            (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
            (b"\x1b[?u", b"\x1b[?0u"),
        ):
            if asked in part:
                os.write(self.ours, said)

    @property
    def shown(self) -> str:
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace"))

    @property
    def runs(self) -> bool:
        return self.popen.poll() is None

    def type(self, text: str, enter: bool = True) -> None:
        """As a person: the words, a moment, the return key."""
        os.write(self.ours, text.encode())
        if enter:
            time.sleep(0.6)
            os.write(self.ours, b"\r")

    def settle(self, quiet: float = 1.0, most: float = 30.0) -> None:
        """Wait until nothing was written for `quiet` seconds."""
        until, size, since = time.monotonic() + most, -1, time.monotonic()
        while time.monotonic() < until and self.runs:
            if len(self.raw) != size:
                size, since = len(self.raw), time.monotonic()
            elif time.monotonic() - since > quiet:
                return
            time.sleep(0.1)

    def until_shown(self, pattern: str, seconds: float = 30.0) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if re.search(pattern, self.shown):
                return True
            if not self.runs:
                return bool(re.search(pattern, self.shown))
            time.sleep(0.1)
        return False

    def ended(self, seconds: float) -> bool:
        """Whether it ended by itself in time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(seconds)
            self.reader.join(2)
            return True
        return False

    def kill(self) -> None:
        """SIGKILL for the agent alone, as when the system takes it; what it had started is ended a moment later."""
        family = self._family()
        for one in family:
            if one.pid == self.popen.pid or _is_agent(one):
                with contextlib.suppress(psutil.Error):
                    one.send_signal(signal.SIGKILL)
        self.popen.wait(10)
        time.sleep(0.5)
        for one in family:
            with contextlib.suppress(psutil.Error):
                one.kill()

    def close(self) -> None:
        if self.runs:
            self.kill()

    def _family(self) -> list[psutil.Process]:
        try:
            own = psutil.Process(self.popen.pid)
            return [own, *own.children(recursive=True)]
        except psutil.Error:
            return []


def _is_agent(process: psutil.Process) -> bool:
    """A launcher (node) starts the agent's own program: both are the agent."""
    with contextlib.suppress(psutil.Error):
        return "/node_modules/" in " ".join(process.cmdline()[:3])
    return False


def _named(host: str) -> list[str]:
    """What runs a command on a machine of that name, where the system lets us (Linux, as root)."""
    if not host or os.geteuid() != 0:
        return []
    return ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', host]
