"""Recovery: one Loam on a small disk, with one fault after the other, and a client that goes on asking.

    sudo LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.recovery        # all of them, in some ten minutes
    … --only disk --only crashes

`manage.py serve --prepare` on a disk of its own (a tmpfs of 900 MB, which takes root). Each second the client sends a
read, a question and a deposit. Held to: each read and each question is answered 200, a write 201 or, on a full disk,
507; after two minutes at most all is well again; what was acknowledged is stored, once.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tests.trials.stack import FIRST_START, Served, count_kept

DISK_MB, EVERY, QUIET, HEALED = 900, 1.0, 5.0, 120.0
# What a client takes for answered; a busy machine answers late, and a fault is told from one that never does.
LONGEST = 30.0


@dataclass
class Asker(Thread):
    """Asks, and keeps (what, when, status, seconds); `answered`: what was deposited under each key, and its ref."""

    url: str
    token: str
    stop: Event
    calls: list[tuple[str, float, int, float]] = field(default_factory=list)
    answered: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = Thread.__hash__

    def run(self) -> None:
        run = uuid.uuid4().hex[:8]
        for number in range(1_000_000):
            began, key = time.monotonic(), f"{run}-{number}"
            text = f"Trial {key}: the value of {uuid.uuid4().hex} is kept in the vault of {uuid.uuid4().hex}."
            draft = {"kind": "CONTEXT", "body": text, "team": "platform", "idempotency_key": key}
            self.ask("read", "insights/?limit=1")
            self.ask("question", "query/", {"query": "what runs the background jobs"})
            found = self.ask("write", "insights/", draft)
            if found:
                self.answered[key] = (text, found["insight"]["ref"])
            if self.stop.wait(max(0.0, EVERY - (time.monotonic() - began))):
                return

    def ask(self, what: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer in JSON, None if there is none or it is a refusal."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        began, status, found = time.monotonic(), 0, None
        try:
            asked = urllib.request.Request(f"{self.url}/api/v1/{path}", data=data, headers=headers)
            with urllib.request.urlopen(asked, timeout=LONGEST) as answer:
                status, found = answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            status = error.code
        except (OSError, ValueError):
            pass
        self.calls.append((what, began, status, time.monotonic() - began))
        return found


@dataclass
class Trial:
    loam: Served
    asker: Asker

    @property
    def broker(self) -> Path:
        return self.loam.folder / "broker"

    def headers(self) -> str:
        return f"Host: 127.0.0.1\r\nAuthorization: Bearer {self.asker.token}\r\nContent-Type: application/json\r\n"

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.loam.port), timeout=60)


# --- the faults: each is done when it returns, what it returns is told ------------------------------------------
def broken_files(trial: Trial) -> str:
    """Files in the broker's queue that are none, as a full disk or a crash leaves them, and tasks that do not exist."""
    broken = {"empty": b"", "cut off": b'{"body": "W10', "no message": b"[]", "no text": b"\xff\xfe\x00"}
    for number, content in enumerate(broken.values()):
        (trial.broker / f"queue/1_{number}.celery.msg").write_bytes(content)
    send = [sys.executable, "-m", "celery", "--quiet", "-A", "config", "call"]
    for words in (["no.such.task"], ["knowledge.fade", "--args", "[1, 2, 3]"]):
        subprocess.run([*send, *words], env=trial.loam.environment, check=False, capture_output=True)
    aside = trial.broker / "unreadable"
    _until(lambda: aside.is_dir() and len(list(aside.iterdir())) >= len(broken), 60)
    return f"{len(list(aside.iterdir()))} files moved aside"


def no_folder(trial: Trial) -> str:
    """The broker's folder deleted."""
    shutil.rmtree(trial.broker)
    began = time.monotonic()
    _until(trial.broker.is_dir, HEALED)
    return f"there again after {time.monotonic() - began:.0f} s"


def full_disk(trial: Trial) -> str:
    """No byte free for 40 s, then room again."""
    filler = trial.loam.folder / "filler"
    with filler.open("wb", buffering=0) as file:
        while _written(file, bytes(1_000_000)):
            pass
        while _written(file, bytes(1_000)):
            pass
        free = shutil.disk_usage(trial.loam.folder).free
        time.sleep(40)
    filler.unlink()
    return f"{free} bytes were free"


def _written(file: Any, data: bytes) -> bool:
    try:
        return bool(file.write(data))
    except OSError:
        return False


def crashes(trial: Trial) -> str:
    """Worker and beat killed as soon as they are there, for 30 s."""
    killed, until = 0, time.monotonic() + 30
    while time.monotonic() < until:
        for part in ("worker", "beat"):
            for victim in trial.loam.victims(part)[:1]:
                victim.kill()
                killed += 1
        time.sleep(2)
    return f"killed {killed} times"


def half_open(trial: Trial) -> str:
    """A hundred connections that send half a request, half of them a byte a second."""
    kept = [trial.connected() for _ in range(100)]
    for one in kept:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    began, left = time.monotonic(), list(kept)
    while left and time.monotonic() - began < 60:
        time.sleep(1)
        left = [one for number, one in enumerate(left) if _alive(one, dripping=number % 2 == 0)]
    return f"{len(kept) - len(left)} of {len(kept)} closed after {time.monotonic() - began:.0f} s"


def _alive(one: socket.socket, *, dripping: bool) -> bool:
    try:
        one.setblocking(False)
        if dripping:
            one.send(b"x")
        return one.recv(4_096) != b"" and _alive(one, dripping=False)
    except BlockingIOError:
        return True
    except OSError:
        return False


def bodies(trial: Trial) -> str:
    """Half a body, a chunk that does not end, 300 MB announced by nobody and 20 MB by somebody known."""
    known, chunked = trial.headers(), "Transfer-Encoding: chunked\r\n"
    asked = {
        "half a body": f"{known}Content-Length: 100\r\n\r\n{{",
        "half a chunk": f"{known}{chunked}\r\n40\r\n{{",
        "300 MB of nobody": "Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 300000000\r\n\r\n{",
        "20 MB of somebody": f"{known}Content-Length: 20000000\r\n\r\n{{",
    }
    sent = {}
    for name, words in asked.items():
        sent[name] = trial.connected()
        sent[name].sendall(f"POST /api/v1/insights/ HTTP/1.1\r\n{words}".encode())
    began, said = time.monotonic(), []
    for name, one in sent.items():
        with one:
            first = one.recv(64).decode(errors="replace").split("\r\n")[0] or "closed"
        said.append(f"{name}: {first.removeprefix('HTTP/1.1 ')} after {time.monotonic() - began:.0f} s")
    return "; ".join(said)


FAULTS: dict[str, Callable[[Trial], str]] = {
    "files": broken_files, "folder": no_folder, "disk": full_disk, "crashes": crashes, "half-open": half_open,
    "bodies": bodies,
}  # fmt: skip


def _until(true: Callable[[], bool], patience: float) -> None:
    until = time.monotonic() + patience
    while not true() and time.monotonic() < until:
        time.sleep(0.2)


def tried(trial: Trial, fault: Callable[[Trial], str]) -> dict[str, Any]:
    """What one fault did, what was answered during it, and when all was well again."""
    began = time.monotonic()
    told = fault(trial)
    ended, named = time.monotonic(), set()
    while time.monotonic() - ended < HEALED:
        ready = trial.loam.ready()
        named |= {name for name, part in (ready.get("parts") or {}).items() if part != "ok"}
        lately = [call for call in list(trial.asker.calls) if call[1] > max(ended, time.monotonic() - 5)]
        if ready.get("status") == "ok" and len(lately) > 5 and all(200 <= call[2] < 300 for call in lately):
            break
        time.sleep(0.5)
    healed = time.monotonic() - ended
    calls = [call for call in list(trial.asker.calls) if call[1] >= began]
    counted = {
        what: dict(Counter(call[2] for call in calls if call[0] == what)) for what in ("read", "question", "write")
    }
    wrong = [f"{what}: {n} × {s}" for what, by in counted.items() for s, n in by.items() if s not in allowed(what)]
    wrong += [f"not well after {HEALED:.0f} s"] * (healed >= HEALED)
    took = [call[3] for call in calls]
    slowest = {"p50 s": round(statistics.median(took), 2), "longest s": round(max(took), 2)} if took else {}
    return {
        "told": told,
        "seconds": round(ended - began),
        **counted,
        **slowest,
        "healed s": round(healed),
        "wrong": wrong,
    }


def allowed(what: str) -> tuple[int, ...]:
    return (200, 201, 507) if what == "write" else (200,)


def trial(*, only: Sequence[str], port: int) -> dict[str, Any]:
    """All faults on one Loam, and whether what it acknowledged is there."""
    folder = Path(os.environ["LOAM_VAR"])
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "tmpfs", str(folder)], check=True)
    stop, found = Event(), {}
    try:
        loam = Served(port)
        try:
            loam.wait(FIRST_START)
            asker = Asker(loam.url, loam.people()["alice"]["token"], stop)
            asker.start()
            time.sleep(QUIET)
            for name in only or FAULTS:
                found[name] = tried(Trial(loam, asker), FAULTS[name])
                print(json.dumps({name: found[name]}), flush=True)
            stop.set()
            asker.join(3 * LONGEST)
            kept = count_kept(loam, {"deposits": asker.answered})
        finally:
            stop.set()
            loam.end()
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
    return {"trials": found, "acknowledged": len(asker.answered), **kept}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=FAULTS, default=[])
    parser.add_argument("--port", type=int, default=8972)
    options = parser.parse_args()
    found = trial(only=options.only, port=options.port)
    print(json.dumps(found, indent=2))
    sys.exit(any(one["wrong"] for one in found["trials"].values()))


if __name__ == "__main__":
    main()
