"""A second Unix account on this machine, with a home of its own, as a colleague has on theirs."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

PATIENCE = 5.0


def why_not() -> str:
    """Return why no account can be made here; empty if one can."""
    if os.geteuid() != 0:
        return "only root can make an account"
    missing = [name for name in ("useradd", "userdel", "git", "curl") if shutil.which(name) is None]
    return f"there is no {missing[0]}" if missing else ""


@dataclass(frozen=True)
class Account:
    """`home` is its own; of other homes it can read nothing that their owners do not give to all."""

    name: str
    uid: int
    gid: int
    home: Path

    def run(
        self, *command: str, cwd: Path | None = None, given: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Return how a command of a fresh login of this user ended; nothing of this process's environment is in it."""
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "USER": self.name,
            "LOGNAME": self.name,
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            **(more or {}),
        }
        return subprocess.run(
            command, cwd=cwd or self.home, env=environment, input=given, capture_output=True, text=True, timeout=120,
            check=False, user=self.uid, group=self.gid, extra_groups=[], umask=0o022,
        )  # fmt: skip

    def give(self, file: Path) -> Path:
        """Return a copy of a file in its home, its own."""
        copy = self.home / file.name
        shutil.copy(file, copy)
        os.chown(copy, self.uid, self.gid)
        return copy

    def processes(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.uids().real == self.uid:
                    found.append(process)
        return found


@contextmanager
def second_account() -> Iterator[Account]:
    """An account that is there until the block ends, and then is gone with its home and its processes."""
    name = f"loam-{uuid.uuid4().hex[:8]}"
    above = Path(tempfile.mkdtemp(prefix="loam-account-"))
    above.chmod(0o711)
    words = ["useradd", "--create-home", "--home-dir", str(above / name), "--shell", "/bin/sh", name]
    subprocess.run(words, check=True, capture_output=True)
    known = pwd.getpwnam(name)
    account = Account(name, known.pw_uid, known.pw_gid, Path(known.pw_dir))
    try:
        yield account
    finally:
        _end_processes(account)
        subprocess.run(["userdel", "--force", name], check=True, capture_output=True)
        shutil.rmtree(above)


def _end_processes(account: Account) -> None:
    """End what still runs in its name: couriers that wait for more to deliver."""
    until = time.monotonic() + PATIENCE
    while (left := account.processes()) and time.monotonic() < until:
        for process in left:
            with suppress(psutil.Error):
                process.terminate()
        psutil.wait_procs(left, timeout=1)
