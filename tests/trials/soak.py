"""A soak: what agents and people do all day, for minutes, with every process' memory written down.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.soak --minutes 10 --clients 16
    … --stack apart --postgres /usr/lib/postgresql/17/bin      # PostgreSQL, Redis, two web processes, worker, beat
    … --stack several                                          # two web machines behind HAProxy, and the rest of it
    … --stack several --think 0 --only query                   # how many questions a second, and what each costs where

Questions, deposits, ratings, sessions from start to end, MCP calls and pages. The clients pause between requests, as
who they stand for do: this looks for what goes wrong with time (leaks, errors, what gets slower); without a pause, for
what the machine can answer and which part of it takes the processor. It fails on any error, on a web or worker that
grows by more than a tenth after its warm-up, on answers that get slower, and on a write that was answered and is not
there.
"""

import argparse
import json
import os
import re
import statistics
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import psutil

from tests.trials.mix import Call, crowd, together
from tests.trials.several import Several
from tests.trials.stack import FIRST_START, PARTS, Apart, Served, Stack, count_kept, told

# Seconds between two looks at memory. Reading a process' shares of its pages takes some milliseconds.
EVERY = 5.0
# The first part of the time is not measured: caches fill, statements are compiled, models are loaded.
WARM_UP = 0.2
# What issue 7 allows.
MOST_GROWTH = 0.10
# p95 of the last third against the first. A p95 of a few hundred requests on a shared machine moves by a quarter; an
# index that is not used, or a list that only grows, would show as several times.
MOST_SLOWER = 1.5
WATCHED = ("web", "worker", "bulk", "beat", "redis", "haproxy", "pgbouncer", "the database")
CLIENTS = "the clients"


@dataclass(frozen=True)
class Sample:
    """Memory of one process: seconds since the start, its part, MB of its own share (PSS) and resident (RSS)."""

    at: float
    part: str
    pid: int
    pss: float
    rss: float
    cpu: float  # seconds of a processor it has used so far


@dataclass(frozen=True)
class Probe:
    """How long (ms) the same small piece of work took, and of that on a processor (slower when its twin is busy
    too): a neighbour's load shows here as it does in answers.
    """

    at: float
    took: float
    cpu: float


def probed(at: float) -> Probe:
    began, spent = time.perf_counter(), time.thread_time()
    sum(range(WORK))
    return Probe(at, (time.perf_counter() - began) * 1000, (time.thread_time() - spent) * 1000)


# Some 20 ms on a quiet core: what a question takes.
WORK = 1_000_000


def sampled(stack: Stack, at: float) -> list[Sample]:
    """Now, of every process of that Loam. PostgreSQL with all its backends counts as one: they come and go."""
    found = []
    for process in stack.processes():
        words = told(process)
        part = next((name for name in WATCHED if all(word in words for word in PARTS[name])), "")
        part = part or ("the database" if words.startswith("postgres:") else "serve" if " serve " in words else "")
        try:
            memory, spent = process.memory_full_info(), process.cpu_times()
        except psutil.Error:
            continue
        if part:
            found.append(Sample(at, part, process.pid, memory.pss / 1e6, memory.rss / 1e6, spent.user + spent.system))
    return [*found, Sample(at, CLIENTS, os.getpid(), 0.0, 0.0, time.process_time())]


def soak(
    stack: Stack, *, minutes: float, size: int, think: float, say: bool, only: Sequence[str] = ()
) -> dict[str, Any]:
    """Run it on a stack that is being started, count, and end it."""
    try:
        stack.wait(FIRST_START)
        stop = Event()
        clients = crowd(stack.url, stack.people(), size=size, think=think, stop=stop, only=only)
        began = clients[0].began
        _ring_all(stack)
        samples, probes = _watch(stack, began, minutes * 60, say)
        stop.set()
        for client in clients:
            client.join(120)
        faults = [repr(client.fault) for client in clients if client.fault]
        faults += ["a client hangs" for client in clients if client.is_alive()]
        calls = sorted((call for client in clients for call in client.calls), key=lambda call: call.at)
        kept = count_kept(stack, together(client.kept for client in clients))
        return report(calls, samples, probes, minutes * 60) | {
            "jobs": jobs(stack),
            "ready": stack.ready(),
            "faults": faults,
            "kept": kept,
        }
    finally:
        stack.end()


# What a nightly job needs (the model, the libraries that group) is loaded when it first runs: warm-up, as well.
RING = """
from celery import current_app
from django_celery_beat.models import PeriodicTask
for task in PeriodicTask.objects.filter(enabled=True).exclude(task__startswith="celery."):
    current_app.send_task(task.task)
"""


def _ring_all(stack: Stack) -> None:
    done = stack.manage("shell", "--verbosity", "0", "-c", RING)
    if done.returncode:
        raise RuntimeError(done.stderr)


def _watch(stack: Stack, began: float, seconds: float, say: bool) -> tuple[list[Sample], list[Probe]]:
    samples: list[Sample] = []
    probes: list[Probe] = []
    while (at := time.monotonic() - began) < seconds:
        samples += sampled(stack, round(at, 1))
        probes.append(probed(at))
        if say and int(at / 60) > int((at - EVERY) / 60):
            sys.stderr.write(f"minute {at / 60:.0f}\n")
        time.sleep(EVERY)
    return samples, probes


def jobs(stack: Stack) -> dict[str, float]:
    """How long the last run of each job took, in seconds."""
    with urllib.request.urlopen(f"{stack.web_url}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    return {
        name: float(took) for name, took in re.findall(r'^loam_job_seconds\{job="([^"]+)"\} (.*)$', text, re.MULTILINE)
    }


# --- what it comes to -----------------------------------------------------------------------------------------
def report(calls: Sequence[Call], samples: Sequence[Sample], probes: Sequence[Probe], seconds: float) -> dict[str, Any]:
    """Figures of all calls and of each kind, of memory minute by minute, and what is wrong by the limits above."""
    bad = [call for call in calls if not 200 <= call.status < 400]
    kinds = sorted({_kind(call) for call in calls})
    table = {kind: figures([call for call in calls if _kind(call) == kind], seconds) for kind in kinds}
    whole = figures(calls, seconds)
    memory = grown(samples, seconds)
    wrong = [f"{len(bad)} of {len(calls)} calls failed"] * bool(bad)
    wrong += [
        f"{name} grew by {one['growth']:.0%}"
        for name, one in memory.items()
        if name.split()[0] in ("web", "worker", "beat") and one["growth"] > MOST_GROWTH
    ]
    machine = thirds([(probe.at, probe.took) for probe in probes], seconds)
    slower, by_machine = whole["p95 last"] / max(whole["p95 first"], 1), machine["p95 last"] / machine["p95 first"]
    if slower > MOST_SLOWER * max(by_machine, 1):
        wrong.append(f"p95 is {slower:.1f} times what it was, and the machine {by_machine:.1f} times as slow")
    shown = Counter(f"{call.what} {call.status} {call.said[:200]}" for call in bad)
    degraded = Counter(name for call in calls for name in call.degraded)
    return {
        "calls": {"all": whole, **table},
        "memory": memory,
        "machine": machine | {"cpu ms of the same work": mean_thirds([(p.at, p.cpu) for p in probes], seconds)},
        "cpu ms a call": costs(samples, calls, seconds),
        "failed": dict(shown.most_common(20)),
        "degraded": dict(degraded),
        "wrong": wrong,
    }


def _kind(call: Call) -> str:
    return call.what.split()[0]


def figures(calls: Sequence[Call], seconds: float) -> dict[str, float]:
    """How many, a second, and p50 and p95 in ms: of all, and p95 of the first and last third of what is measured."""
    took = [call.took for call in calls if call.at >= WARM_UP * seconds]
    found = {"calls": len(calls), "a second": round(len(calls) / seconds, 2)}
    found |= {"p50": share(took, 0.5), "p95": share(took, 0.95)} | thirds(
        [(call.at, call.took) for call in calls], seconds
    )
    return found | {"longest": max(took, default=0.0)}


def bounds(seconds: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """From and to of the first and the last third of what comes after the warm-up."""
    start, third = WARM_UP * seconds, (1 - WARM_UP) * seconds / 3
    return (start, start + third), (start + 2 * third, seconds)


def thirds(took: Sequence[tuple[float, float]], seconds: float) -> dict[str, float]:
    """`took`: (when, ms)."""
    first, last = ([ms for at, ms in took if low <= at < high] for low, high in bounds(seconds))
    return {"p95 first": round(share(first, 0.95), 1), "p95 last": round(share(last, 0.95), 1)}


def mean_thirds(values: Sequence[tuple[float, float]], seconds: float) -> dict[str, float]:
    found = zip(("first", "last"), bounds(seconds), strict=True)
    return {
        name: round(statistics.fmean([value for at, value in values if low <= at < high] or [0.0]), 1)
        for name, (low, high) in found
    }


def costs(samples: Sequence[Sample], calls: Sequence[Call], seconds: float) -> dict[str, dict[str, float]]:
    """Processor time of each part for each call in the first and the last third: no neighbour's load moves it much."""
    found: dict[str, dict[str, float]] = {}
    for name, (low, high) in zip(("first", "last"), bounds(seconds), strict=True):
        answered = max(sum(low <= call.at < high for call in calls), 1)
        within = [sample for sample in samples if low <= sample.at < high]
        for part in sorted({sample.part for sample in within}):
            spent = sum(
                _spent([one.cpu for one in within if one.part == part and one.pid == pid]) for pid in _pids(within)
            )
            found.setdefault(part, {})[name] = round(spent * 1000 / answered, 2)
    return found


def _pids(samples: Sequence[Sample]) -> set[int]:
    return {sample.pid for sample in samples}


def _spent(so_far: Sequence[float]) -> float:
    return so_far[-1] - so_far[0] if so_far else 0.0


def share(took: Sequence[float], part: float) -> float:
    return sorted(took)[min(len(took) - 1, int(part * len(took)))] if took else 0.0


def grown(samples: Sequence[Sample], seconds: float) -> dict[str, dict[str, Any]]:
    """By process: MB after the warm-up and at the end (medians of a tenth of the time each), growth, and by minute."""
    found = {}
    for name, mine in _by_process(samples).items():
        after = [s for s in mine if WARM_UP * seconds <= s.at < (WARM_UP + 0.1) * seconds]
        end = [s for s in mine if s.at >= 0.9 * seconds]
        if not after or not end:
            continue
        before, now = statistics.median(s.pss for s in after), statistics.median(s.pss for s in end)
        minutes = sorted({int(s.at // 60) for s in mine})
        found[name] = {
            "pss after warm-up": round(before, 1),
            "pss at the end": round(now, 1),
            "growth": round(now / before - 1, 4),
            "rss at the end": round(statistics.median(s.rss for s in end), 1),
            "pss by minute": [
                round(statistics.median(s.pss for s in mine if int(s.at // 60) == minute), 1) for minute in minutes
            ],
        }
    return found


def _by_process(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Of the database the sum at each moment; of what died and came back each life for itself."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        if sample.part == "the database":
            kept = found.setdefault(sample.part, [])
            last = kept[-1] if kept and kept[-1].at == sample.at else None
            if last:
                kept[-1] = Sample(sample.at, sample.part, 0, last.pss + sample.pss, last.rss + sample.rss, 0.0)
            else:
                kept.append(sample)
        elif sample.part != CLIENTS:
            found.setdefault(f"{sample.part} {sample.pid}", []).append(sample)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument(
        "--think", type=float, default=1.5, help="seconds between two requests of a client, on the mean"
    )
    parser.add_argument("--only", nargs="+", default=(), help="acts of the clients, as query; else all")
    parser.add_argument("--stack", choices=("served", "apart", "several"), default="served")
    parser.add_argument(
        "--postgres", type=Path, help="the programs of the PostgreSQL that `apart` uses; else the wheel's"
    )
    parser.add_argument("--port", type=int, default=8961, help="`apart` takes the two after it as well")
    parser.add_argument("--json", type=Path, help="where to write the figures as well")
    options = parser.parse_args()
    made = {
        "served": lambda: Served(options.port),
        "apart": lambda: Apart(options.port, binaries=options.postgres),
        "several": lambda: Several(options.port),
    }
    stack = made[options.stack]()
    found = soak(
        stack,
        minutes=options.minutes,
        size=options.clients,
        think=options.think,
        say=sys.stderr.isatty(),
        only=options.only,
    )
    text = json.dumps(found, indent=2)
    if options.json:
        options.json.write_text(text)
    print(text)
    sys.exit(1 if found["wrong"] or found["faults"] else 0)


if __name__ == "__main__":
    main()
