"""A trial that takes minutes: parts of a running Loam are killed under load, and nothing that was answered may be lost.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.kill --rounds 20

A whole Loam is started (web, worker, beat, its PostgreSQL). Clients deposit without a pause, each under a key of its
own, and ask again under the same key when no answer came. Every round something is killed with SIGKILL: a web
process, the worker, beat, a backend of the database or the whole server. At the end every deposit that was answered
must be there once, as a row or as what a row was told again, and the auditor must find nothing.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = 4
# Of the deposits so many say what was said before, and must be merged, once each.
REPEATED = 0.2
COMMON = [
    "Run the nightly export of {run} before the vacuum, or it reads half of a table.",
    "The mobile build of {run} needs the licence file in the working directory.",
    "Rotate the signing key of the {run} gateway every ninety days.",
]
PATIENCE = 90.0

# What a part is known by in its command line.
PARTS = {
    "web": ("uvicorn",),
    "worker": ("celery", " worker "),
    "beat": ("celery", " beat "),
    "a backend of the database": ("postgres: loam",),
    "the database": ("postgres -D",),
}


@dataclass
class Client(Thread):
    """Deposits until told to stop; `answered`: what was said under each key, and the reference it was answered with."""

    url: str
    token: str
    rng: Random
    stop: Event
    run_name: str
    number: int
    answered: dict[str, tuple[str, str]] = field(default_factory=dict)
    failures: int = 0

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = Thread.__hash__

    def run(self) -> None:
        number = 0
        while not self.stop.is_set():
            number += 1
            key = f"{self.run_name}-{self.number}-{number}"
            self.deposit(key, self.text(key))

    def text(self, key: str) -> str:
        if self.rng.random() < REPEATED:
            return self.rng.choice(COMMON).format(run=self.run_name)
        words = " ".join(f"{self.rng.getrandbits(40):010x}" for _ in range(8))
        return f"Trial {key}: the value of {words} is kept in the vault of {self.rng.getrandbits(40):010x}."

    def deposit(self, key: str, text: str) -> None:
        """Until it is answered; whoever sends a key twice means one deposit."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                answer = call(self.url, "insights/", self.token, {"kind": "CONTEXT", "body": text, "team": "platform",
                                                                  "idempotency_key": key})  # fmt: skip
            except (OSError, ValueError):
                self.failures += 1
                time.sleep(0.2)
                continue
            self.answered[key] = (text, answer["insight"]["ref"])
            return
        raise TimeoutError(f"{key} was not answered within {PATIENCE:.0f} s")


def call(url: str, path: str, token: str, body: dict[str, Any] | None = None) -> Any:
    """JSON in, JSON out. Raises URLError (an OSError) when there is no answer, or one that is an error."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1/{path}", data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


class Loam:
    """A whole Loam of one's own, in the folder LOAM_VAR."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.log = Path(os.environ["LOAM_VAR"]) / "trial.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "manage.py", "serve", "--prepare", "--port", str(port)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)

    def wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):
                    return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.3)
        raise TimeoutError(f"Loam is not ready; see {self.log}")

    def people(self) -> dict[str, Any]:
        command = [sys.executable, "manage.py", "demo", "--json", "--once", "--url", self.url]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        found: dict[str, Any] = json.loads(done.stdout)["people"]
        return found

    def victims(self, part: str) -> list[psutil.Process]:
        """Processes of that part, which belong to this Loam."""
        return [one for one in self._all() if all(word in told(one) for word in PARTS[part])]

    def _all(self) -> list[psutil.Process]:
        """What was started here, and the server of this folder, which stands apart, with its backends."""
        data = f"-D {os.environ['LOAM_VAR']}"
        servers = [one for one in psutil.process_iter() if data in told(one)]
        mine = psutil.Process(self.process.pid).children(recursive=True)
        return [*mine, *servers, *(child for server in servers for child in server.children())]

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


def told(process: psutil.Process) -> str:
    """Its command line; nothing of one that has gone."""
    try:
        return " ".join(process.cmdline()) + " "
    except psutil.Error:
        return ""


def trial(*, rounds: int, seed: int, port: int) -> dict[str, Any]:
    """Kill, and count. Raises AssertionError when something that was answered is not there, or is there twice."""
    rng = Random(seed)
    loam = Loam(port)
    killed: Counter[str] = Counter()
    stop = Event()
    try:
        loam.wait()
        token = loam.people()["alice"]["token"]
        # A name of its own, for a second trial in the same folder.
        name = f"trial{uuid.uuid4().hex[:8]}"
        clients = [Client(loam.url, token, Random(f"{seed} {n}"), stop, name, n) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        for _ in range(rounds):
            time.sleep(rng.uniform(0.5, 3.0))
            part = rng.choice(list(PARTS))
            for victim in loam.victims(part)[:1]:
                victim.kill()
                killed[part] += 1
            loam.wait()
        time.sleep(1)
        stop.set()
        for client in clients:
            client.join(PATIENCE)
            assert not client.is_alive(), "a client never got its answer"
        answered = {key: said for client in clients for key, said in client.answered.items()}
        counted = check(answered)
        failures = sum(client.failures for client in clients)
    finally:
        stop.set()
        loam.end()
    return {"killed": dict(killed), "answered": len(answered), "asked again": failures, **counted}


CHECK = "from tests.trials.kept import main; main()"


def check(answered: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """In a process of its own, as the tests of this process have settings of theirs."""
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", CHECK]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(answered), capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=8971)
    options = parser.parse_args()
    print(json.dumps(trial(rounds=options.rounds, seed=options.seed, port=options.port), indent=2))


if __name__ == "__main__":
    main()
