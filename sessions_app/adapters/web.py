"""A server of one's own, as `serve` starts it, and a caller that keeps its connection."""

import ctypes
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from accounts.rules.refused import Refused

# Seconds: a web process is up in two or three, with the model exported; the export takes ten.
PATIENCE = 60.0
UVICORN = ("--loop", "uvloop", "--http", "httptools", "--no-proxy-headers", "--no-access-log", "--log-level", "warning")
# One thread for each process, as in `serve`; and callers come from here, over plain HTTP and as fast as they can,
# whatever is set for others.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "ALLOWED_HOSTS": "127.0.0.1",
    "HTTPS": "off",
    "PRODUCTION": "off",
    "LOAM_RATE_LIMIT": "0",
    "LOAM_TEAM_RATE_LIMIT": "0",
    "LOAM_AT_ONCE": "0",
}


class NoServer(Refused):
    code = "no_server"
    detail = "The server did not start."


@dataclass(frozen=True)
class WebServer:
    """A web process that answers on 127.0.0.1."""

    port: int
    pid: int

    def memory(self) -> dict[str, float]:
        """Resident memory in MB, now and at most; nothing where there is no /proc."""
        try:
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        except OSError:
            return {}
        kilobytes = {
            name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if "kB" in rest
        }
        return {"now": round(kilobytes["VmRSS"] / 1024, 1), "most": round(kilobytes["VmHWM"] / 1024, 1)}

    def processor_seconds(self) -> float:
        """What it has used of the processor so far; 0 where there is no /proc."""
        return processor_seconds(self.pid)


def processor_seconds(pid: int) -> float:
    """What a process of this machine has used of the processor, its threads included; 0 where that cannot be told."""
    try:
        # The name of the program, which stands in brackets, may have spaces in it.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Caller:
    """One agent's keep-alive connection."""

    def __init__(self, port: int, secret: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and text of the answer; status 0 where none came."""
        return self._send("POST", path, json.dumps(body).encode())

    def _send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        try:
            self._connection.request(method, path, body, self._headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()  # the next request opens it again
            return 0, str(error).encode()

    def close(self) -> None:
        self._connection.close()


class Visitor(Caller):
    """A browser's: signed in by a cookie, and taking what is compressed."""

    def __init__(self, port: int, cookie: str) -> None:
        super().__init__(port, "")
        self._headers = {"Cookie": cookie, "Accept-Encoding": "gzip"}

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body as it came over the wire; status 0 where none came."""
        return self._send("GET", path)


@contextmanager
def serving(database: str = "", **more: str) -> Iterator[WebServer]:
    """One web process on a free port, on the database of that name, or the one this process is connected to; `more`:
    other variables of its environment.

    Raises NoServer.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        # Connections inherit it; without it an answer in two writes waits 40 ms for an acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        port, number = listener.getsockname()[1], listener.fileno()
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "config.asgi:application", "--fd", str(number), *UVICORN],
            cwd=settings.BASE_DIR,
            env=os.environ | ENVIRONMENT | {"DATABASE_URL": database_url(database)} | more,
            stdin=subprocess.DEVNULL,
            pass_fds=(number,),
            preexec_fn=_dies_with_us(),
        )
        try:
            _wait(port, process)
            yield WebServer(port, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def database_url(database: str = "") -> str:
    """Where this process is connected, as the environment variable DATABASE_URL names it; or to another database of
    that server.
    """
    found = {name: str(value) for name, value in connection.settings_dict.items()}
    account = f"{quote(found['USER'], safe='')}:{quote(found['PASSWORD'], safe='')}"
    port, name = found["PORT"] or "5432", quote(database or found["NAME"])
    if found["HOST"].startswith("/"):  # a socket's folder stands before the name
        return f"postgres://{account}@:{port}/{quote(found['HOST'])}/{name}"
    return f"postgres://{account}@{found['HOST'] or 'localhost'}:{port}/{name}"


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Until /api/v1/health/ answers 200."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        try:
            asking.request("GET", "/api/v1/health/")
            if asking.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        finally:
            asking.close()
        time.sleep(0.1)
    raise NoServer("The server did not start." if process.poll() is None else "The server ended as it started.")


PR_SET_PDEATHSIG = 1  # <sys/prctl.h>; Linux only


def _dies_with_us() -> Any:
    """For a new child: the kernel ends it when this process is killed."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    return (lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)) if prctl else None
