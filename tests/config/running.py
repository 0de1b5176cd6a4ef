"""Processes and folders that the tests of `config` start, watch and clear away."""

import os
import shutil
import signal
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path


def postmaster(var):
    """The number of the server's process."""
    return int((var / "postgres/data/postmaster.pid").read_text().split()[0])


def runs(pid):
    """Whether there is such a process; one that is dead and unburied does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(true, seconds=10, every=0.02):
    """`every`: seconds between two looks, more of them where a look is work for what is waited for."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(every)


def clear(var):
    """The server, wherever it lies, is gone."""
    home = (var / "postgres").resolve()
    if (home / "data/postmaster.pid").exists() and runs(pid := postmaster(var)):
        os.kill(pid, signal.SIGQUIT)
        wait_until(lambda: not runs(pid))
    shutil.rmtree(home, ignore_errors=True)


@contextmanager
def new_var(mode=0o755):
    """A var/ in a folder of that mode, gone afterwards with its server."""
    folder = Path(tempfile.mkdtemp(prefix="loam-test-", dir="/tmp"))
    folder.chmod(mode)
    yield folder / "var"
    clear(folder / "var")
    shutil.rmtree(folder)
