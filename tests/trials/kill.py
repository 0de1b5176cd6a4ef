"""A trial that takes minutes: parts of a running Loam are killed under load, and nothing that was answered may be lost.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.kill --rounds 20

A whole Loam is started (web, worker, beat, its PostgreSQL). Clients deposit without a pause, each under a key of its
own, and ask again under the same key when no answer came. Every round something is killed with SIGKILL: a web
process, the worker, beat, a backend of the database or the whole server. At the end every deposit that was answered
must be there once, as a row or as what a row was told again, and the auditor must find nothing.
"""

import argparse
import json
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from typing import Any

from tests.trials.stack import FIRST_START, PATIENCE, Served, count_kept

CLIENTS = 4
# Of the deposits so many say what was said before, and must be merged, once each.
REPEATED = 0.2
COMMON = [
    "Run the nightly export of {run} before the vacuum, or it reads half of a table.",
    "The mobile build of {run} needs the licence file in the working directory.",
    "Rotate the signing key of the {run} gateway every ninety days.",
]
KILLED = ("web", "worker", "beat", "a backend of the database", "the database")


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
        """Until it is answered; anyone who sends a key twice means one deposit."""
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


def trial(*, rounds: int, seed: int, port: int) -> dict[str, Any]:
    """Kill, and count. Raises AssertionError when something that was answered is not there, or is there twice."""
    rng = Random(seed)
    loam = Served(port)
    killed: Counter[str] = Counter()
    stop = Event()
    try:
        loam.wait(FIRST_START)
        token = loam.people()["alice"]["token"]
        # A name of its own, for a second trial in the same folder.
        name = f"trial{uuid.uuid4().hex[:8]}"
        clients = [Client(loam.url, token, Random(f"{seed} {n}"), stop, name, n) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        for _ in range(rounds):
            time.sleep(rng.uniform(0.5, 3.0))
            part = rng.choice(KILLED)
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
        counted = count_kept(loam, {"deposits": answered})
        failures = sum(client.failures for client in clients)
    finally:
        stop.set()
        loam.end()
    return {"killed": dict(killed), "answered": len(answered), "asked again": failures, **counted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=8971)
    options = parser.parse_args()
    print(json.dumps(trial(rounds=options.rounds, seed=options.seed, port=options.port), indent=2))


if __name__ == "__main__":
    main()
