"""A person's machine: a home folder, a checkout, and the client run there as a process of its own."""

import contextlib
import fcntl
import importlib.util
import io
import json
import marshal
import os
import py_compile
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from sessions_app.adapters.client_file import client_file

# What `install` writes beside the file (sessions_app/client/src/changes.py); test_install.py compares.
MAIN = "import sys\n\nimport loam\n\nsys.exit(loam.main())\n"


@cache
def _compiled() -> bytes:
    """The client in Python's compiled form, which is good for just this text."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "loam.py")
        source.write_bytes(client_file().content)
        made = py_compile.compile(
            str(source), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )
        return Path(str(made)).read_bytes()


# Commands that agents start and end: their process is what is tested.
BY_AGENTS = {"hook", "courier", "mcp", "settle"}
# What stands before the code in Python's compiled form: https://docs.python.org/3/reference/import.html#pyc-invalidation
HEAD = 16


@cache
def _client() -> ModuleType:
    """The client as a module of this process. Its commands read the environment when they run, and keep nothing."""
    module = sys.modules["loam_within"] = ModuleType("loam_within")
    exec(marshal.loads(_compiled()[HEAD:]), vars(module))
    return module


def _is_start(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.read_bytes().startswith(b"SessionStart")
    return False


def _is_free(lock: Path) -> bool:
    with lock.open() as file, contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


@dataclass(frozen=True)
class Ran:
    """How a run of the client ended; `seconds` from start to end of the process."""

    status: int
    out: str
    err: str
    seconds: float

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Machine:
    home: Path
    url: str = ""
    token: str = "loam_00000000_" + "ab3" * 12
    python: str = sys.executable
    extra: dict[str, str] = field(default_factory=dict)
    # On a machine as busy as one that runs tests a hook may take its time; empty: its own budget.
    seconds: str = "60"
    # Whether a hook's test goes on when what it wrote was delivered, as far as it can be.
    waits: bool = True
    # Whether each command is a process, as it is for a person. Else only those are that an agent starts.
    apart: bool = False
    # Whether the client is, until it is installed, the file as a page has told to download it, which is compiled at
    # each start. Else it is compiled once for all tests.
    as_downloaded: bool = False

    def __post_init__(self) -> None:
        self.unpacked.mkdir(parents=True, exist_ok=True)
        self.downloaded.write_bytes(client_file().content)
        # A third of a hook's time, and most of a command's, is compiling the file: once is enough for all machines.
        (self.unpacked / "__main__.py").write_text(MAIN)
        (self.unpacked / "loam.py").write_bytes(client_file().content)
        self._keep_compiled()

    def _keep_compiled(self) -> None:
        """The client's compiled form is beside it, as it is once it has run."""
        source = self.client / "loam.py"
        mine = source.is_file() and source.read_bytes() == client_file().content
        if mine and self.python == sys.executable:
            compiled = Path(importlib.util.cache_from_source(str(source)))
            compiled.parent.mkdir(exist_ok=True)
            compiled.write_bytes(_compiled())

    @property
    def checkout(self) -> Path:
        return self.home / "work" / "shop"

    @property
    def client(self) -> Path:
        """As `install` lays it down: there, once it has; else beside the downloaded file."""
        there = self.own / "loam-client"
        return there if there.exists() else self.unpacked

    @property
    def unpacked(self) -> Path:
        return self.downloaded.with_name("loam-client")

    @property
    def downloaded(self) -> Path:
        """The file as `curl -O` leaves it."""
        return self.home / "Downloads" / "loam.py"

    @property
    def own(self) -> Path:
        return self.home / ".config" / "loam"

    def env(self) -> dict[str, str]:
        account = {"LOAM_URL": self.url, "LOAM_TOKEN": self.token} if self.url else {}
        patience = {"LOAM_HOOK_SECONDS": self.seconds} if self.seconds else {}
        brief = {"LOAM_LINGER": "0.01"}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **account, **patience, **brief, **self.extra}

    def run(self, *words: str, given: str = "", cwd: Path | None = None, timeout: float = 90) -> Ran:
        """Run the client, as it is installed or else as it was downloaded."""
        self.checkout.mkdir(parents=True, exist_ok=True)
        apart = self.apart or self.as_downloaded or self.python != sys.executable or BY_AGENTS & set(words[:1])
        if not apart:
            return self._within(*words, given=given, cwd=cwd or self.checkout)
        bare = self.as_downloaded and self.client == self.unpacked
        began = time.perf_counter()
        done = subprocess.run(
            [self.python, "-I", "-S", str(self.downloaded if bare else self.client), *words],
            input=given, capture_output=True, text=True, env=self.env(), cwd=cwd or self.checkout, timeout=timeout,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr, time.perf_counter() - began)

    def _within(self, *words: str, given: str, cwd: Path) -> Ran:
        """Run a command in this process, with what a process of its own would find around it."""
        streams = [io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", write_through=True) for text in (given, "", "")]
        began = time.perf_counter()
        with (
            mock.patch.dict(os.environ, self.env(), clear=True),
            mock.patch.multiple(sys, stdin=streams[0], stdout=streams[1], stderr=streams[2], argv=["loam", *words]),
            mock.patch.object(_client(), "__file__", str(self.client / "loam.py"), create=True),
            contextlib.chdir(cwd),
        ):
            try:
                status = _client().main()
            except SystemExit as ended:
                status = int(ended.code or 0)
        self._keep_compiled()
        out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
        return Ran(status, out, err, time.perf_counter() - began)

    def hook(self, event: str, agent: str = "claude-code", **given: Any) -> Ran:
        """Call a hook as the agent does: its fields as JSON on stdin."""
        common = {"hook_event_name": event, "cwd": str(self.checkout)}
        if agent != "cursor":
            common["session_id"] = "agent-session-1"
        ran = self.run("hook", event, "--agent", agent, given=json.dumps({**common, **given}))
        if self.waits:
            self.delivered()
        return ran

    def delivered(self, seconds: float = 15) -> None:
        """Wait until what hooks wrote down was turned into requests and no courier works any more.

        A late start is waited for only briefly: it stays while the server is away.
        """
        ends, brief = time.monotonic() + seconds, time.monotonic() + 1.5
        while time.monotonic() < ends:
            left = [path for path in self.moments if time.monotonic() < brief or not _is_start(path)]
            if not left and all(_is_free(path) for path in self.own.glob(".courier-*.lock")):
                return
            time.sleep(0.03)

    @contextlib.contextmanager
    def without_courier(self) -> Iterator[None]:
        """Nothing is delivered meanwhile: a courier is at work, by its lock, and stays with a server that hangs."""
        locks = [path.open("a") for path in self.own.glob(".courier-*.lock")]
        for lock in locks:
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            for lock in locks:
                lock.close()

    def forget_process(self, name: str = "") -> None:
        """Of all sessions, or of one: the agent's process is gone without a word. Under the client's own lock, for its
        courier may be writing to the same files.
        """
        gone = [2**22 + 7, "1"]  # no process has this number
        with (self.own / ".state.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for path in (self.own / "sessions").glob(f"*{name}.json"):
                path.write_text(json.dumps({**json.loads(path.read_text()), "process": gone}))

    @property
    def moments(self) -> list[Path]:
        return sorted((self.own / "moments").glob("*.moment"))

    def git(self, *words: str) -> None:
        self.checkout.mkdir(parents=True, exist_ok=True)
        who = ["-c", "user.name=Alice", "-c", "user.email=alice@example.com", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *who, *words], cwd=self.checkout, check=True, capture_output=True, env=self.env())

    def write(self, name: str, text: str) -> Path:
        """A file of the checkout."""
        path = self.checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    @property
    def spool(self) -> list[Path]:
        return sorted((self.own / "spool").glob("*.json"))
