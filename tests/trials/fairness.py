"""What one team's calls cost another: sixteen clients that ask without a pause, beside one of another team.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.fairness --seconds 20 --rounds 3

On the stack of docs/operations (`Apart`). In each round the quiet team asks alone, then beside the heavy one under each
of these settings; the order is the same in each round, so that other load on the machine falls on all alike. Prints
the quiet team's latency and how many calls of the heavy one were answered a second.
"""

import argparse
import json
import statistics
import time
import urllib.error
import urllib.request
from collections import defaultdict
from threading import Event, Thread
from typing import Any

from tests.trials.stack import Apart, Stack

UNLIMITED = {"LOAM_RATE_LIMIT": "0", "LOAM_TEAM_RATE_LIMIT": "0"}
QUESTIONS = ("how are releases made", "why do the workers fall behind", "what runs before the migration")
HEAVY_CLIENTS = 16
# Seconds between two questions of the quiet team.
PAUSE = 0.25


def phases() -> dict[str, dict[str, str]]:
    """The settings of each phase by name; the heavy team asks in all but the first."""
    at_once = {f"{most} at once": UNLIMITED | {"LOAM_AT_ONCE": str(most)} for most in (4, 2, 1)}
    return {"alone": UNLIMITED, "no limit": UNLIMITED | {"LOAM_AT_ONCE": "0"}, **at_once}


def ask(url: str, token: str, question: str) -> float:
    """Seconds until the answer; 0 where it was 429, after a pause as it asks for, of a second at most."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(
        f"{url}/api/v1/query/", json.dumps({"query": question}).encode(), headers, method="POST"
    )
    began = time.monotonic()
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        if error.code != 429:
            raise
        time.sleep(min(1.0, float(error.headers["Retry-After"])))
        return 0.0
    return time.monotonic() - began


class Caller(Thread):
    """A client that asks until it is told to stop; `took` has the seconds of each answer."""

    def __init__(self, stack: Stack, token: str, pause: float, stop: Event) -> None:
        super().__init__(daemon=True)
        self.stack, self.token, self.pause, self.stop = stack, token, pause, stop
        self.took: list[float] = []

    def run(self) -> None:
        at = 0
        while not self.stop.is_set():
            took = ask(self.stack.url, self.token, QUESTIONS[at % len(QUESTIONS)])
            self.took += [took] if took else []
            at += 1
            time.sleep(self.pause)


def restart(stack: Apart, settings: dict[str, str]) -> None:
    """The web process is ended, and started with these settings; it has answered once."""
    web = stack.units["web"]
    web.held.set()
    web.process.terminate()
    web.process.wait(30)
    stack.environment |= settings
    web.held.clear()
    time.sleep(3)
    stack.wait()


def phase(stack: Apart, quiet: str, heavy: str, *, seconds: float) -> tuple[list[float], float]:
    """Seconds of each of the quiet team's answers, and answers a second of the heavy one; "" for none."""
    stop = Event()
    loud = [Caller(stack, heavy, 0.0, stop) for _ in range(HEAVY_CLIENTS)] if heavy else []
    for _ in range(5):  # to be warm
        ask(stack.url, quiet, QUESTIONS[0])
    for caller in loud:
        caller.start()
    time.sleep(2)
    before = sum(len(caller.took) for caller in loud)
    began = time.monotonic()
    one = Caller(stack, quiet, PAUSE, stop)
    one.start()
    time.sleep(seconds)
    answered = sum(len(caller.took) for caller in loud) - before
    lasted = time.monotonic() - began
    stop.set()
    for caller in (one, *loud):
        caller.join(40)
    return one.took, answered / lasted


def trial(*, seconds: float, rounds: int, port: int) -> dict[str, Any]:
    """By phase the quiet team's p50 and p95 in milliseconds, and the heavy team's answers a second."""
    stack = Apart(port)
    took, rates = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    try:
        stack.wait(400)
        people = stack.people()
        quiet, heavy = people["charlie"]["token"], people["alice"]["token"]
        for _ in range(rounds):
            for name, settings in phases().items():
                restart(stack, settings)
                some, rate = phase(stack, quiet, heavy if name != "alone" else "", seconds=seconds)
                took[name] += some
                rates[name].append(rate)
    finally:
        stack.end()
    return {
        name: {
            "answers": len(some),
            "p50_ms": round(1000 * statistics.median(some), 1),
            "p95_ms": round(1000 * statistics.quantiles(some, n=20)[18], 1),
            "mean_ms": round(1000 * statistics.fmean(some), 1),
            "heavy_a_second": round(statistics.fmean(rates[name]), 1),
        }
        for name, some in took.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--port", type=int, default=8990)
    given = parser.parse_args()
    print(json.dumps(trial(seconds=given.seconds, rounds=given.rounds, port=given.port), indent=2))


if __name__ == "__main__":
    main()
