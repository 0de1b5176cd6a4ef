"""Two web machines that differ: by their release, by their clocks, or as one of them is cut off. Nothing may be lost.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.apart --release /a/checkout/of/before
    … --clocks 300        # the second machine's programs are five minutes ahead; needs libfaketime
    … --cut 20            # the second machine hangs for so many seconds, three times

On `Several`, while clients do what agents and people do all day. `--release` upgrades as docs/operations/upgrading.md
has it: the release before runs, the new one migrates, its programs replace those of one machine, later of the other.
A machine that is cut off is stopped as a whole (SIGSTOP): it neither answers the balancer nor hears of its database,
and goes on where it was when it is let go. Prints the calls of each part of the time, and those that failed.
"""

import argparse
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import psutil

from tests.trials.mix import Call, Client, crowd, together
from tests.trials.several import UNITS, Several
from tests.trials.stack import FIRST_START, ROOT, count_kept, family

CLIENTS, THINK = 8, 0.4
OTHER = 2
CUTS = 3
# Where Debian's libfaketime lies, for programs of several threads.
LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
# Sessions that are taken for silent though their agents were at work until the end.
SILENT = "SELECT count(*) FROM sessions_app_agentsession WHERE agent = 'trial' AND state = 'abandoned'"

Steps = dict[str, Callable[[], object]]


def release(loam: Several, seconds: float) -> Steps:
    """The steps of a rolling upgrade, each followed by some time."""
    migrate = partial(_managed, loam, "migrate", "--noinput", "--verbosity", "0")
    return {
        "the release before": lambda: None,
        "the release before, migrated by this one": migrate,
        "one machine of each": partial(loam.upgrade, 1, ROOT),
        "this release": partial(loam.upgrade, OTHER, ROOT),
    }


def _managed(loam: Several, *arguments: str) -> None:
    loam.code = ROOT
    done = loam.manage(*arguments)
    if done.returncode:
        raise RuntimeError(done.stderr)


def clocks(loam: Several, seconds: float) -> Steps:
    return {"clocks apart": lambda: None}


# libfaketime mistakes the end of Python's sleep, a moment of the monotonic clock, for one of the clock that it puts on.
SLEEP = """
import threading, time
time.sleep = lambda seconds: threading.Event().wait(seconds) and None
"""


def ahead(seconds: int, library: str) -> dict[str, str]:
    """The environment of programs whose clock is ahead. The monotonic clock, by which they wait, is left alone."""
    folder = Path(os.environ["LOAM_VAR"], "ahead")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(SLEEP)
    clock = {"LD_PRELOAD": library, "FAKETIME": f"{seconds:+}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return clock | {"PYTHONPATH": str(folder)}


def cuts(loam: Several, seconds: float) -> Steps:
    """Cut off and let go, by turns."""
    steps: Steps = {"both machines": lambda: None}
    for number in range(1, CUTS + 1):
        steps[f"cut off, {number}"] = partial(_signal, loam, signal.SIGSTOP)
        steps[f"let go, {number}"] = partial(_signal, loam, signal.SIGCONT)
    return steps


def _signal(loam: Several, number: signal.Signals) -> None:
    for unit in UNITS:
        for process in family(loam.kept[f"{unit} {OTHER}"].process.pid):
            with suppress(psutil.Error):
                process.send_signal(number)


def trial(loam: Several, steps: Callable[[Several, float], Steps], *, seconds: float) -> dict[str, Any]:
    """By step the calls and what failed; then what is stored. Raises AssertionError when an answer is not there."""
    stop, spans = Event(), dict[str, tuple[float, float, float]]()
    try:
        loam.wait(FIRST_START)
        clients = crowd(loam.url, loam.people(), size=CLIENTS, think=THINK, stop=stop)
        for name, act in steps(loam, seconds).items():
            began = time.monotonic() - clients[0].began
            act()
            done = time.monotonic() - clients[0].began - began
            time.sleep(seconds)
            spans[name] = (began, time.monotonic() - clients[0].began, round(done, 1))
        stop.set()
        for client in clients:
            client.join(120)
        faults = [repr(client.fault) for client in clients if client.fault]
        faults += ["a client hangs" for client in clients if client.is_alive()]
        kept = count_kept(loam, together(client.kept for client in clients))
        silent = loam.primary.ask(SILENT, database="loam")[0]
    finally:
        stop.set()
        _signal(loam, signal.SIGCONT)
        loam.end()
    return {
        "steps": {
            name: {"it took, s": done} | told(clients, since, until) for name, (since, until, done) in spans.items()
        },
        "faults": faults,
        "kept": kept,
        "sessions taken for silent": silent,
        "load": os.getloadavg(),
    }


def told(clients: list[Client], since: float, until: float) -> dict[str, Any]:
    """Of the calls that were sent in that time: how many, their latency, and those that failed by what was said."""
    calls: list[Call] = [call for client in clients for call in client.calls if since <= call.at < until]
    bad = Counter(f"{call.what} {call.status} {call.said[:160]}" for call in calls if not 200 <= call.status < 400)
    took = sorted(call.took for call in calls)
    share = {name: took[int(part * (len(took) - 1))] for name, part in (("p50", 0.5), ("p95", 0.95))} if took else {}
    degraded = Counter(name for call in calls for name in call.degraded)
    return {
        "calls": len(calls), **share, "longest": max(took, default=0.0), "failed": bad.total(),
        "what": dict(bad.most_common(8)), "degraded": dict(degraded),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--release", type=Path, metavar="CHECKOUT", help="of the release before")
    what.add_argument("--clocks", type=int, metavar="SECONDS", help="by which the second machine is ahead")
    what.add_argument("--cut", type=float, metavar="SECONDS", help="for which the second machine hangs")
    parser.add_argument("--seconds", type=float, default=45, help="of each step")
    parser.add_argument("--port", type=int, default=8960)
    parser.add_argument("--faketime", default=LIBRARY, help="the library that puts a program's clock on")
    given = parser.parse_args()
    if given.release:
        found = trial(Several(given.port, code=given.release), release, seconds=given.seconds)
    elif given.clocks:
        found = trial(
            Several(given.port, machines={OTHER: ahead(given.clocks, given.faketime)}), clocks, seconds=given.seconds
        )
    else:
        found = trial(Several(given.port), cuts, seconds=given.cut)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
