"""What one team's calls cost another: sixteen clients that ask without a pause, beside one of another team.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.fairness --seconds 20 --rounds 5
    … --setting LOAM_AT_ONCE=4        # with other settings than Loam's own

On the stack of docs/operations (`Apart`): two web processes. In each round the quiet team asks alone, then beside the
heavy one, then the heavy one alone, so that other load on the machine falls on all alike. Prints the quiet team's
latency, how many calls of the heavy one were answered a second, and what one costs the other. Needs redis-server.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import time
import urllib.error
import urllib.request
from collections import defaultdict
from threading import Thread
from typing import Any

from tests.trials.stack import FIRST_START, Apart

UNLIMITED = {"LOAM_RATE_LIMIT": "0", "LOAM_TEAM_RATE_LIMIT": "0"}
QUESTIONS = ("how are releases made", "why do the workers fall behind", "what runs before the migration")
HEAVY_CLIENTS = 16
# Seconds between two questions of the quiet team.
PAUSE = 0.25
# Seconds before a phase is measured: the heavy clients have begun, and what was used in the phase before has faded.
BEFORE = 2.0
ALONE, BESIDE, HEAVY = "the quiet team alone", "beside the heavy one", "the heavy team alone"


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
    """A client that asks until it is told to stop; `answers` has when each came and how long it took (seconds), and
    `refused` counts 429.
    """

    def __init__(self, url: str, token: str, pause: float, stop: Any) -> None:
        super().__init__(daemon=True)
        self.url, self.token, self.pause, self.stop = url, token, pause, stop
        self.answers: list[tuple[float, float]] = []
        self.refused = 0

    def run(self) -> None:
        at = 0
        while not self.stop.is_set():
            took = ask(self.url, self.token, QUESTIONS[at % len(QUESTIONS)])
            self.answers += [(time.monotonic(), took)] if took else []
            self.refused += not took
            at += 1
            time.sleep(self.pause)


def crowd(url: str, token: str, size: int, pause: float, stop: Any, told: Any) -> None:
    """So many clients of one team, in a process of their own: threads of one take Python's lock from each other."""
    callers = [Caller(url, token, pause, stop) for _ in range(size)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    told.put(([one for caller in callers for one in caller.answers], sum(caller.refused for caller in callers)))


class Phase:
    """Seconds of each answer of the quiet and of the heavy team, and of how long it was."""

    def __init__(self, stack: Apart, *, quiet: str, heavy: str, seconds: float) -> None:
        """`quiet`, `heavy`: their tokens, "" for a team that is silent."""
        processes, stop = multiprocessing.get_context("spawn"), multiprocessing.get_context("spawn").Event()
        teams = {"quiet": (quiet, 1, PAUSE), "heavy": (heavy, HEAVY_CLIENTS, 0.0)}
        told, took = {name: processes.SimpleQueue() for name in teams}, dict[str, list[float]]()
        self.refused = 0
        for name, (token, size, pause) in teams.items():
            arguments = (stack.url, token, size if token else 0, pause, stop, told[name])
            processes.Process(target=crowd, args=arguments, daemon=True).start()
        time.sleep(BEFORE)
        began = time.monotonic()
        time.sleep(seconds)
        ended = time.monotonic()
        self.lasted, self.load = ended - began, os.getloadavg()[0]
        stop.set()
        for name, queue in told.items():
            answers, refused = queue.get()
            took[name] = [seconds for at, seconds in answers if began <= at < ended]
            self.refused += refused
        self.quiet, self.heavy = took["quiet"], took["heavy"]


def trial(*, seconds: float, rounds: int, port: int, settings: dict[str, str]) -> dict[str, Any]:
    """By phase the quiet team's p50 and p95 in milliseconds, and the heavy team's answers a second."""
    stack = Apart(port, UNLIMITED | settings)
    phases = defaultdict[str, list[Phase]](list)
    try:
        stack.wait(FIRST_START)
        people = stack.people()
        quiet, heavy = people["charlie"]["token"], people["alice"]["token"]
        for question in QUESTIONS * 5:  # to be warm
            ask(stack.url, quiet, question)
            ask(stack.url, heavy, question)
        for _ in range(rounds):
            phases[ALONE].append(Phase(stack, quiet=quiet, heavy="", seconds=seconds))
            phases[BESIDE].append(Phase(stack, quiet=quiet, heavy=heavy, seconds=seconds))
            phases[HEAVY].append(Phase(stack, quiet="", heavy=heavy, seconds=seconds))
    finally:
        stack.end()
    found = {name: figures(some) for name, some in phases.items()}
    alone, beside, heavy_alone = (found[name] for name in (ALONE, BESIDE, HEAVY))
    by_round = [
        round(statistics.median(beside.quiet) / statistics.median(alone.quiet), 2)
        for alone, beside in zip(phases[ALONE], phases[BESIDE], strict=True)
    ]
    return found | {
        "times as slow beside it": {
            "p50": round(beside["p50_ms"] / alone["p50_ms"], 2),
            "p95": round(beside["p95_ms"] / alone["p95_ms"], 2),
            "p50 of each round": by_round,
        },
        "the heavy team has of its answers": round(beside["heavy_a_second"] / heavy_alone["heavy_a_second"], 2),
    }


def figures(phases: list[Phase]) -> dict[str, Any]:
    """Of all rounds of a phase together."""
    quiet = [1000 * took for phase in phases for took in phase.quiet]
    heavy = [1000 * took for phase in phases for took in phase.heavy]
    found: dict[str, Any] = {"load": [round(phase.load, 1) for phase in phases]}
    if quiet:
        found |= {"answers": len(quiet), **shares(quiet), "mean_ms": round(statistics.fmean(quiet), 1)}
    if heavy:
        found["heavy_a_second"] = round(len(heavy) / sum(phase.lasted for phase in phases), 1)
        found["heavy"] = shares(heavy) | {"longest_ms": round(max(heavy), 1)}
    return found | {"refused": sum(phase.refused for phase in phases)}


def shares(took: list[float]) -> dict[str, float]:
    return {
        "p50_ms": round(statistics.median(took), 1),
        "p95_ms": round(statistics.quantiles(took, n=20)[18], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--port", type=int, default=8990)
    parser.add_argument("--setting", action="append", default=[], help="NAME=value, of Loam; may be repeated")
    given = parser.parse_args()
    settings = dict(one.split("=", 1) for one in given.setting)
    print(json.dumps(trial(seconds=given.seconds, rounds=given.rounds, port=given.port, settings=settings), indent=2))


if __name__ == "__main__":
    main()
