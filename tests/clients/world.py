"""A Loam to run trials against, and people with machines in it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.clients.driver import Setup
from tests.clients.machine import Machine
from tests.clients.works import FILES
from tests.trials.stack import told

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class World:
    """`tokens` by name of a person (alice, bob); every machine lies below `folder`."""

    url: str
    tokens: dict[str, str]
    folder: Path
    machines: dict[tuple[str, str], Machine] = field(default_factory=dict)

    def repo(self, story: str) -> str:
        """The story's repository: no other run of it has the same."""
        return f"acme/{story}-{self.folder.name[-6:].strip('_-')}"

    def setup(self, story: str, person: str = "alice", machine: str = "", branch: str = "main", url: str = "") -> Setup:
        """A machine of a person with a checkout of the story's repository, not yet connected to Loam."""
        name = f"{person}-{machine or 'laptop'}"
        home = self.folder / story / name
        home.mkdir(parents=True, exist_ok=True)
        own = Machine(home, url or self.url, self.tokens[person], name)
        return Setup(own, own.clone(self.repo(story), FILES, branch))


@contextmanager
def world() -> Iterator[World]:
    """A server of its own in a temporary folder, with the demo's people; or the one that LOAM_TRIAL names.

    LOAM_TRIAL: a file as `manage.py demo --json` writes it.
    """
    folder = Path(tempfile.mkdtemp(prefix="loam-clients-"))
    folder.chmod(0o711)  # root's PostgreSQL runs as somebody else, and its data stays in here
    try:
        if os.environ.get("LOAM_TRIAL"):
            yield _known(Path(os.environ["LOAM_TRIAL"]).read_text(), folder)
        else:
            with _served(folder) as about:
                yield _known(about, folder)
    finally:
        if not os.environ.get("LOAM_TRIAL_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


def _known(about: str, folder: Path) -> World:
    found = json.loads(about[about.index("{\n") :])
    people = {name: one["token"] for name, one in found["people"].items() if one["token"]}
    return World(found["url"], people, folder)


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """`manage.py serve --prepare`, ready and filled in; what `demo --json` says of it."""
    models = {"LOAM_MODELS": os.environ.get("LOAM_MODELS") or str(ROOT / "var" / "models")}
    environment = {**os.environ, **models, "LOAM_VAR": str(folder / "var"), "OMP_NUM_THREADS": "1"}
    environment.pop("DATABASE_URL", None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (folder / "serve.log").open("wb") as log:
        command = [sys.executable, "manage.py", "serve", "--prepare", "--port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        _until_ready(url, server, folder / "serve.log")
        words = [sys.executable, "manage.py", "demo", "--json", "--once", "--url", url]
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        _until_filled(server)
        yield done.stdout
    finally:
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(60)


def _until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{url}/readyz", timeout=5):
            return
        time.sleep(0.5)
    raise RuntimeError(f"Loam does not start:\n{log.read_text()[-3000:]}")


def _until_filled(server: subprocess.Popen[bytes]) -> None:
    """The server fills in the demo by a process of its own, beside the first answers."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        children = psutil.Process(server.pid).children(recursive=True)
        if not any(" demo " in f"{told(child)} " for child in children):
            return
        time.sleep(0.5)


class Gate:
    """A way to the server that can be shut: connections are then refused."""

    def __init__(self, url: str) -> None:
        self.target = ("127.0.0.1", int(url.rpartition(":")[2]))
        self.listener = self._listen(0)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(self.target)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()

    def shut(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def open(self) -> None:
        self.listener = self._listen(self.port)


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while part := one.recv(65_536):
            other.sendall(part)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)
