"""The whole web is stopped under load, again and again: who was answered, who was refused, and who was cut off.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.stops --stops 10
    … --web 'gunicorn -c config/gunicorn.py --bind 127.0.0.1:{port}'      # instead of the unit's command

On the stack of docs/operations. Half of the clients keep their connection, as pools and proxies do (and look whether it
was closed before they use it again), half open one for each request, as the client file does. All ask without a pause
longer than PAUSE: health, a question, a deposit under a key of its own. A request that was sent and got no answer at
all is cut off, and a fault; one whose connection was refused was not sent.
"""

import argparse
import http.client
import json
import select
import shlex
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from typing import Any

from tests.trials.stack import PATIENCE, Apart, count_kept

CLIENTS, PAUSE = 16, 0.1
# Seconds of load before a stop, and between its end and the start.
LOAD, DOWN = 3.0, 1.0


@dataclass
class Client(Thread):
    """Asks until told to end. `outcomes`: (when, how), by time.monotonic(); `kept`: deposits that were answered."""

    port: int
    token: str
    number: int
    end: Event
    name_of_trial: str
    outcomes: list[tuple[float, str]] = field(default_factory=list)
    kept: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.rng, self.line, self.said = Random(f"stops {self.number}"), self._new(), 0

    __hash__ = Thread.__hash__

    @property
    def keeps(self) -> bool:
        return self.number % 2 == 0

    def _new(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def run(self) -> None:
        while not self.end.is_set():
            self.rng.choice((self.health, self.question, self.deposit))()
            self.end.wait(self.rng.uniform(0, PAUSE))

    def health(self) -> None:
        self.ask("GET", "/api/v1/health/")

    def question(self) -> None:
        self.ask("POST", "/api/v1/query/", {"query": f"how many workers of the importer {self.rng.randint(1, 99)}"})

    def deposit(self) -> None:
        """Until it is answered: anyone who sends a key twice means one deposit."""
        self.said += 1
        key = f"{self.name_of_trial}-{self.number}-{self.said}"
        body = {"kind": "CONTEXT", "team": "platform", "idempotency_key": key}
        body["body"] = f"Trial {key}: the value of {self.rng.getrandbits(60):015x} is kept in the vault."
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            answer = self.ask("POST", "/api/v1/insights/", body)
            if answer is not None:
                self.kept[key] = (body["body"], json.loads(answer)["insight"]["ref"])
                return
            time.sleep(0.2)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes | None:
        """The text of a good answer; noted is how it ended."""
        how, text = self._asked(method, path, json.dumps(body) if body else None)
        self.outcomes.append((time.monotonic(), how))
        if how != "answered" or not self.keeps:
            self.line.close()
        return text if how == "answered" else None

    def _asked(self, method: str, path: str, body: str | None) -> tuple[str, bytes]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        headers |= {} if self.keeps else {"Connection": "close"}
        if self.line.sock is not None and select.select([self.line.sock], [], [], 0)[0]:
            self.line.close()
        try:
            if self.line.sock is None:
                self.line.connect()
        except OSError:
            return "refused", b""
        try:
            self.line.request(method, path, body, headers)
            answer = self.line.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            return f"cut off: {type(error).__name__} {error}", b""
        if answer.status == 503 and answer.headers.get("Retry-After"):
            return "told to come again", text
        return ("answered" if answer.status < 300 else f"status {answer.status}"), text


def trial(*, stops: int, port: int, web: str) -> dict[str, Any]:
    """Stop and start. Raises AssertionError if a deposit that was answered is not there."""
    # Faster than agents are.
    stack, end, clients = Apart(port, {"LOAM_RATE_LIMIT": "0"}), Event(), []
    try:
        unit = stack.units["web"]
        if web:
            unit.command = shlex.split(web.format(port=port))
            unit.process.terminate()
            unit.process.wait()
        stack.wait()
        token = stack.people()["alice"]["token"]
        name = f"stops{time.time_ns() % 10**9}"
        clients = [Client(port, token, number, end, name) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        found = [_one_stop(stack, clients) for _ in range(stops)]
        end.set()
        for client in clients:
            client.join(PATIENCE)
        kept = count_kept(stack, {"deposits": {key: said for client in clients for key, said in client.kept.items()}})
    finally:
        end.set()
        stack.end()
    cut = [one["cut off"] for one in found]
    return {"stops": found, "cut off": cut, "in all": sum(cut), "kept": kept}


def _one_stop(stack: Apart, clients: list[Client]) -> dict[str, Any]:
    time.sleep(LOAD)
    unit, began = stack.units["web"], time.monotonic()
    unit.held.set()
    unit.process.terminate()
    unit.process.wait(30)
    took = time.monotonic() - began
    time.sleep(DOWN)
    unit.held.clear()
    stack.wait()
    until = time.monotonic()
    seen = [
        (at, how, client.keeps) for client in clients for at, how in list(client.outcomes) if began - LOAD < at <= until
    ]
    rate = sum(at < began and how == "answered" for at, how, _ in seen) / LOAD
    lost = [f"{how}, {at - began:.2f} s after, {'kept' if keeps else 'new'}" for at, how, keeps in seen if _lost(how)]
    counted = Counter(how for at, how, _ in seen if at >= began and not _lost(how))
    return {
        "took": round(took, 1),
        "requests a second before": round(rate),
        **counted,
        "cut off": len(lost),
        "how": lost,
    }


def _lost(how: str) -> bool:
    return how.startswith(("cut off", "status"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stops", type=int, default=10)
    parser.add_argument("--port", type=int, default=8975, help="the two after it are taken as well")
    parser.add_argument(
        "--web", default="", metavar="COMMAND", help="what is run instead of the unit's; {port} is its port"
    )
    options = parser.parse_args()
    found = trial(stops=options.stops, port=options.port, web=options.web)
    print(json.dumps(found, indent=2))
    sys.exit(1 if found["in all"] else 0)


if __name__ == "__main__":
    main()
